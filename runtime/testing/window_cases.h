// SPDX-License-Identifier: Apache-2.0
// Windows that slide over images, with the sizes and paddings of the SAME and VALID rules (int8-ops 1.11),
// for tests of every operator that has windows. Each filter reads one pixel of its window, so that an output
// is an input at another place, and no sum.

#pragma once

#include <cstdint>
#include <vector>

#include "runtime/testing/op_test.h"

namespace lutra {

struct WindowCase {
  const char* name;
  int32_t images;
  int32_t height;
  int32_t width;
  int32_t filter_h;
  int32_t filter_w;
  OperatorOptions options;
  // These follow from the rules:
  int32_t out_height;
  int32_t out_width;
  int32_t pad_top;
  int32_t pad_left;

  int32_t stride_w() const { return options.stride_w.value_or(options.stride); }
  int32_t dilation_w() const { return options.dilation_w.value_or(options.dilation); }
  int32_t pixels() const { return images * height * width; }
  int32_t out_pixels() const { return images * out_height * out_width; }
  // Returns the input pixel under tap (tap_y, tap_x) of the window of an output pixel, both numbered through
  // the images; -1 in the padding.
  int32_t PixelUnder(int32_t out_pixel, int32_t tap_y, int32_t tap_x) const {
    const int32_t x = out_pixel % out_width * stride_w() - pad_left + tap_x * dilation_w();
    const int32_t row = out_pixel / out_width;
    const int32_t y = row % out_height * options.stride - pad_top + tap_y * options.dilation;
    if (x < 0 || x >= width || y < 0 || y >= height) return -1;
    return (row / out_height * height + y) * width + x;
  }
};

constexpr int kSame = 0;
constexpr int kValid = 1;

// These have no dilations, as pools and transposed convolutions.
inline std::vector<WindowCase> DenseWindows() {
  return {
      {"same", 1, 5, 4, 3, 2, {.padding = kSame}, 5, 4, 1, 0},
      {"valid", 1, 8, 8, 3, 3, {.padding = kValid}, 6, 6, 0, 0},
      {"strides", 1, 7, 9, 3, 3, {.padding = kSame, .stride = 2, .stride_w = 3}, 4, 3, 1, 0},
      {"the odd pixel of padding comes last", 1, 8, 8, 3, 3, {.padding = kSame, .stride = 2}, 4, 4, 0, 0},
      {"valid leaves pixels over",
       1,
       8,
       7,
       3,
       2,
       {.padding = kValid, .stride = 2, .stride_w = 3},
       3,
       2,
       0,
       0},
      {"images", 3, 4, 4, 3, 3, {.padding = kSame, .stride = 2}, 2, 2, 0, 0},
      {"one pixel", 2, 6, 5, 1, 1, {.padding = kSame}, 6, 5, 0, 0},
      {"keyword spotting", 1, 49, 10, 10, 4, {.padding = kSame, .stride = 2}, 25, 5, 4, 1},
      {"wider than the image", 1, 3, 3, 5, 7, {.padding = kSame}, 3, 3, 2, 3},
  };
}

inline std::vector<WindowCase> Windows() {
  std::vector<WindowCase> cases = DenseWindows();
  cases.push_back(
      {"dilations", 1, 9, 8, 2, 3, {.padding = kSame, .dilation = 3, .dilation_w = 2}, 9, 8, 1, 2});
  cases.push_back(
      {"valid dilations", 1, 9, 8, 2, 3, {.padding = kValid, .dilation = 3, .dilation_w = 2}, 6, 4, 0, 0});
  return cases;
}

// The tap at which filter `filter` reads.
struct Tap {
  int32_t y;
  int32_t x;
};
inline Tap TapOf(const WindowCase& c, int32_t filter) {
  const int32_t tap = filter * 5 % (c.filter_h * c.filter_w);
  return {tap / c.filter_w, tap % c.filter_w};
}

// A filter's only weight: weight times scale is 1; three kinds alternate.
inline int8_t WeightOf(int32_t filter) { return static_cast<int8_t>(4 << filter % 3); }
inline std::vector<float> ScalesOf(int32_t filters) {
  std::vector<float> scales;
  for (int32_t i = 0; i < filters; ++i) scales.push_back(1.0f / static_cast<float>(WeightOf(i)));
  return scales;
}
// The code that a filter adds to the output.
inline int32_t BiasOf(int32_t filter) { return filter % 7 - 3; }
inline Int32List BiasesOf(int32_t filters) {
  Int32List biases;
  for (int32_t i = 0; i < filters; ++i) biases.push_back(BiasOf(i) * WeightOf(i));
  return biases;
}

// Numbers of the inputs of a convolution; the filter is input 1.
constexpr int ImageInput(BuiltinOperator op) { return op == BuiltinOperator::kTransposeConv ? 2 : 0; }
constexpr int BiasInput(BuiltinOperator op) { return ImageInput(op) == 2 ? 3 : 2; }

// CONV_2D, DEPTHWISE_CONV_2D or TRANSPOSE_CONV with biases of 0; sums are the output's codes.
inline OpModel ConvolutionModel(BuiltinOperator op, const std::vector<int32_t>& image,
                                const std::vector<int32_t>& filter, const Int8List& weights,
                                const std::vector<int32_t>& output) {
  const int axis = op == BuiltinOperator::kDepthwiseConv2D ? 3 : 0;
  const int32_t filters = filter[static_cast<size_t>(axis)];
  const TensorSpec image_spec = {.shape = image, .scale = 0.5f};
  const TensorSpec filter_spec = {
      .shape = filter, .scale = 0.25f, .quantized_dimension = axis, .data = BytesOf(weights)};
  const TensorSpec bias_spec = Constant({filters}, Int32List(static_cast<size_t>(filters)));
  OpModel model = {.op = op,
                   .inputs = {image_spec, filter_spec, bias_spec},
                   .outputs = {{.shape = output, .scale = 0.125f}},
                   .options = {.depth_multiplier = filters / image[3]}};
  if (op == BuiltinOperator::kTransposeConv) {
    model.inputs = {Constant({4}, Int32List(output)), filter_spec, image_spec, bias_spec};
  }
  return model;
}

// For filters that read one pixel: outputs are image codes less 5, plus the filter's bias, less 3.
inline void SetLookingFilters(const WindowCase& c, OpModel& model) {
  TensorSpec& bias = model.inputs[static_cast<size_t>(BiasInput(model.op))];
  const int multiplier = model.options.depth_multiplier;
  model.options = c.options;
  model.options.depth_multiplier = multiplier;
  model.inputs[static_cast<size_t>(ImageInput(model.op))].zero_point = 5;
  model.inputs[1].channel_scales = ScalesOf(bias.shape[0]);
  bias.data = BytesOf(BiasesOf(bias.shape[0]));
  model.outputs[0].scale = 0.5f;
  model.outputs[0].zero_point = -3;
}

// Returns the inputs that these filters read: filter o reads channel channel_of(o).
template <typename ChannelOf>
Int8List Seen(const WindowCase& c, const Int8List& input, int32_t filters, const ChannelOf& channel_of) {
  const int32_t channels = static_cast<int32_t>(input.size()) / c.pixels();
  Int8List seen;
  for (int32_t i = 0; i < c.out_pixels() * filters; ++i) {
    const int32_t o = i % filters;
    const int32_t pixel = c.PixelUnder(i / filters, TapOf(c, o).y, TapOf(c, o).x);
    const int32_t value = pixel < 0 ? 0 : input[pixel * channels + channel_of(o)] - 5;
    seen.push_back(static_cast<int8_t>(value + BiasOf(o) - 3));
  }
  return seen;
}

// Returns codes from -45 to 55, with neighbours far apart.
inline Int8List Scattered(int32_t count) {
  Int8List codes;
  for (int32_t i = 0; i < count; ++i) codes.push_back(static_cast<int8_t>(i * 37 % 101 - 45));
  return codes;
}

}  // namespace lutra
