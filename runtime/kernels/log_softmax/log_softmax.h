// SPDX-License-Identifier: Apache-2.0
// The logarithm of the softmax of each row of `depth` int8 values:
//
//   output[i] = scale * (input[i] - max) - ln(sum over j of exp(scale * (input[j] - max)))
//
// in fixed point, by the rule of TFLite's reference kernel. The output has scale 1/16 and zero
// point 127.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/rows.h"

namespace lutra {

struct LogSoftmaxArgs {
  int32_t depth;
  Multiplier multiplier;  // The scale in Q5.26; its shift is at least 1.
  Multiplier reverse;     // From Q5.26 back to input codes; its shift is not above 0.
  int32_t diff_min;       // Smaller differences count as e^-infinity. Not above 0.
};

using LogSoftmaxFn = RowsFn<LogSoftmaxArgs>;

Kernel<LogSoftmaxFn> LogSoftmaxRef;

inline constexpr Variant<LogSoftmaxFn> kLogSoftmaxInt8[] = {{"ref", kCpuAny, LogSoftmaxRef}};

}  // namespace lutra
