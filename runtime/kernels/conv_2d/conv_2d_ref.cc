// SPDX-License-Identifier: Apache-2.0
#include "lutra/kernels/conv_2d/conv_2d.h"
#include "runtime/kernels/conv_patch.h"

namespace lutra {

void Conv2DRef(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
               int32_t row_count) {
  ConvolveRows(*args.shape, args.filter, args.bias, args.quantization.input_offset, PlainWeights(), input,
               output, first_row, row_count,
               [&args](const uint32_t* sums, int32_t first, int32_t count, int8_t* pixel) {
                 StoreSums(sums, args.multipliers + first, count, args.quantization, pixel + first);
               });
}

}  // namespace lutra
