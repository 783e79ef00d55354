// SPDX-License-Identifier: Apache-2.0
// A part of an input pixel is widened to int16 once and then multiplied with the same tap of a
// block of filters.

#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "runtime/kernels/conv_sums.h"
#include "runtime/kernels/transpose_conv/transpose_conv_taps.h"

namespace lutra {
namespace {

constexpr int32_t kPartLength = 128;
constexpr int32_t kChannelBlock = 32;

// Computes the call's channels of one output pixel.
void ComputePixel(const TransposeConvArgs& args, const Rows& input, int32_t image_row, int32_t y, int32_t x,
                  int8_t* output) {
  const ConvShape& shape = *args.shape;
  const int32_t depth = shape.in_channels;
  const int32_t filter_values = shape.filter_height * shape.filter_width * depth;
  int16_t part[kPartLength];
  uint32_t sums[kChannelBlock];
  for (int32_t first = 0; first < args.channel_count; first += kChannelBlock) {
    const int32_t rest = args.channel_count - first;
    const int32_t channels = rest < kChannelBlock ? rest : kChannelBlock;
    const int8_t* filter = args.filter + static_cast<intptr_t>(first) * filter_values;
    StartSums(args.bias, first, channels, sums);
    ForEachSource<int8_t>(shape, input, image_row, y, x, [&](const int8_t* pixel, int32_t tap) {
      int32_t count = 0;
      for (int32_t begin = 0; begin < depth; begin += count) {
        count = depth - begin < kPartLength ? depth - begin : kPartLength;
        Widen(pixel + begin, count, args.quantization.input_offset, part);
        AddDotProducts(part, count, filter + tap * depth + begin, filter_values, channels, sums);
      }
    });
    StoreSums(sums, args.multipliers + first, channels, args.quantization, output + first);
  }
}

}  // namespace

void TransposeConvRef(const TransposeConvArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                      int32_t row_count) {
  const ConvShape& shape = *args.shape;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t image = row / shape.out_height;
    const int32_t y = row - image * shape.out_height + shape.pad_top;
    auto* pixel = reinterpret_cast<int8_t*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x) {
      ComputePixel(args, input, image * shape.in_height, y, x + shape.pad_left, pixel);
      pixel += shape.out_channels;
    }
  }
}

}  // namespace lutra
