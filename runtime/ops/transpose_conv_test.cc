// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: what a convolution would have seen is spread again. What it shares with other
// convolutions is in convolution_test.cc.

#include "runtime/testing/window_cases.h"

namespace lutra {
namespace {

OpModel Model(const std::vector<int32_t>& input, const std::vector<int32_t>& filter, const Int8List& weights,
              const std::vector<int32_t>& output) {
  return ConvolutionModel(BuiltinOperator::kTransposeConv, input, filter, weights, output);
}

// The convolution of the case, backwards: its output is the input here. Each filter puts one channel's
// pixels where it looked.
void ExpectSpread(const WindowCase& c, int32_t channels, int32_t filters) {
  SCOPED_TRACE(c.name);
  Int8List weights(static_cast<size_t>(filters * c.filter_h * c.filter_w * channels));
  for (int32_t o = 0; o < filters; ++o) {
    const Tap tap = TapOf(c, o);
    weights[((o * c.filter_h + tap.y) * c.filter_w + tap.x) * channels + o % channels] = WeightOf(o);
  }
  OpModel model =
      Model({c.images, c.out_height, c.out_width, channels}, {filters, c.filter_h, c.filter_w, channels},
            weights, {c.images, c.height, c.width, filters});
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
  // Windows of 3 with a stride of 2 over 5 columns: the middle one and the outer ones are met once.
  OpModel model = Model({1, 1, 2, 1}, {1, 1, 3, 1}, {1, 2, 3}, {1, 1, 5, 1});
  model.options.stride_w = 2;
  model.options.padding = kValid;
  ExpectOutput(model, {Int8List{10, 20}}, Int8List{10, 20, 50, 40, 60});
}

TEST(TransposeConv, Float) {
  OpModel model = Model({1, 1, 2, 1}, {1, 1, 3, 1}, {}, {1, 1, 5, 1});
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

constexpr Refusal kRefusals[] = {
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
    {"a shape that is not constant", [](OpModel& m) { m.inputs[0].data.clear(); }, Rule::kConstantRequired,
     0},
    {"a shape of 9 dimensions", [](OpModel& m) { m.inputs[0] = Constant({9}, Int32List(9)); },
     Rule::kElementCount, 0, 9, 8},
    {"another shape than the output's",
     [](OpModel& m) {
       m.inputs[0] = Constant({4}, Int32List{1, 2, 3, 3});
     },
     Rule::kOperandShape, Out(0), 2, 3},
    {"a shape of 3 dimensions",
     [](OpModel& m) {
       m.inputs[0] = Constant({3}, Int32List{2, 2, 3});
     },
     Rule::kOperandRank, Out(0), 4, 3},
    {"filters for 1 channel of 2",
     [](OpModel& m) {
       m.inputs[1].shape = {3, 2, 2, 1};
     },
     Rule::kOperandShape, 1, 1, 2},
};

TEST(TransposeConv, Refusals) {
  const OpModel model = Model({1, 2, 2, 2}, {3, 2, 2, 2}, Int8List(24), {1, 2, 2, 3});
  ExpectRefusals(model, kRefusals);
}

}  // namespace
}  // namespace lutra
