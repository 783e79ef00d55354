// SPDX-License-Identifier: Apache-2.0
// Select: takes elements from one of two inputs, by a bool.
//
//   output[i] = condition[i * condition_step] ? a[i * a_step] : b[i * b_step],  0 <= i < count
//
// Elements are bytes of any size. Output must not overlap an input.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"

namespace lutra {

struct SelectArgs {
  const uint8_t* condition;
  const uint8_t* a;
  const uint8_t* b;
  uint8_t* output;
  int32_t condition_step;  // 0 or 1, in elements, as the next two steps.
  int32_t a_step;
  int32_t b_step;
  int32_t element_bytes;
};

using SelectFn = void (*)(const SelectArgs& args, int32_t count);

Kernel<SelectFn> SelectRef, SelectSse41, SelectAvx2;

inline constexpr Variant<SelectFn> kSelect[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, SelectAvx2},
    {"sse41", kCpuSse41, SelectSse41},
#endif
    {"ref", kCpuAny, SelectRef},
};

}  // namespace lutra
