// SPDX-License-Identifier: Apache-2.0
// Requantisation in float32 that gives exactly the result of MultiplyByQuantizedMultiplier and integers: a
// sum times a multiplier, plus an offset, clamped to int8. EXACTNESS.md has the theorem and its proof.
//
//   w = rint(fma(float(sum), scale, sum < 0 ? below : above))    one fused step, ties to even
//   if ((w & 0xFFFF) >= 2 * width)  w >> 16, saturated to int8, is the result
//   else                            it is in doubt: compute it in integers
//
// This header computes the constants; kernels do the steps above with vectors. The functions are static so
// that a file compiled for one instruction set keeps its own copy.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/fixed_point/multiplier.h"

namespace lutra {

// One channel's constants, in units of 2^-16 of the result.
struct GuardedScale {
  float scale;
  float above;  // For sums >= 0; for all sums if the activation range begins at the offset or above it.
  float below;  // For negative sums.
};

// The constants of a lane without a channel: its result is never in doubt.
inline constexpr GuardedScale kNoChannel = {0.0f, 32768.0f, 32768.0f};

// Returns how far w may be from the exact value, in units, if every sum is within +-magnitude.
static inline int32_t GuardWidth(int64_t magnitude) { return magnitude <= 1 << 24 ? 2 : 4; }

// 2^exponent, -1022 <= exponent <= 1023.
static inline double PowerOfTwo(int32_t exponent) {
  const uint64_t bits = static_cast<uint64_t>(1023 + exponent) << 52;
  double power;
  memcpy(&power, &bits, sizeof(power));
  return power;
}

// The constants for sums within +-magnitude. `offset` is an int8; `width` is GuardWidth(magnitude) or more.
// False: the theorem does not hold here, so that the result has to be computed in integers.
static inline bool ComputeGuardedScale(Multiplier m, int32_t offset, int64_t magnitude, int32_t width,
                                       GuardedScale* guarded) {
  constexpr double kUnit = 65536;
  constexpr double kMaxScaled = 32000;  // So that w >> 16 fits int16.
  if (magnitude > INT32_MAX || m.shift < -31 || m.shift > 30) return false;
  if (m.value != 0 && m.value < 1 << 30) return false;
  const double scale = static_cast<double>(m.value) * PowerOfTwo(m.shift - 31);
  if (!(static_cast<double>(magnitude) * scale < kMaxScaled)) return false;
  double nudge = 0;
#ifndef LUTRA_SINGLE_ROUNDING
  if (m.shift < 0 && m.value != 0) nudge = PowerOfTwo(m.shift - 1);
#endif
  double centre = width;
  if (m.value != 0) {
    // Exact results lie on a grid. Where it is coarse, the middle between two of them is far from both.
    const double grid = PowerOfTwo(m.shift - 31 + __builtin_ctz(static_cast<uint32_t>(m.value)));
    const double half_step = (grid < 0.5 ? grid : 0.5) * kUnit / 2;
    if (half_step > centre) centre = half_step;
  }
  guarded->scale = static_cast<float>(scale * kUnit);
  guarded->above = static_cast<float>((offset + 0.5 + nudge) * kUnit + centre);
  guarded->below = static_cast<float>((offset + 0.5 - nudge) * kUnit + centre);
  return true;
}

}  // namespace lutra
