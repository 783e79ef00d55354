// SPDX-License-Identifier: Apache-2.0
// Finds the positions of a bilinear image's pixels, and computes the pixels. The unnamed namespace lets each
// variant keep its own copy.

#pragma once

#include <stdint.h>

#include "lutra/kernels/resize/resize.h"

namespace lutra {
namespace {

// The weights of a pixel's four neighbours add up to this.
constexpr int32_t kWholeWeightBits = 20;
constexpr int32_t kWholeWeight = 1 << kWholeWeightBits;
static_assert(kWholeWeight == kUnitsPerPixel * kUnitsPerPixel);

// The pixels between which an output row or column lies.
struct Place {
  int32_t low;
  int32_t high;
  int32_t weight;  // The high pixel's weight; the low one has the rest of kUnitsPerPixel.
};

// t is in (-kUnitsPerPixel, INT32_MAX - kUnitsPerPixel + 1], and low below axis.in.
inline Place PlaceOf(const BilinearAxis& axis, int32_t i) {
  const int32_t t = i * axis.scale + axis.offset;
  Place place;
  place.low = t < 0 ? 0 : t / kUnitsPerPixel;
  place.high = (t + kUnitsPerPixel - 1) / kUnitsPerPixel;
  if (place.high > axis.in - 1) place.high = axis.in - 1;
  place.weight = t - kUnitsPerPixel * place.low;
  return place;
}

inline int8_t Round(int32_t sum) {
#ifdef LUTRA_SINGLE_ROUNDING
  return static_cast<int8_t>((sum + kWholeWeight / 2) >> kWholeWeightBits);
#else
  return static_cast<int8_t>((sum + (sum > 0 ? kWholeWeight / 2 : -(kWholeWeight / 2))) / kWholeWeight);
#endif
}

// Sums stay below 128 * 1536^2: the weights of one axis are at most 1536 and 512 in magnitude.
inline void ComputePixel(const int8_t* low_row, const int8_t* high_row, int32_t row_weight,
                         const Place& column, int32_t channels, int8_t* output) {
  const intptr_t low = static_cast<intptr_t>(column.low) * channels;
  const intptr_t high = static_cast<intptr_t>(column.high) * channels;
  const int8_t* corner00 = low_row + low;
  const int8_t* corner01 = low_row + high;
  const int8_t* corner10 = high_row + low;
  const int8_t* corner11 = high_row + high;
  const int32_t weight00 = (kUnitsPerPixel - row_weight) * (kUnitsPerPixel - column.weight);
  const int32_t weight01 = (kUnitsPerPixel - row_weight) * column.weight;
  const int32_t weight10 = row_weight * (kUnitsPerPixel - column.weight);
  const int32_t weight11 = row_weight * column.weight;
  for (int32_t c = 0; c < channels; ++c) {
    output[c] = Round(corner00[c] * weight00 + corner01[c] * weight01 + corner10[c] * weight10 +
                      corner11[c] * weight11);
  }
}

}  // namespace
}  // namespace lutra
