// SPDX-License-Identifier: Apache-2.0

#include "runtime/kernels/prune_decode/prune_decode.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

// range(0): of 8 elements, how many are kept.
void BM_PruneDecode8(benchmark::State& state) {
  const std::vector<uint8_t> map(kDecodedElements / 8, static_cast<uint8_t>((1 << state.range(0)) - 1));
  const std::vector<uint8_t> values = RandomBytes(kDecodedElements);
  std::vector<uint8_t> output(kDecodedElements);
  const PruneDecodeArgs args = {.map = map.data(),
                                .values = values.data(),
                                .zero_points = {},
                                .channels = 1,
                                .inner = 1,
                                .count = kDecodedElements,
                                .output = output.data()};
  for (auto _ : state) {
    PruneDecode8Ref(args);
    benchmark::DoNotOptimize(output.data());
    benchmark::ClobberMemory();
  }
  CountDecoded(state, 1);
}
BENCHMARK(BM_PruneDecode8)->DenseRange(0, 8, 2);

}  // namespace
}  // namespace lutra
