// SPDX-License-Identifier: Apache-2.0
// The index along one dimension of the largest (or smallest) element, the first of equal ones:
//
//   output[o, i] = arg max over k < count of input[o, k, i],   o < outer, i < inner

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"

namespace lutra {

// `input` has the type that the function takes.
struct ArgMaxArgs {
  const void* input;
  void* output;
  int32_t outer;
  int32_t count;
  int32_t inner;
  bool smallest;
  bool int64_output;  // Indices are int64, else int32.
};

using ArgMaxFn = void (*)(const ArgMaxArgs& args);

// The elements are int8 or float.
template <typename Element>
Kernel<ArgMaxFn> ArgMaxRef;
template <typename Element>
Kernel<ArgMaxFn> ArgMaxAvx2;

template <typename Element>
inline constexpr Variant<ArgMaxFn> kArgMaxOf[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ArgMaxAvx2<Element>},
#endif
    {"ref", kCpuAny, ArgMaxRef<Element>},
};

}  // namespace lutra
