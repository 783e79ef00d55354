// SPDX-License-Identifier: Apache-2.0
// Problems for the tests of huffman_decode. Needs no C++ library.

#pragma once

#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "runtime/kernels/stream_cases.h"

namespace lutra {

// Codes 0, 10, 110, 1110, 11110 and 11111, which take up to three lookups: of 2, 2 and 1 bits.
inline constexpr uint32_t kHuffmanEntries[][3] = {
    // Leaf, bits of the code in this lookup (a node: bits of the next, less 1), value (the next's distance).
    {1, 1, 0x25}, {1, 1, 0x25}, {1, 2, 0x7F}, {0, 1, 1},    {1, 1, 0x03},
    {1, 1, 0x03}, {1, 2, 0xFE}, {0, 0, 1},    {1, 1, 0x80}, {1, 1, 0x1FF},
};
inline constexpr int32_t kHuffmanLongest = 5;

const uint8_t* HuffmanCodesOf(auto& memory, bool wide) {
  const int32_t entry_bytes = wide ? 4 : 2;
  const int value_bits = wide ? 27 : 11;
  auto* const codes = Data<uint8_t>(memory, static_cast<int32_t>(sizeof kHuffmanEntries));
  int32_t at = 0;
  for (const auto& [leaf, bits, value] : kHuffmanEntries) {
    const uint32_t entry = leaf << (value_bits + 4) | bits << value_bits | value;
    for (int32_t i = 0; i < entry_bytes; ++i) codes[at++] = static_cast<uint8_t>(entry >> (8 * i));
  }
  return codes;
}

template <typename Element>
inline constexpr auto kHuffmanDecodeProblems = [](auto& memory, auto& problems) {
  for (const int32_t count : kStreamCounts) {
    for (const bool wide : kFalseAndTrue) {
      const int32_t bytes = (count * kHuffmanLongest + 31) / 32 * 4;
      constexpr int32_t kChannels = 3;
      constexpr int32_t kStride = 256;
      problems.Add(
          {.args = {.stream = Filled<uint8_t>(memory, static_cast<uint32_t>(count), bytes),
                    .stream_bytes = static_cast<size_t>(bytes),
                    .codes = HuffmanCodesOf(memory, wide),
                    .codes_bytes = sizeof(kHuffmanEntries) / sizeof(kHuffmanEntries[0]) * (wide ? 4 : 2),
                    .wide_codes = wide,
                    .first_bits = 2,
                    .count = count,
                    .output = Output<Element>(memory, count),
                    .values = Filled<uint8_t>(memory, 2,
                                              kChannels * kStride * static_cast<int32_t>(sizeof(Element))),
                    .stride = kStride,
                    .channels = kChannels,
                    .inner = 1 + count % 4}});
    }
  }
};

}  // namespace lutra
