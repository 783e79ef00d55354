// SPDX-License-Identifier: Apache-2.0
// Prelu: x if x is not negative, else x times a learnt slope. int8, or int16 with slopes of int8:
//
//   x = input[i] - input_zero_point
//   output[i] = clamp(x >= 0 ? x * positive : x * (alpha[i * alpha_step] - alpha_zero_point) * negative)
//               + output_zero_point
//
// for first <= i < first + count, steps 0 or 1. Rule: TFLite's reference kernel.
//
// float32: output[i] = x >= 0 ? x : x * alpha[i * alpha_step], x = input[i * input_step].

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"

namespace lutra {

template <typename Value>
struct PreluCodesArgs {
  const Value* input;
  const int8_t* alpha;
  Value* output;
  int32_t input_step;
  int32_t alpha_step;
  int32_t input_zero_point;
  int32_t alpha_zero_point;
  int32_t output_zero_point;
  Multiplier positive;
  Multiplier negative;
};

using PreluArgs = PreluCodesArgs<int8_t>;
using PreluInt16Args = PreluCodesArgs<int16_t>;

struct PreluFloatArgs {
  const float* input;
  const float* alpha;
  float* output;
  int32_t input_step;
  int32_t alpha_step;
};

using PreluFn = void (*)(const PreluArgs& args, int32_t first, int32_t count);
using PreluInt16Fn = void (*)(const PreluInt16Args& args, int32_t first, int32_t count);
using PreluFloatFn = void (*)(const PreluFloatArgs& args, int32_t first, int32_t count);

Kernel<PreluFn> PreluRef, PreluAvx2;
Kernel<PreluInt16Fn> PreluInt16Ref;
Kernel<PreluFloatFn> PreluFloatRef;

inline constexpr Variant<PreluFn> kPreluInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, PreluAvx2},
#endif
    {"ref", kCpuAny, PreluRef},
};
inline constexpr Variant<PreluInt16Fn> kPreluInt16[] = {
    {"ref", kCpuAny, PreluInt16Ref},
};
inline constexpr Variant<PreluFloatFn> kPreluFloat[] = {
    {"ref", kCpuAny, PreluFloatRef},
};

}  // namespace lutra
