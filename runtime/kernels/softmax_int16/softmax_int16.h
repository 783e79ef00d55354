// SPDX-License-Identifier: Apache-2.0
// Softmax of each row of `depth` codes of int16, to int16 of scale 2^-15, by tables of exp and of 1 / (1 +
// x):
//
//   e[i] = exp(beta * scale * (input[i] - max)),  output[i] = e[i] * 2^15 / sum over j of e[j]
//
// Rule: TFLite Micro's kernel. Depths are at most 65547, so that sums fit int32.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/rows.h"

namespace lutra {

struct SoftmaxInt16Args {
  int32_t depth;
  Multiplier multiplier;  // beta * scale in units of 10 / 65535; its shift is at most 15.
};

using SoftmaxInt16Fn = RowsFn<SoftmaxInt16Args>;

Kernel<SoftmaxInt16Fn> SoftmaxInt16Ref;

inline constexpr Variant<SoftmaxInt16Fn> kSoftmaxInt16[] = {{"ref", kCpuAny, SoftmaxInt16Ref}};

}  // namespace lutra
