// SPDX-License-Identifier: Apache-2.0
// Matrix products with AVX2.

#include "runtime/kernels/batch_matmul/batch_matmul_dots.h"
#include "runtime/kernels/dot_avx2.h"

namespace lutra {

void MatMulAvx2(const MatMulArgs& args) { RunMatMulDots<DotAvx2>(args); }

}  // namespace lutra
