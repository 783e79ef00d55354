// SPDX-License-Identifier: Apache-2.0

#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

// Half of the elements are special, at random.
void BM_SparseLutDecode8(benchmark::State& state) {
  const auto width = static_cast<int32_t>(state.range(0));
  const std::vector<uint8_t> stream = RandomBytes(static_cast<size_t>(kDecodedElements * (width + 1) / 8));
  const std::vector<uint8_t> values = RandomBytes(256);
  std::vector<uint8_t> output(kDecodedElements);
  const SparseLutDecodeArgs args = {.stream = stream.data(),
                                    .stream_bytes = stream.size(),
                                    .order = BitOrder::kLsbFirst,
                                    .width = width,
                                    .first_bit = 0,
                                    .values = values.data(),
                                    .special = 0,
                                    .count = kDecodedElements,
                                    .output = output.data()};
  for (auto _ : state) {
    SparseLutDecode8Ref(args);
    benchmark::DoNotOptimize(output.data());
    benchmark::ClobberMemory();
  }
  CountDecoded(state, 1);
}
BENCHMARK(BM_SparseLutDecode8)->DenseRange(2, 8, 2);

}  // namespace
}  // namespace lutra
