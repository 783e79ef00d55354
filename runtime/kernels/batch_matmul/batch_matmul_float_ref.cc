// SPDX-License-Identifier: Apache-2.0
// One sum for each output, by strides that serve all four layouts.

#include "lutra/kernels/batch_matmul/batch_matmul.h"

namespace lutra {

void MatMulFloatRef(const MatMulFloatArgs& args) {
  const MatMulShape& shape = args.shape;
  const intptr_t lhs_row = shape.lhs_transposed ? 1 : shape.k;
  const intptr_t lhs_step = shape.lhs_transposed ? shape.m : 1;
  const intptr_t rhs_column = shape.rhs_transposed ? shape.k : 1;
  const intptr_t rhs_step = shape.rhs_transposed ? 1 : shape.n;
  float* output = args.output;
  for (int32_t m = 0; m < shape.m; ++m) {
    for (int32_t n = 0; n < shape.n; ++n) {
      const float* lhs = args.lhs + m * lhs_row;
      const float* rhs = args.rhs + n * rhs_column;
      float sum = 0;
      for (int32_t k = 0; k < shape.k; ++k) sum += lhs[k * lhs_step] * rhs[k * rhs_step];
      *output++ = sum;
    }
  }
}

}  // namespace lutra
