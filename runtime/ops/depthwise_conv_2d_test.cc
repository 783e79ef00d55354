// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D: geometry, depth multipliers, any number of channels. convolution_test.cc tests the
// checks that all convolutions share.

#include "runtime/testing/window_cases.h"

namespace lutra {
namespace {

OpModel DepthwiseConv2dModel(const std::vector<int32_t>& input, const std::vector<int32_t>& filter,
                             const Int8List& weights, const std::vector<int32_t>& output) {
  return ConvolutionModel(BuiltinOperator::kDepthwiseConv2D, input, filter, weights, output);
}

void ExpectLooks(const WindowCase& c, int32_t channels, int32_t multiplier) {
  SCOPED_TRACE(c.name);
  const int32_t filters = channels * multiplier;
  Int8List weights(static_cast<size_t>(c.filter_h * c.filter_w * filters));
  for (int32_t o = 0; o < filters; ++o) {
    const Tap tap = TapOf(c, o);
    weights[(tap.y * c.filter_w + tap.x) * filters + o] = WeightOf(o);
  }
  OpModel model =
      DepthwiseConv2dModel({c.images, c.height, c.width, channels}, {1, c.filter_h, c.filter_w, filters},
                           weights, {c.images, c.out_height, c.out_width, filters});
  SetLookingFilters(c, model);
  const Int8List input = Scattered(c.pixels() * channels);
  ExpectOutput(model, {input}, Seen(c, input, filters, [=](int32_t o) { return o / multiplier; }));
}

TEST(DepthwiseConv2D, SlidesItsWindows) {
  for (const WindowCase& c : Windows()) {
    ExpectLooks(c, 3, 1);
    ExpectLooks(c, 2, 3);
    ExpectLooks(c, 1, 8);
  }
}

// Some numbers of channels fill the kernel's blocks, others do not.
TEST(DepthwiseConv2D, TakesAnyNumberOfChannels) {
  const std::vector<WindowCase> cases = Windows();
  for (const int32_t channels : {8, 15, 16, 17, 24, 40, 64, 65}) ExpectLooks(cases[2], channels, 1);
  for (const int32_t channels : {8, 17}) ExpectLooks(cases[2], channels, 2);
}

TEST(DepthwiseConv2D, SumsItsWindow) {
  // Two channels: weights of one on ones, and the same with weights of two.
  OpModel model = DepthwiseConv2dModel({1, 3, 3, 2}, {1, 3, 3, 2}, {}, {1, 3, 3, 2});
  Int8List weights;
  Int8List input;
  for (int i = 0; i < 9; ++i) {
    weights.insert(weights.end(), {1, -2});
    input.insert(input.end(), {-99, -98});
  }
  model.inputs[0].zero_point = -100;
  model.inputs[1].data = BytesOf(weights);
  ExpectOutput(model, {input},
               Int8List{4, -16, 6, -24, 4, -16, 6, -24, 9, -36, 6, -24, 4, -16, 6, -24, 4, -16});
}

TEST(DepthwiseConv2D, Float) {
  OpModel model = DepthwiseConv2dModel({1, 2, 1, 2}, {1, 2, 1, 4}, {}, {1, 1, 1, 4});
  model.options.padding = kValid;
  for (TensorSpec& spec : model.inputs) spec.type = TensorType::kFloat32;
  model.outputs[0].type = TensorType::kFloat32;
  model.inputs[1].data = BytesOf(FloatList{1, 2, 3, 4, 0.5f, -0.5f, 0.25f, -1});
  model.inputs[2].data = BytesOf(FloatList{0, 1, 0, 1});
  const FloatList input = {1, 2, 4, 8};
  ExpectOutput(model, {input}, FloatList{3, 1, 8, 1});
  model.options.activation = 3;  // RELU6
  ExpectOutput(model, {input}, FloatList{3, 1, 6, 1});
}

constexpr Refusal kDepthwiseConv2dRefusals[] = {
    {"two filters",
     [](OpModel& m) {
       m.inputs[1].shape = {2, 1, 1, 6};
     },
     Rule::kOperandShape, 1, 2, 1},
    {"5 filters for 3 channels",
     [](OpModel& m) {
       m.inputs[1].shape = {1, 1, 1, 5};
       m.inputs[2].shape = {5};
       m.outputs[0].shape = {1, 1, 1, 5};
     },
     Rule::kOperandShape, 1, 5, 3},
    {"a multiplier of 3 for 6 filters of 3 channels", [](OpModel& m) { m.options.depth_multiplier = 3; },
     Rule::kOptionValue, 1, 3, 2},
};

TEST(DepthwiseConv2D, Refusals) {
  const OpModel model = DepthwiseConv2dModel({1, 1, 1, 3}, {1, 1, 1, 6}, Int8List(12), {1, 1, 1, 6});
  ExpectRefusals(model, kDepthwiseConv2dRefusals);
}

}  // namespace
}  // namespace lutra
