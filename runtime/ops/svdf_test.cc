// SPDX-License-Identifier: Apache-2.0
// SVDF: the filters' memory, states of int8 and int16, ranks, and models that are refused.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

constexpr int kWeights = 1;
constexpr int kTime = 2;
constexpr int kBias = 3;
constexpr int kState = 4;

struct Sizes {
  int32_t batches = 1;
  int32_t depth = 2;
  int32_t filters = 2;
  int32_t memory = 3;
  int32_t rank = 1;
};

// Features are the state's codes, and weighted sums the output's: both multipliers are 1.
OpModel SvdfModel(const Sizes& s, const Int8List& weights, const Int16List& time, const Int32List& bias) {
  const int32_t units = s.filters / s.rank;
  return {.op = BuiltinOperator::kSvdf,
          .inputs = {{.shape = {s.batches, s.depth}, .scale = 0.5f, .zero_point = 3},
                     {.shape = {s.filters, s.depth}, .scale = 0.25f, .data = BytesOf(weights)},
                     {.shape = {s.filters, s.memory},
                      .type = TensorType::kInt16,
                      .scale = 0.5f,
                      .data = BytesOf(time)},
                     {.shape = {units}, .type = TensorType::kInt32, .scale = 0.0625f, .data = BytesOf(bias)},
                     {.shape = {s.batches, s.filters * s.memory},
                      .type = TensorType::kInt16,
                      .scale = 0.125f,
                      .is_variable = true}},
          .outputs = {{.shape = {s.batches, units}, .scale = 0.0625f, .zero_point = -7}},
          .options = {.rank = s.rank}};
}

// Features of (1, 2), (3, 4), (5, 6), (0, 0) are 5 11 17 0 and 1 1 1 0. The newest are weighted by 3 and by
// 6.
const Int8List kFeatures = {1, 2, -1, 1};
const Int16List kTimes = {1, 2, 3, 4, -5, 6};
const std::vector<ValueLists> kSteps = {
    {Int8List{4, 5}}, {Int8List{6, 7}}, {Int8List{8, 9}}, {Int8List{3, 3}}};

TEST(Svdf, RemembersFeatures) {
  // The sums are 15, 43, 72 + 6, 45 with bias 2; 6, 1, 5, -1 with bias -3; then -7.
  ExpectSequence(Build(SvdfModel({}, kFeatures, kTimes, {2, -3})), kSteps,
                 {Int8List{10, -4}, Int8List{38, -9}, Int8List{73, -5}, Int8List{40, -11}});
}

TEST(Svdf, RanksMakeOneUnit) {
  ExpectSequence(Build(SvdfModel({.rank = 2}, kFeatures, kTimes, {0})), kSteps,
                 {Int8List{14}, Int8List{37}, Int8List{76}, Int8List{37}});
}

// Returns the same model in float32, with other biases.
OpModel FloatModel() {
  OpModel model = SvdfModel({}, {}, {}, {});
  for (TensorSpec& spec : model.inputs) {
    spec.type = TensorType::kFloat32;
    spec.scale = 0;
    spec.zero_point = 0;
  }
  model.inputs[kWeights].data = BytesOf(FloatList{1, 2, -1, 1});
  model.inputs[kTime].data = BytesOf(FloatList{1, 2, 3, 4, -5, 6});
  model.inputs[kBias].data = BytesOf(FloatList{0.5f, -3});
  model.outputs[0] = {.shape = {1, 2}, .type = TensorType::kFloat32};
  return model;
}

TEST(Svdf, MayHaveNoBias) {
  OpModel model = SvdfModel({}, kFeatures, kTimes, {2, -3});
  model.left_out = {kBias};
  ExpectSequence(Build(model), kSteps,
                 {Int8List{8, -1}, Int8List{36, -6}, Int8List{71, -2}, Int8List{38, -8}});
}

TEST(Svdf, EachBatchHasAStateOfItsOwn) {
  const OpModel model = SvdfModel({.batches = 2}, kFeatures, kTimes, {2, -3});
  ExpectSequence(Build(model), {{Int8List{4, 5, 3, 3}}, {Int8List{6, 7, 4, 5}}, {Int8List{8, 9, 6, 7}}},
                 {Int8List{10, -4, -5, -10}, Int8List{38, -9, 10, -4}, Int8List{73, -5, 38, -9}});
}

OpModel Int8StateModel() {
  OpModel model = SvdfModel({}, kFeatures, {}, {2, -3});
  model.inputs[kTime].type = model.inputs[kState].type = TensorType::kInt8;
  model.inputs[kTime].data = BytesOf(Int8List{1, 2, 3, 4, -5, 6});
  return model;
}

TEST(Svdf, StatesMayBeInt8) {
  OpModel model = Int8StateModel();
  ExpectSequence(Build(model), kSteps,
                 {Int8List{10, -4}, Int8List{38, -9}, Int8List{73, -5}, Int8List{40, -11}});
  // The state's zero point is not 0.
  model.inputs[kState].zero_point = -4;
  ExpectSequence(Build(model), kSteps,
                 {Int8List{10, -4}, Int8List{38, -9}, Int8List{73, -5}, Int8List{40, -11}});
  // A feature of 300 is clamped to 127 before the zero point is added.
  model.inputs[kTime].data = BytesOf(Int8List{1, 1, 1, 0, 0, 0});
  ExpectSequence(Build(model), {{Int8List{103, 103}}}, {Int8List{122, -10}});
}

// There are more features, and more filters, than fill a block of the kernel.
TEST(Svdf, TakesAnySize) {
  const Sizes sizes = {.depth = 130, .filters = 34, .memory = 10};
  Int8List weights;
  for (int i = 0; i < 34 * 130; ++i) weights.push_back(i % 130 == i / 130 * 3 ? 1 : 0);
  Int16List time;
  for (int i = 0; i < 34 * 10; ++i) time.push_back(i % 10 == 9 ? 1 : i % 10 == 8 ? 2 : 0);
  // Filter f reads value 3 f: the newest one once, the previous one twice.
  const auto input = [](int step) {
    Int8List list;
    for (int i = 0; i < 130; ++i) list.push_back(static_cast<int8_t>((i + step) % 11 + 3));
    return list;
  };
  const auto output = [](int step) {
    Int8List list;
    for (int f = 0; f < 34; ++f) {
      const int before = step == 0 ? 0 : 2 * ((3 * f + step - 1) % 11);
      list.push_back(static_cast<int8_t>((3 * f + step) % 11 + before - 7));
    }
    return list;
  };
  ExpectSequence(Build(SvdfModel(sizes, weights, time, Int32List(34))), {{input(0)}, {input(1)}, {input(2)}},
                 {output(0), output(1), output(2)});
}

// 132 * 0.185 / 0.264, and again for the output, is 92.49999 in float32, but 92.50000 in double (int8-ops
// 1.9).
TEST(Svdf, FactorsAreFloat32) {
  OpModel model = SvdfModel({.depth = 1, .filters = 1, .memory = 1}, {2}, {1}, {0});
  model.left_out = {kBias};
  model.inputs[0].scale = 0.185f;
  model.inputs[0].zero_point = 0;
  model.inputs[kWeights].scale = model.inputs[kTime].scale = 1;
  model.inputs[kState].scale = model.outputs[0].scale = 0.264f;
  model.outputs[0].zero_point = 0;
  ExpectSequence(Build(model), {{Int8List{66}}}, {Int8List{92}});
  // The quotient of the output's scale is as close to a tie as that of the input's.
  model.inputs[kState].scale = 0.185f;
  ExpectSequence(Build(model), {{Int8List{66}}}, {Int8List{92}});
}

TEST(Svdf, TakesFloat32) {
  const std::vector<ValueLists> steps = {
      {FloatList{1, 2}}, {FloatList{3, 4}}, {FloatList{5, 6}}, {FloatList{0, 0}}};
  ExpectSequence(Build(FloatModel()), steps,
                 {FloatList{15.5f, 3}, FloatList{43.5f, -2}, FloatList{78.5f, 2}, FloatList{45.5f, -4}});
  // Unlike with int8, the activation is applied.
  OpModel model = FloatModel();
  model.options.activation = 3;
  ExpectSequence(Build(model), steps, {FloatList{6, 3}, FloatList{6, 0}, FloatList{6, 2}, FloatList{6, 0}});
  // Both filters belong to one unit, without a bias.
  model = FloatModel();
  model.options.rank = 2;
  model.left_out = {kBias};
  model.outputs[0].shape = {1, 1};
  ExpectSequence(Build(model), steps, {FloatList{21}, FloatList{44}, FloatList{83}, FloatList{44}});
}

TEST(Svdf, RefusesMixturesOfFloat32) {
  constexpr Refusal kMixtures[] = {
      {"time weights of int8", SetInputType<kTime, TensorType::kInt8>, Rule::kOperandType, kTime, 9, 0},
      {"an int32 bias", SetInputType<kBias, TensorType::kInt32>, Rule::kOperandType, kBias, 2, 0},
      {"an int16 state", SetInputType<kState, TensorType::kInt16>, Rule::kOperandType, kState, 7, 0},
      {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kOperandType, Out(0), 9, 0},
      {"a state that is fed", [](OpModel& m) { m.inputs[kState].is_variable = false; }, Rule::kStateVariable,
       kState},
      {"2 filters of rank 3", [](OpModel& m) { m.options.rank = 3; }, Rule::kOptionValue, kWeights, 3},
  };
  ExpectRefusals(FloatModel(), kMixtures);
}

// ---- Refusals.

template <int kOperand>
void RemoveScale(OpModel& m) {
  m.inputs[kOperand].scale = 0;
}

constexpr Refusal kOperands[] = {
    {"two inputs",
     [](OpModel& m) {
       for (int i = 0; i < 3; ++i) DropInput(m);
     },
     Rule::kInputCount, kNode, 2, 3},
    {"six inputs", AddInput, Rule::kInputCount, kNode, 6, 5},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"no state", [](OpModel& m) { m.left_out = {kState}; }, Rule::kInputMissing, kNode, 4},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"TANH", SetActivation<4>, Rule::kActivation, kNode, 4},
    {"a hybrid", SetInputType<0, TensorType::kFloat32>, Rule::kHybrid, kWeights},
    {"time weights of int16 among float32",
     [](OpModel& m) {
       m.inputs[0].type = m.inputs[kWeights].type = TensorType::kFloat32;
       m.inputs[kWeights].data.resize(16);
     },
     Rule::kOperandType, kTime, 7, 0},
    {"int16", SetInputType<0, TensorType::kInt16>, Rule::kOperandType, 0, 7, 9},
    {"uint8 weights", SetInputType<kWeights, TensorType::kUInt8>, Rule::kUint8, kWeights},
    {"an int16 output", SetOutputType<TensorType::kInt16>, Rule::kOperandType, Out(0), 7, 9},
    {"an int16 bias", SetInputType<kBias, TensorType::kInt16>, Rule::kOperandType, kBias, 7, 2},
    {"a state that is fed", [](OpModel& m) { m.inputs[kState].is_variable = false; }, Rule::kStateVariable,
     kState},
    {"a state of int32", SetInputType<kState, TensorType::kInt32>, Rule::kOperandType, kState, 2, 9},
    {"int8 weights of an int16 state", SetInputType<kTime, TensorType::kInt8>, Rule::kTypesDiffer, kTime, 9,
     7},
};

constexpr Refusal kShapes[] = {
    {"an input of 3 dimensions",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 1, 2};
     },
     Rule::kOperandRank, 0, 3, 2},
    {"weights that are a list", [](OpModel& m) { m.inputs[kWeights].shape = {4}; }, Rule::kOperandRank,
     kWeights, 1, 2},
    {"time weights that are a list", [](OpModel& m) { m.inputs[kTime].shape = {6}; }, Rule::kOperandRank,
     kTime, 1, 2},
    {"a rank of 0", [](OpModel& m) { m.options.rank = 0; }, Rule::kOptionValue, kWeights, 0},
    {"2 filters of rank 3", [](OpModel& m) { m.options.rank = 3; }, Rule::kOptionValue, kWeights, 3},
    {"a state of more values than int32 counts",
     [](OpModel& m) {
       m.inputs[kWeights] = {.shape = {1 << 20, 2}, .scale = 1};
       m.inputs[kTime] = {.shape = {1, 1 << 12}, .type = TensorType::kInt16, .scale = 1};
     },
     Rule::kTensorSize, kState},
    {"weights for 1 value of 2",
     [](OpModel& m) {
       m.inputs[kWeights].shape = {2, 1};
     },
     Rule::kOperandShape, kWeights, 1, 2},
    {"time weights of 1 filter of 2",
     [](OpModel& m) {
       m.inputs[kTime].shape = {1, 3};
     },
     Rule::kOperandShape, kTime, 1, 2},
    {"a state of 5 values",
     [](OpModel& m) {
       m.inputs[kState].shape = {1, 5};
     },
     Rule::kOperandShape, kState, 5, 6},
    {"an output of 3 units",
     [](OpModel& m) {
       m.outputs[0].shape = {1, 3};
     },
     Rule::kOperandShape, Out(0), 3, 2},
    {"a bias of 1 value", [](OpModel& m) { m.inputs[kBias].shape = {1}; }, Rule::kOperandShape, kBias, 1, 2},
};

constexpr Refusal kQuantization[] = {
    {"no scale of the input", RemoveScale<0>, Rule::kQuantizationMissing, 0},
    {"no scale of the weights", RemoveScale<kWeights>, Rule::kQuantizationMissing, kWeights},
    {"no scale of the time weights", RemoveScale<kTime>, Rule::kQuantizationMissing, kTime},
    {"no scale of the state", RemoveScale<kState>, Rule::kQuantizationMissing, kState},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"weights with a zero point", [](OpModel& m) { m.inputs[kWeights].zero_point = 1; }, Rule::kZeroPointZero,
     kWeights, 1, 0},
    {"time weights with a zero point", [](OpModel& m) { m.inputs[kTime].zero_point = -1; },
     Rule::kZeroPointZero, kTime, -1, 0},
    {"a bias scale that is too large", [](OpModel& m) { m.inputs[kBias].scale = 0.0626f; }, Rule::kBiasScale,
     kBias},
    {"a bias scale that is too small", [](OpModel& m) { m.inputs[kBias].scale = 0.0624f; }, Rule::kBiasScale,
     kBias},
    {"a feature's factor of 2^31",
     [](OpModel& m) {
       m.inputs[kState].scale = 0x1p-34f;
       m.inputs[kBias].scale = 0x1p-35f;
     },
     Rule::kMultiplierRange, kState},
    {"the time's factor of 2^31", [](OpModel& m) { m.outputs[0].scale = 0x1p-35f; }, Rule::kMultiplierRange,
     Out(0)},
};

TEST(Svdf, Refusals) {
  const OpModel model = SvdfModel({}, kFeatures, kTimes, {2, -3});
  ExpectRefusals(model, kOperands);
  ExpectRefusals(model, kShapes);
  ExpectRefusals(model, kQuantization);
  // The activation is not applied, but has to be valid in the format.
  OpModel relu = model;
  relu.options.activation = 1;
  ExpectSequence(Build(relu), {{Int8List{3, 3}}}, {Int8List{-5, -10}});
}

}  // namespace
}  // namespace lutra
