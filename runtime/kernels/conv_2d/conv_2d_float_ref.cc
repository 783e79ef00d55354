// SPDX-License-Identifier: Apache-2.0
// Float32: one sum for each output, over the taps inside the image.

#include "lutra/kernels/conv_2d/conv_2d.h"

namespace lutra {

void Conv2DFloatRef(const ConvFloatArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const int32_t group_channels = shape.out_channels / (shape.in_channels / shape.filter_channels);
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t image = row / shape.out_height;
    const int32_t in_y = (row - image * shape.out_height) * shape.stride_h - shape.pad_top;
    const TapRange rows = TapsInside(in_y, shape.filter_height, shape.dilation_h, shape.in_height);
    auto* result = reinterpret_cast<float*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x) {
      const int32_t in_x = x * shape.stride_w - shape.pad_left;
      const TapRange columns = TapsInside(in_x, shape.filter_width, shape.dilation_w, shape.in_width);
      for (int32_t channel = 0; channel < shape.out_channels; ++channel) {
        const int32_t first_channel = channel / group_channels * shape.filter_channels;
        float sum = 0;
        for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
          const auto* in_row = reinterpret_cast<const float*>(
              input.Row(image * shape.in_height + in_y + ky * shape.dilation_h));
          const float* weights = args.filter + (static_cast<intptr_t>(channel) * shape.filter_height + ky) *
                                                   shape.filter_width * shape.filter_channels;
          for (int32_t kx = columns.begin; kx < columns.end; ++kx) {
            const float* from = in_row + (in_x + kx * shape.dilation_w) * shape.in_channels + first_channel;
            const float* with = weights + kx * shape.filter_channels;
            for (int32_t c = 0; c < shape.filter_channels; ++c) sum += from[c] * with[c];
          }
        }
        if (args.bias != nullptr) sum += args.bias[channel];
        if (sum < args.activation_min) sum = args.activation_min;
        if (sum > args.activation_max) sum = args.activation_max;
        *result++ = sum;
      }
    }
  }
}

}  // namespace lutra
