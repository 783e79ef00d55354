// SPDX-License-Identifier: Apache-2.0
// The C library's functions, element by element. Domains are not checked: NaN and infinities pass through.

#include <math.h>

#include "lutra/kernels/math_float/math_float.h"

namespace lutra {

float Ceil(float x) { return ceilf(x); }
float Cos(float x) { return cosf(x); }
float Exp(float x) { return expf(x); }
float Floor(float x) { return floorf(x); }
float Log(float x) { return logf(x); }
float Negate(float x) { return -x; }
float InverseSqrt(float x) { return 1.0f / sqrtf(x); }
float Sin(float x) { return sinf(x); }
float Sqrt(float x) { return sqrtf(x); }
float Square(float x) { return x * x; }

float RoundHalfToEven(float x) {
  const float below = floorf(x);
  const float rest = x - below;
  // A number between two integers is below 2^23.
  const bool down = rest < 0.5f || (rest == 0.5f && static_cast<int32_t>(below) % 2 == 0);
  return down ? below : below + 1.0f;
}

void MathFloatRef(const MathFloatArgs& args, int32_t first, int32_t count) {
  for (int32_t i = first; i < first + count; ++i) args.output[i] = args.function(args.input[i]);
}

}  // namespace lutra
