// SPDX-License-Identifier: Apache-2.0
// Decoders of compressed weights.

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "lutra/kernels/lut_decode/lut_decode.h"
#include "lutra/kernels/prune_decode/prune_decode.h"
#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"
#include "platforms/variants/variants.h"

namespace lutra::platforms {
namespace {

// Streams, tables and values are bytes of a file, of any alignment and the same on every machine.

constexpr int32_t kCounts[] = {1, 2, 7, 8, 9, 15, 16, 31, 33, 63, 64, 65, 70, 257};

BitOrder OrderOf(int32_t i) { return i % 2 == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst; }

template <typename Element, int N>
void CheckLutDecode(VariantChecker& checker, const Variant<LutDecodeFn> (&variants)[N]) {
  Problems<LutDecodeArgs> problems(checker);
  for (int32_t width = 1; width <= 8; ++width) {
    for (const int32_t count : kCounts) {
      for (const bool one_table : kFalseAndTrue) {
        const int32_t channels = one_table ? 1 : 3;
        const int32_t first = count % 3;
        const int32_t bytes = ((first + count) * width + 7) / 8;
        const int32_t table_bytes = static_cast<int32_t>(sizeof(Element)) << width;
        problems.Add({.args = {.stream = checker.Filled<uint8_t>(static_cast<uint32_t>(count), bytes),
                               .stream_bytes = static_cast<size_t>(bytes),
                               .order = OrderOf(count / 4),
                               .width = width,
                               .values = checker.Filled<uint8_t>(1, channels * table_bytes),
                               .stride = 1 << width,
                               .channels = channels,
                               .inner = count % 4 == 1 ? 5 : 1,
                               .output = checker.Output<Element>(count)},
                      .first = first,
                      .count = count});
      }
    }
  }
  checker.Check(variants, problems);
}

// Codes 0, 10, 110, 1110, 11110 and 11111, which take up to three lookups: of 2, 2 and 1 bits.
constexpr uint32_t kHuffmanEntries[][3] = {
    // Leaf, bits of the code in this lookup (a node: bits of the next, less 1), value (the next's distance).
    {1, 1, 0x25}, {1, 1, 0x25}, {1, 2, 0x7F}, {0, 1, 1},    {1, 1, 0x03},
    {1, 1, 0x03}, {1, 2, 0xFE}, {0, 0, 1},    {1, 1, 0x80}, {1, 1, 0x1FF},
};
constexpr int32_t kHuffmanLongest = 5;

const uint8_t* HuffmanCodes(VariantChecker& checker, bool wide) {
  const int32_t entry_bytes = wide ? 4 : 2;
  const int value_bits = wide ? 27 : 11;
  auto* const codes = checker.Data<uint8_t>(static_cast<int32_t>(sizeof kHuffmanEntries));
  int32_t at = 0;
  for (const auto& [leaf, bits, value] : kHuffmanEntries) {
    const uint32_t entry = leaf << (value_bits + 4) | bits << value_bits | value;
    for (int32_t i = 0; i < entry_bytes; ++i) codes[at++] = static_cast<uint8_t>(entry >> (8 * i));
  }
  return codes;
}

template <typename Element, int N>
void CheckHuffmanDecode(VariantChecker& checker, const Variant<HuffmanDecodeFn> (&variants)[N]) {
  Problems<HuffmanDecodeArgs> problems(checker);
  for (const int32_t count : kCounts) {
    for (const bool wide : kFalseAndTrue) {
      const int32_t bytes = (count * kHuffmanLongest + 31) / 32 * 4;
      constexpr int32_t kChannels = 3;
      constexpr int32_t kStride = 256;
      problems.Add(
          {.args = {.stream = checker.Filled<uint8_t>(static_cast<uint32_t>(count), bytes),
                    .stream_bytes = static_cast<size_t>(bytes),
                    .codes = HuffmanCodes(checker, wide),
                    .codes_bytes = sizeof(kHuffmanEntries) / sizeof(kHuffmanEntries[0]) * (wide ? 4 : 2),
                    .wide_codes = wide,
                    .first_bits = 2,
                    .count = count,
                    .output = checker.Output<Element>(count),
                    .values = checker.Filled<uint8_t>(
                        2, kChannels * kStride * static_cast<int32_t>(sizeof(Element))),
                    .stride = kStride,
                    .channels = kChannels,
                    .inner = 1 + count % 4}});
    }
  }
  checker.Check(variants, problems);
}

template <typename Element, int N>
void CheckPruneDecode(VariantChecker& checker, const Variant<PruneDecodeFn> (&variants)[N]) {
  Problems<PruneDecodeArgs> problems(checker);
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    constexpr int32_t kChannels = 5;
    const bool has_zero_points = sizeof(Element) == 1 && count % 2 == 0;
    auto* const map = checker.Filled<uint8_t>(static_cast<uint32_t>(count), (count + 7) / 8);
    // Eight at once: none of them kept, all of them.
    if (count >= 24) {
      map[1] = 0x00;
      map[2] = 0xFF;
    }
    problems.Add(
        {.args = {.map = map,
                  .values = checker.Filled<uint8_t>(3, count * static_cast<int32_t>(sizeof(Element))),
                  .zero_points = {checker.Filled<uint8_t>(4, kChannels * 8), has_zero_points ? kChannels : 0},
                  .channels = has_zero_points ? kChannels : 1,
                  .inner = has_zero_points ? 1 + count % 3 : 1,
                  .count = count,
                  .output = checker.Output<Element>(count)}});
  }
  checker.Check(variants, problems);
}

template <typename Element, int N>
void CheckSparseLutDecode(VariantChecker& checker, const Variant<SparseLutDecodeFn> (&variants)[N]) {
  Problems<SparseLutDecodeArgs> problems(checker);
  for (int32_t width = 1; width <= 8; ++width) {
    for (const int32_t count : kCounts) {
      const int32_t first_bit = (count + width) % 32;
      const int32_t bytes = (first_bit + count * (1 + width) + 7) / 8;
      const int32_t table_bytes = static_cast<int32_t>(sizeof(Element)) << width;
      problems.Add({.args = {.stream = checker.Filled<uint8_t>(static_cast<uint32_t>(count), bytes),
                             .stream_bytes = static_cast<size_t>(bytes),
                             .order = OrderOf(count),
                             .width = width,
                             .first_bit = first_bit,
                             .values = checker.Filled<uint8_t>(5, table_bytes),
                             .special = 0x81C2E3F4u,
                             .count = count,
                             .output = checker.Output<Element>(count)}});
    }
  }
  checker.Check(variants, problems);
}

template <typename Element, int N>
void CheckBitUnpack(VariantChecker& checker, const Variant<BitUnpackFn> (&variants)[N]) {
  Problems<BitUnpackArgs> problems(checker);
  for (int32_t width = 1; width <= 31; ++width) {
    for (const int32_t count : kCounts) {
      const int32_t first = count % 3;
      const int32_t first_bit = (3 * count + width) % 32;
      const int32_t bytes = (first_bit + (first + count) * width + 7) / 8;
      problems.Add({.args = {.stream = checker.Filled<uint8_t>(static_cast<uint32_t>(count), bytes),
                             .stream_bytes = static_cast<size_t>(bytes),
                             .order = OrderOf(count),
                             .width = width,
                             .sign_extend = (count + width) % 2 != 0,
                             .first_bit = first_bit,
                             .output = checker.Output<Element>(count)},
                    .first = first,
                    .count = count});
    }
  }
  checker.Check(variants, problems);
}

}  // namespace

void CheckDecoders(VariantChecker& checker) {
  CheckLutDecode<uint8_t>(checker, kLutDecode8);
  CheckLutDecode<uint16_t>(checker, kLutDecode16);
  CheckLutDecode<uint32_t>(checker, kLutDecode32);
  CheckLutDecode<uint64_t>(checker, kLutDecode64);
  CheckHuffmanDecode<uint8_t>(checker, kHuffmanDecode8);
  CheckHuffmanDecode<uint16_t>(checker, kHuffmanDecode16);
  CheckHuffmanDecode<uint8_t>(checker, kHuffmanLutDecode8);
  CheckHuffmanDecode<uint16_t>(checker, kHuffmanLutDecode16);
  CheckHuffmanDecode<uint32_t>(checker, kHuffmanLutDecode32);
  CheckHuffmanDecode<uint64_t>(checker, kHuffmanLutDecode64);
  CheckPruneDecode<uint8_t>(checker, kPruneDecode8);
  CheckPruneDecode<uint16_t>(checker, kPruneDecode16);
  CheckPruneDecode<uint32_t>(checker, kPruneDecode32);
  CheckPruneDecode<uint64_t>(checker, kPruneDecode64);
  CheckSparseLutDecode<uint8_t>(checker, kSparseLutDecode8);
  CheckSparseLutDecode<uint16_t>(checker, kSparseLutDecode16);
  CheckSparseLutDecode<uint32_t>(checker, kSparseLutDecode32);
  CheckBitUnpack<uint8_t>(checker, kBitUnpack8);
  CheckBitUnpack<uint16_t>(checker, kBitUnpack16);
  CheckBitUnpack<uint32_t>(checker, kBitUnpack32);
}

}  // namespace lutra::platforms
