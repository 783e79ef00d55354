// SPDX-License-Identifier: Apache-2.0
// Unary functions of float32, the plain formula.
//
//   output[i] = f(input[i]),  first <= i < first + count
//
// Element-wise: output may be input.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"

namespace lutra {

enum class UnaryFunction : uint8_t {
  kLogistic,  // 1 / (1 + e^-x)
  kTanh,
  kHardSwish,  // x * clamp(x + 3, 0, 6) / 6
  kElu,        // x < 0 ? e^x - 1 : x
  kRelu,
  kRelu6,
  kLeakyRelu,  // x < 0 ? alpha * x : x
  kAbs,
};

struct UnaryFloatArgs {
  UnaryFunction function;
  float alpha;  // The slope of kLeakyRelu.
  const float* input;
  float* output;
};

using UnaryFloatFn = void (*)(const UnaryFloatArgs& args, int32_t first, int32_t count);

Kernel<UnaryFloatFn> UnaryFloatRef;

inline constexpr Variant<UnaryFloatFn> kUnaryFloat[] = {
    {"ref", kCpuAny, UnaryFloatRef},
};

}  // namespace lutra
