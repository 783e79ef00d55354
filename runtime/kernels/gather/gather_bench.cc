// SPDX-License-Identifier: Apache-2.0
// Blocks of one byte, of an element, of a pixel.

#include <vector>

#include "lutra/kernels/gather/gather.h"
#include "runtime/kernels/conv_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

constexpr int32_t kAxis = 128;

std::vector<int32_t> RandomIndices(int32_t count) {
  std::vector<int32_t> indices(count);
  uint32_t random = 1;
  for (int32_t& index : indices) index = static_cast<int32_t>(NextRandom(&random)) % kAxis;
  return indices;
}

void RunGather(benchmark::State& state, const VariantUse<GatherFn>& use, const CountCase& block) {
  constexpr int32_t kOuter = 64;
  std::vector<uint8_t> input(kOuter * kAxis * block.count), output(input.size());
  const std::vector<int32_t> indices = RandomIndices(kAxis);
  Measure(state, use,
          {input.data(), output.data(), {indices.data(), false}, 1, kOuter, kAxis, kAxis, block.count});
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(output.size()));
}

void RunGatherNd(benchmark::State& state, const VariantUse<GatherNdFn>& use, const CountCase& block) {
  constexpr int32_t kTuples = 1024;
  constexpr int32_t kDepth = 2;
  const int32_t sizes[kDepth] = {kAxis, kAxis};
  std::vector<uint8_t> input(kAxis * kAxis * block.count), output(kTuples * block.count);
  const std::vector<int32_t> indices = RandomIndices(kTuples * kDepth);
  Measure(state, use,
          {input.data(), output.data(), {indices.data(), false}, kTuples, kDepth, sizes, block.count});
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(output.size()));
}

const bool registered = RegisterKernel(kGatherBlocks, Counts({1, 4, 64}), RunGather) &&
                        RegisterKernel(kGatherNdBlocks, Counts({1, 4, 64}), RunGatherNd);

}  // namespace
}  // namespace lutra
