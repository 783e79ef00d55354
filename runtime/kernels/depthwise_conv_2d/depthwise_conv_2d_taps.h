// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions tap by tap, without copying inputs or weights: for variants that take several
// channels at once, and for images of few columns, for which preparing anything takes too long.
//
//   ForEachTapsRun(args, input, output, first_row, end_row, [&](const TapsRun& run) { ... });

#pragma once

#include <stdint.h>

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_portions.h"
#include "runtime/kernels/loops_armdsp.h"

namespace lutra {
namespace {

// The outputs of an axis whose windows lie within the image; there are none if last < first.
struct InsideRange {
  int32_t first;
  int32_t last;

  LUTRA_RARE InsideRange(int32_t size, int32_t window, int32_t dilation, int32_t stride, int32_t pad) {
    first = (pad + stride - 1) / stride;
    const int64_t room = int64_t{size} - 1 - int64_t{window - 1} * dilation + pad;
    // This is less than the size, as there is less padding than a window is long.
    last = room < 0 ? -1 : static_cast<int32_t>(room) / stride;
  }
  bool Has(int32_t i) const { return i >= first && i <= last; }
};

// Some rows of one image.
class TapsRows {
 public:
  TapsRows(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output, int32_t row, int32_t rows)
      : args_(args),
        shape_(*args.shape),
        input_(input),
        output_(output),
        image_(row / shape_.out_height),
        first_(row - image_ * shape_.out_height),
        rows_(rows) {}

  template <typename Make>
  void ForEach(const Make& make) const {
    const InsideRange columns(shape_.in_width, shape_.filter_width, shape_.dilation_w, shape_.stride_w,
                              shape_.pad_left);
    const int32_t end = first_ + rows_;
    for (int32_t k = 0, x = 0; k < rows_;) {
      const int32_t y = args_.downwards ? end - 1 - k : first_ + k;
      const bool is_single = shape_.out_width == 1;
      int32_t pixels = 1;
      if (is_single) {
        pixels = PixelsBelow(y);
      } else if (columns.Has(x)) {
        pixels = Smaller(columns.last + 1, shape_.out_width) - x;
      }
      make(RunAt(y, x, pixels));
      if (is_single) {
        k += pixels;
        continue;
      }
      x += pixels;
      if (x < shape_.out_width) continue;
      x = 0;
      ++k;
    }
  }

 private:
  static int32_t Smaller(int32_t a, int32_t b) { return a < b ? a : b; }

  // Returns how many pixels of a single column have equal windows, from row y on in the order of
  // args.downwards.
  int32_t PixelsBelow(int32_t y) const {
    const InsideRange rows(shape_.in_height, shape_.filter_height, shape_.dilation_h, shape_.stride_h,
                           shape_.pad_top);
    if (!rows.Has(y)) return 1;
    if (args_.downwards) return y + 1 - (rows.first > first_ ? rows.first : first_);
    return Smaller(rows.last + 1, first_ + rows_) - y;
  }

  // Returns the run of pixels to the right of (y, x), or, if there is only one column, below or above it.
  TapsRun RunAt(int32_t y, int32_t x, int32_t pixels) const {
    const int32_t top = y * shape_.stride_h - shape_.pad_top;
    const int32_t left = x * shape_.stride_w - shape_.pad_left;
    const TapRange rows = TapsInside(top, shape_.filter_height, shape_.dilation_h, shape_.in_height);
    const TapRange columns = TapsInside(left, shape_.filter_width, shape_.dilation_w, shape_.in_width);
    TapsRun run = {};
    run.pixels = pixels;
    run.output =
        reinterpret_cast<int8_t*>(output_.Row(image_ * shape_.out_height + y)) + x * shape_.out_channels;
    // A pixel or a tap that does not exist may be too far away for a product.
    if (pixels > 1 && shape_.out_width == 1) {
      const int32_t sign = args_.downwards ? -1 : 1;
      run.pixel_step = sign * shape_.stride_h * input_.row_bytes;
      run.output_step = sign * output_.row_bytes;
    } else if (pixels > 1) {
      run.pixel_step = shape_.stride_w * shape_.in_channels;
      run.output_step = shape_.out_channels;
    }
    if (rows.end <= rows.begin || columns.end <= columns.begin) return run;
    const int32_t tap_rows = rows.end - rows.begin;
    const int32_t taps = columns.end - columns.begin;
    const int32_t tap_step = taps > 1 ? shape_.dilation_w * shape_.in_channels : 0;
    const int32_t pitch = tap_rows > 1 ? shape_.dilation_h * input_.row_bytes : 0;
    const int32_t filter_pitch = shape_.filter_width * args_.channel_count;
    const int32_t multiplier = shape_.out_channels / shape_.in_channels;
    const auto* const row = reinterpret_cast<const int8_t*>(
        input_.Row(image_ * shape_.in_height + top + rows.begin * shape_.dilation_h));
    run.input = row + (left + columns.begin * shape_.dilation_w) * shape_.in_channels +
                args_.first_channel / multiplier;
    run.filter = args_.filter + rows.begin * filter_pitch + columns.begin * args_.channel_count;
    if (taps == 1) {
      run.tap_rows = 1;
      run.taps = tap_rows;
      run.tap_step = pitch;
      run.filter_step = filter_pitch;
    } else {
      run.tap_rows = tap_rows;
      run.taps = taps;
      run.tap_step = tap_step;
      run.filter_step = args_.channel_count;
      run.row_step = pitch - taps * tap_step;
      run.filter_row_step = filter_pitch - taps * args_.channel_count;
    }
    return run;
  }

  const DepthwiseConv2DArgs& args_;
  const ConvShape& shape_;
  const Rows& input_;
  const Rows& output_;
  int32_t image_;
  int32_t first_;
  int32_t rows_;
};

// Calls make(run) for all channels of output rows [row, end), in the order of args.downwards. Outputs may
// overwrite inputs as in a call for each row: some channels of a run may be computed before others.
template <typename Make>
void ForEachTapsRun(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output, int32_t row,
                    int32_t end, const Make& make) {
  const int32_t capacity = OverwritesOthers(args, input, output, row, end) ? 1 : args.shape->out_height;
  for (Portions portions(args, row, end, capacity); portions.Next();) {
    TapsRows(args, input, output, portions.row, portions.count).ForEach(make);
  }
}

// Returns the sum of the products of one channel of a run's first pixel. Sums wrap.
inline uint32_t SumOfTaps(const TapsRun& run, int32_t input_channel, int32_t channel, int32_t offset) {
  const int8_t* input = run.input + input_channel;
  const int8_t* filter = run.filter + channel;
  uint32_t sum = 0;
  for (int32_t ky = 0; ky < run.tap_rows; ++ky, input += run.row_step, filter += run.filter_row_step) {
    for (int32_t kx = 0; kx < run.taps; ++kx, input += run.tap_step, filter += run.filter_step) {
      sum += static_cast<uint32_t>((*input + offset) * *filter);
    }
  }
  return sum;
}

}  // namespace
}  // namespace lutra
