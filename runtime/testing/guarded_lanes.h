// SPDX-License-Identifier: Apache-2.0
// Random channels for the tests of guarded.h and proved.h: sums at and around every step of the result, for
// any multiplier, against the integer rule and the bound that its proof uses.

#pragma once

#include <math.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/fixed_point/guarded.h"

namespace lutra {

using Random = std::mt19937_64;

struct Channel {
  Multiplier multiplier;
  int32_t offset;
  int32_t magnitude;
  int32_t min;
  int32_t max;
};

// Processors round once, or the product and then the sum.
enum class Steps { kFused, kTwo };

inline int32_t GuardedUnits(const GuardedScale& guarded, int32_t sum, Steps steps) {
  const float constant = sum < 0 ? guarded.below : guarded.above;
  const float product = static_cast<float>(sum) * guarded.scale;
  return static_cast<int32_t>(nearbyintf(
      steps == Steps::kTwo ? product + constant : fmaf(static_cast<float>(sum), guarded.scale, constant)));
}

inline int32_t Exact(const Channel& c, int32_t sum) {
  const int64_t scaled = int64_t{MultiplyByQuantizedMultiplier(sum, c.multiplier)} + c.offset;
  return static_cast<int32_t>(std::clamp<int64_t>(scaled, c.min, c.max));
}

// Returns the real number, in units of 2^-16, whose floor the rule computes. A product has 63 bits.
inline long double ExactUnits(const Channel& c, int32_t sum) {
  const auto product = static_cast<long double>(int64_t{sum} * c.multiplier.value);
  long double nudge = 0;
#ifndef LUTRA_SINGLE_ROUNDING
  if (c.multiplier.shift < 0 && c.multiplier.value != 0) nudge = ldexpl(1, c.multiplier.shift - 1);
#endif
  const long double half = 0.5L + (sum < 0 ? -nudge : nudge);
  return ldexpl(product, c.multiplier.shift - 15) + (c.offset + half) * 65536;
}

// Returns the smallest sum within the magnitude whose result is at least `result`.
inline int32_t StepTo(const Channel& c, int32_t result) {
  int64_t low = -int64_t{c.magnitude};
  int64_t high = int64_t{c.magnitude} + 1;
  while (low < high) {
    const int64_t middle = (low + high) >> 1;
    const bool reached =
        MultiplyByQuantizedMultiplier(static_cast<int32_t>(middle), c.multiplier) + int64_t{c.offset} >=
        result;
    (reached ? high : low) = reached ? middle : middle + 1;
  }
  return static_cast<int32_t>(std::min<int64_t>(low, c.magnitude));
}

inline int32_t RandomValue(Random& random) {
  constexpr int32_t kLeast = 1 << 30;
  switch (random() % 6) {
    case 0:
      return kLeast;
    case 1:
      return INT32_MAX - static_cast<int32_t>(random() % 3);
    case 2:
      return kLeast + static_cast<int32_t>(random() % 3);
    case 3:
      return kLeast | static_cast<int32_t>(random() & 0x3FFFFF80);
    default:
      return kLeast | static_cast<int32_t>(random() & 0x3FFFFFFF);
  }
}

inline Channel RandomChannel(Random& random, int32_t shift) {
  Channel c = {};
  c.multiplier = {random() % 50 == 0 ? 0 : RandomValue(random), shift};
  c.offset = random() % 4 == 0 ? INT8_MIN : static_cast<int32_t>(random() % 256) - 128;
  c.min = random() % 3 == 0 ? INT8_MIN : c.offset;
  c.max = random() % 2 == 0 ? INT8_MAX : c.min + static_cast<int32_t>(random() % (128 - c.min));
  int64_t magnitude = int64_t{1} << (8 + random() % 24);
  if (random() % 2 == 0) magnitude -= 1 + static_cast<int64_t>(random() % (magnitude / 2));
  const double scale = ldexp(c.multiplier.value, shift - 31);
  if (scale > 0) magnitude = std::min(magnitude, static_cast<int64_t>(31999 / scale));
  c.magnitude = static_cast<int32_t>(std::clamp<int64_t>(magnitude, 1, INT32_MAX));
  return c;
}

inline std::vector<int32_t> RandomSums(Random& random, const Channel& c) {
  std::vector<int32_t> sums;
  const auto add = [&](int64_t sum) {
    sums.push_back(static_cast<int32_t>(std::clamp<int64_t>(sum, -int64_t{c.magnitude}, c.magnitude)));
  };
  for (int i = 0; i < 24; ++i) {
    add(static_cast<int64_t>(random() % 65) - 32);
    add((i % 2 == 0 ? c.magnitude : -int64_t{c.magnitude}) + static_cast<int64_t>(random() % 9) - 4);
    add(static_cast<int64_t>(random() % (2 * uint64_t{static_cast<uint32_t>(c.magnitude)} + 1)) -
        c.magnitude);
    const int32_t step = StepTo(c, static_cast<int32_t>(random() % 260) - 130);
    for (int32_t beside = -3; beside <= 3; ++beside) add(int64_t{step} + beside);
  }
  return sums;
}

struct LaneCounts {
  int64_t sums = 0;
  int64_t in_doubt = 0;
  double worst = 0;  // The largest distance as a part of its bound.
};

// Describes the first wrong sum; empty if there is none.
inline std::string FirstWrongLane(const Channel& c, const std::vector<int32_t>& sums, Steps steps,
                                  LaneCounts* counts) {
  const int32_t width = GuardWidth(c.magnitude) + (steps == Steps::kTwo ? 1 : 0);
  const auto wrong = [&](int32_t sum, const char* what) {
    return std::string(what) + ": sum " + std::to_string(sum) + ", multiplier " +
           std::to_string(c.multiplier.value) + " shift " + std::to_string(c.multiplier.shift) + ", offset " +
           std::to_string(c.offset);
  };
  GuardedScale guarded;
  if (!ComputeGuardedScale(c.multiplier, c.offset, c.magnitude, width, &guarded)) return wrong(0, "refused");
  const double grid =
      c.multiplier.value == 0 ? 0 : ldexp(c.multiplier.value & -c.multiplier.value, c.multiplier.shift - 31);
  const long double centre = std::max<long double>(width, std::min(grid, 0.5) * 32768);
  for (const int32_t sum : sums) {
    const int32_t units = GuardedUnits(guarded, sum, steps);
    const long double exact_units = ExactUnits(c, sum);
    ++counts->sums;
    if (fabsl(exact_units) < 0x1p23L) {
      const auto distance = static_cast<double>(fabsl(units - exact_units - centre));
      if (distance > width) return wrong(sum, "beyond the bound");
      counts->worst = std::max(counts->worst, distance / width);
    }
    if ((units & 0xFFFF) < 2 * width) {
      ++counts->in_doubt;
    } else if (std::clamp(units >> 16, c.min, c.max) != Exact(c, sum)) {
      return wrong(sum, "not the rule's result");
    }
  }
  return {};
}

}  // namespace lutra
