// SPDX-License-Identifier: Apache-2.0
// Cuts fields of a bit stream out of 16 bytes at a time, for decoders with SSE4.1 and with AVX2.
// For the variants' .cc files, which bring a type of vectors (bit_windows_sse41.h,
// bit_windows_avx2.h): parts of 16 bytes, each of which has its own bytes of the stream.
//
// A byte shuffle brings the bytes that hold a field into a lane of 16 or 32 bits, a multiplication by a power
// of two moves the field to the lane's top and a shift to its bottom.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/compression/format.h"

namespace lutra {

inline constexpr int32_t kPartBytes = 16;

// Says how a field for each of a part's lanes of kLaneBits bits is cut out of 16 bytes. A field of up to
// kMaxWidth bits fits a lane, from whichever bit of a byte it begins.
template <int kLaneBits>
struct FieldCut {
  static constexpr int32_t kLanes = kPartBytes * 8 / kLaneBits;
  static constexpr int32_t kMaxWidth = kLaneBits - 7;
  uint8_t bytes[kPartBytes];
  uint8_t factors[kPartBytes];
};

// Finds the cut of fields of `width` bits from bit `first_bit` of the 16 bytes on.
template <int kLaneBits>
static inline void FindFieldCut(BitOrder order, int32_t width, int32_t first_bit, FieldCut<kLaneBits>* cut) {
  constexpr int32_t kLaneBytes = kLaneBits / 8;
  const bool msb_first = order == BitOrder::kMsbFirst;
  for (int32_t i = 0; i < FieldCut<kLaneBits>::kLanes; ++i) {
    const int32_t bit = i * width + first_bit;
    const int32_t shift = msb_first ? bit % 8 : kLaneBits - width - bit % 8;
    for (int32_t k = 0; k < kLaneBytes; ++k) {
      // Lanes are little-endian: with the highest bit first, the first byte goes to the top.
      const int32_t from = msb_first ? kLaneBytes - 1 - k : k;
      cut->bytes[kLaneBytes * i + k] = static_cast<uint8_t>(bit / 8 + from);
      cut->factors[kLaneBytes * i + k] = static_cast<uint8_t>(1u << shift >> (8 * k));
    }
  }
}

// Cuts the same fields out of every part of a vector.
template <typename Vector, int kLaneBits>
struct FieldCutter {
  Vector bytes;
  Vector factors;

  [[gnu::always_inline]] inline explicit FieldCutter(const FieldCut<kLaneBits>& cut)
      : bytes(Vector::Repeat16(cut.bytes)), factors(Vector::Repeat16(cut.factors)) {}
  // Returns lanes whose lowest `width` bits are the fields; bits above are zeros or copies of a field's
  // highest bit.
  [[gnu::always_inline]] inline Vector operator()(Vector stream, int32_t width) const {
    return ShiftRight<kLaneBits>(Product<kLaneBits>(LookUp16(stream, bytes), factors), kLaneBits - width);
  }
  [[gnu::always_inline]] inline Vector Signed(Vector stream, int32_t width) const {
    return ShiftRightSigned<kLaneBits>(Product<kLaneBits>(LookUp16(stream, bytes), factors),
                                       kLaneBits - width);
  }
};

}  // namespace lutra
