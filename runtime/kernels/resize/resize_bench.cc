// SPDX-License-Identifier: Apache-2.0
// An image to twice its sides.

#include <vector>

#include "lutra/kernels/resize/resize.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

constexpr int32_t kIn = 24;
constexpr int32_t kOut = 48;

void RunBilinear(benchmark::State& state, const VariantUse<ResizeBilinearFn>& use,
                 const CountCase& channels) {
  std::vector<int8_t> input(kIn * kIn * channels.count, 3), output(kOut * kOut * channels.count);
  ResizeBilinearArgs args = {input.data(), output.data(), 1, {}, {}, channels.count};
  MakeBilinearAxis(kIn, kOut, false, true, &args.rows);
  MakeBilinearAxis(kIn, kOut, false, true, &args.columns);
  Measure(state, use, args);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(output.size()));
}

void RunNearest(benchmark::State& state, const VariantUse<ResizeNearestFn>& use, const CountCase& bytes) {
  std::vector<uint8_t> input(kIn * kIn * bytes.count), output(kOut * kOut * bytes.count);
  const NearestAxis axis = {kIn, kOut, false, true};
  Measure(state, use, {input.data(), output.data(), 1, axis, axis, bytes.count});
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(output.size()));
}

const bool registered = RegisterKernel(kResizeBilinearInt8, Counts({1, 3, 17, 32, 130}), RunBilinear) &&
                        RegisterKernel(kResizeNearestPixels, Counts({1, 3, 17, 32, 130}), RunNearest);

}  // namespace
}  // namespace lutra
