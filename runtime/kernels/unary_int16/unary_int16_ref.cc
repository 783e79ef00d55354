// SPDX-License-Identifier: Apache-2.0
// One element after the other.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/unary_int16/unary_int16.h"
#include "runtime/fixed_point/sigmoid_int16.h"

namespace lutra {

void PiecewiseInt16Ref(const PiecewiseInt16Args& args, int32_t first, int32_t count) {
  const PiecewiseInt16Args a = args;
  for (int32_t i = first; i < first + count; ++i) {
    const int32_t x = a.input[i] - a.in_zero_point;
    const int32_t scaled = x >= 0 ? MultiplyByQuantizedMultiplier(x, a.positive)
                                  : MultiplyByQuantizedMultiplier(a.mirrors_negative ? -x : x, a.negative);
    const int32_t code = WrappingAdd(scaled, a.out_zero_point);
    a.output[i] = static_cast<int16_t>(code < a.min ? a.min : code > a.max ? a.max : code);
  }
}

void SigmoidInt16Ref(const SigmoidInt16Args& args, int32_t first, int32_t count) {
  const int32_t factor = args.multiplier == 0 ? 3 << args.shift : args.multiplier;
  const int32_t shift = args.multiplier == 0 ? 0 : args.shift;
  const int32_t half = shift > 0 ? 1 << (shift - 1) : 0;
  for (int32_t i = first; i < first + count; ++i) {
    const int32_t y = (args.input[i] * factor + half) >> shift;
    args.output[i] = args.is_tanh ? TanhInt16(y) : LogisticInt16(y);
  }
}

}  // namespace lutra
