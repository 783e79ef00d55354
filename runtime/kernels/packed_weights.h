// SPDX-License-Identifier: Apache-2.0
// PackedWeights: compressed weights that a kernel multiplies without decoding them first. They are indices of
// four bits into one value table, the first one in the high bits of a byte. So a byte of the stream names two
// weights, and a table of the pairs that a byte can name gives both at once.
//
//   uint32_t pairs[kPackedPairs];
//   FillPairs(values, 0, pairs);
//   const PackedWeights weights = {stream, pairs};

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lutra/span.h"

namespace lutra {

struct PackedWeights {
  const uint8_t* stream;  // Rows are whole bytes, one behind the other.
  const uint32_t* pairs;  // For each byte two int16, the first weight in the low half.
};

// Biases that are stored in the same way, with a table of sixteen values of int32 at any address.
struct PackedBiases {
  const uint8_t* stream;  // Null: the biases are not packed.
  const uint8_t* values;
};

inline constexpr int32_t kPackedValues = 16;
inline constexpr int32_t kPackedPairs = kPackedValues * kPackedValues;

// Returns whether the table at `values`, which lies in the file, can be read as kPackedValues values of so
// many bytes. Kernels may read all of them, although no index names a value that a shorter table lacks.
static inline bool HasPackedValues(Span<const uint8_t> file, const uint8_t* values, int32_t element_bytes) {
  const auto wanted = static_cast<size_t>(kPackedValues * element_bytes);
  return wanted <= file.size() - static_cast<size_t>(values - file.data());
}

// Makes the pairs of kPackedValues values, times 2^shift.
static inline void FillPairs(const uint8_t* values, int shift, uint32_t* pairs) {
  uint32_t shifted[kPackedValues];
  for (int32_t i = 0; i < kPackedValues; ++i) {
    shifted[i] = static_cast<uint32_t>(static_cast<int8_t>(values[i])) << shift << 16;
  }
  for (const uint32_t first : shifted) {
#pragma GCC unroll 4
    for (const uint32_t second : shifted) *pairs++ = second | first >> 16;
  }
}

static inline int32_t PackedBias(const PackedBiases& biases, uint32_t index) {
  int32_t value;
  memcpy(&value, biases.values + index * sizeof value, sizeof value);
  return value;
}

}  // namespace lutra
