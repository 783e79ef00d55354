// SPDX-License-Identifier: Apache-2.0
// Functions of one float32 that TensorFlow Lite Micro has for no integer type.
//
//   output[i] = function(input[i]),  first <= i < first + count
//
// Element-wise: output may be input. A program links only those functions that its operators name.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"

namespace lutra {

using MathFunction = float (*)(float);

float Ceil(float x);
float Cos(float x);
float Exp(float x);
float Floor(float x);
float Log(float x);
float Negate(float x);
float RoundHalfToEven(float x);  // Numbers from -0.5 to -0 become +0.
float InverseSqrt(float x);      // 1 / sqrt(x), each rounded.
float Sin(float x);
float Sqrt(float x);
float Square(float x);

struct MathFloatArgs {
  MathFunction function;
  const float* input;
  float* output;
};

using MathFloatFn = void (*)(const MathFloatArgs& args, int32_t first, int32_t count);

Kernel<MathFloatFn> MathFloatRef;

inline constexpr Variant<MathFloatFn> kMathFloat[] = {
    {"ref", kCpuAny, MathFloatRef},
};

}  // namespace lutra
