// SPDX-License-Identifier: Apache-2.0
// The shapes of the networks, and the single layers.

#include "bench/compare/networks.h"

#include <fmt/format.h>

#include "bench/compare/network_builder.h"

namespace lutra::bench {
namespace {

constexpr int kImage = 224;
constexpr int kClasses = 1000;

// Expansion, depthwise, projection; the input is added if the output has its shape.
int InvertedResidual(NetworkBuilder& net, int x, int expansion, int outputs, int stride) {
  int y = x;
  if (expansion > 1) y = net.Conv(y, {.outputs = expansion * net.channels(x), .activation = kRelu6});
  y = net.Depthwise(y, {.height = 3, .width = 3, .stride = stride, .activation = kRelu6});
  y = net.Conv(y, {.outputs = outputs});
  return stride == 1 && net.channels(x) == outputs ? net.Add(x, y, kLinear) : y;
}

int Bottleneck(NetworkBuilder& net, int x, int width, int stride) {
  int y = net.Conv(x, {.outputs = width, .activation = kRelu});
  y = net.Conv(y, {.outputs = width, .height = 3, .width = 3, .stride = stride, .activation = kRelu});
  y = net.Conv(y, {.outputs = 4 * width});
  const bool changes = stride != 1 || net.channels(x) != 4 * width;
  return net.Add(changes ? net.Conv(x, {.outputs = 4 * width, .stride = stride}) : x, y, kRelu);
}

enum class Kind { kConv, kDepthwise, kDense, kMax, kAverage };

struct SingleLayer {
  Kind kind;
  int batches, image_height, image_width, channels;
  LayerShape layer;
};

// clang-format off: a row is a line. FULLY_CONNECTED has `batches` rows.
constexpr SingleLayer kSingleLayers[] = {
    {Kind::kConv, 1, 131, 131, 1, {.outputs = 5, .height = 5, .width = 5}},
    {Kind::kConv, 1, 131, 131, 3, {.outputs = 17, .height = 7, .width = 7, .stride = 2}},
    {Kind::kConv, 1, 131, 131, 2, {.outputs = 3, .height = 1, .width = 9}},
    {Kind::kConv, 1, 131, 131, 5, {.outputs = 2, .height = 9, .width = 1}},
    {Kind::kConv, 1, 3, 3, 130, {.outputs = 130, .height = 3, .width = 3}},
    {Kind::kConv, 1, 1, 1, 130, {.outputs = 130}},
    {Kind::kConv, 1, 1, 1, 17, {.outputs = 5}},
    {Kind::kConv, 1, 2, 2, 130, {.outputs = 17, .height = 3, .width = 3}},
    {Kind::kConv, 1, 131, 1, 17, {.outputs = 17, .height = 9, .width = 1}},
    {Kind::kConv, 1, 1, 131, 17, {.outputs = 17, .height = 1, .width = 9}},
    {Kind::kConv, 1, 131, 131, 17, {.outputs = 17, .height = 3, .width = 3, .dilation = 2}},
    {Kind::kConv, 1, 131, 131, 5, {.outputs = 5, .height = 3, .width = 3, .dilation = 4}},
    {Kind::kConv, 1, 131, 131, 130, {.outputs = 17}},
    {Kind::kConv, 1, 131, 131, 1, {.outputs = 1, .height = 3, .width = 3}},
    {Kind::kConv, 3, 131, 131, 3, {.outputs = 5, .height = 3, .width = 3}},
    {Kind::kConv, 3, 3, 3, 17, {.outputs = 130}},
    {Kind::kConv, 1, 131, 131, 17, {.outputs = 130}},
    {Kind::kConv, 1, 131, 131, 3, {.outputs = 130, .height = 3, .width = 3, .stride = 2}},
    {Kind::kDepthwise, 1, 131, 131, 1, {.height = 3, .width = 3}},
    {Kind::kDepthwise, 1, 131, 131, 2, {.height = 5, .width = 5}},
    {Kind::kDepthwise, 1, 131, 131, 3, {.height = 7, .width = 7}},
    {Kind::kDepthwise, 1, 131, 131, 5, {.height = 1, .width = 9}},
    {Kind::kDepthwise, 1, 131, 131, 17, {.height = 9, .width = 1}},
    {Kind::kDepthwise, 1, 131, 131, 130, {.height = 3, .width = 3}},
    {Kind::kDepthwise, 1, 131, 131, 17, {.height = 3, .width = 3, .dilation = 2}},
    {Kind::kDepthwise, 1, 131, 131, 130, {.height = 3, .width = 3, .dilation = 4}},
    {Kind::kDepthwise, 1, 3, 3, 130, {.height = 3, .width = 3}},
    {Kind::kDepthwise, 1, 1, 1, 130, {.height = 3, .width = 3}},
    {Kind::kDepthwise, 1, 2, 2, 17, {.height = 5, .width = 5}},
    {Kind::kDepthwise, 3, 131, 131, 5, {.height = 3, .width = 3, .stride = 2}},
    {Kind::kDense, 1, 1, 1, 130, {.outputs = 130}},
    {Kind::kDense, 1, 1, 1, 130, {.outputs = 1}},
    {Kind::kDense, 1, 1, 1, 1, {.outputs = 130}},
    {Kind::kDense, 1, 1, 1, 17, {.outputs = 5}},
    {Kind::kDense, 3, 1, 1, 130, {.outputs = 17}},
    {Kind::kDense, 131, 1, 1, 17, {.outputs = 130}},
    {Kind::kMax, 1, 131, 131, 130, {.height = 5, .width = 5}},
    {Kind::kMax, 3, 131, 131, 3, {.height = 1, .width = 9}},
    {Kind::kAverage, 1, 131, 131, 17, {.height = 7, .width = 7, .stride = 2}},
    {Kind::kAverage, 1, 3, 3, 130, {.height = 3, .width = 3, .stride = 3}},
};
// clang-format on

std::string NameOf(const SingleLayer& single) {
  const LayerShape& layer = single.layer;
  const std::string batches = single.batches == 1 ? "" : fmt::format("{}x", single.batches);
  if (single.kind == Kind::kDense)
    return fmt::format("fc {}{} to {}", batches, single.channels, layer.outputs);
  const char* const kinds[] = {"conv", "dw", "fc", "max", "avg"};
  std::string name = fmt::format("{} {}x{}", kinds[static_cast<int>(single.kind)], layer.height, layer.width);
  if (layer.stride != 1) name += fmt::format(" s{}", layer.stride);
  if (layer.dilation != 1) name += fmt::format(" d{}", layer.dilation);
  name += fmt::format(", {}{}x{}x{}", batches, single.image_height, single.image_width, single.channels);
  return single.kind == Kind::kConv ? name + fmt::format(" to {}", layer.outputs) : name;
}

Network MakeSingleLayer(const SingleLayer& single, uint64_t seed) {
  NetworkBuilder net(seed);
  if (single.kind == Kind::kDense) {
    const int x = net.Input({single.batches, single.channels});
    return {NameOf(single), net.Finish(net.FullyConnected(x, single.layer.outputs))};
  }
  const int x = net.Input({single.batches, single.image_height, single.image_width, single.channels});
  const auto add = [&] {
    switch (single.kind) {
      case Kind::kConv:
        return net.Conv(x, single.layer);
      case Kind::kDepthwise:
        return net.Depthwise(x, single.layer);
      case Kind::kMax:
        return net.MaxPool(x, single.layer);
      default:
        return net.AveragePool(x, single.layer);
    }
  };
  return {NameOf(single), net.Finish(add())};
}

}  // namespace

Network MobileNetV2(uint64_t seed) {
  struct Stage {
    int expansion, outputs, blocks, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  NetworkBuilder net(seed);
  int x = net.Input({1, kImage, kImage, 3});
  x = net.Conv(x, {.outputs = 32, .height = 3, .width = 3, .stride = 2, .activation = kRelu6});
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.blocks; ++i) {
      x = InvertedResidual(net, x, stage.expansion, stage.outputs, i == 0 ? stage.stride : 1);
    }
  }
  x = net.Mean(net.Conv(x, {.outputs = 1280, .activation = kRelu6}));
  return {"mobilenet_v2", net.Finish(net.FullyConnected(x, kClasses))};
}

Network ResNet50(uint64_t seed) {
  constexpr int kBlocks[] = {3, 4, 6, 3};
  NetworkBuilder net(seed);
  int x = net.Input({1, kImage, kImage, 3});
  x = net.Conv(x, {.outputs = 64, .height = 7, .width = 7, .stride = 2, .activation = kRelu});
  x = net.MaxPool(x, {.height = 3, .width = 3, .stride = 2});
  int width = 64;
  for (const int blocks : kBlocks) {
    for (int i = 0; i < blocks; ++i) x = Bottleneck(net, x, width, i == 0 && width > 64 ? 2 : 1);
    width *= 2;
  }
  return {"resnet50", net.Finish(net.FullyConnected(net.Mean(x), kClasses))};
}

std::vector<std::string> SingleLayerNames() {
  std::vector<std::string> names;
  for (const SingleLayer& single : kSingleLayers) names.push_back(NameOf(single));
  return names;
}

std::vector<Network> SingleLayers(uint64_t seed, const std::string& only) {
  std::vector<Network> networks;
  for (const SingleLayer& single : kSingleLayers) {
    if (NameOf(single).find(only) != std::string::npos) networks.push_back(MakeSingleLayer(single, seed));
  }
  return networks;
}

}  // namespace lutra::bench
