// SPDX-License-Identifier: Apache-2.0
// Softmax of each row of `depth` values:
//
//   output[i] = exp(beta * scale * (input[i] - max)) / sum over j of exp(... input[j] ...)
//
// int8: in fixed point, by the rule of TFLite's reference kernel. The output has scale 1/256 and
// zero point -128, or as int16 scale 1/65536 and zero point -32768. Elements whose difference from the
// maximum is below diff_min count as 0. If the sum reaches 512, all codes are the lowest one.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/rows.h"

namespace lutra {

struct SoftmaxArgs {
  int32_t depth;
  Multiplier multiplier;  // beta * scale in Q5.26; its shift is at least 1.
  int32_t diff_min;       // Not above 0.
};

struct SoftmaxFloatArgs {
  int32_t depth;
  float beta;
};

using SoftmaxFn = RowsFn<SoftmaxArgs>;
using SoftmaxFloatFn = RowsFn<SoftmaxFloatArgs>;

// The output is int8 or int16.
template <typename Output>
Kernel<SoftmaxFn> SoftmaxRef;
template <typename Output>
Kernel<SoftmaxFn> SoftmaxAvx2;
template <typename Output>
Kernel<SoftmaxFn> SoftmaxMve;
Kernel<SoftmaxFloatFn> SoftmaxFloatRef;

template <typename Output>
inline constexpr Variant<SoftmaxFn> kSoftmaxOf[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, SoftmaxAvx2<Output>},
#endif
#if LUTRA_HAS_VARIANTS(softmax, MVE)
    {"mve", kCpuMve, SoftmaxMve<Output>},
#endif
    {"ref", kCpuAny, SoftmaxRef<Output>},
};
inline constexpr Variant<SoftmaxFloatFn> kSoftmaxFloat[] = {{"ref", kCpuAny, SoftmaxFloatRef}};

}  // namespace lutra
