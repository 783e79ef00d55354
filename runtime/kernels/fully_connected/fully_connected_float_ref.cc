// SPDX-License-Identifier: Apache-2.0
// Float32: one sum for each output.

#include "lutra/kernels/fully_connected/fully_connected.h"

namespace lutra {
namespace {

// Adds four sums side by side: a single sum would wait for itself at every step.
float DotProduct(const float* a, const float* b, int32_t count) {
  float sums[4] = {};
  int32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    sums[0] += a[i] * b[i];
    sums[1] += a[i + 1] * b[i + 1];
    sums[2] += a[i + 2] * b[i + 2];
    sums[3] += a[i + 3] * b[i + 3];
  }
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

void FullyConnectedFloatRef(const FullyConnectedFloatArgs& args, const Rows& input, const Rows& output,
                            int32_t first_row, int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* values = reinterpret_cast<const float*>(input.Row(row));
    auto* result = reinterpret_cast<float*>(output.Row(row));
    for (int32_t o = 0; o < args.channels; ++o) {
      float sum = DotProduct(values, args.weights + static_cast<intptr_t>(o) * args.depth, args.depth);
      if (args.bias != nullptr) sum += args.bias[o];
      sum = sum < args.activation_min ? args.activation_min : sum;
      result[o] = sum > args.activation_max ? args.activation_max : sum;
    }
  }
}

}  // namespace lutra
