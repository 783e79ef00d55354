// SPDX-License-Identifier: Apache-2.0
// Tests what CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV share: types, ranks, windows, quantisation, and
// rows in place.

#include "runtime/testing/window_cases.h"

namespace lutra {
namespace {

using OpC = BuiltinOperator;

constexpr OpC kAll[] = {OpC::kConv2D, OpC::kDepthwiseConv2D, OpC::kTransposeConv};

// From 3 channels to 3, with windows of 2 x 2 and padding SAME.
OpModel SmallConvolutionModel(OpC op, const std::vector<int32_t>& image = {2, 4, 4, 3}) {
  const int32_t filters = op == OpC::kDepthwiseConv2D ? 1 : 3;
  return ConvolutionModel(op, image, {filters, 2, 2, 3}, Int8List(static_cast<size_t>(filters * 12)), image);
}

// Multiplies each pixel by `weight`.
OpModel PixelModel(OpC op, int8_t weight, int32_t width) {
  return ConvolutionModel(op, {1, 1, width, 1}, {1, 1, 1, 1}, {weight}, {1, 1, width, 1});
}

// ---- Values.

TEST(Convolution, MayHaveNoBias) {
  for (const OpC op : kAll) {
    SCOPED_TRACE(ToString(op));
    OpModel model = PixelModel(op, 2, 1);
    model.inputs.back().data = BytesOf(Int32List{50});
    ExpectOutput(model, {Int8List{4}}, Int8List{58});
    model.left_out = {BiasInput(op)};
    ExpectOutput(model, {Int8List{4}}, Int8List{8});
    model.left_out.clear();
    DropInput(model);
    ExpectOutput(model, {Int8List{4}}, Int8List{8});
  }
}

TEST(Convolution, Activations) {
  for (const OpC op : kAll) {
    SCOPED_TRACE(ToString(op));
    OpModel model = PixelModel(op, 1, 4);
    model.outputs[0].zero_point = -20;
    ExpectActivations(model, {Int8List{-50, -4, 30, 100}},
                      {Int8List{-70, -24, 10, 80}, Int8List{-20, -20, 10, 80}, Int8List{-28, -24, -12, -12},
                       Int8List{-20, -20, 10, 28}});
  }
}

// ---- Refusals.

// kInput: the number of the image, which the bias follows; the filter is input 1.
template <int kInput, int kBias>
constexpr Refusal kConvolutionRefusals[] = {
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"an input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"a padding that the format does not know", [](OpModel& m) { m.options.padding = 2; },
     Rule::kOptionsMissing},
    {"int8 weights of a float32 image", SetInputType<kInput, TensorType::kFloat32>, Rule::kHybrid, 1},
    {"int32", SetInputType<kInput, TensorType::kInt32>, Rule::kOperandType, kInput, 2, 9},
    {"a uint8 filter", SetInputType<1, TensorType::kUInt8>, Rule::kUint8, 1},
    {"an int16 output", SetOutputType<TensorType::kInt16>, Rule::kOperandType, Out(0), 7, 9},
    {"an int8 bias", SetInputType<kBias, TensorType::kInt8>, Rule::kOperandType, kBias, 9, 2},
    {"an image of 3 dimensions",
     [](OpModel& m) {
       m.inputs[kInput].shape = {4, 4, 3};
     },
     Rule::kOperandRank, kInput, 3, 4},
    {"a filter of 3 dimensions",
     [](OpModel& m) {
       m.inputs[1].shape = {2, 2, 3};
     },
     Rule::kOperandRank, 1, 3, 4},
    {"3 images from 2", [](OpModel& m) { m.inputs[kInput].shape[0] = 3; }, Rule::kOperandShape, Out(0), 2, 3},
    {"a bias of 2 values", [](OpModel& m) { m.inputs[kBias].shape = {2}; }, Rule::kOperandShape, kBias, 2, 3},
    {"a stride of 0", [](OpModel& m) { m.options.stride = 0; }, Rule::kWindow, 1},
    {"no stride to the side", [](OpModel& m) { m.options.stride_w = 0; }, Rule::kWindow, 1},
    {"a window larger than the image",
     [](OpModel& m) {
       m.options.padding = 1;
       m.inputs[1].shape[1] = 5;
       m.inputs[1].data.resize(180);
     },
     Rule::kWindow, 1},
    {"no scale of the image", [](OpModel& m) { m.inputs[kInput].scale = 0; }, Rule::kQuantizationMissing,
     kInput},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"no scale of the filter", [](OpModel& m) { m.inputs[1].scale = 0; }, Rule::kQuantizationMissing, 1},
    {"TANH", SetActivation<4>, Rule::kActivation, kNode, 4},
};

template <int kRequired>
constexpr Refusal kAxis[] = {{"scales along another axis",
                              [](OpModel& m) {
                                m.inputs[1].channel_scales = {1, 1, 1};
                                m.inputs[1].quantized_dimension = 2;
                              },
                              Rule::kQuantizedDimension, 1, 2, kRequired}};

// TRANSPOSE_CONV's output has another shape, and it has no dilations.
constexpr Refusal kSliding[] = {
    {"one input",
     [](OpModel& m) {
       DropInput(m);
       DropInput(m);
     },
     Rule::kInputCount, kNode, 1, 2},
    {"four inputs", AddInput, Rule::kInputCount, kNode, 4, 3},
    {"an output of 3 dimensions",
     [](OpModel& m) {
       m.outputs[0].shape = {4, 4, 3};
     },
     Rule::kOperandRank, Out(0), 3, 4},
    {"an output of 2 channels", [](OpModel& m) { m.outputs[0].shape[3] = 2; }, Rule::kOperandShape, Out(0), 2,
     3},
    {"3 rows of the output", [](OpModel& m) { m.outputs[0].shape[1] = 3; }, Rule::kOperandShape, Out(0), 3,
     4},
    {"3 columns of the output", [](OpModel& m) { m.outputs[0].shape[2] = 3; }, Rule::kOperandShape, Out(0), 3,
     4},
    {"a dilation of 0", [](OpModel& m) { m.options.dilation = 0; }, Rule::kWindow, 1},
    {"no dilation to the side", [](OpModel& m) { m.options.dilation_w = 0; }, Rule::kWindow, 1},
    {"a window that reaches beyond int32", [](OpModel& m) { m.options.dilation = INT32_MAX; }, Rule::kWindow,
     1},
};

constexpr Refusal kSpreading[] = {{"2 channels for 3 filters",
                                   [](OpModel& m) {
                                     m.outputs[0].shape[3] = 2;
                                     m.inputs[0] = Constant({4}, Int32List{2, 4, 4, 2});
                                   },
                                   Rule::kOperandShape, Out(0), 2, 3}};

TEST(Convolution, Refusals) {
  ExpectRefusals(SmallConvolutionModel(OpC::kConv2D), kConvolutionRefusals<0, 2>);
  ExpectRefusals(SmallConvolutionModel(OpC::kConv2D), kSliding);
  ExpectRefusals(SmallConvolutionModel(OpC::kConv2D), kAxis<0>);
  ExpectRefusals(SmallConvolutionModel(OpC::kDepthwiseConv2D), kConvolutionRefusals<0, 2>);
  ExpectRefusals(SmallConvolutionModel(OpC::kDepthwiseConv2D), kSliding);
  ExpectRefusals(SmallConvolutionModel(OpC::kDepthwiseConv2D), kAxis<3>);
  ExpectRefusals(SmallConvolutionModel(OpC::kTransposeConv), kConvolutionRefusals<2, 3>);
  ExpectRefusals(SmallConvolutionModel(OpC::kTransposeConv), kSpreading);
  ExpectRefusals(SmallConvolutionModel(OpC::kTransposeConv), kAxis<0>);
}

OpModel FloatModel(OpC op) {
  OpModel model = SmallConvolutionModel(op);
  for (TensorSpec& spec : model.inputs) {
    if (spec.type != TensorType::kInt8) continue;
    spec.type = TensorType::kFloat32;
    if (!spec.data.empty()) spec.data.resize(4 * spec.data.size());
  }
  model.inputs.back().type = model.outputs[0].type = TensorType::kFloat32;
  return model;
}

template <int kBias>
constexpr Refusal kConvolutionFloat[] = {
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kOperandType, Out(0), 9, 0},
    {"an int32 bias", SetInputType<kBias, TensorType::kInt32>, Rule::kOperandType, kBias, 2, 0},
    {"TANH", SetActivation<4>, Rule::kActivation, kNode, 4},
};

TEST(Convolution, FloatRefusals) {
  ExpectRefusals(FloatModel(OpC::kConv2D), kConvolutionFloat<2>);
  ExpectRefusals(FloatModel(OpC::kDepthwiseConv2D), kConvolutionFloat<2>);
  ExpectRefusals(FloatModel(OpC::kTransposeConv), kConvolutionFloat<3>);
}

// ---- Memory.

// With a window of 2 rows and SAME padding, the output begins a row before the input. A row of
// TRANSPOSE_CONV's output needs several input rows, so the tensors are kept apart.
TEST(Convolution, RowsAreComputedInPlace) {
  for (const OpC op : kAll) {
    SCOPED_TRACE(ToString(op));
    const OpModel model = SmallConvolutionModel(op, {1, 16, 16, 3});
    EXPECT_EQ(ActivationBytes(model, false), 2u * 768);
    EXPECT_EQ(ActivationBytes(model), op == OpC::kTransposeConv ? 2u * 768 : 768u + 48);
  }
}

}  // namespace
}  // namespace lutra
