// SPDX-License-Identifier: Apache-2.0
// The index along one dimension of the largest (or smallest) element, the first of equal ones:
//
//   output[o, i] = arg max over k < count of input[o, k, i],   o < outer, i < inner

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"

namespace lutra {

// The type of the input follows from the function.
struct ArgMaxArgs {
  const void* input;
  void* output;
  int32_t outer;
  int32_t count;
  int32_t inner;
  bool smallest;
  bool int64_output;  // Else int32.
};

using ArgMaxFn = void (*)(const ArgMaxArgs& args);

Kernel<ArgMaxFn> ArgMaxRef, ArgMaxAvx2, ArgMaxFloatRef, ArgMaxFloatAvx2;

inline constexpr Variant<ArgMaxFn> kArgMaxInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ArgMaxAvx2},
#endif
    {"ref", kCpuAny, ArgMaxRef},
};
inline constexpr Variant<ArgMaxFn> kArgMaxFloat[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ArgMaxFloatAvx2},
#endif
    {"ref", kCpuAny, ArgMaxFloatRef},
};

}  // namespace lutra
