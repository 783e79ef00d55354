// SPDX-License-Identifier: Apache-2.0
// LutDecode to bytes by vector instructions that look 16 bytes up in a table of 16: what SSE4.1 and AVX2 have
// in common. For the variants' .cc files, each of which brings its own Vector type, so that each keeps its
// own copy.
//
// 16 indices of up to 7 bits lie in 16 bytes of the stream, in a pair of bytes each. A byte shuffle brings
// each pair into a 16-bit lane, a multiplication by a power of two moves the index to its top and a shift to
// its bottom. Tables of more than 16 entries are looked up 16 at a time, and the index's higher bits choose.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lutra/kernels/lut_decode/lut_decode.h"

namespace lutra {

inline constexpr int32_t kMaxWindowWidth = 7;
inline constexpr int32_t kWindowElements = 16;

// For indices that begin at bit `phase` of the stream's byte; those of elements 0 to 7, then 8 to 15.
struct WindowCut {
  uint8_t bytes[2][16];
  uint16_t factors[2][8];
};

static inline void FindCut(const LutDecodeArgs& args, int32_t phase, WindowCut* cut) {
  const bool msb_first = args.order == BitOrder::kMsbFirst;
  for (int32_t i = 0; i < kWindowElements; ++i) {
    const int32_t bit = i * args.width + phase;
    const auto byte = static_cast<uint8_t>(bit / 8);
    const auto next = static_cast<uint8_t>(byte + 1);
    // Lanes are little-endian: of the highest bit first, the first byte is the upper one.
    cut->bytes[i / 8][2 * (i % 8)] = msb_first ? next : byte;
    cut->bytes[i / 8][2 * (i % 8) + 1] = msb_first ? byte : next;
    const int32_t shift = msb_first ? bit % 8 : 16 - args.width - bit % 8;
    cut->factors[i / 8][i % 8] = static_cast<uint16_t>(1 << shift);
  }
}

// The shuffle takes the lowest four bits of an index, whose highest is 0.
template <int kTables, typename Vector>
[[gnu::always_inline]] static inline Vector LookUpTables(const Vector* tables, Vector indices) {
  if constexpr (kTables == 1) {
    return LookUp16(tables[0], indices);
  } else {
    constexpr int kHalf = kTables / 2;
    // The bit that tells the halves apart becomes a byte's highest.
    constexpr int kBit = 4 + __builtin_ctz(kHalf);
    return ChooseByHighestBit(LookUpTables<kHalf>(tables, indices),
                              LookUpTables<kHalf>(tables + kHalf, indices), ShiftLeft16<7 - kBit>(indices));
  }
}

// Whole vectors of the elements from `first` on, while 16 bytes may be read for each 16 elements. Returns how
// many elements it made.
template <typename Vector, int kTables>
static inline int32_t DecodeWindows(const LutDecodeArgs& args, const uint8_t* table, const WindowCut& cut,
                                    int32_t first, int32_t count, uint8_t* output) {
  const uint8_t* in = args.stream + static_cast<size_t>(first) * static_cast<size_t>(args.width) / 8;
  const uint8_t* const end = args.stream + args.stream_bytes;
  Vector tables[kTables];
  for (int k = 0; k < kTables; ++k) tables[k] = Vector::Repeat16(table + 16 * k);
  const Vector low_bytes = Vector::Repeat16(cut.bytes[0]);
  const Vector high_bytes = Vector::Repeat16(cut.bytes[1]);
  const Vector low_factors = Vector::Repeat16(reinterpret_cast<const uint8_t*>(cut.factors[0]));
  const Vector high_factors = Vector::Repeat16(reinterpret_cast<const uint8_t*>(cut.factors[1]));
  constexpr int32_t kParts = Vector::kBytes / kWindowElements;
  const int32_t step = kWindowElements / 8 * args.width;  // From 16 bytes of a vector to the next.
  int32_t made = 0;
  for (; count - made >= Vector::kBytes && end - in >= (kParts - 1) * step + 16; made += Vector::kBytes) {
    const Vector stream = Vector::LoadParts(in, step);
    const Vector low = CutTop(LookUp16(stream, low_bytes), low_factors, args.width);
    const Vector high = CutTop(LookUp16(stream, high_bytes), high_factors, args.width);
    Store(LookUpTables<kTables>(tables, Pack(low, high)), output + made);
    in += kParts * step;
  }
  return made;
}

// All of them; what is no whole vector by the reference.
template <typename Vector>
static inline void DecodeByWindows(LutDecodeArgs args, int32_t first, int32_t count) {
  const bool one_table = args.channels == 1;
  if (args.width > kMaxWindowWidth || (!one_table && args.inner < Vector::kBytes)) {
    return LutDecode8Ref(args, first, count);
  }
  const size_t entries = static_cast<size_t>(args.stride < 1 << args.width ? args.stride : 1 << args.width);
  const int32_t run = one_table ? first + count : args.inner;
  WindowCut cut;
  int32_t phase = -1;
  while (count > 0) {
    const int32_t left = run - first % run;
    const int32_t wanted = left < count ? left : count;
    const int32_t channel = first / run % args.channels;
    uint8_t table[1 << kMaxWindowWidth] = {};
    memcpy(table, args.values + static_cast<size_t>(channel) * static_cast<size_t>(args.stride), entries);
    const auto here = static_cast<int32_t>(static_cast<size_t>(first) * static_cast<size_t>(args.width) % 8);
    if (here != phase) FindCut(args, here, &cut);
    phase = here;
    auto* const output = static_cast<uint8_t*>(args.output);
    constexpr auto kDecode = [](int32_t width) {
      return width <= 4   ? DecodeWindows<Vector, 1>
             : width == 5 ? DecodeWindows<Vector, 2>
             : width == 6 ? DecodeWindows<Vector, 4>
                          : DecodeWindows<Vector, 8>;
    };
    const int32_t made = kDecode(args.width)(args, table, cut, first, wanted, output);
    args.output = output + made;
    if (made < wanted) LutDecode8Ref(args, first + made, wanted - made);
    args.output = output + wanted;
    first += wanted;
    count -= wanted;
  }
}

}  // namespace lutra
