// SPDX-License-Identifier: Apache-2.0
// LutDecode by vector instructions that look 16 bytes up in a table of 16: for SSE4.1 and AVX2. For the
// variants' .cc files, each of which brings its own type of vectors, so that each keeps its own copy.
//
// 16 indices of up to 7 bits are in 16 bytes of the stream, each within a pair of bytes. Tables of more than
// 16 entries are looked up 16 at a time, and the index's higher bits choose. Values of several bytes have a
// table for each byte. If that takes too many lookups, or if neighbours have different tables, vectors cut
// out indices, and values are loaded one by one.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/bit_windows.h"
#include "runtime/kernels/map_indices.h"

namespace lutra {

// Up to this many lookups for a vector of values are faster than loading values one by one, if there are as
// many values as the tables have entries; measured on Zen 4.
template <typename Vector>
inline constexpr int32_t kMostLookups = Vector::kBytes / 2;

inline constexpr int32_t kMaxWindowWidth = 7;
inline constexpr int32_t kWindowElements = 16;

// The windows of 16 indices: of the first eight and of the other eight.
struct WindowCut {
  FieldCut<16> low;
  FieldCut<16> high;
};

static inline void FindCut(const LutDecodeArgs& args, int32_t phase, WindowCut* cut) {
  FindFieldCut(args.order, args.width, phase, &cut->low);
  FindFieldCut(args.order, args.width, phase + 8 * args.width, &cut->high);
}

// Returns the bit of a byte in which element `first` begins.
static inline int32_t PhaseOf(const LutDecodeArgs& args, int32_t first) {
  return static_cast<int32_t>(static_cast<size_t>(first) * static_cast<size_t>(args.width) % 8);
}

// The shuffle uses the lowest four bits of an index, whose highest bit is 0.
template <int kTables, typename Vector>
[[gnu::always_inline]] static inline Vector LookUpTables(const Vector* tables, Vector indices) {
  if constexpr (kTables == 1) {
    return LookUp16(tables[0], indices);
  } else {
    constexpr int kHalf = kTables / 2;
    // The bit that chooses between the halves becomes a byte's highest.
    constexpr int kBit = 4 + __builtin_ctz(kHalf);
    return ChooseByHighestBit(LookUpTables<kHalf>(tables, indices),
                              LookUpTables<kHalf>(tables + kHalf, indices), ShiftLeft16<7 - kBit>(indices));
  }
}

// Interleaves units of kUnitBytes bytes from each plane, starting with 16 of a part; parts are `step` bytes
// apart.
template <int kUnitBytes, int kPlanes, typename Vector>
[[gnu::always_inline]] static inline void StoreInterleaved(const Vector* planes, uint8_t* output,
                                                           int32_t step) {
  if constexpr (kPlanes == 1) {
    StoreParts(planes[0], output, step);
  } else {
    Vector low[kPlanes / 2], high[kPlanes / 2];
    for (int k = 0; k < kPlanes / 2; ++k) {
      low[k] = UnpackLow<kUnitBytes>(planes[2 * k], planes[2 * k + 1]);
      high[k] = UnpackHigh<kUnitBytes>(planes[2 * k], planes[2 * k + 1]);
    }
    StoreInterleaved<2 * kUnitBytes, kPlanes / 2>(low, output, step);
    StoreInterleaved<2 * kUnitBytes, kPlanes / 2>(high, output + kPartBytes * kPlanes / 2, step);
  }
}

// Turns indices into values of kBytes bytes, each byte of which has kTables tables of 16,
template <typename Vector, int kBytes, int kTables>
struct ValuePlanes {
  Vector tables[kBytes][kTables];

  // Entries that no index names may be missing.
  [[gnu::always_inline]] inline ValuePlanes(const uint8_t* values, int32_t entries) {
    uint8_t planes[kBytes][16 * kTables] = {};
    if constexpr (kBytes == 1) {
      memcpy(planes[0], values, static_cast<size_t>(entries));
    } else {
      for (int32_t i = 0; i < entries; ++i) {
        for (int32_t k = 0; k < kBytes; ++k) planes[k][i] = *values++;
      }
    }
    for (int k = 0; k < kBytes; ++k) {
      for (int i = 0; i < kTables; ++i) tables[k][i] = Vector::Repeat16(planes[k] + 16 * i);
    }
  }
  [[gnu::always_inline]] inline void Make(Vector indices, uint8_t* output, int32_t element) const {
    Vector made[kBytes];
    for (int k = 0; k < kBytes; ++k) made[k] = LookUpTables<kTables>(tables[k], indices);
    StoreInterleaved<1, kBytes>(made, output + static_cast<size_t>(element) * kBytes, kPartBytes * kBytes);
  }
};

// or leaves indices as they are.
template <typename Vector>
struct PlainIndices {
  [[gnu::always_inline]] inline void Make(Vector indices, uint8_t* output, int32_t element) const {
    StoreParts(indices, output + element, kPartBytes);
  }
};

// Decodes whole vectors of the elements from `first` on, while 16 bytes may be read for each 16 elements.
// Returns how many elements it decoded.
template <typename Vector, typename Maker>
static inline int32_t DecodeWindows(const LutDecodeArgs& args, const Maker& maker, const WindowCut& cut,
                                    int32_t first, int32_t count, uint8_t* output) {
  const int32_t width = args.width;
  const uint8_t* in = args.stream + static_cast<size_t>(first) * static_cast<size_t>(width) / 8;
  const uint8_t* const end = args.stream + args.stream_bytes;
  const FieldCutter<Vector, 16> low(cut.low), high(cut.high);
  constexpr int32_t kParts = Vector::kBytes / kWindowElements;
  const int32_t step = kWindowElements / 8 * width;  // From 16 bytes of a vector to the next 16.
  int32_t made = 0;
  for (; count - made >= Vector::kBytes && end - in >= (kParts - 1) * step + 16; made += Vector::kBytes) {
    const Vector stream = Vector::LoadParts(in, step);
    maker.Make(PackSmall(low(stream, width), high(stream, width)), output, made);
    in += kParts * step;
  }
  return made;
}

// Decodes elements that share a table; the reference decodes those that fill no vector.
template <typename Vector, int kBytes, int kTables>
static inline void DecodeByPlanes(LutDecodeFn ref, LutDecodeArgs args, int32_t first, int32_t count) {
  const int32_t entries = args.stride < 1 << args.width ? args.stride : 1 << args.width;
  const int32_t run = args.channels == 1 ? first + count : args.inner;
  const size_t table_bytes = static_cast<size_t>(args.stride) * kBytes;
  WindowCut cut;
  int32_t phase = -1;
  while (count > 0) {
    const int32_t left = run - first % run;
    const int32_t wanted = left < count ? left : count;
    const int32_t channel = first / run % args.channels;
    const int32_t here = PhaseOf(args, first);
    if (here != phase) FindCut(args, here, &cut);
    phase = here;
    const ValuePlanes<Vector, kBytes, kTables> planes(
        args.values + static_cast<size_t>(channel) * table_bytes, entries);
    auto* const output = static_cast<uint8_t*>(args.output);
    const int32_t made = DecodeWindows<Vector>(args, planes, cut, first, wanted, output);
    args.output = output + static_cast<size_t>(made) * kBytes;
    if (made < wanted) ref(args, first + made, wanted - made);
    args.output = output + static_cast<size_t>(wanted) * kBytes;
    first += wanted;
    count -= wanted;
  }
}

// Decodes any layout and width: indices by vectors, some at a time, and their values one by one.
template <typename Vector, typename T>
static inline void DecodeByIndices(LutDecodeFn ref, LutDecodeArgs args, int32_t first, int32_t count) {
  constexpr int32_t kChunk = 256;
  uint8_t indices[kChunk];
  WindowCut cut;
  const bool whole_bytes = args.width > kMaxWindowWidth;
  if (!whole_bytes) FindCut(args, PhaseOf(args, first), &cut);
  ChannelTables<T> tables(args.values, args.stride, args.channels, args.inner, first);
  while (count > 0) {
    const int32_t wanted = count < kChunk ? count : kChunk;
    // Chunks are whole bytes of the stream, so that all begin at the same bit of a byte.
    const int32_t made =
        whole_bytes ? wanted
                    : DecodeWindows<Vector>(args, PlainIndices<Vector>(), cut, first, wanted, indices);
    auto* const output = static_cast<T*>(args.output);
    tables.Map(whole_bytes ? args.stream + first : indices, made, output);
    args.output = output + made;
    first += made;
    count -= made;
    if (made < wanted) break;
  }
  if (count > 0) ref(args, first, count);
}

template <typename Vector, typename T>
static inline void DecodeByWindows(LutDecodeFn ref, const LutDecodeArgs& args, int32_t first, int32_t count) {
  constexpr int kBytes = sizeof(T);
  if (count < Vector::kBytes) return ref(args, first, count);
  const int32_t run = args.channels == 1 ? count : args.inner;
  const int32_t tables = args.width <= 4 ? 1 : 1 << (args.width - 4);
  const int32_t lookups = tables * kBytes;
  const bool in_planes = args.width <= kMaxWindowWidth && run >= Vector::kBytes &&
                         (kBytes == 1 || (lookups <= kMostLookups<Vector> && run >= 16 * lookups));
  if (!in_planes) {
    if (kBytes == 1 && run >= Vector::kBytes) return ref(args, first, count);
    return DecodeByIndices<Vector, T>(ref, args, first, count);
  }
  if (tables == 1) return DecodeByPlanes<Vector, kBytes, 1>(ref, args, first, count);
  if constexpr (2 * kBytes <= kMostLookups<Vector>) {
    if (tables == 2) return DecodeByPlanes<Vector, kBytes, 2>(ref, args, first, count);
  }
  if constexpr (4 * kBytes <= kMostLookups<Vector>) {
    if (tables == 4) return DecodeByPlanes<Vector, kBytes, 4>(ref, args, first, count);
  }
  if constexpr (8 * kBytes <= kMostLookups<Vector>)
    DecodeByPlanes<Vector, kBytes, 8>(ref, args, first, count);
}

}  // namespace lutra
