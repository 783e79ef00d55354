// SPDX-License-Identifier: Apache-2.0
// Matrix products with SSE4.1.

#include "runtime/kernels/batch_matmul/batch_matmul_dots.h"
#include "runtime/kernels/dot_sse41.h"

namespace lutra {

void MatMulSse41(const MatMulArgs& args) { RunMatMulDots<DotSse41>(args); }

}  // namespace lutra
