// SPDX-License-Identifier: Apache-2.0
// Compare: compares two inputs to a bool (one byte, 0 or 1).
//
//   output[i] = a[i * a_step] <op> b[i * b_step],  first <= i < first + count, steps 0 or 1
//
// int8 codes are compared as real values in units of 1/256, rounded: ((x - zero_point) << 8) * the
// multiplier of the input's scale. Codes with the same rounded value are equal. Other types compare as
// they are. Rule: TFLite's reference kernels.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/tensor_info.h"

namespace lutra {

enum class Comparison : uint8_t { kEqual, kNotEqual, kGreater, kGreaterEqual, kLess, kLessEqual };

struct CompareArgs {
  Comparison comparison;
  TensorType type;  // The type of both inputs: int8, uint8, int16, int32, int64, bool, float32.
  const void* a;
  const void* b;
  uint8_t* output;
  int32_t a_step;
  int32_t b_step;
  int32_t a_zero_point;  // int8.
  int32_t b_zero_point;
  Multiplier a_multiplier;
  Multiplier b_multiplier;
};

using CompareFn = void (*)(const CompareArgs& args, int32_t first, int32_t count);

Kernel<CompareFn> CompareRef, CompareAvx2;

inline constexpr Variant<CompareFn> kCompare[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, CompareAvx2},
#endif
    {"ref", kCpuAny, CompareRef},
};

}  // namespace lutra
