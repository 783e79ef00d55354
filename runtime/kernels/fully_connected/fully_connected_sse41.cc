// SPDX-License-Identifier: Apache-2.0
// Fully connected layers with SSE4.1.

#include "runtime/kernels/dot_sse41.h"
#include "runtime/kernels/fully_connected/fully_connected_dots.h"

namespace lutra {

int32_t PrepareFullyConnectedSse41(const FullyConnectedArgs& args, void* memory) {
  return PrepareFullyConnectedDots<DotSse41>(args, memory);
}

int32_t RowsAtOnceFullyConnectedSse41(const FullyConnectedArgs& args) {
  return RowsAtOnceFullyConnectedDots<DotSse41>(args);
}

void FullyConnectedSse41(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                         int32_t first_row, int32_t row_count) {
  RunFullyConnectedDots<DotSse41>(args, input, output, first_row, row_count);
}

}  // namespace lutra
