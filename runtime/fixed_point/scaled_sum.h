// SPDX-License-Identifier: Apache-2.0
// Requantises a layer's sums, which are kept times 256: takes the high word of one product, and shifts it.
// EXACTNESS.md, "Sums times 256", has the proof.
//
//   ScaledSumStep step;
//   if (ComputeScaledSumStep(layer, multiplier, bias, reach, &step)) code = Requantise(256 * sum, step,
//   layer);
//
// Small cores multiply two words and add to the high word of the product in one instruction (SMMLA).

#pragma once

#include <stdint.h>

#include "lutra/fixed_point/fixed_point.h"

namespace lutra {

// All channels of a layer have these numbers in common. The codes are int8.
struct ScaledSumLayer {
  int32_t zero_point;
  int32_t min;
  int32_t max;

  // Returns whether the sign of a sum matters. Below the zero point everything is clamped to one code
  // otherwise.
  bool NeedsSign() const {
#ifdef LUTRA_SINGLE_ROUNDING
    return false;
#else
    return min < zero_point;
#endif
  }
};

// The code of a sum x, before it is clamped, is (addend + high - (x < 0 ? sign : 0)) >> shift, where `high`
// is the high word of 256 * x * multiplier, and `sign` is 128 in layers that need it, else 0.
struct ScaledSumStep {
  int32_t multiplier;
  int32_t addend;
  int32_t shift;
};

// A right shift adds this to the half of the first rounding.
#ifdef LUTRA_SINGLE_ROUNDING
inline constexpr int32_t kScaledSumNudge = 0;
#else
inline constexpr int32_t kScaledSumNudge = 64;
#endif

// Returns the code of a sum x by the rule.
int32_t ClampedCode(const ScaledSumLayer& layer, Multiplier m, int32_t x);

// ComputeScaledSumStep for rare channels: shifts from -24 to -17, and channels whose sums all have one code.
bool ComputeRareScaledSumStep(const ScaledSumLayer& layer, Multiplier m, int32_t bias, int32_t reach,
                              ScaledSumStep* step);

// Says which channels of a layer have the step of most channels: |bias| + reach < 2^23, and a shift from -16
// to 6, or to -1 where the sign matters. reach >= 0.
class PlainScaledSumSteps {
 public:
  PlainScaledSumSteps(const ScaledSumLayer& layer, int32_t reach)
      : shifts_(layer.NeedsSign() ? kLeastShift : kLeastShift + 7) {
    const int32_t largest_bias = (1 << 23) - 1 - reach;
    if (largest_bias < 0) return;
    largest_bias_ = static_cast<uint32_t>(largest_bias);
    biases_ = 2 * largest_bias_ + 1;
  }

  [[gnu::always_inline]] bool Has(const Multiplier& m, int32_t bias) const {
    return static_cast<uint32_t>(bias) + largest_bias_ < biases_ &&
           static_cast<uint32_t>(m.shift) + kLeastShift < shifts_;
  }

 private:
  static constexpr uint32_t kLeastShift = 16;  // To the right.

  uint32_t largest_bias_ = 0;
  uint32_t biases_ = 0;  // How many biases are within +-largest_bias_.
  uint32_t shifts_;
};

static inline ScaledSumStep PlainScaledSumStep(const ScaledSumLayer& layer, Multiplier m) {
  const int32_t shift = 7 - m.shift;
  const int32_t nudge = m.shift < 0 ? kScaledSumNudge : 0;
  // The zero point and a half, and the nudge.
  return {m.value, (2 * layer.zero_point + 1) * (1 << (shift - 1)) + nudge, shift};
}

// The step of a channel all of whose sums x have |x - bias| <= reach; false if there is none, and the sums
// have to be requantised by the rule. 0 <= reach < 2^30.
static inline bool ComputeScaledSumStep(const ScaledSumLayer& layer, Multiplier m, int32_t bias,
                                        int32_t reach, ScaledSumStep* step) {
  if (!PlainScaledSumSteps(layer, reach).Has(m, bias)) {
    return ComputeRareScaledSumStep(layer, m, bias, reach, step);
  }
  *step = PlainScaledSumStep(layer, m);
  return true;
}

// A bound of |x - bias| for sums of products of `count` weights of any value with input values less their
// zero point; INT32_MAX if it is 2^30 or more.
static inline int32_t ReachOf(int32_t count, int32_t input_offset) {
  const int32_t above = 127 + input_offset;
  const int32_t below = 128 - input_offset;
  const int64_t reach = int64_t{count} * 128 * (above > below ? above : below);
  return reach < (1 << 30) ? static_cast<int32_t>(reach) : INT32_MAX;
}

static inline int32_t Requantise(int32_t scaled_sum, const ScaledSumStep& step, const ScaledSumLayer& layer) {
  const auto high = static_cast<int32_t>((int64_t{scaled_sum} * step.multiplier) >> 32);
  const int32_t sign = layer.NeedsSign() && scaled_sum < 0 ? 128 : 0;
  return ClampToInt8((step.addend + high - sign) >> step.shift, layer.min, layer.max);
}

}  // namespace lutra
