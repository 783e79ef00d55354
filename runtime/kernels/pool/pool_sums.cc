// SPDX-License-Identifier: Apache-2.0
// The int8 average over a whole image, row by row.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/pool/pool.h"
#include "runtime/kernels/pool/pool_codes.h"

namespace lutra {

void AddAveragePoolRow(const PoolArgs& args, const int8_t* row, int32_t* sums, int8_t* output) {
  const PoolShape& shape = *args.shape;
  const int8_t* const end = row + shape.in_width * shape.depth;
  for (int32_t c = 0; c < shape.depth; ++c) {
    int32_t sum = sums[c];
    for (const int8_t* code = row + c; code < end; code += shape.depth) sum += *code;
    sums[c] = sum;
  }
  if (output == nullptr) return;
  const int32_t count = shape.in_height * shape.in_width;
  for (int32_t c = 0; c < shape.depth; ++c) {
    output[c] = AverageOf<int8_t>(sums[c], count, args.activation_min, args.activation_max);
  }
}

}  // namespace lutra
