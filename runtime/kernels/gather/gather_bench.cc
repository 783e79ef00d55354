// SPDX-License-Identifier: Apache-2.0

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "lutra/kernels/gather/gather.h"
#include "runtime/kernels/conv_cases.h"

namespace lutra {
namespace {

void GatherBlocks(benchmark::State& state, GatherFn run) {
  constexpr int32_t kOuter = 64;
  constexpr int32_t kAxis = 128;
  const auto block_bytes = static_cast<int32_t>(state.range(0));
  std::vector<uint8_t> input(kOuter * kAxis * block_bytes), output(input.size());
  std::vector<int32_t> indices(kAxis);
  uint32_t random = 1;
  for (int32_t& index : indices) index = static_cast<int32_t>(NextRandom(&random)) % kAxis;
  const GatherArgs args = {input.data(), output.data(), {indices.data(), false}, 1, kOuter, kAxis,
                           kAxis,        block_bytes};
  for (auto _ : state) {
    run(args);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(output.size()));
}

const bool registered = [] {
  for (const auto& variant : kGatherBlocks) {
    const std::string name = std::string("gather/") + variant.name;
    benchmark::RegisterBenchmark(name.c_str(), GatherBlocks, variant.run)->Arg(1)->Arg(4)->Arg(64);
  }
  return true;
}();

}  // namespace
}  // namespace lutra
