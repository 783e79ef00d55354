// SPDX-License-Identifier: Apache-2.0
// Groups are dot products of patches; channels of their own are done tap by tap. Taps outside the image are
// left out: they count as real 0, whatever the zero points.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/conv_2d_uint8/conv_2d_uint8.h"
#include "runtime/kernels/conv_patch.h"

namespace lutra {
namespace {

// The taps of an output pixel that lie in the image.
struct TapBox {
  TapRange tall;
  TapRange wide;
  int32_t image_row;  // The first row of the image.
  int32_t y;          // Where the window's first tap lies.
  int32_t x;
};

void StoreCodes(const Conv2DUint8Args& args, const uint32_t* sums, int32_t count, uint8_t* output) {
  const Uint8Quantization& q = args.quantization;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sums[i]), args.multiplier);
    const int32_t code = WrappingAdd(scaled, q.output_offset);
    output[i] = code < q.activation_min   ? q.activation_min
                : code > q.activation_max ? q.activation_max
                                          : static_cast<uint8_t>(code);
  }
}

// Adds to sums[0..count) the products of channels [first, first + count), each with its own.
void AddDepthwise(const Conv2DUint8Args& args, const Rows& input, const TapBox& taps, int32_t first,
                  int32_t count, uint32_t* sums) {
  const ConvShape& shape = *args.shape;
  const int16_t a = args.quantization.input_offset;
  const OffsetWeights weight = {args.quantization.filter_offset};
  const int32_t repeats = shape.out_channels / shape.in_channels;
  for (int32_t ky = taps.tall.begin; ky < taps.tall.end; ++ky) {
    const uint8_t* const row = input.Row(taps.image_row + taps.y + ky * shape.dilation_h);
    for (int32_t kx = taps.wide.begin; kx < taps.wide.end; ++kx) {
      const uint8_t* const pixel =
          row + static_cast<intptr_t>(taps.x + kx * shape.dilation_w) * shape.in_channels;
      const uint8_t* const filter =
          args.filter + static_cast<intptr_t>(ky * shape.filter_width + kx) * shape.out_channels + first;
      if (repeats == 1) {
        // Of 16 bits each: twice as many products at a time.
        for (int32_t i = 0; i < count; ++i) {
          const auto value = static_cast<int16_t>(pixel[first + i] + a);
          sums[i] += static_cast<uint32_t>(value * weight(filter[i]));
        }
        continue;
      }
      for (int32_t i = 0; i < count; ++i) {
        sums[i] += static_cast<uint32_t>((pixel[(first + i) / repeats] + a) * weight(filter[i]));
      }
    }
  }
}

void MakeDepthwisePixel(const Conv2DUint8Args& args, const Rows& input, const TapBox& taps, uint8_t* output) {
  const int32_t channels = args.shape->out_channels;
  uint32_t sums[kChannelBlock];
  for (int32_t first = 0; first < channels; first += kChannelBlock) {
    const int32_t count = channels - first < kChannelBlock ? channels - first : kChannelBlock;
    StartSums(args.bias, first, count, sums);
    AddDepthwise(args, input, taps, first, count, sums);
    StoreCodes(args, sums, count, output + first);
  }
}

void MakeDepthwiseRow(const Conv2DUint8Args& args, const Rows& input, int32_t row, uint8_t* pixel) {
  const ConvShape& shape = *args.shape;
  const int32_t image = row / shape.out_height;
  TapBox taps = {};
  taps.image_row = image * shape.in_height;
  taps.y = (row - image * shape.out_height) * shape.stride_h - shape.pad_top;
  taps.tall = TapsInside(taps.y, shape.filter_height, shape.dilation_h, shape.in_height);
  for (int32_t x = 0; x < shape.out_width; ++x, pixel += shape.out_channels) {
    taps.x = x * shape.stride_w - shape.pad_left;
    taps.wide = TapsInside(taps.x, shape.filter_width, shape.dilation_w, shape.in_width);
    MakeDepthwisePixel(args, input, taps, pixel);
  }
}

}  // namespace

void Conv2DUint8Ref(const Conv2DUint8Args& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  if (args.depthwise) {
    for (int32_t row = first_row; row < first_row + row_count; ++row) {
      MakeDepthwiseRow(args, input, row, output.Row(row));
    }
    return;
  }
  ConvolveRows(*args.shape, args.filter, args.bias, args.quantization.input_offset,
               OffsetWeights{args.quantization.filter_offset}, input, output, first_row, row_count,
               [&args](const uint32_t* sums, int32_t first, int32_t count, uint8_t* pixel) {
                 StoreCodes(args, sums, count, pixel + first);
               });
}

}  // namespace lutra
