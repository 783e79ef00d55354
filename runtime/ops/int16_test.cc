// SPDX-License-Identifier: Apache-2.0
// Operators with activations of int16: outputs of TensorFlow Lite Micro and values worked out by hand, the
// types of biases, and models that are refused. The tests of int8 cover the rest.

#include "lutra/int16.h"

#include <cstdint>
#include <vector>

#include "runtime/testing/window_cases.h"

namespace lutra {
namespace {

TensorSpec Codes(const std::vector<int32_t>& shape, float scale, int64_t zero_point = 0) {
  return {.shape = shape, .type = TensorType::kInt16, .scale = scale, .zero_point = zero_point};
}

TensorSpec Weights(const std::vector<int32_t>& shape, float scale, const Int8List& values) {
  return {.shape = shape, .scale = scale, .data = BytesOf(values)};
}

template <typename T>
TensorSpec Bias(const std::vector<T>& values, float scale) {
  TensorSpec bias = Constant({static_cast<int32_t>(values.size())}, values);
  bias.scale = scale;
  return bias;
}

OpModel Binary(BuiltinOperator op, float a, float b, float out) {
  return {.op = op, .inputs = {Codes({6}, a), Codes({6}, b)}, .outputs = {Codes({6}, out)}};
}
const Int16List kA = {1, -1, 32767, -32768, 12345, 3};

TEST(Int16, SumsProductsAndDifferencesAreThoseOfTfliteMicro) {
  const Int16List b = {1, 0, 32767, -32768, -333, -8};
  ExpectOutput(Binary(BuiltinOperator::kAdd, 0.001f, 0.0007f, 0.0015f), {kA, b},
               Int16List{1, -1, 32767, -32768, 8075, -2});
  ExpectOutput(Binary(BuiltinOperator::kSub, 0.001f, 0.0007f, 0.0015f), {kA, b},
               Int16List{0, -1, 6553, -6554, 8385, 6});
  ExpectOutput(Binary(BuiltinOperator::kMul, 0.001f, 0.0007f, 0.002f),
               {kA, Int16List{1, 1, 32767, -32768, -333, -8}}, Int16List{0, 0, 32767, 32767, -1439, 0});
  ExpectOutput(Binary(BuiltinOperator::kSquaredDifference, 0.001f, 0.001f, 0.13f),
               {kA, Int16List{1, 1, -32767, 32767, -333, -8}}, Int16List{0, 0, 32767, 32767, 1236, 0});
}

TEST(Int16, AddHasZeroPointsActivationsAndBroadcasts) {
  OpModel add = Binary(BuiltinOperator::kAdd, 0.5f, 0.5f, 0.5f);
  add.inputs[0].zero_point = 1000;
  add.inputs[1].zero_point = -20000;
  add.outputs[0].zero_point = -3;
  // Codes less zero points are -10, 4, 0, 30, -1, 2 and 0, 0, 1, 0, -1, 2.
  const ValueLists inputs = {Int16List{990, 1004, 1000, 1030, 999, 1002},
                             Int16List{-20000, -20000, -19999, -20000, -20001, -19998}};
  ExpectActivations(add, inputs,
                    {Int16List{-13, 1, -2, 27, -5, 1}, Int16List{-3, 1, -2, 27, -3, 1},
                     Int16List{-5, -1, -2, -1, -5, -1}, Int16List{-3, 1, -2, 9, -3, 1}});
  add.inputs[1].shape = {1};
  ExpectOutput(add, {inputs[0], Int16List{-19990}}, Int16List{-3, 11, 7, 37, 6, 9});
}

OpModel Unary(BuiltinOperator op, float in, float out) {
  return {.op = op, .inputs = {Codes({2, 3}, in)}, .outputs = {Codes({2, 3}, out)}};
}
const Int16List kX = {-32768, -1000, -1, 0, 1001, 32767};

TEST(Int16, RectifiersRescale) {
  ExpectOutput(Unary(BuiltinOperator::kRelu, 0.5f, 1), {kX}, Int16List{0, 0, 0, 0, 501, 16384});
  ExpectOutput(Unary(BuiltinOperator::kRelu6, 0.01f, 0.01f), {kX}, Int16List{0, 0, 0, 0, 600, 600});
  // TFLite Micro does not rescale if parameters of input and output differ.
  ExpectOutput(Unary(BuiltinOperator::kRelu6, 0.001f, 0.002f), {kX}, Int16List{0, 0, 0, 0, 501, 3000});
  OpModel leaky = Unary(BuiltinOperator::kLeakyRelu, 1, 1);
  leaky.options.alpha = 0.5f;
  // A half is rounded up.
  ExpectOutput(leaky, {kX}, Int16List{-16384, -500, 0, 0, 1001, 32767});
  leaky.options.alpha = -0.5f;
  ExpectOutput(leaky, {kX}, Int16List{16384, 500, 1, 0, 1001, 32767});
}

TEST(Int16, SlopesOfPreluAreInt8) {
  OpModel prelu = {.op = BuiltinOperator::kPrelu,
                   .inputs = {Codes({2, 3}, 0.001f, 5), Weights({3}, 0.01f, {100, -50, 127})},
                   .outputs = {Codes({2, 3}, 0.002f, -7)}};
  prelu.inputs[1].zero_point = 2;
  // x - zero point: 20000, -1000, -32773, 0, -5, 32762; slopes 0.98, -0.52, 1.25, by a scale of 0.0005.
  ExpectOutput(prelu, {Int16List{20005, -995, -32768, 5, 0, 32767}},
               Int16List{9993, 253, -20490, -7, -6, 16374});
  constexpr Refusal kPrelus[] = {
      {"slopes of int16", [](OpModel& m) { m.inputs[1] = Codes({3}, 0.01f); }, Rule::kOperandType, 1, 7, 9},
      {"an output of int8", SetOutputType<TensorType::kInt8>, Rule::kOperandType, Out(0), 9, 7},
      {"slopes for 2 of 3",
       [](OpModel& m) {
         m.inputs[1] = Weights({2}, 0.01f, {1, 2});
       },
       Rule::kBroadcast, 1}};
  ExpectRefusals(prelu, kPrelus);
}

TEST(Int16, Magnitudes) {
  ExpectOutput(Unary(BuiltinOperator::kAbs, 1, 1), {kX}, Int16List{32767, 1000, 1, 0, 1001, 32767});
  ExpectOutput(Unary(BuiltinOperator::kAbs, 1, 2), {kX}, Int16List{16384, 500, 1, 0, 501, 16384});
  // Without quantisation the lowest code stays: int16 cannot hold its magnitude. TFLite does the same.
  ExpectOutput(Unary(BuiltinOperator::kAbs, 0, 0), {kX}, Int16List{-32768, 1000, 1, 0, 1001, 32767});
}

// Each scale takes another path: a shift, a multiplier; and a power of two that is a shift in TANH but not in
// LOGISTIC.
TEST(Int16, SigmoidsAreThoseOfTfliteMicro) {
  struct Case {
    BuiltinOperator op;
    float scale;
    Int16List expected;
  };
  const Int16List x = {-32768, -4096, -1, 3, 4096, 20000};
  const Case cases[] = {
      {BuiltinOperator::kLogistic, 0x1p-12f, {11, 8812, 16382, 16390, 23956, 32521}},
      {BuiltinOperator::kTanh, 0x1p-12f, {-32767, -24956, -8, 24, 24956, 32764}},
      {BuiltinOperator::kLogistic, 0x1p-11f, {1, 3906, 16380, 16396, 28862, 32766}},
      {BuiltinOperator::kTanh, 0x1p-11f, {-32767, -31589, -16, 48, 31589, 32767}},
      {BuiltinOperator::kLogistic, 0.001f, {1, 536, 16376, 16409, 32232, 32767}},
      {BuiltinOperator::kTanh, 0.001f, {-32767, -32750, -32, 99, 32750, 32767}},
      // Scales near a power of two count as one; scales further off do not.
      {BuiltinOperator::kTanh, 0x1p-12f * 1.0006f, {-32767, -24956, -8, 24, 24956, 32764}},
      {BuiltinOperator::kTanh, 0x1p-12f * 0.9994f, {-32767, -24956, -8, 24, 24956, 32764}},
  };
  for (const Case& c : cases) {
    ExpectOutput(Unary(c.op, c.scale, 0x1p-15f), {x}, c.expected);
  }
  const std::vector<ByteList> off = RunOp(Unary(BuiltinOperator::kTanh, 0x1p-12f * 1.0008f, 0x1p-15f), {x});
  EXPECT_NE(ListOf<int16_t>(off[0])[4], 24956);
}

TEST(Int16, Softmax) {
  OpModel model = {.op = BuiltinOperator::kSoftmax,
                   .inputs = {Codes({2, 4}, 0.001f)},
                   .outputs = {Codes({2, 4}, 0x1p-15f)},
                   .options = {.beta = 1}};
  ExpectOutput(model, {Int16List{1000, 2000, 3000, -32768, 5, 5, 5, 5}},
               Int16List{2950, 8019, 21798, 1, 8192, 8192, 8192, 8192});
}

// The specification's vector: sums of both widths round differently.
OpModel FullyConnected() {
  return {.op = BuiltinOperator::kFullyConnected,
          .inputs = {Codes({4, 1}, 0.0005f), Weights({1, 1}, 0.013f, {77}), Bias(Int64List{10}, 0.0000065f)},
          .outputs = {Codes({4, 1}, 0.0009f)}};
}
const Int16List kFullyConnectedInput = {1000, -1000, 3001, -32768};
const Int16List kWideSums = {556, -556, 1669, -18222};
const Int16List kNarrowSums = {556, -556, 1669, -18223};

TEST(Int16, BiasesDecideTheWidthOfSums) {
  OpModel model = FullyConnected();
  ExpectOutput(model, {kFullyConnectedInput}, kWideSums);
  model.inputs[2] = Bias(Int32List{10}, 0.0000065f);
  ExpectOutput(model, {kFullyConnectedInput}, kNarrowSums);
}

TEST(Int16, FullyConnectedHasZeroPointsAndChannels) {
  OpModel model = {
      .op = BuiltinOperator::kFullyConnected,
      .inputs = {Codes({1, 2}, 0.5f, -100), Weights({2, 2}, 0, {1, -2, 3, 4}), Bias(Int64List{8, -8}, 0)},
      .outputs = {Codes({1, 2}, 0.5f, 7)}};
  model.inputs[1].channel_scales = {0.5f, 0.25f};
  model.inputs[2].channel_scales = {0.25f, 0.125f};
  // Codes less zero points are 20 and 8: 8 + 20 - 16 = 12, halved; -8 + 60 + 32 = 84, quartered.
  ExpectOutput(model, {Int16List{-80, -92}}, Int16List{13, 28});
}

OpModel Convolution(BuiltinOperator op) {
  OpModel model = {.op = op,
                   .inputs = {Codes({1, 1, 3, 1}, 0.5f), Weights({1, 1, 2, 1}, 0.5f, {3, -2}),
                              Bias(Int64List{1000}, 0.25f)},
                   .outputs = {Codes({1, 1, 3, 1}, 0.25f)},
                   .options = {.padding = kSame, .depth_multiplier = 1}};
  if (op == BuiltinOperator::kTransposeConv) {
    model.inputs = {Constant({4}, Int32List{1, 1, 3, 1}), model.inputs[1], model.inputs[0], model.inputs[2]};
  }
  return model;
}

TEST(Int16, ConvolutionsSlideAndClamp) {
  const Int16List x = {100, -200, 32767};
  // The sums are 300 + 400, -600 - 65534, 98301, and 1000 of bias for each.
  for (const BuiltinOperator op : {BuiltinOperator::kConv2D, BuiltinOperator::kDepthwiseConv2D}) {
    ExpectOutput(Convolution(op), {x}, Int16List{1700, -32768, 32767});
  }
  // The sums are 300; -600 - 200; 98301 + 400.
  ExpectOutput(Convolution(BuiltinOperator::kTransposeConv), {x}, Int16List{1300, 200, 32767});
  OpModel int16_bias = Convolution(BuiltinOperator::kTransposeConv);
  int16_bias.inputs[3] = Bias(Int16List{1000}, 0.25f);
  ExpectOutput(int16_bias, {x}, Int16List{1300, 200, 32767});
  OpModel int32_bias = Convolution(BuiltinOperator::kConv2D);
  int32_bias.inputs[2] = Bias(Int32List{1000}, 0.25f);
  ExpectOutput(int32_bias, {x}, Int16List{1700, -32768, 32767});
}

// Sums may exceed 32 bits.
TEST(Int16, SumsAreWide) {
  OpModel model = Convolution(BuiltinOperator::kConv2D);
  model.inputs[2] = Bias(Int64List{int64_t{1} << 40}, 0.25f);
  model.outputs[0].scale = 0x1p30f;
  ExpectOutput(model, {Int16List{0, 0, 0}}, Int16List{256, 256, 256});
}

TEST(Int16, PoolsAndReductions) {
  OpModel pool = {.op = BuiltinOperator::kAveragePool2D,
                  .inputs = {Codes({1, 1, 6, 1}, 0.5f, 5)},
                  .outputs = {Codes({1, 1, 3, 1}, 0.5f, 5)},
                  .options = {.stride = 2, .filter = 1, .filter_w = 2}};
  ExpectOutput(pool, {Int16List{1, 2, -1, -2, 32767, 32766}}, Int16List{2, -2, 32767});
  pool.op = BuiltinOperator::kMaxPool2D;
  ExpectActivations(
      pool, {Int16List{1, 2, -1, -2, 32767, 32766}},
      {Int16List{2, -1, 32767}, Int16List{5, 5, 32767}, Int16List{3, 3, 7}, Int16List{5, 5, 17}});
  OpModel mean = {.op = BuiltinOperator::kMean,
                  .inputs = {Codes({2, 3}, 1, 10), Constant({1}, Int32List{1})},
                  .outputs = {Codes({2}, 1, -10)}};
  ExpectOutput(mean, {Int16List{11, 12, 14, 9, 8, 6}}, Int16List{-8, -12});
  mean.op = BuiltinOperator::kSum;
  ExpectOutput(mean, {Int16List{11, 12, 14, 9, 8, 6}}, Int16List{-3, -17});
}

TEST(Int16, BatchMatmul) {
  const OpModel matmul = {.op = BuiltinOperator::kBatchMatmul,
                          .inputs = {Codes({2, 2}, 0.5f), Codes({2, 1}, 0.5f)},
                          .outputs = {Codes({2, 1}, 0.5f)}};
  ExpectOutput(matmul, {Int16List{100, 2, -32768, 0}, Int16List{3, 1000}}, Int16List{1150, -32768});
}

// Operators that only move codes need no entry for int16.
TEST(Int16, MovesAndQuantises) {
  const OpModel pad = {.op = BuiltinOperator::kPad,
                       .inputs = {Codes({2}, 1), Constant({1, 2}, Int32List{1, 2})},
                       .outputs = {Codes({5}, 1)}};
  ExpectOutput(pad, {Int16List{-32768, 4}}, Int16List{0, -32768, 4, 0, 0});
  const OpModel quantize = {.op = BuiltinOperator::kQuantize,
                            .inputs = {Codes({3}, 0.5f, 10)},
                            .outputs = {{.shape = {3}, .scale = 1, .zero_point = -1}}};
  ExpectOutput(quantize, {Int16List{10, 30, 32767}}, Int8List{-1, 9, 127});
}

constexpr Refusal kOfInputsAndOutput[] = {
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kOperandType, Out(0), 9, 7},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"a zero point beyond int16", [](OpModel& m) { m.inputs[0].zero_point = 32768; }, Rule::kZeroPointValue,
     0},
};
constexpr Refusal kOfSymmetricOnes[] = {
    {"a zero point of the input", [](OpModel& m) { m.inputs[0].zero_point = 1; }, Rule::kZeroPointZero, 0, 1,
     0},
    {"a zero point of the output", [](OpModel& m) { m.outputs[0].zero_point = -5; }, Rule::kZeroPointZero,
     Out(0), -5, 0},
};
constexpr Refusal kOfLayers[] = {
    {"weights of int16",
     [](OpModel& m) {
       m.inputs[1].type = TensorType::kInt16;
       m.inputs[1].data.resize(2 * m.inputs[1].data.size());
     },
     Rule::kOperandType, 1, 7, 9},
    {"a bias of int8", SetInputType<2, TensorType::kInt8>, Rule::kOperandType, 2, 9, 4},
    {"a bias that leaves the sums' 48 bits",
     [](OpModel& m) { m.inputs[2].data = BytesOf(Int64List{(int64_t{1} << 46) + 1}); }, Rule::kAccumulator, 2,
     0},
    {"a factor of 2^7",
     [](OpModel& m) {
       m.inputs[2].scale = 1;
       m.inputs[0].scale = 1;
       m.inputs[1].scale = 1;
       m.outputs[0].scale = 0x1p-7f;
     },
     Rule::kMultiplierRange, 1, 8, 7},
    {"an activation that no integers have", SetActivation<4>, Rule::kActivation, kNode, 4},
};

TEST(Int16, LayersRefuse) {
  for (const BuiltinOperator op : {BuiltinOperator::kConv2D, BuiltinOperator::kDepthwiseConv2D}) {
    ExpectRefusals(Convolution(op), kOfInputsAndOutput);
    ExpectRefusals(Convolution(op), kOfSymmetricOnes);
    ExpectRefusals(Convolution(op), kOfLayers);
  }
  constexpr Refusal kInt32Bias[] = {{"a bias of int32, which TFLite Micro would read as int64",
                                     [](OpModel& m) { m.inputs[2] = Bias(Int32List{1}, 0.25f); },
                                     Rule::kOperandType, 2, 2, 4}};
  ExpectRefusals(Convolution(BuiltinOperator::kDepthwiseConv2D), kInt32Bias);
  constexpr Refusal kTransposed[] = {
      {"a bias of int32, which TFLite Micro would read as int64",
       [](OpModel& m) { m.inputs[3] = Bias(Int32List{1}, 0.25f); }, Rule::kOperandType, 3, 2, 4},
      {"a zero point", [](OpModel& m) { m.inputs[2].zero_point = 1; }, Rule::kZeroPointZero, 2, 1, 0}};
  ExpectRefusals(Convolution(BuiltinOperator::kTransposeConv), kTransposed);
  ExpectRefusals(FullyConnected(), kOfInputsAndOutput);
  ExpectRefusals(FullyConnected(), kOfLayers);
  constexpr Refusal kBiasScale[] = {
      {"a bias of another scale", [](OpModel& m) { m.inputs[2].scale = 0.5f; }, Rule::kBiasScale, 2}};
  ExpectRefusals(FullyConnected(), kBiasScale);
}

TEST(Int16, ElementwiseOperatorsRefuse) {
  for (const BuiltinOperator op : {BuiltinOperator::kMul, BuiltinOperator::kSquaredDifference}) {
    ExpectRefusals(Binary(op, 0.5f, 0.5f, 0.5f), kOfInputsAndOutput);
    ExpectRefusals(Binary(op, 0.5f, 0.5f, 0.5f), kOfSymmetricOnes);
  }
  constexpr Refusal kSums[] = {
      {"inputs of two types", SetInputType<1, TensorType::kInt8>, Rule::kOperandType, 1, 9, 7},
      {"a factor of 1", [](OpModel& m) { m.outputs[0].scale = 0x1p-15f; }, Rule::kMultiplierRange}};
  for (const BuiltinOperator op : {BuiltinOperator::kAdd, BuiltinOperator::kSub}) {
    ExpectRefusals(Binary(op, 0.5f, 0.5f, 0.5f), kOfInputsAndOutput);
    ExpectRefusals(Binary(op, 0.5f, 0.5f, 0.5f), kSums);
  }
  for (const BuiltinOperator op : {BuiltinOperator::kRelu, BuiltinOperator::kAbs}) {
    ExpectRefusals(Unary(op, 0.5f, 0.5f), kOfSymmetricOnes);
  }
  constexpr Refusal kSigmoids[] = {
      {"an output of another scale", [](OpModel& m) { m.outputs[0].scale = 0x1p-14f; },
       Rule::kFixedOutputQuantization, Out(0)},
      {"an output a little off", [](OpModel& m) { m.outputs[0].scale = 0x1p-15f * 1.0008f; },
       Rule::kFixedOutputQuantization, Out(0)},
      {"products beyond int32", [](OpModel& m) { m.inputs[0].scale = 5.4f; }, Rule::kMultiplierRange, 0}};
  for (const BuiltinOperator op : {BuiltinOperator::kLogistic, BuiltinOperator::kTanh}) {
    ExpectRefusals(Unary(op, 0.001f, 0x1p-15f), kSigmoids);
    ExpectRefusals(Unary(op, 0.001f, 0x1p-15f), kOfSymmetricOnes);
  }
  const OpModel softmax = {.op = BuiltinOperator::kSoftmax,
                           .inputs = {Codes({2, 4}, 0.001f)},
                           .outputs = {Codes({2, 4}, 0x1p-15f)},
                           .options = {.beta = 1}};
  constexpr Refusal kSoftmaxes[] = {
      {"a scale of 5", [](OpModel& m) { m.inputs[0].scale = 5.1f; }, Rule::kMultiplierRange, 0, 16, 15},
      {"a negative beta", [](OpModel& m) { m.options.beta = -1; }, Rule::kMultiplierRange, 0}};
  ExpectRefusals(softmax, kSoftmaxes);
  ExpectRefusals(softmax, kOfSymmetricOnes);
}

// Int16 lacks these operators, which int8 has.
TEST(Int16, OthersAreRefused) {
  const ModelRun div(Build(Binary(BuiltinOperator::kDiv, 0.5f, 0.5f, 0.5f)));
  EXPECT_EQ(div.diagnosis().rule, Rule::kOperandType);
  for (const BuiltinOperator op : {BuiltinOperator::kHardSwish, BuiltinOperator::kElu}) {
    const ModelRun run(Build(Unary(op, 0.5f, 0.5f)));
    EXPECT_EQ(run.diagnosis().rule, Rule::kOperandType) << ToString(op);
  }
}

TEST(Int16, AnInterpreterWithoutItRefuses) {
  const ModelRun run(Build(Binary(BuiltinOperator::kAdd, 0.5f, 0.5f, 0.5f)), {.int16 = nullptr});
  EXPECT_NE(run.status(), Status::kOk);
  EXPECT_EQ(run.diagnosis().rule, Rule::kOperandType);
}

}  // namespace
}  // namespace lutra
