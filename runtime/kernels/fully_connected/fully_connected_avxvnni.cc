// SPDX-License-Identifier: Apache-2.0
// Fully connected layers with AVX-VNNI.

#include "runtime/kernels/dot_avxvnni.h"
#include "runtime/kernels/fully_connected/fully_connected_dots.h"

namespace lutra {

int32_t PrepareFullyConnectedAvxVnni(const FullyConnectedArgs& args, void* memory) {
  return PrepareFullyConnectedDots<DotAvxVnni>(args, memory);
}

int32_t RowsAtOnceFullyConnectedAvxVnni(const FullyConnectedArgs& args) {
  return RowsAtOnceFullyConnectedDots<DotAvxVnni>(args);
}

void FullyConnectedAvxVnni(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                           int32_t first_row, int32_t row_count) {
  RunFullyConnectedDots<DotAvxVnni>(args, input, output, first_row, row_count);
}

}  // namespace lutra
