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

// Random prefix codes: a lookup of `bits` bits, some entries of which lead to another lookup of one to three
// bits.
class RandomHuffmanCodes {
 public:
  RandomHuffmanCodes(auto& memory, StreamDice& dice, int32_t bits, bool wide)
      : bytes_(Data<uint8_t>(memory, ((1 << bits) + kFurtherEntries) * 4)),
        wide_(wide),
        most_((1 << bits) + kFurtherEntries) {
    FillLookup(dice, 0, bits, true);
  }
  const uint8_t* bytes() const { return bytes_; }
  size_t byte_count() const { return static_cast<size_t>(end_) * (wide_ ? 4 : 2); }

 private:
  static constexpr int32_t kFurtherEntries = 1024;

  void FillLookup(StreamDice& dice, int32_t begin, int32_t bits, bool further) {
    const int32_t size = 1 << bits;
    if (end_ < begin + size) end_ = begin + size;
    const bool mostly_long = dice.Below(2) == 0;
    for (int32_t i = 0; i < size;) {
      // A code takes a part of the lookup that begins at a multiple of the part's size.
      int32_t used = mostly_long ? bits - dice.Below(bits < 4 ? bits : 4) : 1 + dice.Below(bits);
      while (i % (size >> used) != 0) ++used;
      const int32_t next = i + (size >> used);
      const int32_t more = 1 + dice.Below(3);
      const bool is_node = further && used == bits && dice.Below(4) == 0 && end_ - begin - i < 1500 &&
                           end_ + (1 << more) <= most_;
      if (is_node) {
        const int32_t at = end_;
        Put(begin + i, 0, more - 1, at - (begin + i));
        FillLookup(dice, at, more, false);
      } else {
        const int32_t value = dice.Below(256);
        // The bits behind a code may select its symbol.
        for (int32_t k = i; k < next; ++k) Put(begin + k, 1, used, value ^ (dice.Below(50) == 0 ? 1 : 0));
      }
      i = next;
    }
  }
  // `value`: of a node how far behind its own place the next lookup begins, less the index of that.
  void Put(int32_t at, uint32_t leaf, int32_t bits, int32_t value) {
    const int value_bits = wide_ ? 27 : 11;
    const uint32_t entry =
        leaf << (value_bits + 4) | static_cast<uint32_t>(bits) << value_bits | static_cast<uint32_t>(value);
    const int32_t entry_bytes = wide_ ? 4 : 2;
    for (int32_t i = 0; i < entry_bytes; ++i)
      bytes_[at * entry_bytes + i] = static_cast<uint8_t>(entry >> (8 * i));
  }

  uint8_t* bytes_;
  bool wide_;
  int32_t most_;
  int32_t end_ = 0;
};

template <typename Element>
void AddRandomHuffmanProblems(auto& memory, auto& problems) {
  StreamDice dice;
  for (int32_t i = 0; i < kRandomStreams; ++i) {
    const bool wide = i % 2 == 0;
    // Few codes are so long that two do not fit a word.
    const int32_t bits = i % 10 == 9 ? 13 : 1 + dice.Below(10);
    const bool many = sizeof(Element) == 1 && i % 4 == 0;
    const int32_t count = many ? 700 + dice.Below(3000) : dice.Count(sizeof(Element) < 4 ? 4 : 8);
    const RandomHuffmanCodes codes(memory, dice, bits, wide);
    const int32_t bytes = (count * (bits + 3) + 31) / 32 * 4;
    constexpr int32_t kStride = 256;
    const int32_t channels = 1 + dice.Below(3);
    auto* const stream = Filled<uint8_t>(memory, static_cast<uint32_t>(dice.Below(1000)), bytes);
    problems.Add({.args = {.stream = stream,
                           .stream_bytes = static_cast<size_t>(bytes),
                           .codes = codes.bytes(),
                           .codes_bytes = codes.byte_count(),
                           .wide_codes = wide,
                           .first_bits = bits,
                           .count = count,
                           .output = Output<Element>(memory, count),
                           .values = Filled<uint8_t>(
                               memory, 2, channels * kStride * static_cast<int32_t>(sizeof(Element))),
                           .stride = kStride,
                           .channels = channels,
                           .inner = 1 + dice.Below(count)}});
  }
}

template <typename Element>
inline constexpr auto kHuffmanDecodeProblems = [](auto& memory, auto& problems) {
  AddRandomHuffmanProblems<Element>(memory, problems);
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
