// SPDX-License-Identifier: Apache-2.0
// CONV_2D: geometry, groups, multipliers of each channel, activations. convolution_test.cc tests the checks
// that all convolutions share.

#include "runtime/testing/window_cases.h"

namespace lutra {
namespace {

OpModel Conv2dModel(const std::vector<int32_t>& input, const std::vector<int32_t>& filter,
                    const Int8List& weights, const std::vector<int32_t>& output) {
  return ConvolutionModel(BuiltinOperator::kConv2D, input, filter, weights, output);
}

// Filter o has one weight that is not 0, for one channel of its group.
void ExpectLooks(const WindowCase& c, int32_t channels, int32_t groups, int32_t filters) {
  SCOPED_TRACE(c.name);
  const int32_t depth = channels / groups;
  const auto channel_of = [=](int32_t o) { return o / (filters / groups) * depth + o * 3 % depth; };
  Int8List weights(static_cast<size_t>(filters * c.filter_h * c.filter_w * depth));
  for (int32_t o = 0; o < filters; ++o) {
    const Tap tap = TapOf(c, o);
    weights[((o * c.filter_h + tap.y) * c.filter_w + tap.x) * depth + o * 3 % depth] = WeightOf(o);
  }
  OpModel model =
      Conv2dModel({c.images, c.height, c.width, channels}, {filters, c.filter_h, c.filter_w, depth}, weights,
                  {c.images, c.out_height, c.out_width, filters});
  SetLookingFilters(c, model);
  const Int8List input = Scattered(c.pixels() * channels);
  ExpectOutput(model, {input}, Seen(c, input, filters, channel_of));
}

TEST(Conv2D, SlidesItsWindows) {
  for (const WindowCase& c : Windows()) ExpectLooks(c, 3, 1, 2 * c.filter_h * c.filter_w + 1);
}

TEST(Conv2D, HasGroups) {
  const std::vector<WindowCase> cases = Windows();
  ExpectLooks(cases[0], 6, 3, 9);
  ExpectLooks(cases[2], 6, 6, 12);
  ExpectLooks(cases[5], 8, 2, 18);
}

TEST(Conv2D, SumsItsWindow) {
  // All ones, on 3 x 3 ones: four, six or nine taps are inside the image. The padding is real 0, not code 0.
  OpModel model = Conv2dModel({1, 3, 3, 1}, {1, 3, 3, 1}, Int8List(9, 1), {1, 3, 3, 1});
  model.inputs[0].zero_point = -100;
  ExpectOutput(model, {Int8List(9, -99)}, Int8List{4, 6, 4, 6, 9, 6, 4, 6, 4});
}

// Some numbers of channels fill the kernel's blocks, others do not; windows of 1 x 1 add the channels up.
TEST(Conv2D, SumsChannels) {
  for (const int32_t channels : {1, 8, 16, 40, 64, 250, 256, 300}) {
    for (const int32_t filters : {1, 12, 32, 33}) {
      SCOPED_TRACE(testing::Message() << channels << " to " << filters);
      const Int8List weights = Pattern(channels * filters, 7, 5);
      const Int8List input = Pattern(2 * channels, 11, 7);
      ExpectOutput(Conv2dModel({1, 1, 2, channels}, {filters, 1, 1, channels}, weights, {1, 1, 2, filters}),
                   {input}, ProductOf(input, weights, channels));
    }
  }
}

// The sum is 204429; with a product of scales in float32, the output would be 37 (int8-ops 1.9).
TEST(Conv2D, FactorsAreDouble) {
  Int8List values(14, 127);
  values[13] = 86;
  Int8List weights(14, 127);
  weights[12] = 85;
  weights[13] = 1;
  OpModel model = Conv2dModel({1, 1, 1, 14}, {1, 1, 1, 14}, weights, {1, 1, 1, 1});
  model.inputs[0].scale = 0.00787343643605709f;
  model.inputs[1].scale = 0.009589510038495064f;
  model.outputs[0].scale = 0.4228748381137848f;
  ExpectOutput(model, {values}, Int8List{36});
}

TEST(Conv2D, Float) {
  OpModel model = Conv2dModel({1, 2, 2, 2}, {2, 2, 2, 2}, {}, {1, 1, 1, 2});
  model.options.padding = kValid;
  for (TensorSpec& spec : model.inputs) spec.type = TensorType::kFloat32;
  model.outputs[0].type = TensorType::kFloat32;
  model.inputs[1].data = BytesOf(FloatList{1, 0, 0, 0, 0, 0, 0, 2, 0.5f, 0.5f, 0.5f, 0.5f, -1, -1, -1, -1});
  model.inputs[2].data = BytesOf(FloatList{0.25f, -0.5f});
  const FloatList input = {1, 2, 3, 4, 5, 6, 7, 8};
  ExpectOutput(model, {input}, FloatList{17.25f, -21.5f});
  model.options.activation = 3;  // RELU6
  ExpectOutput(model, {input}, FloatList{6, 0});
  model.inputs.pop_back();
  model.options.activation = 0;
  ExpectOutput(model, {input}, FloatList{17, -21});
}

constexpr Refusal kConv2dRefusals[] = {
    {"filters for 4 channels of 6",
     [](OpModel& m) {
       m.inputs[1].shape = {6, 1, 1, 4};
     },
     Rule::kOperandShape, 1, 4, 6},
    {"5 filters for 3 groups",
     [](OpModel& m) {
       m.inputs[1].shape = {5, 1, 1, 2};
       m.inputs[2].shape = {5};
       m.outputs[0].shape = {1, 1, 1, 5};
     },
     Rule::kOperandShape, 1, 5, 3},
};

TEST(Conv2D, Refusals) {
  const OpModel model = Conv2dModel({1, 1, 1, 6}, {6, 1, 1, 6}, Int8List(36), {1, 1, 1, 6});
  ExpectRefusals(model, kConv2dRefusals);
}

}  // namespace
}  // namespace lutra
