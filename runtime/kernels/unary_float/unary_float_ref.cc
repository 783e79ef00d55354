// SPDX-License-Identifier: Apache-2.0
// The C library's functions, element by element.

#include <math.h>

#include "lutra/kernels/unary_float/unary_float.h"

namespace lutra {
namespace {

float Apply(UnaryFunction function, float alpha, float x) {
  switch (function) {
    case UnaryFunction::kLogistic:
      return 1.0f / (1.0f + expf(-x));
    case UnaryFunction::kTanh:
      return tanhf(x);
    case UnaryFunction::kHardSwish: {
      const float gate = x + 3.0f;
      return x * (gate < 0.0f ? 0.0f : gate > 6.0f ? 6.0f : gate) / 6.0f;
    }
    case UnaryFunction::kElu:
      return x < 0.0f ? expm1f(x) : x;
    case UnaryFunction::kRelu:
      return x < 0.0f ? 0.0f : x;
    case UnaryFunction::kRelu6:
      return x < 0.0f ? 0.0f : x > 6.0f ? 6.0f : x;
    case UnaryFunction::kLeakyRelu:
      return x < 0.0f ? alpha * x : x;
    case UnaryFunction::kAbs:
      return fabsf(x);
  }
  return x;
}

}  // namespace

void UnaryFloatRef(const UnaryFloatArgs& args, int32_t first, int32_t count) {
  for (int32_t i = first; i < first + count; ++i) {
    args.output[i] = Apply(args.function, args.alpha, args.input[i]);
  }
}

}  // namespace lutra
