// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "runtime/kernels/conv_2d/conv_2d.h"
#include "runtime/kernels/conv_cases.h"

namespace lutra {
namespace {

// Layers of the MLPerf Tiny models.
constexpr ConvCase kLayers[] = {
    {"1x1_48x48x8_16", 48, 48, 8, 16, 1, 1, 1, 1, true},
    {"1x1_24x24x32_32", 24, 24, 32, 32, 1, 1, 1, 1, true},
    {"1x1_25x5x64_64", 25, 5, 64, 64, 1, 1, 1, 1, true},
    {"1x1_6x6x128_128", 6, 6, 128, 128, 1, 1, 1, 1, true},
    {"1x1_3x3x256_256", 3, 3, 256, 256, 1, 1, 1, 1, true},
    {"3x3_32x32x16_16", 32, 32, 16, 16, 3, 3, 1, 1, true},
    {"3x3_8x8x64_64", 8, 8, 64, 64, 3, 3, 1, 1, true},
    {"3x3_32x32x3_16", 32, 32, 3, 16, 3, 3, 1, 1, true},
    {"10x4_s2_49x10x1_64", 49, 10, 1, 64, 10, 4, 2, 1, true},
    {"3x3_s2_96x96x3_8", 96, 96, 3, 8, 3, 3, 2, 1, true},
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
          shape.filter_height * shape.filter_width * shape.filter_channels,
      benchmark::Counter::kIsIterationInvariantRate);
}

void RunInt8(benchmark::State& state, const ConvCase& layer, Conv2DFn run) {
  const int32_t products = layer.filter_height * layer.filter_width * layer.in_channels;
  std::vector<int8_t> filter(static_cast<size_t>(products) * layer.out_channels, 5);
  std::vector<int32_t> bias(layer.out_channels);
  std::vector<Multiplier> multipliers(layer.out_channels);
  FillMultipliers(1, products, layer.out_channels, multipliers.data());
  Conv2DArgs args = {};
  args.quantization = QuantizationOf(layer);
  args.filter = filter.data();
  args.bias = bias.data();
  args.multipliers = multipliers.data();
  Run<int8_t>(state, layer, args, run);
}

void RunFloat(benchmark::State& state, const ConvCase& layer, Conv2DFloatFn run) {
  std::vector<float> filter(static_cast<size_t>(layer.filter_height) * layer.filter_width *
                            layer.in_channels * layer.out_channels);
  Conv2DFloatArgs args = {};
  args.filter = filter.data();
  args.activation_max = 6;
  Run<float>(state, layer, args, run);
}

const bool registered = [] {
  for (const ConvCase& layer : kLayers) {
    const std::string name = std::string("/") + layer.name;
    for (const auto& variant : kConv2DInt8) {
      if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
      benchmark::RegisterBenchmark(("conv_2d/" + std::string(variant.name) + name).c_str(), RunInt8,
                                   layer, variant.run);
    }
    for (const auto& variant : kConv2DFloat) {
      if ((variant.needs & ~CpuFeaturesHere()) != 0) continue;
      benchmark::RegisterBenchmark(("conv_2d_float/" + std::string(variant.name) + name).c_str(),
                                   RunFloat, layer, variant.run);
    }
  }
  return true;
}();

}  // namespace
}  // namespace lutra
