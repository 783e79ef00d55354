// SPDX-License-Identifier: Apache-2.0
// Computes the sum of each row, by the functions that it shares with SOFTMAX; then the logarithms.

#include "lutra/kernels/log_softmax/log_softmax.h"
#include "runtime/fixed_point/log.h"
#include "runtime/kernels/softmax/softmax_sum.h"

namespace lutra {

void LogSoftmaxRef(const LogSoftmaxArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                   int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* in = reinterpret_cast<const int8_t*>(input.Row(row));
    auto* out = reinterpret_cast<int8_t*>(output.Row(row));
    const int32_t max = MaxOfRow(in, args.depth);
    const int32_t log_of_sum =
        LogForXAtLeastOne(SumOfExp(in, args.depth, max, args.multiplier, args.diff_min));
    // At this difference the result would not fit Q5.26.
    const int32_t limit = MultiplyByQuantizedMultiplier(WrappingAdd(log_of_sum, INT32_MIN), args.reverse);
    const int32_t lowest = limit > args.diff_min - 1 ? limit : args.diff_min - 1;
    for (int32_t i = 0; i < args.depth; ++i) {
      const int32_t difference = in[i] - max;
      int32_t code = INT8_MIN;
      if (difference > lowest) {
        const int32_t result =
            WrappingSubtract(MultiplyByQuantizedMultiplier(difference, args.multiplier), log_of_sum);
        code = ClampToInt8(RoundingDivideByPowerOfTwo(result, 22) + 127, INT8_MIN, INT8_MAX);
      }
      out[i] = static_cast<int8_t>(code);
    }
  }
}

}  // namespace lutra
