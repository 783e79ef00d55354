// SPDX-License-Identifier: Apache-2.0
// Corner cases of convolutions and pools: height and width that differ, many channels.

#include "conformance/generator/corners.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

// Steps along height and width.
struct Steps {
  int stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
};

void SetSteps(const Steps& steps, Convolution* c) {
  c->stride = steps.stride_h;
  c->stride_across = steps.stride_w;
  c->dilation = steps.dilation_h;
  c->dilation_across = steps.dilation_w;
}

// The image has 9x9 pixels of 3 channels, the filter 3x3, with padding SAME.
void AddWindow(Corners* corners, const std::string& what, bool depthwise, const Steps& steps) {
  Convolution c = {.height = 9, .width = 9, .in_channels = 3, .out_channels = depthwise ? 3 : 4};
  c.in_scale = 0.05f;
  c.in_zero = -7;
  c.filter_scales = {0.01f};
  c.bias.assign(static_cast<size_t>(c.out_channels), 100);
  c.out_scale = 0.2f;
  c.out_zero = 3;
  SetSteps(steps, &c);
  corners->Add(what, depthwise ? MakeDepthwiseConv2D(corners->random, c) : MakeConv2D(corners->random, c));
}

void AddUnevenWindows(Corners* corners, bool depthwise) {
  AddWindow(corners, "stride_1x2", depthwise, {.stride_w = 2});
  AddWindow(corners, "stride_3x1", depthwise, {.stride_h = 3});
  AddWindow(corners, "dilation_1x3", depthwise, {.dilation_w = 3});
  AddWindow(corners, "dilation_2x1", depthwise, {.dilation_h = 2});
  AddWindow(corners, "dilation_2x3", depthwise, {.dilation_h = 2, .dilation_w = 3});
}

void AddTransposeConv(Corners* corners, const std::string& what, Steps steps) {
  constexpr int kSize = 4, kChannels = 3, kFilter = 3;
  const oracle::Shape shape = {1, kSize * steps.stride_h, kSize * steps.stride_w, kChannels};
  ModelMaker maker;
  const int size = maker.Int32Constant(shape, {4});
  const oracle::Shape filter = {kChannels, kFilter, kFilter, kChannels};
  const int w =
      maker.Constant({.shape = filter, .scale = 0.01f}, corners->Codes(oracle::ElementCount(filter)));
  const int x = maker.Input({.shape = {1, kSize, kSize, kChannels}, .scale = 0.05f, .zero_point = 9});
  const int b = maker.Constant({.shape = {kChannels}, .type = oracle::kInt32, .scale = 0.05f * 0.01f},
                               ToBytes(std::vector<int32_t>{50, -80, 7}));
  const int y = maker.Output({.shape = shape, .scale = 0.1f, .zero_point = -2});
  maker.Op<edit::TransposeConvOptionsT>("TRANSPOSE_CONV", {size, w, x, b}, {y}, [&](auto& options) {
    options.stride_h = steps.stride_h;
    options.stride_w = steps.stride_w;
  });
  corners->Add(what, maker, {corners->Codes(kSize * kSize * kChannels)});
}

void AddPool(Corners* corners, const char* op, const std::string& what, const Steps& steps, int channels) {
  Convolution c = {.height = 6, .width = 6, .in_channels = channels, .filter_height = 2, .filter_width = 3};
  SetSteps(steps, &c);
  corners->Add(what, MakePool(corners->random, op, c));
}

void AddPools(Corners* corners, const char* op) {
  AddPool(corners, op, "stride_1x2", {.stride_w = 2}, 3);
  AddPool(corners, op, "stride_2x1", {.stride_h = 2}, 3);
  AddPool(corners, op, "channels_70", {}, 70);
  LargePool(corners, op);
}

}  // namespace

void Conv2DCorners(Corners* corners) {
  AddUnevenWindows(corners, false);
  LargeConv2D(corners);
}

void DepthwiseConv2DCorners(Corners* corners) {
  AddUnevenWindows(corners, true);
  // 2^-32 is the least multiplier that is not 0: with it, the largest bias becomes 1.
  Convolution c = {.height = 1, .width = 1, .in_channels = 2, .out_channels = 2};
  c.filter_height = c.filter_width = 1;
  c.in_scale = 0x1p-16f;
  c.filter_scales = {0x1.8p-16f};
  c.out_scale = 1.0f;
  c.bias = {INT32_MAX, -INT32_MAX};
  c.weight_codes = c.codes = {0, 0};
  corners->Add("least_multiplier", MakeDepthwiseConv2D(corners->random, c));
  LargeDepthwiseConv2D(corners);
}

void TransposeConvCorners(Corners* corners) {
  AddTransposeConv(corners, "stride_1x2", {.stride_w = 2});
  AddTransposeConv(corners, "stride_3x1", {.stride_h = 3});
}

void AveragePool2DCorners(Corners* corners) { AddPools(corners, "AVERAGE_POOL_2D"); }

void MaxPool2DCorners(Corners* corners) { AddPools(corners, "MAX_POOL_2D"); }

}  // namespace lutra::conformance
