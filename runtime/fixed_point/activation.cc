// SPDX-License-Identifier: Apache-2.0
// The codes between which a fused activation clamps.

#include "lutra/fixed_point/activation.h"

#include <float.h>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/fixed_point/rounding.h"

namespace lutra {
namespace {

// The code of a real bound, moved into int8. False if the quotient leaves int32.
bool QuantizeBound(float bound, float scale, int32_t zero_point, int32_t* code) {
  const float quotient = bound / scale;
  if (!(quotient >= -0x1p31f && quotient < 0x1p31f)) return false;
  // Beyond +-255 every zero point of int8 ends outside int8; so the sum cannot overflow.
  const int32_t steps = ClampToInt8(RoundHalfAwayFloat(quotient), -255, 255);
  *code = ClampToInt8(zero_point + steps, INT8_MIN, INT8_MAX);
  return true;
}

}  // namespace

bool QuantizedActivationRange(Activation activation, float scale, int32_t zero_point,
                              ActivationRange* range) {
  if (zero_point < INT8_MIN || zero_point > INT8_MAX) return false;
  if (activation == Activation::kNone) {
    *range = {INT8_MIN, INT8_MAX};
    return true;
  }
  if (!(scale > 0.0f && scale <= FLT_MAX)) return false;
  ActivationRange result = {zero_point, INT8_MAX};
  switch (activation) {
    case Activation::kRelu:
      break;
    case Activation::kRelu6:
      if (!QuantizeBound(6.0f, scale, zero_point, &result.max)) return false;
      break;
    case Activation::kReluN1To1:
      if (!QuantizeBound(-1.0f, scale, zero_point, &result.min)) return false;
      if (!QuantizeBound(1.0f, scale, zero_point, &result.max)) return false;
      break;
    default:
      return false;
  }
  *range = result;
  return true;
}

}  // namespace lutra
