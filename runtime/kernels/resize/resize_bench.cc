// SPDX-License-Identifier: Apache-2.0
// An image is enlarged to twice its sides.

#include "runtime/kernels/resize/resize_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

ResizeCase Twice(const CountCase& channels) {
  return {"", 1, {24, 48}, {24, 48}, channels.count, false, true};
}

void SetBytes(benchmark::State& state, const ResizeCase& c) {
  state.SetBytesProcessed(state.iterations() * c.rows.out * c.columns.out * c.channels);
}

void RunBilinear(benchmark::State& state, const VariantUse<ResizeBilinearFn>& use,
                 const CountCase& channels) {
  ProblemMemory memory;
  Problem<ResizeBilinearArgs> problem = {};
  MakeResizeBilinearProblem(Twice(channels), memory, &problem);
  Measure(state, use, problem);
  SetBytes(state, Twice(channels));
}

void RunBilinearFloat(benchmark::State& state, const VariantUse<ResizeBilinearFloatFn>& use,
                      const CountCase& channels) {
  ProblemMemory memory;
  Measure(state, use, ResizeBilinearFloatProblemOf(Twice(channels), memory));
  SetBytes(state, Twice({channels.name, 4 * channels.count}));
}

void RunNearest(benchmark::State& state, const VariantUse<ResizeNearestFn>& use, const CountCase& bytes) {
  ProblemMemory memory;
  Measure(state, use, ResizeNearestProblemOf(Twice(bytes), memory));
  SetBytes(state, Twice(bytes));
}

const bool registered = RegisterKernel(kResizeBilinearInt8, Counts({1, 3, 17, 32, 130}), RunBilinear) &&
                        RegisterKernel(kResizeBilinearFloat, Counts({1, 3, 17, 32, 130}), RunBilinearFloat) &&
                        RegisterKernel(kResizeNearestPixels, Counts({1, 3, 17, 32, 130}), RunNearest);

}  // namespace
}  // namespace lutra
