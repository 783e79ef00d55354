// SPDX-License-Identifier: Apache-2.0
// The fused activation of an int8 operator: the codes its output may take.

#pragma once

#include <stdint.h>

namespace lutra {

// The numbers are those of the .tflite format.
enum class Activation : uint8_t {
  kNone = 0,
  kRelu = 1,
  kReluN1To1 = 2,
  kRelu6 = 3,
  kTanh = 4,
  kSignBit = 5,
};

struct ActivationRange {
  int32_t min;
  int32_t max;
};

// Finds the range of an int8 output with these parameters, always a part of [-128, 127] and never empty.
// Returns false, and writes nothing, for TANH, SIGN_BIT and numbers the format does not know; for a zero
// point that is no int8; and, unless the activation is NONE, for a scale that is not positive and
// finite or so small that a bound leaves int32. The bounds are quantised in float32, as TFLite's
// CalculateActivationRangeQuantized does.
bool QuantizedActivationRange(Activation activation, float scale, int32_t zero_point, ActivationRange* range);
// Finds the same for an int16 output, a part of [-32768, 32767].
bool QuantizedActivationRangeInt16(Activation activation, float scale, int32_t zero_point,
                                   ActivationRange* range);

}  // namespace lutra
