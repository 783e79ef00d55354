// SPDX-License-Identifier: Apache-2.0
// Codes of lengths 1, 2, ... 7, 7, each with one lookup of seven bits: many symbols, and few.

#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

// Returns entries of 16 bits.
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
struct Case {
  std::string name;
  int32_t count;
  int32_t channels;
};
std::vector<Case> Cases(const std::vector<int32_t>& counts, const std::vector<int32_t>& channels) {
  std::vector<Case> cases;
  for (const int32_t count : counts) {
    for (const int32_t c : channels) {
      cases.push_back({std::to_string(count) + "x" + std::to_string(c), count, c});
    }
  }
  return cases;
}

template <typename Element>
void Run(benchmark::State& state, const VariantUse<HuffmanDecodeFn>& use, const Case& c) {
  constexpr int32_t kStride = 256;
  const std::vector<uint8_t> codes = Codes();
  const std::vector<uint8_t> stream = RandomBytes(static_cast<size_t>(c.count));
  const std::vector<uint8_t> values =
      RandomBytes(static_cast<size_t>(kStride * c.channels) * sizeof(Element));
  std::vector<Element> output(static_cast<size_t>(c.count));
  Measure(state, use,
          {.stream = stream.data(),
           .stream_bytes = stream.size(),
           .codes = codes.data(),
           .codes_bytes = codes.size(),
           .wide_codes = false,
           .first_bits = 7,
           .count = c.count,
           .output = output.data(),
           .values = values.data(),
           .stride = kStride,
           .channels = c.channels,
           .inner = c.count / c.channels});
  CountDecoded(state, sizeof(Element), c.count);
}

const std::vector<int32_t> kCounts = {128, 512, 2048, 8192, kDecodedElements};

const bool registered =
    RegisterKernel(kHuffmanDecode<uint8_t>, Cases(kCounts, {1}), Run<uint8_t>) &&
    RegisterKernel(kHuffmanDecode<uint16_t>, Cases({kDecodedElements}, {1}), Run<uint16_t>) &&
    RegisterKernel(kHuffmanLutDecode<uint8_t>, Cases({kDecodedElements}, {1, 64}), Run<uint8_t>) &&
    RegisterKernel(kHuffmanLutDecode<uint16_t>, Cases({kDecodedElements}, {1, 64}), Run<uint16_t>) &&
    RegisterKernel(kHuffmanLutDecode<uint32_t>, Cases({kDecodedElements}, {1, 64}), Run<uint32_t>) &&
    RegisterKernel(kHuffmanLutDecode<uint64_t>, Cases({kDecodedElements}, {1, 64}), Run<uint64_t>);

}  // namespace
}  // namespace lutra
