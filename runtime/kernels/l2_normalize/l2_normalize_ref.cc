// SPDX-License-Identifier: Apache-2.0
// Computes the sum of squares of each row, then its scaled values.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/l2_normalize/l2_normalize.h"
#include "runtime/fixed_point/inverse_sqrt.h"

namespace lutra {

void L2NormalizeRef(const L2NormalizeArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  const int32_t zero_point = args.input_zero_point;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* in = reinterpret_cast<const int8_t*>(input.Row(row));
    auto* out = reinterpret_cast<int8_t*>(output.Row(row));
    int32_t sum = 0;
    for (int32_t i = 0; i < args.depth; ++i) {
      const int32_t x = in[i] - zero_point;
      sum += x * x;
    }
    Multiplier multiplier = InverseSqrtMultiplier(sum);
    multiplier.shift += 7;
    for (int32_t i = 0; i < args.depth; ++i) {
      const int32_t scaled = MultiplyByQuantizedMultiplier(in[i] - zero_point, multiplier);
      out[i] = static_cast<int8_t>(ClampToInt8(scaled, INT8_MIN, INT8_MAX));
    }
  }
}

}  // namespace lutra
