// SPDX-License-Identifier: Apache-2.0
// One multiplier or the other, element by element.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/prelu/prelu.h"

namespace lutra {
namespace {

template <int32_t kMin, int32_t kMax, typename Value>
void Prelu(const PreluCodesArgs<Value>& args, int32_t first, int32_t count) {
  for (int32_t i = first; i < first + count; ++i) {
    const int32_t x = args.input[i * args.input_step] - args.input_zero_point;
    const int32_t slope = args.alpha[i * args.alpha_step] - args.alpha_zero_point;
    const int32_t scaled = x >= 0 ? MultiplyByQuantizedMultiplier(x, args.positive)
                                  : MultiplyByQuantizedMultiplier(x * slope, args.negative);
    const int32_t code = WrappingAdd(scaled, args.output_zero_point);
    args.output[i] = static_cast<Value>(code < kMin ? kMin : code > kMax ? kMax : code);
  }
}

}  // namespace

void PreluRef(const PreluArgs& args, int32_t first, int32_t count) {
  Prelu<INT8_MIN, INT8_MAX>(args, first, count);
}

void PreluInt16Ref(const PreluInt16Args& args, int32_t first, int32_t count) {
  Prelu<INT16_MIN, INT16_MAX>(args, first, count);
}

}  // namespace lutra
