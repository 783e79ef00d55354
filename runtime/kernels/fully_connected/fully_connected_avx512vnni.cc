// SPDX-License-Identifier: Apache-2.0
// Fully connected layers with AVX-512 VNNI.

#include "runtime/kernels/dot_avx512vnni.h"
#include "runtime/kernels/fully_connected/fully_connected_dots.h"

namespace lutra {

int32_t PrepareFullyConnectedAvx512Vnni(const FullyConnectedArgs& args, void* memory) {
  return PrepareFullyConnectedDots<DotAvx512Vnni>(args, memory);
}

int32_t RowsAtOnceFullyConnectedAvx512Vnni(const FullyConnectedArgs& args) {
  return RowsAtOnceFullyConnectedDots<DotAvx512Vnni>(args);
}

void FullyConnectedAvx512Vnni(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                              int32_t first_row, int32_t row_count) {
  RunFullyConnectedDots<DotAvx512Vnni>(args, input, output, first_row, row_count);
}

}  // namespace lutra
