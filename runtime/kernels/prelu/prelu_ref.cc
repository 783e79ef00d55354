// SPDX-License-Identifier: Apache-2.0
// One multiplier or the other, element by element.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/prelu/prelu.h"

namespace lutra {

void PreluRef(const PreluArgs& args, int32_t first, int32_t count) {
  for (int32_t i = first; i < first + count; ++i) {
    const int32_t x = args.input[i * args.input_step] - args.input_zero_point;
    const int32_t slope = args.alpha[i * args.alpha_step] - args.alpha_zero_point;
    const int32_t scaled = x >= 0 ? MultiplyByQuantizedMultiplier(x, args.positive)
                                  : MultiplyByQuantizedMultiplier(x * slope, args.negative);
    args.output[i] =
        static_cast<int8_t>(ClampToInt8(WrappingAdd(scaled, args.output_zero_point), INT8_MIN, INT8_MAX));
  }
}

}  // namespace lutra
