// SPDX-License-Identifier: Apache-2.0
// EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL: int8 is compared by real values, other types by
// their values.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Op2 = BuiltinOperator;

constexpr Op2 kAll[] = {Op2::kEqual,        Op2::kNotEqual, Op2::kGreater,
                        Op2::kGreaterEqual, Op2::kLess,     Op2::kLessEqual};

OpModel CompareModel(Op2 op, TensorType type, const std::vector<int32_t>& shape = {3}) {
  return {.op = op,
          .inputs = {{.shape = shape, .type = type}, {.shape = shape, .type = type}},
          .outputs = {{.shape = shape, .type = TensorType::kBool}}};
}

// The real values are (code - 4) / 2 and (code + 1) / 4.
OpModel Int8Model(Op2 op) {
  OpModel model = CompareModel(op, TensorType::kInt8);
  model.inputs[0].scale = 0.5f;
  model.inputs[0].zero_point = 4;
  model.inputs[1].scale = 0.25f;
  model.inputs[1].zero_point = -1;
  return model;
}

// Each row has the operator's results for a smaller, an equal and a larger first input.
const ByteList kExpected[] = {{0, 1, 0}, {1, 0, 1}, {0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}};

template <typename T>
void ExpectOrder(TensorType type, const std::vector<T>& a, const std::vector<T>& b) {
  for (size_t i = 0; i < 6; ++i) {
    SCOPED_TRACE(ToString(kAll[i]));
    ExpectOutput(CompareModel(kAll[i], type), {a, b}, kExpected[i]);
  }
}

TEST(Compare, OrdersEachType) {
  ExpectOrder<int16_t>(TensorType::kInt16, {-300, 7, 300}, {-299, 7, -300});
  ExpectOrder<int32_t>(TensorType::kInt32, {-70000, 7, 70000}, {-69999, 7, -70000});
  // The low halves of the first two numbers are equal.
  ExpectOrder<int64_t>(TensorType::kInt64, {1, 1ll << 40, 1ll << 40}, {1 + (1ll << 32), 1ll << 40, 0});
  ExpectOrder<float>(TensorType::kFloat32, {-0.5f, 0.0f, 1.5f}, {0.25f, -0.0f, 1.25f});
}

TEST(Compare, Int8ComparesReals) {
  for (size_t i = 0; i < 6; ++i) {
    SCOPED_TRACE(ToString(kAll[i]));
    // The real values are -1, 1.5, 2 and -0.75, 1.5, 1.75.
    ExpectOutput(Int8Model(kAll[i]), {Int8List{2, 7, 8}, Int8List{-4, 5, 6}}, kExpected[i]);
  }
}

// Real values are rounded to 1/256: with a scale of 0.001, codes 50 and 51 are equal (int8-ops 2.13).
TEST(Compare, Int8IsEqualWithinARounding) {
  OpModel model = Int8Model(Op2::kEqual);
  for (TensorSpec& input : model.inputs) {
    input.scale = 0.001f;
    input.zero_point = 0;
  }
  ExpectOutput(model, {Int8List{50, 50, 50}, Int8List{50, 51, 54}}, ByteList{1, 1, 0});
}

TEST(Compare, BoolIsEqualOrNot) {
  const ValueLists inputs = {ByteList{0, 1, 1}, ByteList{1, 0, 1}};
  ExpectOutput(CompareModel(Op2::kEqual, TensorType::kBool), inputs, ByteList{0, 0, 1});
  ExpectOutput(CompareModel(Op2::kNotEqual, TensorType::kBool), inputs, ByteList{1, 1, 0});
}

TEST(Compare, Broadcasts) {
  OpModel model = CompareModel(Op2::kLess, TensorType::kInt32, {2, 3});
  model.inputs[0].shape = {2, 1};
  model.inputs[1].shape = {3};
  ExpectOutput(model, {Int32List{1, 2}, Int32List{1, 2, 3}}, ByteList{0, 1, 1, 0, 0, 1});
  OpModel codes = Int8Model(Op2::kGreater);
  codes.inputs[1].shape = {};
  ExpectOutput(codes, {Int8List{2, 7, 8}, Int8List{5}}, ByteList{0, 0, 1});  // -1, 1.5, 2 > 1.5.
}

TEST(Compare, Int8IsComparedInPlace) {
  OpModel model = Int8Model(Op2::kEqual);
  for (TensorSpec& input : model.inputs) input.shape = {240};
  model.outputs[0].shape = {240};
  EXPECT_EQ(ActivationBytes(model, false), 3u * 240);
  EXPECT_EQ(ActivationBytes(model), 2u * 240);
}

constexpr Refusal kCompareRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"int8 and int16", SetInputType<1, TensorType::kInt16>, Rule::kTypesDiffer, 1, 7, 9},
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kOperandType, Out(0), 9, 6},
    {"3 and 2 elements", [](OpModel& m) { m.inputs[1].shape = {2}; }, Rule::kBroadcast, 1},
    {"an output of 2 elements", [](OpModel& m) { m.outputs[0].shape = {2}; }, Rule::kOperandShape, Out(0), 2,
     3},
    {"no scale in front", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale behind", [](OpModel& m) { m.inputs[1].scale = 0; }, Rule::kQuantizationMissing, 1},
    {"a scale of 1 in front", [](OpModel& m) { m.inputs[0].scale = 1; }, Rule::kScaleRange, 0},
    {"a scale of 1 behind", [](OpModel& m) { m.inputs[1].scale = 1; }, Rule::kScaleRange, 1},
    {"uint8", [](OpModel& m) { m.inputs[0].type = m.inputs[1].type = TensorType::kUInt8; }, Rule::kUint8, 0},
};

constexpr Refusal kNoOrder[] = {
    {"bool", [](OpModel& m) { m.inputs[0].type = m.inputs[1].type = TensorType::kBool; }, Rule::kOperandType,
     0, NumberOf(TensorType::kBool), NumberOf(TensorType::kInt8)}};

TEST(Compare, Refusals) {
  for (const Op2 op : kAll) {
    SCOPED_TRACE(ToString(op));
    ExpectRefusals(Int8Model(op), kCompareRefusals);
    if (op != Op2::kEqual && op != Op2::kNotEqual) ExpectRefusals(Int8Model(op), kNoOrder);
  }
}

}  // namespace
}  // namespace lutra
