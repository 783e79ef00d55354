// SPDX-License-Identifier: Apache-2.0
// Float32: one sum for each output, over the taps inside the image.

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"

namespace lutra {

void DepthwiseConv2DFloatRef(const ConvFloatArgs& args, const Rows& input, const Rows& output,
                             int32_t first_row, int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const int32_t multiplier = shape.out_channels / shape.in_channels;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t image = row / shape.out_height;
    const int32_t in_y = (row - image * shape.out_height) * shape.stride_h - shape.pad_top;
    const TapRange rows = TapsInside(in_y, shape.filter_height, shape.dilation_h, shape.in_height);
    auto* result = reinterpret_cast<float*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x) {
      const int32_t in_x = x * shape.stride_w - shape.pad_left;
      const TapRange columns = TapsInside(in_x, shape.filter_width, shape.dilation_w, shape.in_width);
      for (int32_t channel = 0; channel < shape.out_channels; ++channel) {
        float sum = 0;
        for (int32_t ky = rows.begin; ky < rows.end; ++ky) {
          const auto* in_row = reinterpret_cast<const float*>(
              input.Row(image * shape.in_height + in_y + ky * shape.dilation_h));
          for (int32_t kx = columns.begin; kx < columns.end; ++kx) {
            sum += in_row[(in_x + kx * shape.dilation_w) * shape.in_channels + channel / multiplier] *
                   args.filter[(ky * shape.filter_width + kx) * shape.out_channels + channel];
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
