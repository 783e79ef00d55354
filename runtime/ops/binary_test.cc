// SPDX-License-Identifier: Apache-2.0
// ADD, SUB, MUL, DIV, SQUARED_DIFFERENCE: each type, the precision of each operator's factors, broadcasting,
// fused activations, and models that are refused.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Op2 = BuiltinOperator;

constexpr Op2 kAll[] = {Op2::kAdd, Op2::kSub, Op2::kMul, Op2::kDiv, Op2::kSquaredDifference};

// Parameters differ: the real values of the first input are (code - 1) / 2, of the second (code + 2) / 4, of
// the output (code - 3) / 2.
OpModel Int8Model(Op2 op, const std::vector<int32_t>& shape = {4}) {
  return {.op = op,
          .inputs = {{.shape = shape, .scale = 0.5f, .zero_point = 1},
                     {.shape = shape, .scale = 0.25f, .zero_point = -2}},
          .outputs = {{.shape = shape, .scale = 0.5f, .zero_point = 3}}};
}

OpModel RawModel(Op2 op, TensorType type, const std::vector<int32_t>& shape = {4}) {
  return {.op = op,
          .inputs = {{.shape = shape, .type = type}, {.shape = shape, .type = type}},
          .outputs = {{.shape = shape, .type = type}}};
}

// A model with one element in each tensor, and zero points 0.
OpModel ScalesModel(Op2 op, float a, float b, float out) {
  return {.op = op,
          .inputs = {{.shape = {1}, .scale = a}, {.shape = {1}, .scale = b}},
          .outputs = {{.shape = {1}, .scale = out}}};
}

// ---- Values.

TEST(Binary, Int8FollowsTheReals) {
  // The real values are 1, -2, 60, -60 and 0.5, 2, 7.5, -7.5.
  const ValueLists reals = {Int8List{3, -3, 121, -119}, Int8List{0, 6, 28, -32}};
  ExpectOutput(Int8Model(Op2::kAdd), reals, Int8List{6, 3, 127, -128});   // 1.5, 0, 67.5, -67.5
  ExpectOutput(Int8Model(Op2::kSub), reals, Int8List{4, -5, 108, -102});  // 0.5, -4, 52.5, -52.5
  ExpectOutput(Int8Model(Op2::kMul), reals, Int8List{4, -5, 127, 127});   // 0.5, -4, 450, 450
  // The real results are 0.25, 16, 2756.25, 2756.25: half a code is rounded up.
  ExpectOutput(Int8Model(Op2::kSquaredDifference), reals, Int8List{4, 35, 127, 127});
}

// The input with the larger scale may be the first or the second.
TEST(Binary, Int8ScalesMayBeExchanged) {
  // The real values are 0.5, 2, 7.5, -7.5 and 1, -2, 60, -60.
  const ValueLists reals = {Int8List{0, 6, 28, -32}, Int8List{3, -3, 121, -119}};
  const auto exchanged = [](Op2 op) {
    OpModel model = Int8Model(op);
    std::swap(model.inputs[0], model.inputs[1]);
    return model;
  };
  ExpectOutput(exchanged(Op2::kAdd), reals, Int8List{6, 3, 127, -128});
  ExpectOutput(exchanged(Op2::kSub), reals, Int8List{2, 11, -102, 108});
  ExpectOutput(exchanged(Op2::kMul), reals, Int8List{4, -5, 127, 127});
  ExpectOutput(exchanged(Op2::kSquaredDifference), reals, Int8List{4, 35, 127, 127});
}

// The quotient's multiplier has to be at least 64, so the output's scale is 1/32.
OpModel DivModel() {
  OpModel model = Int8Model(Op2::kDiv);
  model.outputs[0].scale = 1.0f / 32;
  return model;
}

TEST(Binary, Int8Div) {
  // 1 / 0.5, -2 / 2, 0.5 / -0.5 and -60 / 7.5, which is beyond the output's range.
  ExpectOutput(DivModel(), {Int8List{3, -3, 2, -119}, Int8List{0, 6, -4, 28}}, Int8List{67, -29, -29, -128});
  // With this zero point the divisor's codes reach further down.
  OpModel model = DivModel();
  model.inputs[1].zero_point = 90;
  ExpectOutput(model, {Int8List{3, -3, 2, -119}, Int8List{92, 98, 88, 120}}, Int8List{67, -29, -29, -128});
}

TEST(Binary, FloatFollowsTheReals) {
  const ValueLists reals = {FloatList{1, -2, 60, -60}, FloatList{0.5f, 2, 7.5f, -7.5f}};
  constexpr TensorType kFloat = TensorType::kFloat32;
  ExpectOutput(RawModel(Op2::kAdd, kFloat), reals, FloatList{1.5f, 0, 67.5f, -67.5f});
  ExpectOutput(RawModel(Op2::kSub, kFloat), reals, FloatList{0.5f, -4, 52.5f, -52.5f});
  ExpectOutput(RawModel(Op2::kMul, kFloat), reals, FloatList{0.5f, -4, 450, 450});
  ExpectOutput(RawModel(Op2::kDiv, kFloat), reals, FloatList{2, -1, 8, 8});
  ExpectOutput(RawModel(Op2::kSquaredDifference, kFloat), reals, FloatList{0.25f, 16, 2756.25f, 2756.25f});
}

TEST(Binary, Int32IsRaw) {
  const ValueLists values = {Int32List{7, -7, 1 << 20, 0}, Int32List{3, 3, -5, 9}};
  constexpr TensorType kInt32 = TensorType::kInt32;
  ExpectOutput(RawModel(Op2::kAdd, kInt32), values, Int32List{10, -4, (1 << 20) - 5, 9});
  ExpectOutput(RawModel(Op2::kSub, kInt32), values, Int32List{4, -10, (1 << 20) + 5, -9});
  ExpectOutput(RawModel(Op2::kMul, kInt32), values, Int32List{21, -21, -5 * (1 << 20), 0});
  ExpectOutput(RawModel(Op2::kDiv, kInt32), values, Int32List{2, -2, (1 << 20) / -5, 0});
  ExpectOutput(RawModel(Op2::kSquaredDifference, kInt32),
               {Int32List{7, -7, 1 << 20, 0}, Int32List{3, 3, 0, 9}}, Int32List{16, 100, 0, 81});
}

// Each of these outputs is one code off if the multiplier is computed in the other precision (int8-ops 1.9).
TEST(Binary, FactorsHaveTheOperatorsPrecision) {
  // SUB: float32 throughout; double gives 9.
  ExpectOutput(ScalesModel(Op2::kSub, 0.069f, 0.292f, 0.392f), {Int8List{116}, Int8List{16}}, Int8List{8});
  ExpectOutput(ScalesModel(Op2::kSub, 0.371f, 0.152f, 0.062f), {Int8List{-37}, Int8List{-95}}, Int8List{11});
  // MUL: double; float32 gives 45 and 78.
  ExpectOutput(ScalesModel(Op2::kMul, 0.3026f, 0.25f, 0.0034f), {Int8List{1}, Int8List{2}}, Int8List{44});
  ExpectOutput(ScalesModel(Op2::kMul, 0.2786f, 0.3116f, 0.094f), {Int8List{1}, Int8List{85}}, Int8List{79});
}

TEST(Binary, Int8ActivationsClampCodes) {
  // The real sums are -7, -0.5, 1.5, 15, made as 0 + x, 0 - x and 1 * x. RELU clamps to the zero point, 3.
  const ValueLists sums = {Int8List{-11, 2, 6, 33}, Int8List{3, 3, 6, 33}, Int8List{1, 2, 5, 5},
                           Int8List{3, 3, 6, 15}};
  ExpectActivations(Int8Model(Op2::kAdd), {Int8List(4, 1), Int8List{-30, -4, 4, 58}}, sums);
  ExpectActivations(Int8Model(Op2::kSub), {Int8List(4, 1), Int8List{26, 0, -8, -62}}, sums);
  ExpectActivations(Int8Model(Op2::kMul), {Int8List(4, 3), Int8List{-30, -4, 4, 58}}, sums);
  // The real quotients are 2, -2, 0.5, -0.5; the real value 6 lies beyond code 127.
  ExpectActivations(DivModel(), {Int8List{5, -3, 2, 0}, Int8List(4, 2)},
                    {Int8List{67, -61, 19, -13}, Int8List{67, 3, 19, 3}, Int8List{35, -29, 19, -13},
                     Int8List{67, 3, 19, 3}});
}

TEST(Binary, FloatActivationsClamp) {
  ExpectActivations(RawModel(Op2::kSub, TensorType::kFloat32),
                    {FloatList{0, 0, 0, 0}, FloatList{7, 0.5f, -1.5f, -15}},
                    {FloatList{-7, -0.5f, 1.5f, 15}, FloatList{0, 0, 1.5f, 15}, FloatList{-1, -0.5f, 1, 1},
                     FloatList{0, 0, 1.5f, 6}});
}

TEST(Binary, WithoutOptionsNothingIsFused) {
  OpModel model = Int8Model(Op2::kAdd);
  model.options.table = OptionsTable::kNone;
  ExpectOutput(model, {Int8List(4, 1), Int8List{-30, -4, 4, 58}}, Int8List{-11, 2, 6, 33});
}

// ---- Broadcasting.

// Expects a - b for shapes of each kind; `a` has the values 10, 20, ..., `b` 1, 2, ...
void ExpectDifference(const std::vector<int32_t>& a, const std::vector<int32_t>& b,
                      const std::vector<int32_t>& out, const Int32List& expected, Caller caller = {}) {
  OpModel model = RawModel(Op2::kSub, TensorType::kInt32);
  model.inputs[0].shape = a;
  model.inputs[1].shape = b;
  model.outputs[0].shape = out;
  const auto count = [](const std::vector<int32_t>& shape) {
    int product = 1;
    for (const int32_t dim : shape) product *= dim;
    return product;
  };
  Int32List tens = Counting<int32_t>(count(a));
  for (int32_t& value : tens) value *= 10;
  ExpectOutput(model, {tens, Counting<int32_t>(count(b))}, expected, caller);
}

TEST(Binary, BroadcastsAlignedFromTheRight) {
  ExpectDifference({2, 3}, {3}, {2, 3}, {9, 18, 27, 39, 48, 57});
  ExpectDifference({3}, {2, 3}, {2, 3}, {9, 18, 27, 6, 15, 24});
  ExpectDifference({2, 3}, {2, 1}, {2, 3}, {9, 19, 29, 38, 48, 58});
  ExpectDifference({2, 1}, {1, 3}, {2, 3}, {9, 8, 7, 19, 18, 17});
  ExpectDifference({2, 2}, {}, {2, 2}, {9, 19, 29, 39});
  ExpectDifference({}, {3}, {3}, {9, 8, 7});
  ExpectDifference({2, 1, 2}, {2, 1}, {2, 2, 2}, {9, 19, 8, 18, 29, 39, 28, 38});
  ExpectDifference({1, 2}, {1, 1, 2}, {1, 1, 2}, {9, 18});
}

TEST(Binary, Int8BroadcastsAsWell) {
  OpModel model = Int8Model(Op2::kAdd, {2, 2});
  model.inputs[1].shape = {2, 1};
  // The real values are 0, 0.5, 1, 1.5; the other input has 1 and -1, one for each row.
  ExpectOutput(model, {Int8List{1, 2, 3, 4}, Int8List{2, -6}}, Int8List{5, 6, 3, 4});
}

// ---- Memory.

TEST(Binary, EqualShapesAreComputedInPlace) {
  for (const Op2 op : kAll) {
    SCOPED_TRACE(ToString(op));
    const OpModel model = RawModel(op, TensorType::kFloat32, {5, 48});
    EXPECT_EQ(ActivationBytes(model, false), 3u * 960);
    EXPECT_EQ(ActivationBytes(model), 2u * 960);
  }
}

// The output takes the place of the input that has its elements, whichever that is.
TEST(Binary, OneElementBesideManyIsComputedInPlace) {
  for (const Op2 op : kAll) {
    for (const size_t one : {0, 1}) {
      SCOPED_TRACE(ToString(op) + std::to_string(one));
      OpModel model = RawModel(op, TensorType::kFloat32, {5, 48});
      model.inputs[one].shape = {1, 1};
      EXPECT_EQ(ActivationBytes(model, false), 2u * 960 + 16);
      EXPECT_EQ(ActivationBytes(model), 960u + 16);
    }
  }
  OpModel columns = RawModel(Op2::kAdd, TensorType::kFloat32, {5, 48});
  columns.inputs[1].shape = {5, 1};
  EXPECT_EQ(ActivationBytes(columns), 2u * 960 + 32);
}

TEST(Binary, OneElementBesideManyHasItsValues) {
  Int32List less_one, from_ten;
  for (int32_t i = 1; i <= 120; ++i) {
    less_one.push_back(10 * i - 1);
    from_ten.push_back(10 - i);
  }
  ExpectDifference({4, 30}, {1}, {4, 30}, less_one);
  ExpectDifference({1, 1}, {120}, {1, 120}, from_ten);
  OpModel model = Int8Model(Op2::kAdd, {200});
  model.inputs[1].shape = {};
  // Codes i less 100 and 2: reals of (i - 101) / 2 and 1.
  Int8List codes, sums;
  for (int i = 0; i < 200; ++i) {
    codes.push_back(static_cast<int8_t>(i - 100));
    sums.push_back(static_cast<int8_t>(i - 96));
  }
  ExpectOutput(model, {codes, Int8List{2}}, sums);
}

// ---- Refusals.

constexpr Refusal kBinaryRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"an input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"int8 and float32", SetInputType<1, TensorType::kFloat32>, Rule::kTypesDiffer, 1, 0, 9},
    {"a float32 output", SetOutputType<TensorType::kFloat32>, Rule::kTypesDiffer, Out(0), 0, 9},
    {"4 and 3 elements", [](OpModel& m) { m.inputs[1].shape = {3}; }, Rule::kBroadcast, 1},
    {"an output of another rank",
     [](OpModel& m) {
       m.outputs[0].shape = {1, 4};
     },
     Rule::kOperandRank, Out(0), 2, 1},
    {"an output of 3 elements", [](OpModel& m) { m.outputs[0].shape = {3}; }, Rule::kOperandShape, Out(0), 3,
     4},
    {"no scale in front", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale behind", [](OpModel& m) { m.inputs[1].scale = 0; }, Rule::kQuantizationMissing, 1},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"int64",
     [](OpModel& m) { m.inputs[0].type = m.inputs[1].type = m.outputs[0].type = TensorType::kInt64; },
     Rule::kOperandType, 0, NumberOf(TensorType::kInt64), NumberOf(TensorType::kInt8)},
};

constexpr Refusal kFused[] = {
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"TANH", SetActivation<4>, Rule::kActivation, kNode, 4},
    {"SIGN_BIT", SetActivation<5>, Rule::kActivation, kNode, 5},
    {"an activation that the format does not know", SetActivation<6>, Rule::kOptionsMissing},
};

TEST(Binary, RefusesWhatNoOperatorTakes) {
  for (const Op2 op : kAll) {
    SCOPED_TRACE(ToString(op));
    const OpModel model = op == Op2::kDiv ? DivModel() : Int8Model(op);
    ExpectRefusals(model, kBinaryRefusals);
    if (op != Op2::kSquaredDifference) ExpectRefusals(model, kFused);
  }
}

constexpr Refusal kSumFactor[] = {
    {"a factor of 1", [](OpModel& m) { m.outputs[0].scale = 0x1p-20f; }, Rule::kMultiplierRange},
};
constexpr Refusal kProductFactor[] = {
    {"a factor of 2^31 or more", [](OpModel& m) { m.outputs[0].scale = 0x1p-45f; }, Rule::kMultiplierRange,
     1},
};
// The divisor's codes reach 129 from its zero point; 129 has 7 bits behind its first bit, and the multiplier
// needs as many.
constexpr Refusal kQuotientFactor[] = {
    {"a factor of 32", [](OpModel& m) { m.outputs[0].scale = 0.0625f; }, Rule::kMultiplierRange, kNode, 6, 7},
    {"a factor of 2^23", [](OpModel& m) { m.outputs[0].scale = 0x1p-22f; }, Rule::kMultiplierRange, kNode, 24,
     7},
};

TEST(Binary, RefusesFactorsOutOfRange) {
  ExpectRefusals(Int8Model(Op2::kAdd), kSumFactor);
  ExpectRefusals(Int8Model(Op2::kSub), kSumFactor);
  ExpectRefusals(Int8Model(Op2::kMul), kProductFactor);
  ExpectRefusals(Int8Model(Op2::kSquaredDifference), kProductFactor);
  ExpectRefusals(DivModel(), kQuotientFactor);
}

constexpr Refusal kBinaryFloat[] = {{"TANH", SetActivation<4>, Rule::kActivation, kNode, 4}};
constexpr Refusal kInt32[] = {{"RELU", SetActivation<1>, Rule::kActivation, kNode, 1}};

void BecomeInt64(OpModel& m) { m.inputs[0].type = m.inputs[1].type = m.outputs[0].type = TensorType::kInt64; }
constexpr Refusal kNoInt64[] = {
    {"int64", BecomeInt64, Rule::kOperandType, 0, NumberOf(TensorType::kInt64), NumberOf(TensorType::kInt8)}};

TEST(Binary, RefusesByType) {
  ExpectRefusals(RawModel(Op2::kAdd, TensorType::kFloat32), kBinaryFloat);
  ExpectRefusals(RawModel(Op2::kAdd, TensorType::kInt32), kInt32);
  ExpectRefusals(RawModel(Op2::kDiv, TensorType::kFloat32), kNoInt64);
  ExpectRefusals(RawModel(Op2::kSquaredDifference, TensorType::kFloat32), kNoInt64);
}

TEST(Binary, DivisorOfZeroIsAnErrorOfTheRun) {
  // -2 is the divisor's zero point.
  ExpectInvalidInput(DivModel(), {Int8List{3, 3, 3, 3}, Int8List{0, 6, -2, -2}},
                     {.what = "0", .rule = Rule::kRuntimeDivisor, .blamed = 1, .found = 2});
  ExpectInvalidInput(RawModel(Op2::kDiv, TensorType::kInt32), {Int32List{3, 3, 3, 3}, Int32List{-2, 6, 1, 0}},
                     {.what = "0", .rule = Rule::kRuntimeDivisor, .blamed = 1, .found = 3});
}

}  // namespace
}  // namespace lutra
