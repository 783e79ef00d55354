// SPDX-License-Identifier: Apache-2.0
// Fully connected layers with AVX2.

#include "runtime/kernels/dot_avx2.h"
#include "runtime/kernels/fully_connected/fully_connected_dots.h"

namespace lutra {

int32_t PrepareFullyConnectedAvx2(const FullyConnectedArgs& args, void* memory) {
  return PrepareFullyConnectedDots<DotAvx2>(args, memory);
}

int32_t RowsAtOnceFullyConnectedAvx2(const FullyConnectedArgs& args) {
  return RowsAtOnceFullyConnectedDots<DotAvx2>(args);
}

void FullyConnectedAvx2(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                        int32_t first_row, int32_t row_count) {
  RunFullyConnectedDots<DotAvx2>(args, input, output, first_row, row_count);
}

}  // namespace lutra
