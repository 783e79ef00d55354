// SPDX-License-Identifier: Apache-2.0
// Int16: one dot product after the other.

#include "lutra/kernels/batch_matmul/batch_matmul.h"
#include "runtime/kernels/wide_sums.h"

namespace lutra {

void MatMulInt16Ref(const MatMulInt16Args& args) {
  const MatMulShape& shape = args.shape;
  const intptr_t lhs_row = shape.lhs_transposed ? 1 : shape.k;
  const intptr_t lhs_step = shape.lhs_transposed ? shape.m : 1;
  const intptr_t rhs_column = shape.rhs_transposed ? shape.k : 1;
  const intptr_t rhs_step = shape.rhs_transposed ? 1 : shape.n;
  int16_t* output = args.output;
  for (int32_t m = 0; m < shape.m; ++m) {
    for (int32_t n = 0; n < shape.n; ++n) {
      const int16_t* lhs = args.lhs + m * lhs_row;
      const int16_t* rhs = args.rhs + n * rhs_column;
      int64_t sum = 0;
      for (int32_t k = 0; k < shape.k; ++k, lhs += lhs_step, rhs += rhs_step) sum += *lhs * *rhs;
      *output++ = ClampToInt16(MultiplyWideAccumulator(sum, args.multiplier), INT16_MIN, INT16_MAX);
    }
  }
}

}  // namespace lutra
