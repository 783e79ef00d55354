// SPDX-License-Identifier: Apache-2.0
// The codes to which a fused activation clamps.

#include "lutra/fixed_point/activation.h"

#include <float.h>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/fixed_point/rounding.h"

namespace lutra {
namespace {

// Finds the code of a real bound, clamped to [kLow, kHigh]. Returns false if the quotient does not fit int32.
template <int32_t kLow, int32_t kHigh>
bool QuantizeBound(float bound, float scale, int32_t zero_point, int32_t* code) {
  const float quotient = bound / scale;
  if (!(quotient >= -0x1p31f && quotient < 0x1p31f)) return false;
  // With more steps than there are codes, every zero point gives a code out of range; so the sum cannot
  // overflow.
  constexpr int32_t kSteps = kHigh - kLow;
  const int32_t steps = ClampToInt8(RoundHalfAwayFloat(quotient), -kSteps, kSteps);
  *code = ClampToInt8(zero_point + steps, kLow, kHigh);
  return true;
}

template <int32_t kLow, int32_t kHigh>
[[gnu::always_inline]] inline bool RangeWithin(Activation activation, float scale, int32_t zero_point,
                                               ActivationRange* range) {
  constexpr auto kQuantize = QuantizeBound<kLow, kHigh>;
  if (zero_point < kLow || zero_point > kHigh) return false;
  if (activation == Activation::kNone) {
    *range = {kLow, kHigh};
    return true;
  }
  if (!(scale > 0.0f && scale <= FLT_MAX)) return false;
  ActivationRange result = {zero_point, kHigh};
  switch (activation) {
    case Activation::kRelu:
      break;
    case Activation::kRelu6:
      if (!kQuantize(6.0f, scale, zero_point, &result.max)) return false;
      break;
    case Activation::kReluN1To1:
      if (!kQuantize(-1.0f, scale, zero_point, &result.min)) return false;
      if (!kQuantize(1.0f, scale, zero_point, &result.max)) return false;
      break;
    default:
      return false;
  }
  *range = result;
  return true;
}

}  // namespace

bool QuantizedActivationRange(Activation activation, float scale, int32_t zero_point,
                              ActivationRange* range) {
  return RangeWithin<INT8_MIN, INT8_MAX>(activation, scale, zero_point, range);
}

bool QuantizedActivationRangeInt16(Activation activation, float scale, int32_t zero_point,
                                   ActivationRange* range) {
  return RangeWithin<INT16_MIN, INT16_MAX>(activation, scale, zero_point, range);
}

}  // namespace lutra
