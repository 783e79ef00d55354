// SPDX-License-Identifier: Apache-2.0
// Requantises sums of any size: adds a constant to a product, keeps the high word, and shifts it.
// EXACTNESS.md, "Sums of any size", has the proof.
//
//   HighWordStep step;
//   if (ComputeHighWordStep(multiplier, zero_point, &step)) code = Requantise(sum, step);
//
// For cores that multiply two words and add to both words of the product (SMLAL), but have no vectors.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/fixed_point.h"

namespace lutra {

// The code of a sum x, before it is clamped, is the high word of x * multiplier + addend, shifted by `shift`,
// with 2^31 less in the addend for x < 0 if the rule rounds twice.
struct HighWordStep {
  int64_t addend;
  int32_t multiplier;
  int32_t shift;
};

// False if the multiplier is 1/2 or more, or below 2^-25: then MultiplyByQuantizedMultiplier has to be used.
static inline bool ComputeHighWordStep(Multiplier m, int32_t zero_point, HighWordStep* step) {
  const int32_t r = -m.shift;
  if (r < 1 || r > 24) return false;
  int64_t addend = int64_t{2 * zero_point + 1} * (int64_t{1} << (30 + r));
#ifndef LUTRA_SINGLE_ROUNDING
  addend += 1 << 30;
#endif
  *step = {addend, m.value, r - 1};
  return true;
}

static inline int32_t Requantise(int32_t sum, const HighWordStep& step) {
#ifdef LUTRA_SINGLE_ROUNDING
  const int64_t addend = step.addend;
#else
  const int64_t addend = step.addend - (static_cast<uint32_t>(sum) & uint32_t{1} << 31);
#endif
  return static_cast<int32_t>((int64_t{sum} * step.multiplier + addend) >> 32) >> step.shift;
}

}  // namespace lutra
