// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "runtime/kernels/conv_cases.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d.h"

namespace lutra {
namespace {

// Layers of the MLPerf Tiny models.
constexpr ConvCase kLayers[] = {
    {"3x3_48x48x8", 48, 48, 8, 8, 3, 3, 1, 1, true},
    {"3x3_s2_48x48x16", 48, 48, 16, 16, 3, 3, 2, 1, true},
    {"3x3_24x24x32", 24, 24, 32, 32, 3, 3, 1, 1, true},
    {"3x3_25x5x64", 25, 5, 64, 64, 3, 3, 1, 1, true},
    {"3x3_6x6x128", 6, 6, 128, 128, 3, 3, 1, 1, true},
    {"3x3_3x3x256", 3, 3, 256, 256, 3, 3, 1, 1, true},
    {"25x5_valid_25x5x64", 25, 5, 64, 64, 25, 5, 1, 1, false},
    {"10x8_s2_49x40x1_8", 49, 40, 1, 8, 10, 8, 2, 1, true},
};

template <typename Element, typename Args, typename Fn>
void Run(benchmark::State& state, const ConvCase& layer, Args args, Fn run) {
  const ConvShape shape = ShapeOf(layer);
  args.shape = &shape;
  const RowMap map = RowMapOf(layer, sizeof(Element));
  std::vector<uint8_t> input(static_cast<size_t>(map.in_rows) * map.in_row_bytes);
  std::vector<uint8_t> output(static_cast<size_t>(map.out_rows) * map.out_row_bytes);
  const Rows from = {input.data(), map.in_row_bytes, 0};
  const Rows to = {output.data(), map.out_row_bytes, 0};
  for (auto _ : state) {
    run(args, from, to, 0, map.out_rows);
    benchmark::ClobberMemory();
  }
  state.counters["MAC/s"] = benchmark::Counter(
      static_cast<double>(shape.out_height) * shape.out_width * shape.out_channels *
          shape.filter_height * shape.filter_width,
      benchmark::Counter::kIsIterationInvariantRate);
}

void RunInt8(benchmark::State& state, const ConvCase& layer, DepthwiseConv2DFn run) {
  const int32_t products = layer.filter_height * layer.filter_width;
  std::vector<int8_t> filter(static_cast<size_t>(products) * layer.out_channels, 5);
  std::vector<int32_t> bias(layer.out_channels);
  std::vector<Multiplier> multipliers(layer.out_channels);
  FillMultipliers(1, products, layer.out_channels, multipliers.data());
  DepthwiseConv2DArgs args = {};
  args.quantization = QuantizationOf(layer);
  args.filter = filter.data();
  args.bias = bias.data();
  args.multipliers = multipliers.data();
  Run<int8_t>(state, layer, args, run);
}

void RunFloat(benchmark::State& state, const ConvCase& layer, DepthwiseConv2DFloatFn run) {
  std::vector<float> filter(static_cast<size_t>(layer.filter_height) * layer.filter_width *
                            layer.out_channels);
  DepthwiseConv2DFloatArgs args = {};
  args.filter = filter.data();
  args.activation_max = 6;
  Run<float>(state, layer, args, run);
}

const bool registered = [] {
  for (const ConvCase& layer : kLayers) {
    const std::string name = std::string("/") + layer.name;
    for (const auto& variant : kDepthwiseConv2DInt8) {
      if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
      benchmark::RegisterBenchmark(("depthwise_conv_2d/" + std::string(variant.name) + name).c_str(), RunInt8,
                                   layer, variant.run);
    }
    for (const auto& variant : kDepthwiseConv2DFloat) {
      if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
      benchmark::RegisterBenchmark(("depthwise_conv_2d_float/" + std::string(variant.name) + name).c_str(),
                                   RunFloat, layer, variant.run);
    }
  }
  return true;
}();

}  // namespace
}  // namespace lutra
