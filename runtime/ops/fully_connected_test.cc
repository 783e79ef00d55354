// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED: one multiplier or one for each channel, inputs of any shape, and models that are refused.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

TensorSpec Biases(const Int32List& values, float scale) {
  return {.shape = {static_cast<int32_t>(values.size())},
          .type = TensorType::kInt32,
          .scale = scale,
          .data = BytesOf(values)};
}

// The scales 0.5, 0.25 and 0.125 make each sum the output's code.
OpModel FullyConnectedModel(const std::vector<int32_t>& input, const std::vector<int32_t>& weights_shape,
                            const Int8List& weights, const std::vector<int32_t>& output) {
  return {.op = BuiltinOperator::kFullyConnected,
          .inputs = {{.shape = input, .scale = 0.5f},
                     {.shape = weights_shape, .scale = 0.25f, .data = BytesOf(weights)},
                     Biases(Int32List(static_cast<size_t>(weights_shape[0])), 0.125f)},
          .outputs = {{.shape = output, .scale = 0.125f}}};
}

// ---- Values.

TEST(FullyConnected, Int8) {
  OpModel model = FullyConnectedModel({2, 3}, {2, 3}, {1, 2, 3, -4, 5, -6}, {2, 2});
  model.inputs[0].zero_point = -1;
  model.outputs[0].zero_point = 10;
  model.inputs[2].data = BytesOf(Int32List{7, -7});
  // The rows' codes less the zero point are (1, 2, 3) and (-10, 0, 2).
  ExpectOutput(model, {Int8List{0, 1, 2, -11, -1, 1}}, Int8List{31, -9, 13, 31});
}

TEST(FullyConnected, FactorsByChannel) {
  OpModel model = FullyConnectedModel({1, 2}, {3, 2}, {4, 4, 8, 8, 16, 16}, {1, 3});
  model.inputs[1].channel_scales = {0.25f, 0.125f, 0.0625f};
  model.inputs[2].data = BytesOf(Int32List{4, 8, -16});
  model.outputs[0].scale = 0.5f;
  model.outputs[0].zero_point = -5;
  // The sum is 30, the multiplier 1, and the biases add 1, 1, -1.
  ExpectOutput(model, {Int8List{10, 20}}, Int8List{26, 26, 24});
}

// Some depths and numbers of channels fill the kernel's blocks, others do not.
TEST(FullyConnected, TakesAnyDepth) {
  for (const int32_t depth : {1, 10, 64, 250, 256, 257, 392, 640}) {
    for (const int32_t channels : {1, 12, 32, 33, 64}) {
      SCOPED_TRACE(testing::Message() << depth << " to " << channels);
      const Int8List weights = Pattern(depth * channels, 7, 5);
      const Int8List input = Pattern(depth, 11, 7);
      ExpectOutput(FullyConnectedModel({1, depth}, {channels, depth}, weights, {1, channels}), {input},
                   ProductOf(input, weights, depth));
    }
  }
}

// The product of the scales is rounded to float32, except if each channel has a scale (int8-ops 1.9): the sum
// 204429 gives 37 and 36; then 88, where double gives 89.
TEST(FullyConnected, FactorsPerTensorAreFloat32) {
  Int8List values(14, 127);
  values[13] = 86;
  Int8List weights(14, 127);
  weights[12] = 85;
  weights[13] = 1;
  OpModel model = FullyConnectedModel({1, 14}, {1, 14}, weights, {1, 1});
  model.left_out = {2};
  model.inputs[0].scale = 0.00787343643605709f;
  model.inputs[1].scale = 0.009589510038495064f;
  model.outputs[0].scale = 0.4228748381137848f;
  ExpectOutput(model, {values}, Int8List{37});
  OpModel channels = FullyConnectedModel({1, 14}, {2, 14}, weights, {1, 2});
  channels.inputs[1].data.resize(28);
  channels.left_out = {2};
  channels.inputs[0].scale = model.inputs[0].scale;
  channels.inputs[1].channel_scales = {model.inputs[1].scale, 1};
  channels.outputs[0].scale = model.outputs[0].scale;
  ExpectOutput(channels, {values}, Int8List{36, 0});
}

TEST(FullyConnected, InputsHaveAnyShape) {
  const Int8List weights = {1, 10, 100, -1};
  const Int8List input = {1, 2, 0, 3};
  ExpectOutput(FullyConnectedModel({1, 2, 2}, {1, 4}, weights, {1, 1}), {input}, Int8List{18});
  ExpectOutput(FullyConnectedModel({4}, {1, 4}, weights, {1}), {input}, Int8List{18});
  // The rows have two values, and the input's dimensions are kept.
  OpModel kept = FullyConnectedModel({1, 2, 2}, {2, 2}, weights, {1, 2, 2});
  kept.options.keep_num_dims = true;
  ExpectOutput(kept, {input}, Int8List{21, 98, 30, -3});
}

TEST(FullyConnected, MayHaveNoBias) {
  OpModel model = FullyConnectedModel({1, 2}, {1, 2}, {2, 3}, {1, 1});
  model.inputs[2].data = BytesOf(Int32List{50});
  ExpectOutput(model, {Int8List{4, 5}}, Int8List{73});
  model.left_out = {2};
  ExpectOutput(model, {Int8List{4, 5}}, Int8List{23});
  model.left_out.clear();
  model.inputs.pop_back();
  ExpectOutput(model, {Int8List{4, 5}}, Int8List{23});
}

TEST(FullyConnected, WeightsMayBeComputed) {
  OpModel model = FullyConnectedModel({1, 2}, {1, 2}, {}, {1, 1});
  model.inputs[1].data.clear();
  ExpectOutput(model, {Int8List{4, 5}, Int8List{2, 3}}, Int8List{23});
}

TEST(FullyConnected, Activations) {
  OpModel model = FullyConnectedModel({4, 1}, {1, 1}, {1}, {4, 1});
  model.outputs[0].zero_point = -20;
  ExpectActivations(model, {Int8List{-50, -4, 30, 100}},
                    {Int8List{-70, -24, 10, 80}, Int8List{-20, -20, 10, 80}, Int8List{-28, -24, -12, -12},
                     Int8List{-20, -20, 10, 28}});
}

OpModel FloatModel() {
  OpModel model = FullyConnectedModel({2, 2}, {2, 2}, {}, {2, 2});
  for (TensorSpec& spec : model.inputs) spec.type = TensorType::kFloat32;
  model.outputs[0].type = TensorType::kFloat32;
  model.inputs[1].data = BytesOf(FloatList{1, 0.5f, -1, 2});
  model.inputs[2].data = BytesOf(FloatList{0.25f, -0.25f});
  return model;
}

TEST(FullyConnected, Float) {
  OpModel model = FloatModel();
  const FloatList input = {1, 2, -3, 8};
  ExpectOutput(model, {input}, FloatList{2.25f, 2.75f, 1.25f, 18.75f});
  model.options.activation = 3;  // RELU6
  ExpectOutput(model, {input}, FloatList{2.25f, 2.75f, 1.25f, 6});
  model.left_out = {2};
  ExpectOutput(model, {input}, FloatList{2, 3, 1, 6});
}

// The output begins a row before the input: 3 rows of 16, and rows of 32 into 16.
TEST(FullyConnected, RowsAreComputedInPlace) {
  const auto model = [](int32_t depth) {
    return FullyConnectedModel({3, depth}, {16, depth}, Int8List(static_cast<size_t>(16 * depth)), {3, 16});
  };
  EXPECT_EQ(ActivationBytes(model(16), false), 96u);
  EXPECT_EQ(ActivationBytes(model(16)), 64u);
  EXPECT_EQ(ActivationBytes(model(32), false), 144u);
  EXPECT_LT(ActivationBytes(model(32)), 144u);
}

// ---- Refusals.

constexpr Refusal kFullyConnectedRefusals[] = {
    {"one input",
     [](OpModel& m) {
       DropInput(m);
       DropInput(m);
     },
     Rule::kInputCount, kNode, 1, 2},
    {"four inputs", AddInput, Rule::kInputCount, kNode, 4, 3},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"the input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"shuffled weights", [](OpModel& m) { m.options.weights_format = 1; }, Rule::kOptionValue, 1},
    {"TANH", SetActivation<4>, Rule::kActivation, kNode, 4},
    {"weights of 3 dimensions",
     [](OpModel& m) {
       m.inputs[1].shape = {1, 2, 2};
     },
     Rule::kOperandRank, 1, 3, 2},
    {"3 channels for 2",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 3};
     },
     Rule::kOperandShape, Out(0), 3, 2},
    {"3 rows for 2",
     [](OpModel& m) {
       m.outputs[0].shape = {3, 2};
     },
     Rule::kOperandShape, 0, 4},
    {"a bias of 3 values",
     [](OpModel& m) { m.inputs[2] = {.shape = {3}, .type = m.inputs[2].type, .scale = 0.125f}; },
     Rule::kOperandShape, 2, 3, 2},
};

constexpr Refusal kFullyConnectedInt8[] = {
    {"a hybrid", SetInputType<0, TensorType::kFloat32>, Rule::kHybrid, 1},
    {"int32", SetInputType<0, TensorType::kInt32>, Rule::kOperandType, 0, 2, 9},
    {"uint8 weights", SetInputType<1, TensorType::kUInt8>, Rule::kUint8, 1},
    {"an int16 output", SetOutputType<TensorType::kInt16>, Rule::kOperandType, Out(0), 7, 9},
    {"an int8 bias", SetInputType<2, TensorType::kInt8>, Rule::kOperandType, 2, 9, 2},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of the weights", [](OpModel& m) { m.inputs[1].scale = 0; }, Rule::kQuantizationMissing, 1},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"weights with a zero point", [](OpModel& m) { m.inputs[1].zero_point = 3; }, Rule::kZeroPointZero, 1, 3,
     0},
    {"scales along the depth",
     [](OpModel& m) {
       m.inputs[1].channel_scales = {1, 1};
       m.inputs[1].quantized_dimension = 1;
     },
     Rule::kQuantizedDimension, 1, 1, 0},
    {"3 scales for 2 channels",
     [](OpModel& m) {
       m.inputs[1].channel_scales = {1, 1, 1};
     },
     Rule::kScaleCount, 1, 3, 2},
    {"scales of weights of 3 dimensions",
     [](OpModel& m) {
       m.inputs[1].channel_scales = {1, 1};
       m.inputs[1].shape = {2, 1, 2};
     },
     Rule::kOperandRank, 1, 3, 2},
    {"a factor of 2^31",
     [](OpModel& m) {
       m.outputs[0].scale = 0x1p-34f;
       m.left_out = {2};
     },
     Rule::kMultiplierRange, 1},
    // The bias scale is off by 0.003 of 0.125, which is 0.024 codes of the output, to either side.
    {"a bias scale that is too large", [](OpModel& m) { m.inputs[2].scale = 0.128f; }, Rule::kBiasScale, 2},
    {"a bias scale that is too small", [](OpModel& m) { m.inputs[2].scale = 0.122f; }, Rule::kBiasScale, 2},
};

constexpr Refusal kFullyConnectedFloat[] = {
    {"a hybrid", SetInputType<1, TensorType::kInt8>, Rule::kHybrid, 1},
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kOperandType, Out(0), 9, 0},
    {"an int32 bias", SetInputType<2, TensorType::kInt32>, Rule::kOperandType, 2, 2, 0},
};

TEST(FullyConnected, Refusals) {
  OpModel model = FullyConnectedModel({2, 2}, {2, 2}, {1, 2, 3, 4}, {2, 2});
  ExpectRefusals(model, kFullyConnectedRefusals);
  ExpectRefusals(model, kFullyConnectedInt8);
  ExpectRefusals(FloatModel(), kFullyConnectedRefusals);
  ExpectRefusals(FloatModel(), kFullyConnectedFloat);
  // A bias scale that is off by less than 0.02 codes of the output is taken.
  model.inputs[2].scale = 0.127f;
  ExpectOutput(model, {Int8List{1, 2, 3, 4}}, Int8List{5, 11, 11, 25});
}

}  // namespace
}  // namespace lutra
