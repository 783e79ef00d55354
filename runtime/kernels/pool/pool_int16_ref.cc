// SPDX-License-Identifier: Apache-2.0
// Int16.

#include "runtime/kernels/pool/pool_codes.h"

namespace lutra {

void AveragePoolInt16Ref(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                         int32_t row_count) {
  AveragePoolOf<int16_t>(args, input, output, first_row, row_count);
}

void MaxPoolInt16Ref(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                     int32_t row_count) {
  MaxPoolOf<int16_t, INT16_MIN>(args, input, output, first_row, row_count);
}

}  // namespace lutra
