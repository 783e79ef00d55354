// SPDX-License-Identifier: Apache-2.0
// The loops of reference convolutions, in groups or channel by channel: pixel by pixel, a block of output
// channels at a time. Taps outside the image are left out: they count as real 0, whatever the zero points.
//
//   struct Arithmetic {
//     using Value = uint8_t;   // Of the input and the output.
//     using Weight = uint8_t;
//     using Sum = uint32_t;
//     void Start(int32_t first, int32_t count, Sum* sums) const;  // Of channels [first, first + count).
//     Sum Product(Value value, Weight weight) const;
//     // Of neighbours in the input with neighbours in a filter.
//     Sum SumOfProducts(const Value* values, const Weight* weights, int32_t count) const;
//     void Finish(const Sum* sums, int32_t first, int32_t count, Value* output) const;
//   };
//   MakeWindows(Arithmetic{args}, args, input, output, first_row, row_count);
//
// `args` has shape, first_channel, channel_count, depthwise and filter, as conv_2d_uint8.h says.

#pragma once

#include <stdint.h>

#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"

namespace lutra {
namespace {

constexpr int32_t kWindowBlock = 64;

// The taps of an output pixel's window that lie in the image.
struct TapBox {
  TapRange tall;
  TapRange wide;
  int32_t image_row;  // The first row of the image.
  int32_t y;          // The row of the window's first tap.
  int32_t x;
};

template <typename Arithmetic>
const typename Arithmetic::Value* RowOfTaps(const Rows& input, const TapBox& taps, int32_t row) {
  return reinterpret_cast<const typename Arithmetic::Value*>(input.Row(taps.image_row + taps.y + row));
}

// Adds to sums[0..count) the products of the call's channels [first, first + count).
template <typename Arithmetic, typename Args>
void AddGroups(const Arithmetic& arithmetic, const Args& args, const Rows& input, const TapBox& taps,
               int32_t first, int32_t count, typename Arithmetic::Sum* sums) {
  const ConvShape& shape = *args.shape;
  const int32_t depth = shape.filter_channels;
  const int32_t group_channels = shape.out_channels / (shape.in_channels / depth);
  const int32_t filter_values = shape.filter_height * shape.filter_width * depth;
  // If the taps of a row are neighbours in both input and filter, they are one run.
  const bool dense = shape.dilation_w == 1 && depth == shape.in_channels;
  const int32_t runs = dense && taps.wide.end > taps.wide.begin ? 1 : taps.wide.end - taps.wide.begin;
  const int32_t run_values = dense ? (taps.wide.end - taps.wide.begin) * depth : depth;
  for (int32_t ky = taps.tall.begin; ky < taps.tall.end; ++ky) {
    const auto* const row = RowOfTaps<Arithmetic>(input, taps, ky * shape.dilation_h);
    for (int32_t run = 0; run < runs; ++run) {
      const int32_t kx = taps.wide.begin + run;
      const auto* const pixel =
          row + static_cast<intptr_t>(taps.x + kx * shape.dilation_w) * shape.in_channels;
      const auto* const filter = args.filter + (ky * shape.filter_width + kx) * depth;
      for (int32_t i = 0; i < count; ++i) {
        const int32_t o = first + i;
        sums[i] += arithmetic.SumOfProducts(pixel + (args.first_channel + o) / group_channels * depth,
                                            filter + static_cast<intptr_t>(o) * filter_values, run_values);
      }
    }
  }
}

// Adds the products of a depthwise convolution, in which each output channel has one input channel.
template <typename Arithmetic, typename Args>
void AddDepthwise(const Arithmetic& arithmetic, const Args& args, const Rows& input, const TapBox& taps,
                  int32_t first, int32_t count, typename Arithmetic::Sum* sums) {
  const ConvShape& shape = *args.shape;
  const int32_t repeats = shape.out_channels / shape.in_channels;
  const int32_t of_layer = args.first_channel + first;
  for (int32_t ky = taps.tall.begin; ky < taps.tall.end; ++ky) {
    const auto* const row = RowOfTaps<Arithmetic>(input, taps, ky * shape.dilation_h);
    for (int32_t kx = taps.wide.begin; kx < taps.wide.end; ++kx) {
      const auto* const pixel =
          row + static_cast<intptr_t>(taps.x + kx * shape.dilation_w) * shape.in_channels;
      const auto* const filter =
          args.filter + static_cast<intptr_t>(ky * shape.filter_width + kx) * args.channel_count + first;
      if (repeats == 1) {
        for (int32_t i = 0; i < count; ++i) sums[i] += arithmetic.Product(pixel[of_layer + i], filter[i]);
        continue;
      }
      for (int32_t i = 0; i < count; ++i) {
        sums[i] += arithmetic.Product(pixel[(of_layer + i) / repeats], filter[i]);
      }
    }
  }
}

// Computes output rows [first_row, first_row + row_count).
template <typename Arithmetic, typename Args>
void MakeWindows(const Arithmetic& arithmetic, const Args& args, const Rows& input, const Rows& output,
                 int32_t first_row, int32_t row_count) {
  const ConvShape& shape = *args.shape;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t image = row / shape.out_height;
    TapBox taps = {};
    taps.image_row = image * shape.in_height;
    taps.y = (row - image * shape.out_height) * shape.stride_h - shape.pad_top;
    taps.tall = TapsInside(taps.y, shape.filter_height, shape.dilation_h, shape.in_height);
    auto* pixel = reinterpret_cast<typename Arithmetic::Value*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x, pixel += shape.out_channels) {
      taps.x = x * shape.stride_w - shape.pad_left;
      taps.wide = TapsInside(taps.x, shape.filter_width, shape.dilation_w, shape.in_width);
      // A window may lie outside the image altogether.
      if (taps.wide.end < taps.wide.begin) taps.wide.end = taps.wide.begin;
      typename Arithmetic::Sum sums[kWindowBlock];
      for (int32_t first = 0; first < args.channel_count; first += kWindowBlock) {
        const int32_t rest = args.channel_count - first;
        const int32_t count = rest < kWindowBlock ? rest : kWindowBlock;
        arithmetic.Start(first, count, sums);
        if (args.depthwise) {
          AddDepthwise(arithmetic, args, input, taps, first, count, sums);
        } else {
          AddGroups(arithmetic, args, input, taps, first, count, sums);
        }
        arithmetic.Finish(sums, first, count, pixel + first);
      }
    }
  }
}

}  // namespace
}  // namespace lutra
