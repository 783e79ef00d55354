// SPDX-License-Identifier: Apache-2.0

#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

// Codes of the lengths 1, 2, ... 7, 7, each by one lookup of seven bits.
void BM_HuffmanDecode8(benchmark::State& state) {
  std::vector<uint8_t> codes;
  for (uint32_t bits = 0; bits < 128; ++bits) {
    uint32_t length = 1;
    while (length < 7 && (bits >> (7 - length) & 1) != 0) ++length;
    const uint32_t entry = 1u << 15 | length << 11 | length;
    codes.push_back(static_cast<uint8_t>(entry));
    codes.push_back(static_cast<uint8_t>(entry >> 8));
  }
  const std::vector<uint8_t> stream = RandomBytes(kDecodedElements);
  std::vector<uint8_t> output(kDecodedElements);
  HuffmanDecodeArgs args = {};
  args.stream = stream.data();
  args.stream_bytes = stream.size();
  args.codes = codes.data();
  args.first_bits = 7;
  args.count = kDecodedElements;
  args.output = output.data();
  for (auto _ : state) {
    HuffmanDecode8Ref(args);
    benchmark::DoNotOptimize(output.data());
    benchmark::ClobberMemory();
  }
  CountDecoded(state, 1);
}
BENCHMARK(BM_HuffmanDecode8);

}  // namespace
}  // namespace lutra
