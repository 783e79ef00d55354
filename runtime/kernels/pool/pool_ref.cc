// SPDX-License-Identifier: Apache-2.0
// Int8.

#include "runtime/kernels/pool/pool_codes.h"

namespace lutra {

void AveragePoolRef(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  AveragePoolOf<int8_t>(args, input, output, first_row, row_count);
}

void MaxPoolRef(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                int32_t row_count) {
  MaxPoolOf<int8_t, INT8_MIN>(args, input, output, first_row, row_count);
}

}  // namespace lutra
