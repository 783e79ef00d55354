// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "lutra/kernels/resize/resize.h"

namespace lutra {
namespace {

constexpr int32_t kIn = 24;
constexpr int32_t kOut = 48;

void Bilinear(benchmark::State& state, ResizeBilinearFn run) {
  const auto channels = static_cast<int32_t>(state.range(0));
  std::vector<int8_t> input(kIn * kIn * channels, 3), output(kOut * kOut * channels);
  ResizeBilinearArgs args = {input.data(), output.data(), 1, {}, {}, channels};
  MakeBilinearAxis(kIn, kOut, false, true, &args.rows);
  MakeBilinearAxis(kIn, kOut, false, true, &args.columns);
  for (auto _ : state) {
    run(args);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(output.size()));
}

void Nearest(benchmark::State& state, ResizeNearestFn run) {
  const auto pixel_bytes = static_cast<int32_t>(state.range(0));
  std::vector<uint8_t> input(kIn * kIn * pixel_bytes), output(kOut * kOut * pixel_bytes);
  const NearestAxis axis = {kIn, kOut, false, true};
  const ResizeNearestArgs args = {input.data(), output.data(), 1, axis, axis, pixel_bytes};
  for (auto _ : state) {
    run(args);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(output.size()));
}

const bool registered = [] {
  for (const auto& variant : kResizeBilinearInt8) {
    const std::string name = std::string("resize_bilinear/") + variant.name;
    benchmark::RegisterBenchmark(name.c_str(), Bilinear, variant.run)->Arg(3)->Arg(32);
  }
  for (const auto& variant : kResizeNearestPixels) {
    const std::string name = std::string("resize_nearest/") + variant.name;
    benchmark::RegisterBenchmark(name.c_str(), Nearest, variant.run)->Arg(3)->Arg(32);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
