// SPDX-License-Identifier: Apache-2.0
// Pixel by pixel, a block of output channels at a time. Taps outside the image are left out: they count as
// real 0, whatever the zero points.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/conv_2d_uint8/conv_2d_uint8.h"
#include "runtime/kernels/conv_sums.h"

namespace lutra {
namespace {

constexpr int32_t kSumBlock = 64;

// The taps of an output pixel that lie in the image.
struct TapBox {
  TapRange tall;
  TapRange wide;
  int32_t image_row;  // The first row of the image.
  int32_t y;          // Where the window's first tap lies.
  int32_t x;
};

// Products of neighbours in the input with neighbours in a filter.
uint32_t SumOfProducts(const uint8_t* values, const uint8_t* weights, int32_t count,
                       const Uint8Quantization& q) {
  const int32_t a = q.input_offset;
  const int32_t b = q.filter_offset;
  uint32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += static_cast<uint32_t>((values[i] + a) * (weights[i] + b));
  return sum;
}

// Adds to sums[0..count) the products of channels [first, first + count) of the call's.
void AddGroups(const Conv2DUint8Args& args, const Rows& input, const TapBox& taps, int32_t first,
               int32_t count, uint32_t* sums) {
  const ConvShape& shape = *args.shape;
  const int32_t depth = shape.filter_channels;
  const int32_t group_channels = shape.out_channels / (shape.in_channels / depth);
  const int32_t filter_values = shape.filter_height * shape.filter_width * depth;
  // Taps of a row are neighbours in both, so that they are one run.
  const bool dense = shape.dilation_w == 1 && depth == shape.in_channels;
  const int32_t runs = dense && taps.wide.end > taps.wide.begin ? 1 : taps.wide.end - taps.wide.begin;
  const int32_t run_values = dense ? (taps.wide.end - taps.wide.begin) * depth : depth;
  for (int32_t ky = taps.tall.begin; ky < taps.tall.end; ++ky) {
    const uint8_t* const row = input.Row(taps.image_row + taps.y + ky * shape.dilation_h);
    for (int32_t run = 0; run < runs; ++run) {
      const int32_t kx = taps.wide.begin + run;
      const uint8_t* const pixel =
          row + static_cast<intptr_t>(taps.x + kx * shape.dilation_w) * shape.in_channels;
      const uint8_t* const filter = args.filter + (ky * shape.filter_width + kx) * depth;
      for (int32_t i = 0; i < count; ++i) {
        const int32_t o = first + i;
        sums[i] +=
            SumOfProducts(pixel + (args.first_channel + o) / group_channels * depth,
                          filter + static_cast<intptr_t>(o) * filter_values, run_values, args.quantization);
      }
    }
  }
}

// The same, each channel of its own.
void AddDepthwise(const Conv2DUint8Args& args, const Rows& input, const TapBox& taps, int32_t first,
                  int32_t count, uint32_t* sums) {
  const ConvShape& shape = *args.shape;
  const int32_t a = args.quantization.input_offset;
  const int32_t b = args.quantization.filter_offset;
  const int32_t repeats = shape.out_channels / shape.in_channels;
  const int32_t of_layer = args.first_channel + first;
  for (int32_t ky = taps.tall.begin; ky < taps.tall.end; ++ky) {
    const uint8_t* const row = input.Row(taps.image_row + taps.y + ky * shape.dilation_h);
    for (int32_t kx = taps.wide.begin; kx < taps.wide.end; ++kx) {
      const uint8_t* const pixel =
          row + static_cast<intptr_t>(taps.x + kx * shape.dilation_w) * shape.in_channels;
      const uint8_t* const filter =
          args.filter + static_cast<intptr_t>(ky * shape.filter_width + kx) * args.channel_count + first;
      if (repeats == 1) {
        for (int32_t i = 0; i < count; ++i) {
          sums[i] += static_cast<uint32_t>((pixel[of_layer + i] + a) * (filter[i] + b));
        }
        continue;
      }
      for (int32_t i = 0; i < count; ++i) {
        sums[i] += static_cast<uint32_t>((pixel[(of_layer + i) / repeats] + a) * (filter[i] + b));
      }
    }
  }
}

void ComputePixel(const Conv2DUint8Args& args, const Rows& input, const TapBox& taps, uint8_t* output) {
  const Uint8Quantization& q = args.quantization;
  const int32_t channels = args.channel_count;
  uint32_t sums[kSumBlock];
  for (int32_t first = 0; first < channels; first += kSumBlock) {
    const int32_t count = channels - first < kSumBlock ? channels - first : kSumBlock;
    StartSums(args.bias, first, count, sums);
    if (args.depthwise) {
      AddDepthwise(args, input, taps, first, count, sums);
    } else {
      AddGroups(args, input, taps, first, count, sums);
    }
    for (int32_t i = 0; i < count; ++i) {
      const int32_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sums[i]), args.multiplier);
      const int32_t code = WrappingAdd(scaled, q.output_offset);
      output[first + i] = code < q.activation_min   ? q.activation_min
                          : code > q.activation_max ? q.activation_max
                                                    : static_cast<uint8_t>(code);
    }
  }
}

}  // namespace

void Conv2DUint8Ref(const Conv2DUint8Args& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  const ConvShape& shape = *args.shape;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t image = row / shape.out_height;
    TapBox taps = {};
    taps.image_row = image * shape.in_height;
    taps.y = (row - image * shape.out_height) * shape.stride_h - shape.pad_top;
    taps.tall = TapsInside(taps.y, shape.filter_height, shape.dilation_h, shape.in_height);
    uint8_t* pixel = output.Row(row);
    for (int32_t x = 0; x < shape.out_width; ++x, pixel += shape.out_channels) {
      taps.x = x * shape.stride_w - shape.pad_left;
      taps.wide = TapsInside(taps.x, shape.filter_width, shape.dilation_w, shape.in_width);
      // A window may lie outside the image altogether.
      if (taps.wide.end < taps.wide.begin) taps.wide.end = taps.wide.begin;
      ComputePixel(args, input, taps, pixel);
    }
  }
}

}  // namespace lutra
