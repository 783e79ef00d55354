// SPDX-License-Identifier: Apache-2.0

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

void BM_BitUnpack8(benchmark::State& state) {
  const auto width = static_cast<int32_t>(state.range(0));
  const std::vector<uint8_t> stream = RandomBytes(static_cast<size_t>(kDecodedElements * width / 8));
  std::vector<uint8_t> output(kDecodedElements);
  const BitUnpackArgs args = {.stream = stream.data(),
                              .stream_bytes = stream.size(),
                              .order = BitOrder::kLsbFirst,
                              .width = width,
                              .sign_extend = true,
                              .first_bit = 0,
                              .output = output.data()};
  for (auto _ : state) {
    BitUnpack8Ref(args, 0, kDecodedElements);
    benchmark::DoNotOptimize(output.data());
    benchmark::ClobberMemory();
  }
  CountDecoded(state, 1);
}
BENCHMARK(BM_BitUnpack8)->DenseRange(1, 7);

}  // namespace
}  // namespace lutra
