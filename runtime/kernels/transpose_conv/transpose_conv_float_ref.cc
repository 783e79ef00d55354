// SPDX-License-Identifier: Apache-2.0
// Float32: adds up, for each output pixel, the input pixels that reach it.

#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "runtime/kernels/transpose_conv/transpose_conv_taps.h"

namespace lutra {

void TransposeConvFloatRef(const ConvFloatArgs& args, const Rows& input, const Rows& output,
                           int32_t first_row, int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const int32_t depth = shape.in_channels;
  const int32_t filter_values = shape.filter_height * shape.filter_width * depth;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t image = row / shape.out_height;
    const int32_t y = row - image * shape.out_height + shape.pad_top;
    auto* result = reinterpret_cast<float*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x) {
      for (int32_t channel = 0; channel < shape.out_channels; ++channel) {
        const float* filter = args.filter + static_cast<intptr_t>(channel) * filter_values;
        float sum = 0;
        ForEachSource<float>(shape, input, image * shape.in_height, y, x + shape.pad_left,
                             [&](const float* pixel, int32_t tap) {
                               const float* weights = filter + tap * depth;
                               for (int32_t c = 0; c < depth; ++c) sum += pixel[c] * weights[c];
                             });
        if (args.bias != nullptr) sum += args.bias[channel];
        if (sum < args.activation_min) sum = args.activation_min;
        if (sum > args.activation_max) sum = args.activation_max;
        *result++ = sum;
      }
    }
  }
}

}  // namespace lutra
