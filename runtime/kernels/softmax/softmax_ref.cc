// SPDX-License-Identifier: Apache-2.0
// Int8 in fixed point: computes each row's sum, then its reciprocal times each exponential.

#include "lutra/kernels/softmax/softmax.h"
#include "runtime/fixed_point/reciprocal.h"
#include "runtime/kernels/softmax/softmax_sum.h"

namespace lutra {

template <typename Output>
void SoftmaxRef(const SoftmaxArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                int32_t row_count) {
  constexpr int32_t kBits = 8 * sizeof(Output);
  constexpr int32_t kLowest = -(1 << (kBits - 1));
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* in = reinterpret_cast<const int8_t*>(input.Row(row));
    auto* out = reinterpret_cast<Output*>(output.Row(row));
    const int32_t max = MaxOfRow(in, args.depth);
    const int32_t sum = SumOfExp(in, args.depth, max, args.multiplier, args.diff_min);
    const Reciprocal reciprocal = GetReciprocal(sum, 12);
    for (int32_t i = 0; i < args.depth; ++i) {
      const int32_t difference = in[i] - max;
      int32_t code = kLowest;
      if (difference >= args.diff_min) {
        const int32_t share =
            SaturatingRoundingDoublingHighMul(reciprocal.value, ExpOfDifference(difference, args.multiplier));
        code += RoundingDivideByPowerOfTwo(share, reciprocal.bits + 31 - kBits);
        if (code > -kLowest - 1) code = -kLowest - 1;
      }
      out[i] = static_cast<Output>(code);
    }
  }
}
template void SoftmaxRef<int8_t>(const SoftmaxArgs&, const Rows&, const Rows&, int32_t, int32_t);
template void SoftmaxRef<int16_t>(const SoftmaxArgs&, const Rows&, const Rows&, int32_t, int32_t);

}  // namespace lutra
