// SPDX-License-Identifier: Apache-2.0
// MinMax: the smaller or the larger of two inputs, compared as they are.
//
//   output[i] = max(a[i * a_step], b[i * b_step]),  first <= i < first + count, steps 0 or 1
//
// Element-wise where both steps are 1: output may be either input.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/tensor_info.h"

namespace lutra {

struct MinMaxArgs {
  bool maximum;
  TensorType type;  // int8, int16, int32, int64, float32.
  const void* a;
  const void* b;
  void* output;
  int32_t a_step;
  int32_t b_step;
};

using MinMaxFn = void (*)(const MinMaxArgs& args, int32_t first, int32_t count);

Kernel<MinMaxFn> MinMaxRef, MinMaxSse41, MinMaxAvx2;

inline constexpr Variant<MinMaxFn> kMinMax[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, MinMaxAvx2},
    {"sse41", kCpuSse41, MinMaxSse41},
#endif
    {"ref", kCpuAny, MinMaxRef},
};

}  // namespace lutra
