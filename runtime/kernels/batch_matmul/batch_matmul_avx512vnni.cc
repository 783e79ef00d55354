// SPDX-License-Identifier: Apache-2.0
// Matrix products with AVX512-VNNI.

#include "runtime/kernels/batch_matmul/batch_matmul_dots.h"
#include "runtime/kernels/dot_avx512vnni.h"

namespace lutra {

void MatMulAvx512Vnni(const MatMulArgs& args) { RunMatMulDots<DotAvx512Vnni>(args); }

}  // namespace lutra
