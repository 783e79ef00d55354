// SPDX-License-Identifier: Apache-2.0
// Codes of the lengths 1, 2, ... 7, 7, each by one lookup of seven bits.

#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

// Entries of 16 bits.
std::vector<uint8_t> Codes() {
  std::vector<uint8_t> codes;
  for (uint32_t bits = 0; bits < 128; ++bits) {
    uint32_t length = 1;
    while (length < 7 && (bits >> (7 - length) & 1) != 0) ++length;
    const uint32_t entry = 1u << 15 | length << 11 | length;
    codes.push_back(static_cast<uint8_t>(entry));
    codes.push_back(static_cast<uint8_t>(entry >> 8));
  }
  return codes;
}

// One table of values, or one for each channel.
template <typename Element>
void Run(benchmark::State& state, const VariantUse<HuffmanDecodeFn>& use, const CountCase& channels) {
  constexpr int32_t kStride = 256;
  const std::vector<uint8_t> codes = Codes();
  const std::vector<uint8_t> stream = RandomBytes(kDecodedElements);
  const std::vector<uint8_t> values =
      RandomBytes(static_cast<size_t>(kStride * channels.count) * sizeof(Element));
  std::vector<Element> output(kDecodedElements);
  Measure(state, use,
          {.stream = stream.data(),
           .stream_bytes = stream.size(),
           .codes = codes.data(),
           .codes_bytes = codes.size(),
           .wide_codes = false,
           .first_bits = 7,
           .count = kDecodedElements,
           .output = output.data(),
           .values = values.data(),
           .stride = kStride,
           .channels = channels.count,
           .inner = kDecodedElements / channels.count});
  CountDecoded(state, sizeof(Element));
}

const bool registered = RegisterKernel(kHuffmanDecode8, Counts({1}), Run<uint8_t>) &&
                        RegisterKernel(kHuffmanDecode16, Counts({1}), Run<uint16_t>) &&
                        RegisterKernel(kHuffmanLutDecode8, Counts({1, 64}), Run<uint8_t>) &&
                        RegisterKernel(kHuffmanLutDecode16, Counts({1, 64}), Run<uint16_t>) &&
                        RegisterKernel(kHuffmanLutDecode32, Counts({1, 64}), Run<uint32_t>) &&
                        RegisterKernel(kHuffmanLutDecode64, Counts({1, 64}), Run<uint64_t>);

}  // namespace
}  // namespace lutra
