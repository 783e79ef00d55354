// SPDX-License-Identifier: Apache-2.0
// Requantisation in float32 as in guarded.h, but without a guard, where that is proved beforehand: sums of a
// channel lie in a known range, the rule's results and those of float32 never fall while sums grow, and so
// both are the same everywhere if each result begins at the same sum. What holds, and why: EXACTNESS.md.
//
//   StepsOfSums steps;
//   GuardedScale scale;
//   if (FindSteps(multiplier, quantization, least, most, &steps) && ProveScale<kBatch>(steps, units, &scale))
//     rint(fma(float(sum), scale.scale, sum < 0 ? scale.below : scale.above)) >> 16, clamped, is the result
//
// units(sums, scale, results) makes the fused step of kBatch sums as the kernel does: it is the kernel's own
// arithmetic that is proved.

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/multiplier.h"
#include "runtime/fixed_point/guarded.h"

namespace lutra {

// A channel's results are sums after requantisation, plus `offset`, clamped to [min, max].
struct ResultRange {
  int32_t offset;
  int32_t min;
  int32_t max;
};

// The smallest sum for which MultiplyByQuantizedMultiplier(sum, m) is `result` or more, were sums as wide as
// int64. m.value is not 0 and is one that ComputeGuardedScale takes; |result| < 1024.
static inline int64_t FirstSumOf(Multiplier m, int32_t result) {
  // sum * m.value has to reach (result - 1/2) * 2^(31 - shift), less or more what the second rounding adds.
  const double reach = (result - 0.5) * PowerOfTwo(31 - m.shift);
  constexpr double kBeyond = 4.7e18;  // Above 2^62, which no product exceeds, and below 2^63.
  if (reach > kBeyond) return INT64_MAX;
  if (reach < -kBeyond) return INT64_MIN;
  const int64_t half = int64_t{2 * result - 1} * (int64_t{1} << (30 - m.shift));
#ifdef LUTRA_SINGLE_ROUNDING
  const int64_t nudge = 0;
#else
  const int64_t nudge = m.shift < 0 ? int64_t{1} << 30 : 0;
#endif
  const auto least = [&](int64_t product) {
    return product / m.value + (product % m.value > 0 ? 1 : 0);  // Rounded up.
  };
  if (half + nudge <= -int64_t{m.value}) return least(half + nudge);
  const int64_t sum = least(half - nudge);
  return sum > 0 ? sum : 0;
}

// Says where results change: counted in units of 2^-16, the result reaches units[i] at the sum first[i], and
// at no smaller sum.
struct StepsOfSums {
  Multiplier multiplier;
  ResultRange range;
  int32_t least;  // Of all sums.
  int32_t most;
  int32_t count;
  int32_t first[255];
  int32_t units[255];
  int32_t reached_by_least;  // Units that the least sum reaches, and units that the greatest does not.
  int32_t not_by_most;
};

// Finds `steps` of a channel whose sums are in [least, most]. Returns false if nothing could be proved.
static inline bool FindSteps(Multiplier m, const ResultRange& range, int64_t least, int64_t most,
                             StepsOfSums* steps) {
  const int64_t magnitude = most > -least ? most : -least;
  GuardedScale unused;
  if (least > most || !ComputeGuardedScale(m, range.offset, magnitude, 0, &unused)) return false;
  *steps = {m,         range,    static_cast<int32_t>(least), static_cast<int32_t>(most), 0, {}, {},
            INT32_MIN, INT32_MAX};
  if (m.value == 0) return true;
  for (int32_t result = range.min + 1; result <= range.max; ++result) {
    const int64_t first = FirstSumOf(m, result - range.offset);
    const int32_t units = result * (1 << 16);
    if (first <= least) {
      steps->reached_by_least = units;
    } else if (first > most) {
      steps->not_by_most = units;
      break;
    } else {
      steps->first[steps->count] = static_cast<int32_t>(first);
      steps->units[steps->count++] = units;
    }
  }
  return true;
}

// Returns whether the float32 results of `units` reach each step at its first sum, and not before.
template <int kBatch, typename Units>
bool StepsAreRight(const StepsOfSums& steps, const GuardedScale& scale, const Units& units) {
  int32_t sums[kBatch];
  int32_t at[kBatch];
  int32_t before[kBatch];
  for (int32_t begin = 0; begin < steps.count; begin += kBatch) {
    const int32_t count = steps.count - begin < kBatch ? steps.count - begin : kBatch;
    for (int32_t i = 0; i < kBatch; ++i) sums[i] = steps.first[begin + (i < count ? i : 0)];
    units(sums, scale, at);
    for (int32_t i = 0; i < kBatch; ++i) --sums[i];
    units(sums, scale, before);
    for (int32_t i = 0; i < count; ++i) {
      if (at[i] < steps.units[begin + i] || before[i] >= steps.units[begin + i]) return false;
    }
  }
  for (int32_t i = 0; i < kBatch; ++i) sums[i] = i == 0 ? steps.least : steps.most;
  units(sums, scale, at);
  return at[0] >= steps.reached_by_least && at[1] < steps.not_by_most;
}

// Returns x moved by `places` units in the last place. x > 0.
static inline float FloatBeside(float x, int32_t places) {
  int32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  bits += places;
  memcpy(&x, &bits, sizeof(bits));
  return x;
}

// Finds constants for which StepsAreRight returns true; tries those nearest to the real ones first. Returns
// false if it finds none.
template <int kBatch, typename Units>
bool ProveScale(const StepsOfSums& steps, const Units& units, GuardedScale* scale) {
  static_assert(kBatch >= 2);
  constexpr int32_t kTriedHalves = 12;  // Of a unit, up and down.
  const int32_t offset = steps.range.offset;
  const int64_t magnitude = steps.most > -int64_t{steps.least} ? steps.most : -int64_t{steps.least};
  GuardedScale real;
  if (!ComputeGuardedScale(steps.multiplier, offset, magnitude, 0, &real)) return false;
  constexpr int32_t kPlaces[] = {0, 1, -1};
  for (const int32_t places : kPlaces) {
    for (int32_t halves = 0; halves <= kTriedHalves; ++halves) {
      for (int32_t sign = -1; sign <= (halves == 0 ? -1 : 1); sign += 2) {
        const float change = static_cast<float>(sign * halves) / 2;
        const GuardedScale tried = {real.scale > 0 ? FloatBeside(real.scale, places) : 0, real.above + change,
                                    real.below + change};
        if (!StepsAreRight<kBatch>(steps, tried, units)) continue;
        *scale = tried;
        return true;
      }
    }
  }
  return false;
}

}  // namespace lutra
