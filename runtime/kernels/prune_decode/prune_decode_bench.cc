// SPDX-License-Identifier: Apache-2.0

#include "lutra/kernels/prune_decode/prune_decode.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

// range(0): of 8 elements, how many are kept, at random.
void BM_PruneDecode8(benchmark::State& state) {
  const auto kept = static_cast<uint32_t>(state.range(0));
  std::vector<uint8_t> map(kDecodedElements / 8);
  std::mt19937 random(1);
  for (uint8_t& byte : map) {
    for (int bit = 0; bit < 8; ++bit) byte = static_cast<uint8_t>(byte << 1 | (random() % 8 < kept ? 1 : 0));
  }
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
BENCHMARK(BM_PruneDecode8)->DenseRange(0, 8, 1);

}  // namespace
}  // namespace lutra
