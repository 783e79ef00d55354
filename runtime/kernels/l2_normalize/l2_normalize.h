// SPDX-License-Identifier: Apache-2.0
// Scales each row of `depth` int8 values to length 1:
//
//   x[i] = input[i] - zero point;  output[i] = clamp(128 * x[i] / sqrt(sum over j of x[j]^2))
//
// in fixed point, by the rule of TFLite's reference kernel. A sum of 0 counts as 1. The output has
// scale 1/128 and zero point 0. depth * 255^2 fits int32.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/kernels/rows.h"

namespace lutra {

struct L2NormalizeArgs {
  int32_t depth;
  int32_t input_zero_point;
};

using L2NormalizeFn = RowsFn<L2NormalizeArgs>;

Kernel<L2NormalizeFn> L2NormalizeRef, L2NormalizeAvx2;

inline constexpr Variant<L2NormalizeFn> kL2NormalizeInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, L2NormalizeAvx2},
#endif
    {"ref", kCpuAny, L2NormalizeRef},
};

}  // namespace lutra
