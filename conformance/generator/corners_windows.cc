// SPDX-License-Identifier: Apache-2.0

#include "conformance/generator/corners.h"

namespace lutra::conformance {
namespace {

struct Steps {
  int stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
};

// 9x9 pixels of 3 channels, a 3x3 filter, SAME.
void AddWindow(Corners* corners, const std::string& what, bool depthwise, Steps steps) {
  constexpr int kSize = 9, kFilter = 3, kIn = 3;
  const int channels = depthwise ? kIn : 4;
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, kSize, kSize, kIn}, .scale = 0.05f, .zero_point = -7});
  const oracle::Shape shape =
      depthwise ? oracle::Shape{1, kFilter, kFilter, kIn} : oracle::Shape{channels, kFilter, kFilter, kIn};
  const int w = maker.Constant({.shape = shape, .scale = 0.01f}, corners->Codes(oracle::ElementCount(shape)));
  const int b = maker.Constant({.shape = {channels}, .type = oracle::kInt32, .scale = 0.05f * 0.01f},
                               ToBytes(std::vector<int32_t>(static_cast<size_t>(channels), 100)));
  const int y = maker.Output({.shape = {1, (kSize + steps.stride_h - 1) / steps.stride_h,
                                        (kSize + steps.stride_w - 1) / steps.stride_w, channels},
                              .scale = 0.2f,
                              .zero_point = 3});
  const auto set = [&](auto& options) {
    options.stride_h = steps.stride_h;
    options.stride_w = steps.stride_w;
    options.dilation_h_factor = steps.dilation_h;
    options.dilation_w_factor = steps.dilation_w;
  };
  if (depthwise) {
    maker.Op<edit::DepthwiseConv2DOptionsT>("DEPTHWISE_CONV_2D", {x, w, b}, {y}, [&](auto& options) {
      set(options);
      options.depth_multiplier = 1;
    });
  } else {
    maker.Op<edit::Conv2DOptionsT>("CONV_2D", {x, w, b}, {y}, set);
  }
  corners->Add(what, maker, {corners->Codes(kSize * kSize * kIn)});
}

void AddUnevenWindows(Corners* corners, bool depthwise) {
  AddWindow(corners, "stride_1x2", depthwise, {.stride_w = 2});
  AddWindow(corners, "stride_3x1", depthwise, {.stride_h = 3});
  AddWindow(corners, "dilation_1x3", depthwise, {.dilation_w = 3});
  AddWindow(corners, "dilation_2x1", depthwise, {.dilation_h = 2});
  AddWindow(corners, "dilation_2x3", depthwise, {.dilation_h = 2, .dilation_w = 3});
}

void AddTransposeConv(Corners* corners, const std::string& what, int stride_h, int stride_w) {
  constexpr int kSize = 4, kChannels = 3, kFilter = 3;
  const oracle::Shape shape = {1, kSize * stride_h, kSize * stride_w, kChannels};
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
    options.stride_h = stride_h;
    options.stride_w = stride_w;
  });
  corners->Add(what, maker, {corners->Codes(kSize * kSize * kChannels)});
}

void AddPool(Corners* corners, const char* op, const std::string& what, int stride_h, int stride_w,
             int channels) {
  constexpr int kSize = 6;
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, kSize, kSize, channels}, .scale = 0.5f});
  const int y = maker.Output(
      {.shape = {1, (kSize + stride_h - 1) / stride_h, (kSize + stride_w - 1) / stride_w, channels},
       .scale = 0.5f});
  maker.Op<edit::Pool2DOptionsT>(op, {x}, {y}, [&](auto& options) {
    options.stride_h = stride_h;
    options.stride_w = stride_w;
    options.filter_height = 2;
    options.filter_width = 3;
  });
  corners->Add(what, maker, {corners->Codes(kSize * kSize * channels)});
}

void AddPools(Corners* corners, const char* op) {
  AddPool(corners, op, "stride_1x2", 1, 2, 3);
  AddPool(corners, op, "stride_2x1", 2, 1, 3);
  AddPool(corners, op, "channels_70", 1, 1, 70);
}

}  // namespace

void Conv2DCorners(Corners* corners) { AddUnevenWindows(corners, false); }

void DepthwiseConv2DCorners(Corners* corners) {
  AddUnevenWindows(corners, true);
  // 2^-32 is the least multiplier that is not 0: the largest bias becomes 1.
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, 1, 1, 2}, .scale = 0x1p-16f});
  const int w = maker.Constant({.shape = {1, 1, 1, 2}, .scale = 0x1.8p-16f}, {0, 0});
  const int b = maker.Constant({.shape = {2}, .type = oracle::kInt32, .scale = 0x1.8p-32f},
                               ToBytes(std::vector<int32_t>{INT32_MAX, -INT32_MAX}));
  const int y = maker.Output({.shape = {1, 1, 1, 2}, .scale = 1.0f});
  maker.Op<edit::DepthwiseConv2DOptionsT>("DEPTHWISE_CONV_2D", {x, w, b}, {y}, [](auto& options) {
    options.stride_h = options.stride_w = options.depth_multiplier = 1;
  });
  corners->Add("least_multiplier", maker, {{0, 0}});
}

void TransposeConvCorners(Corners* corners) {
  AddTransposeConv(corners, "stride_1x2", 1, 2);
  AddTransposeConv(corners, "stride_3x1", 3, 1);
}

void AveragePool2DCorners(Corners* corners) { AddPools(corners, "AVERAGE_POOL_2D"); }

void MaxPool2DCorners(Corners* corners) { AddPools(corners, "MAX_POOL_2D"); }

}  // namespace lutra::conformance
