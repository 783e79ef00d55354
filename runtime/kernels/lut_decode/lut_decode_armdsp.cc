// SPDX-License-Identifier: Apache-2.0
// LutDecode to bytes for Cortex-M: decodes eight indices at a time from words of 32 bits, at any address.
// Narrow indices use tables of several neighbours, which are made for each run that is long enough.

#include <string.h>

#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/lut_decode/lut_decode_runs.h"

namespace lutra {
namespace {

constexpr int32_t kMaxPairsWidth = 4;
// For runs of kElementsForTable[bits of an index] elements or more, a table of several values saves more than
// it takes.
constexpr int32_t kElementsForTable[] = {0, 192, 896, 384, 1088};

void Store16(uint32_t two, uint8_t* to) {
  const auto bytes = static_cast<uint16_t>(two);
  memcpy(to, &bytes, sizeof bytes);
}
void Store32(uint32_t four, uint8_t* to) { memcpy(to, &four, sizeof four); }

// Returns the bytes of a group of eight indices, of one to three bits each, as a number, in the order of the
// stream.
template <int kBytes, bool kMsbFirst>
uint32_t ShortGroup(const uint8_t* in) {
  if constexpr (kBytes == 1) return in[0];
  if constexpr (kBytes == 2) return kMsbFirst ? in[0] << 8 | in[1] : in[0] | in[1] << 8;
  if constexpr (kBytes == 3) {
    return kMsbFirst ? in[0] << 16 | in[1] << 8 | in[2] : in[0] | in[1] << 8 | in[2] << 16;
  }
}

template <bool kMsbFirst>
uint32_t LoadWord(const uint8_t* in) {
  const auto word = LoadElement<uint32_t>(in);
  return kMsbFirst ? __builtin_bswap32(word) : word;
}

// Returns field k of `bits` bits; the fields are in the lowest `total` bits.
template <bool kMsbFirst>
[[gnu::always_inline]] inline uint32_t FieldOf(uint32_t word, int total, int bits, int k) {
  return word >> (kMsbFirst ? total - bits * (k + 1) : bits * k) & ((1u << bits) - 1);
}

// Decodes index by index.
template <int kWidth, bool kMsbFirst>
void DecodeSingly(const uint8_t* in, const uint8_t* table, int32_t groups, uint8_t* output) {
  for (const uint8_t* const end = output + 8 * groups; output != end; output += 8, in += kWidth) {
    if constexpr (kWidth < 4) {
      const uint32_t group = ShortGroup<kWidth, kMsbFirst>(in);
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) output[k] = table[FieldOf<kMsbFirst>(group, 8 * kWidth, kWidth, k)];
    } else {
      // The first four indices are in the first four bytes, the others in the last four.
      const uint32_t first = LoadWord<kMsbFirst>(in) >> (kMsbFirst ? 32 - 4 * kWidth : 0);
      const uint32_t last = LoadWord<kMsbFirst>(in + kWidth - 4) >> (kMsbFirst ? 0 : 32 - 4 * kWidth);
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) output[k] = table[FieldOf<kMsbFirst>(first, 4 * kWidth, kWidth, k)];
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) output[4 + k] = table[FieldOf<kMsbFirst>(last, 4 * kWidth, kWidth, k)];
    }
  }
}

// ---- Tables of several indices, the first one's value in the lowest byte. Separate functions keep their
// tables' address in a register.

// `values` has an entry for each possible index.
void FillPairs(const uint8_t* values, int32_t width, bool msb_first, uint16_t* pairs) {
  const int32_t entries = 1 << width;
  for (int32_t high = 0; high < entries; ++high) {
    const int shift_of_high = msb_first ? 0 : 8;
    const auto value = static_cast<uint32_t>(values[high] << shift_of_high);
    for (int32_t low = 0; low < entries; ++low) {
      *pairs++ = static_cast<uint16_t>(value | static_cast<uint32_t>(values[low]) << (8 - shift_of_high));
    }
  }
}

void FillFours(const uint16_t* pairs, int32_t width, bool msb_first, uint32_t* fours) {
  const int32_t entries = 1 << 2 * width;
  for (int32_t high = 0; high < entries; ++high) {
    const int shift_of_high = msb_first ? 0 : 16;
    const uint32_t two = static_cast<uint32_t>(pairs[high]) << shift_of_high;
    for (int32_t low = 0; low < entries; ++low) {
      *fours++ = two | static_cast<uint32_t>(pairs[low]) << (16 - shift_of_high);
    }
  }
}

// Decodes indices of one bit: two lookups for a byte of the stream.
template <bool kMsbFirst>
LUTRA_OFTEN void DecodeBits(const uint8_t* in, const uint32_t* fours, int32_t groups, uint8_t* output) {
  for (const uint8_t* const end = output + 8 * groups; output != end; output += 8) {
    const uint32_t byte = *in++;
    Store32(fours[kMsbFirst ? byte >> 4 : byte & 15], output);
    Store32(fours[kMsbFirst ? byte & 15 : byte >> 4], output + 4);
  }
}

// Decodes fours of two-bit indices by one lookup each.
template <int kGroups>
[[gnu::always_inline]] inline void DecodeGroupsOfTwoBits(const uint8_t* in, const uint32_t* fours,
                                                         uint8_t* output) {
#pragma GCC unroll 8
  for (int k = 0; k < 2 * kGroups; ++k) Store32(fours[in[k]], output + 4 * k);
}
LUTRA_OFTEN void DecodeTwoBits(const uint8_t* in, const uint32_t* fours, int32_t groups, uint8_t* output) {
  for (; groups >= 4; groups -= 4, in += 8, output += 32) DecodeGroupsOfTwoBits<4>(in, fours, output);
  for (; groups > 0; --groups, in += 2, output += 8) DecodeGroupsOfTwoBits<1>(in, fours, output);
}

// Decodes pairs of three-bit indices by the six bits of both.
template <bool kMsbFirst>
LUTRA_OFTEN void DecodeThreeBits(const uint8_t* in, const uint16_t* pairs, int32_t groups, uint8_t* output) {
  for (const uint8_t* const end = output + 8 * groups; output != end; output += 8, in += 3) {
    const uint32_t group = ShortGroup<3, kMsbFirst>(in);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) Store16(pairs[FieldOf<kMsbFirst>(group, 24, 6, k)], output + 2 * k);
  }
}

// Decodes pairs of four-bit indices by the byte of both.
template <int kGroups>
[[gnu::always_inline]] inline void DecodeGroupsOfFourBits(const uint8_t* in, const uint16_t* pairs,
                                                          uint8_t* output) {
#pragma GCC unroll 16
  for (int k = 0; k < 4 * kGroups; ++k) Store16(pairs[in[k]], output + 2 * k);
}
LUTRA_OFTEN void DecodeFourBits(const uint8_t* in, const uint16_t* pairs, int32_t groups, uint8_t* output) {
  for (; groups >= 4; groups -= 4, in += 16, output += 32) DecodeGroupsOfFourBits<4>(in, pairs, output);
  for (; groups > 0; --groups, in += 4, output += 8) DecodeGroupsOfFourBits<1>(in, pairs, output);
}

// Decodes indices of one or two bits.
void DecodeFours(const LutDecodeArgs& args, const uint8_t* values, const uint8_t* in, int32_t groups,
                 uint8_t* output) {
  const bool msb_first = args.order == BitOrder::kMsbFirst;
  uint16_t pairs[16];
  uint32_t fours[256];
  FillPairs(values, args.width, msb_first, pairs);
  FillFours(pairs, args.width, msb_first, fours);
  if (args.width == 2) return DecodeTwoBits(in, fours, groups, output);
  msb_first ? DecodeBits<true>(in, fours, groups, output) : DecodeBits<false>(in, fours, groups, output);
}

// Decodes indices of three or four bits.
void DecodePairs(const LutDecodeArgs& args, const uint8_t* values, const uint8_t* in, int32_t groups,
                 uint8_t* output) {
  const bool msb_first = args.order == BitOrder::kMsbFirst;
  uint16_t pairs[1 << 2 * kMaxPairsWidth];
  FillPairs(values, args.width, msb_first, pairs);
  if (args.width == 4) return DecodeFourBits(in, pairs, groups, output);
  msb_first ? DecodeThreeBits<true>(in, pairs, groups, output)
            : DecodeThreeBits<false>(in, pairs, groups, output);
}

// ---- Runs of elements that share a table.

using DecodeSinglyFn = void (*)(const uint8_t*, const uint8_t*, int32_t, uint8_t*);
template <bool kMsbFirst>
constexpr DecodeSinglyFn kDecodeSingly[] = {
    DecodeSingly<1, kMsbFirst>, DecodeSingly<2, kMsbFirst>, DecodeSingly<3, kMsbFirst>,
    DecodeSingly<4, kMsbFirst>, DecodeSingly<5, kMsbFirst>, DecodeSingly<6, kMsbFirst>,
    DecodeSingly<7, kMsbFirst>, DecodeSingly<8, false>};  // Bytes have no order.

// Decodes whole groups of eight.
void DecodeGroups(const LutDecodeArgs& args, const uint8_t* table, const uint8_t* in, int32_t groups,
                  uint8_t* output) {
  const int32_t width = args.width;
  if (width <= kMaxPairsWidth && 8 * groups >= kElementsForTable[width]) {
    // Entries that no index names may be missing.
    uint8_t values[1 << kMaxPairsWidth] = {};
    memcpy(values, table, static_cast<size_t>(args.stride < 1 << width ? args.stride : 1 << width));
    return width <= 2 ? DecodeFours(args, values, in, groups, output)
                      : DecodePairs(args, values, in, groups, output);
  }
  const bool msb_first = args.order == BitOrder::kMsbFirst;
  (msb_first ? kDecodeSingly<true> : kDecodeSingly<false>)[width - 1](in, table, groups, output);
}

// Decodes a few elements before and behind whole groups.
LUTRA_OFTEN void DecodeFew(const LutDecodeArgs& args, const uint8_t* table, int32_t first, int32_t count,
                           uint8_t* output) {
  const int32_t width = args.width;
  const bool msb_first = args.order == BitOrder::kMsbFirst;
  auto bit = static_cast<size_t>(first) * static_cast<size_t>(width);
  for (; count > 0; --count, bit += static_cast<size_t>(width)) {
    const uint8_t* const in = args.stream + bit / 8;
    const auto in_byte = static_cast<int32_t>(bit % 8);
    // A byte without a bit of the index may be missing.
    const uint32_t second = in_byte + width > 8 ? in[1] : 0;
    const uint32_t two = msb_first ? in[0] << 8 | second : in[0] | second << 8;
    const uint32_t field = two >> (msb_first ? 16 - in_byte - width : in_byte);
    *output++ = table[field & ((1u << width) - 1)];
  }
}

void DecodeRun(const LutDecodeArgs& args, const uint8_t* table, int32_t first, int32_t count,
               uint8_t* output) {
  const int32_t to_group = -first & 7;
  const int32_t few = to_group < count ? to_group : count;
  if (few > 0) DecodeFew(args, table, first, few, output);
  first += few;
  count -= few;
  output += few;
  const uint8_t* const in = args.stream + static_cast<size_t>(first / 8) * static_cast<size_t>(args.width);
  if (count >= 8) DecodeGroups(args, table, in, count / 8, output);
  if (count % 8 > 0) DecodeFew(args, table, first + count / 8 * 8, count % 8, output + count / 8 * 8);
}

}  // namespace

void LutDecodeArmdsp(const LutDecodeArgs& args, int32_t first, int32_t count) {
  DecodeRuns(args, first, count,
             [&](const uint8_t* table, int32_t run_first, int32_t run_count, uint8_t* output) {
               DecodeRun(args, table, run_first, run_count, output);
             });
}

}  // namespace lutra
