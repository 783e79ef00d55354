// SPDX-License-Identifier: Apache-2.0
// Float32: computes exponentials of differences from each row's maximum, then their shares of the sum.

#include <math.h>

#include "lutra/kernels/softmax/softmax.h"

namespace lutra {

void SoftmaxFloatRef(const SoftmaxFloatArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                     int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* in = reinterpret_cast<const float*>(input.Row(row));
    auto* out = reinterpret_cast<float*>(output.Row(row));
    float max = in[0];
    for (int32_t i = 1; i < args.depth; ++i) max = in[i] > max ? in[i] : max;
    float sum = 0;
    for (int32_t i = 0; i < args.depth; ++i) {
      out[i] = expf((in[i] - max) * args.beta);
      sum += out[i];
    }
    for (int32_t i = 0; i < args.depth; ++i) out[i] /= sum;
  }
}

}  // namespace lutra
