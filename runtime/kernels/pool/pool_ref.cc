// SPDX-License-Identifier: Apache-2.0
// Int8: what is added and how it is finished; the loops are pool_rows.h.

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/pool/pool_rows.h"

namespace lutra {

void AveragePoolRef(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  const int32_t min = args.activation_min;
  const int32_t max = args.activation_max;
  PoolRows<int8_t>(
      *args.shape, input, output, first_row, row_count, int32_t{0},
      [](int32_t sum, int8_t value) { return sum + value; },
      [min, max](int32_t sum, int32_t count) {
        const int32_t half = sum > 0 ? count / 2 : -(count / 2);
        return static_cast<int8_t>(ClampToInt8((sum + half) / count, min, max));
      });
}

void MaxPoolRef(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                int32_t row_count) {
  const int32_t min = args.activation_min;
  const int32_t max = args.activation_max;
  PoolRows<int8_t>(
      *args.shape, input, output, first_row, row_count, int8_t{INT8_MIN},
      [](int8_t best, int8_t value) { return value > best ? value : best; },
      [min, max](int8_t best, int32_t) { return static_cast<int8_t>(ClampToInt8(best, min, max)); });
}

}  // namespace lutra
