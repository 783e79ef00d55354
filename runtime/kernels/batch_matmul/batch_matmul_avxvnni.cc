// SPDX-License-Identifier: Apache-2.0
// Matrix products with AVX-VNNI.

#include "runtime/kernels/batch_matmul/batch_matmul_dots.h"
#include "runtime/kernels/dot_avxvnni.h"

namespace lutra {

void MatMulAvxVnni(const MatMulArgs& args) { RunMatMulDots<DotAvxVnni>(args); }

}  // namespace lutra
