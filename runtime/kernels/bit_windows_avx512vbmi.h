// SPDX-License-Identifier: Apache-2.0
// Cuts fields of a bit stream out of 64 bytes with AVX-512 VBMI: each 64-bit lane takes the eight bytes that
// hold its fields (vpermb), and separates them (vpmultishiftqb). The unnamed namespace lets each file keep
// its own copy.

#pragma once

#include <immintrin.h>
#include <stdint.h>

namespace lutra {
namespace {

constexpr int32_t kVectorBytes = 64;

inline __mmask64 FirstBytes(int64_t count) {
  return count >= kVectorBytes ? ~__mmask64{0} : count <= 0 ? 0 : (__mmask64{1} << count) - 1;
}

// The bytes that a lane takes, and the bits at which its fields begin in them, for elements of kBytes bytes
// with a field each, from bit `phase` of the first byte on. Lanes hold the stream's bytes so that the bits of
// a field follow each other upwards: reversed if the highest bit comes first. The bits above a field are
// those of others.
template <int kBytes>
struct Cut {
  uint8_t bytes[kVectorBytes] = {};
  uint8_t shifts[kVectorBytes] = {};

  constexpr Cut(int width, bool msb_first, int phase = 0) {
    constexpr int kPerLane = 8 / kBytes;
    for (int lane = 0; lane < 8; ++lane) {
      const int bit = phase + lane * kPerLane * width;
      for (int k = 0; k < 8; ++k) {
        bytes[8 * lane + (msb_first ? 7 - k : k)] = static_cast<uint8_t>(bit / 8 + k);
        const int at = bit % 8 + k / kBytes * width;
        shifts[8 * lane + k] =
            static_cast<uint8_t>(((msb_first ? 64 - at - width : at) + 8 * (k % kBytes)) & 63);
      }
    }
  }
};

}  // namespace
}  // namespace lutra
