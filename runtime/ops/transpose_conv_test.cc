// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: pixels are spread over the windows of a convolution. convolution_test.cc tests the checks
// that all convolutions share.

#include "lutra/compression/format.h"
#include "lutra/diagnosis_text.h"
#include "runtime/testing/window_cases.h"

namespace lutra {
namespace {

OpModel TransposeConvModel(const std::vector<int32_t>& input, const std::vector<int32_t>& filter,
                           const Int8List& weights, const std::vector<int32_t>& output) {
  return ConvolutionModel(BuiltinOperator::kTransposeConv, input, filter, weights, output);
}

// Runs the convolution of `c` backwards: its output is the input here. Each filter adds the pixels of one
// channel to the places that the convolution would read.
void ExpectSpread(const WindowCase& c, int32_t channels, int32_t filters) {
  SCOPED_TRACE(c.name);
  Int8List weights(static_cast<size_t>(filters * c.filter_h * c.filter_w * channels));
  for (int32_t o = 0; o < filters; ++o) {
    const Tap tap = TapOf(c, o);
    weights[((o * c.filter_h + tap.y) * c.filter_w + tap.x) * channels + o % channels] = WeightOf(o);
  }
  OpModel model = TransposeConvModel({c.images, c.out_height, c.out_width, channels},
                                     {filters, c.filter_h, c.filter_w, channels}, weights,
                                     {c.images, c.height, c.width, filters});
  SetLookingFilters(c, model);
  const Int8List input = Scattered(c.out_pixels() * channels);
  Int8List expected;
  for (int32_t i = 0; i < c.pixels() * filters; ++i) {
    expected.push_back(static_cast<int8_t>(BiasOf(i % filters) - 3));
  }
  for (int32_t from = 0; from < c.out_pixels(); ++from) {
    for (int32_t o = 0; o < filters; ++o) {
      const int32_t pixel = c.PixelUnder(from, TapOf(c, o).y, TapOf(c, o).x);
      if (pixel < 0) continue;
      int8_t& place = expected[pixel * filters + o];
      place = static_cast<int8_t>(place + input[from * channels + o % channels] - 5);
    }
  }
  ExpectOutput(model, {input}, expected);
}

TEST(TransposeConv, SpreadsPixels) {
  for (const WindowCase& c : DenseWindows()) ExpectSpread(c, 3, c.filter_h * c.filter_w + 1);
}

TEST(TransposeConv, TakesAnyNumberOfChannels) {
  const std::vector<WindowCase> cases = DenseWindows();
  for (const int32_t channels : {1, 8, 17, 130}) ExpectSpread(cases[3], channels, 5);
  for (const int32_t filters : {1, 8, 32, 33, 40}) ExpectSpread(cases[3], 4, filters);
}

TEST(TransposeConv, SumsWhereWindowsMeet) {
  // Windows of 3 with a stride of 2 cover 5 columns: both windows cover the middle column.
  OpModel model = TransposeConvModel({1, 1, 2, 1}, {1, 1, 3, 1}, {1, 2, 3}, {1, 1, 5, 1});
  model.options.stride_w = 2;
  model.options.padding = kValid;
  ExpectOutput(model, {Int8List{10, 20}}, Int8List{10, 20, 50, 40, 60});
}

TEST(TransposeConv, Float) {
  OpModel model = TransposeConvModel({1, 1, 2, 1}, {1, 1, 3, 1}, {}, {1, 1, 5, 1});
  model.options.stride_w = 2;
  model.options.padding = kValid;
  for (int i = 1; i < 4; ++i) model.inputs[i].type = TensorType::kFloat32;
  model.outputs[0].type = TensorType::kFloat32;
  model.inputs[1].data = BytesOf(FloatList{1, 2, 3});
  model.inputs[3].data = BytesOf(FloatList{0.5f});
  ExpectOutput(model, {FloatList{1, -2}}, FloatList{1.5f, 2.5f, 1.5f, -3.5f, -5.5f});
  model.options.activation = 1;  // RELU
  ExpectOutput(model, {FloatList{1, -2}}, FloatList{1.5f, 2.5f, 1.5f, 0, 0});
}

// Keras computes the shape from the input's shape: the output tensor's shape counts, and eval compares the
// computed values with it.
TEST(TransposeConv, TakesAComputedShape) {
  OpModel model = TransposeConvModel({1, 1, 2, 1}, {1, 1, 3, 1}, {1, 2, 3}, {1, 1, 5, 1});
  model.options.stride_w = 2;
  model.options.padding = kValid;
  model.inputs[0].data.clear();
  ExpectOutput(model, {Int32List{1, 1, 5, 1}, Int8List{10, 20}}, Int8List{10, 20, 50, 40, 60});
  const Refusal wider = {
      .what = "6 columns", .rule = Rule::kRuntimeShape, .blamed = 0, .found = 6, .required = 5};
  ExpectInvalidInput(model, {Int32List{1, 1, 6, 1}, Int8List{10, 20}}, wider);
  const Refusal images = {
      .what = "-1 images", .rule = Rule::kRuntimeShape, .blamed = 0, .found = -1, .required = 1};
  ExpectInvalidInput(model, {Int32List{-1, 1, 5, 1}, Int8List{10, 20}}, images);

  for (int i = 1; i < 4; ++i) model.inputs[i].type = TensorType::kFloat32;
  model.outputs[0].type = TensorType::kFloat32;
  model.inputs[1].data = BytesOf(FloatList{1, 2, 3});
  model.inputs[3].data = BytesOf(FloatList{0.5f});
  ExpectOutput(model, {Int32List{1, 1, 5, 1}, FloatList{1, -2}}, FloatList{1.5f, 2.5f, 1.5f, -3.5f, -5.5f});
  ExpectInvalidInput(model, {Int32List{1, 1, 6, 1}, FloatList{1, -2}}, wider);
}

// Keras writes these operators: the number of images is the input's, the rest is constant.
TEST(TransposeConv, TakesTheShapeThatKerasComputes) {
  ModelBuilder builder;
  const auto ints = [&](const std::vector<int32_t>& dims, const Int32List& values = {}) {
    return builder.AddTensor({.shape = dims, .type = TensorType::kInt32, .data = BytesOf(values)});
  };
  const int input = builder.AddTensor({.shape = {2, 1, 2, 1}, .scale = 1});
  const int input_shape = ints({4});
  const int images = ints({});
  const int one = ints({}, {1});
  const int five = ints({}, {5});
  const int shape = ints({4});
  const int weights = builder.AddTensor({.shape = {1, 1, 3, 1}, .scale = 1, .data = {1, 2, 3}});
  const int output = builder.AddTensor({.shape = {2, 1, 5, 1}, .scale = 1});
  const std::vector<int> slice = {input_shape, ints({1}, {0}), ints({1}, {1}), ints({1}, {1})};
  builder.AddOperator(BuiltinOperator::kShape, {input}, {input_shape});
  builder.AddOperator(BuiltinOperator::kStridedSlice, slice, {images}, {.shrink_axis_mask = 1});
  builder.AddOperator(BuiltinOperator::kPack, {images, one, five, one}, {shape}, {.count = 4});
  builder.AddOperator(BuiltinOperator::kTransposeConv, {shape, weights, input}, {output},
                      {.padding = kValid, .stride_w = 2});
  ModelRun run(builder.Finish({input}, {output}));
  ASSERT_EQ(run.status(), Status::kOk) << Describe(run.diagnosis().rule).name << run.diagnosis().node;
  ASSERT_EQ(run.Invoke({Int8List{10, 20, 1, 2}}), Status::kOk);
  EXPECT_EQ(ListOf<int8_t>(run.Outputs()[0]), (Int8List{10, 20, 50, 40, 60, 1, 2, 5, 4, 6}));
}

// A layer that decodes its filters in blocks takes a computed shape, too.
TEST(TransposeConv, TakesAComputedShapeBesideStreamedWeights) {
  ModelBuilder builder;
  const auto bytes = [&](const ByteList& data) {
    return builder.AddTensor(
        {.shape = {static_cast<int32_t>(data.size())}, .type = TensorType::kUInt8, .data = data});
  };
  // The weights are indices of one bit into a table of two values.
  constexpr int kValues = 8 * 3 * 3 * 16;
  ByteList stream;
  for (int i = 0; i < kValues / 8; ++i) stream.push_back(static_cast<uint8_t>(i * 37));
  ByteList ancillary(kDecodeHeaderBytes);
  ancillary[kDecodeTypeByte] = static_cast<uint8_t>(DecodeType::kLut);
  ancillary[kDecodeVersionByte] = kDecodeVersion;
  ancillary[kDecodeTypeVersionByte] = kDecodeTypeVersion;
  ancillary[kLutWidthByte] = 1 | kLutOneTable << kLutAxisShift;
  ancillary[kLutStrideByte] = 2;
  ancillary.push_back(static_cast<uint8_t>(-3));
  ancillary.push_back(5);
  const int encoded = bytes(stream);
  const int table = bytes(ancillary);
  const int weights = builder.AddTensor({.shape = {8, 3, 3, 16}, .scale = 0.01f});
  const int shape = builder.AddTensor({.shape = {4}, .type = TensorType::kInt32});
  const int input = builder.AddTensor({.shape = {1, 2, 2, 16}, .scale = 0.5f});
  const int output = builder.AddTensor({.shape = {1, 4, 4, 8}, .scale = 0.5f});
  builder.AddCustomOperator(kDecodeCustomCode, {encoded, table}, {weights});
  builder.AddOperator(BuiltinOperator::kTransposeConv, {shape, weights, input}, {output}, {.stride = 2});
  const ByteList file = builder.Finish({shape, input}, {output});
  const ValueLists inputs = {Int32List{1, 4, 4, 8}, Pattern(64, 29, 251)};
  ModelRun plain(file, {.policy = MemoryPolicy::kSmall});
  ModelRun streamed(file, {.policy = MemoryPolicy::kSmall, .decompression = DecompressionPolicy::kStreamed});
  ASSERT_EQ(plain.Invoke(inputs), Status::kOk);
  ASSERT_EQ(streamed.Invoke(inputs), Status::kOk);
  EXPECT_EQ(streamed.Outputs(), plain.Outputs());
  EXPECT_EQ(streamed.interpreter().node_count(), 1) << "no TFLM_DECODE runs";
  for (ModelRun* const run : {&plain, &streamed}) {
    EXPECT_EQ(run->Invoke({Int32List{1, 4, 4, 9}, Pattern(64, 29, 251)}), Status::kInvalidInput);
    EXPECT_EQ(run->diagnosis().rule, Rule::kRuntimeShape);
    EXPECT_EQ(run->diagnosis().tensor, shape);
  }
}

constexpr Refusal kTransposeConvRefusals[] = {
    {"two inputs",
     [](OpModel& m) {
       DropInput(m);
       DropInput(m);
     },
     Rule::kInputCount, kNode, 2, 3},
    {"five inputs", AddInput, Rule::kInputCount, kNode, 5, 4},
    {"a shape of 64 bits",
     [](OpModel& m) {
       m.inputs[0] = Constant({4}, Int64List{1, 2, 2, 3});
     },
     Rule::kOperandType, 0, 4, 2},
    {"a shape of 9 dimensions", [](OpModel& m) { m.inputs[0] = Constant({9}, Int32List(9)); },
     Rule::kElementCount, 0, 9, 4},
    {"a computed shape of 3 dimensions",
     [](OpModel& m) {
       m.inputs[0].shape = {3};
       m.inputs[0].data.clear();
     },
     Rule::kElementCount, 0, 3, 4},
    {"another shape than the output's",
     [](OpModel& m) {
       m.inputs[0] = Constant({4}, Int32List{1, 2, 3, 3});
     },
     Rule::kOperandShape, Out(0), 2, 3},
    {"a shape of 3 dimensions",
     [](OpModel& m) {
       m.inputs[0] = Constant({3}, Int32List{2, 2, 3});
     },
     Rule::kElementCount, 0, 3, 4},
    {"filters for 1 channel of 2",
     [](OpModel& m) {
       m.inputs[1].shape = {3, 2, 2, 1};
     },
     Rule::kOperandShape, 1, 1, 2},
};

TEST(TransposeConv, Refusals) {
  const OpModel model = TransposeConvModel({1, 2, 2, 2}, {3, 2, 2, 2}, Int8List(24), {1, 2, 2, 3});
  ExpectRefusals(model, kTransposeConvRefusals);
}

}  // namespace
}  // namespace lutra
