// SPDX-License-Identifier: Apache-2.0
// Deterministic bytes for tests and benchmarks. Needs no C++ library, so that a firmware can use it.

#pragma once

#include <stdint.h>

namespace lutra {

inline uint32_t NextRandom(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

// Fills in bytes of all values, with -128 and 127 more often than others.
inline void FillBytes(uint32_t seed, int32_t count, void* bytes) {
  auto* out = static_cast<uint8_t*>(bytes);
  uint32_t state = seed * 2654435761u + 1;
  for (int32_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    const uint32_t draw = state >> 24;
    const uint32_t kind = state >> 20 & 15;
    out[i] = static_cast<uint8_t>(kind == 0 ? 0x80 : kind == 1 ? 0x7F : draw);
  }
}

// Finds the elements of indices of `width` bits; the first index is in the high bits of a byte.
template <typename Element>
void UnpackIndices(const uint8_t* stream, int32_t width, const Element* values, int32_t first, int32_t count,
                   Element* to) {
  for (int32_t i = 0; i < count; ++i) {
    uint32_t index = 0;
    for (int32_t bit = (first + i) * width; bit < (first + i + 1) * width; ++bit) {
      index = index << 1 | (stream[bit / 8] >> (7 - bit % 8) & 1u);
    }
    to[i] = values[index];
  }
}

}  // namespace lutra
