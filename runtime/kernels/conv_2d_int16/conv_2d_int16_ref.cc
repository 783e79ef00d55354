// SPDX-License-Identifier: Apache-2.0
// Multiplies values and finishes sums; the loops are in conv_windows.h and transpose_conv_taps.h.

#include "lutra/kernels/conv_2d_int16/conv_2d_int16.h"
#include "runtime/kernels/conv_windows.h"
#include "runtime/kernels/transpose_conv/transpose_conv_taps.h"
#include "runtime/kernels/wide_sums.h"

namespace lutra {
namespace {

struct Int16Arithmetic {
  using Value = int16_t;
  using Weight = int8_t;
  using Sum = int64_t;

  // A hostile model may have any biases: sums wrap.
  void Start(int32_t, int32_t count, Sum* sums) const {
    for (int32_t i = 0; i < count; ++i) sums[i] = 0;
  }
  Sum Product(Value value, Weight weight) const { return value * weight; }
  Sum SumOfProducts(const Value* values, const Weight* weights, int32_t count) const {
    return WideDotProduct(values, weights, count);
  }
  void Finish(const Sum* sums, int32_t first, int32_t count, Value* output) const {
    for (int32_t i = 0; i < count; ++i) {
      const auto bias = static_cast<uint64_t>(BiasOf(args.bias, first + i));
      const auto sum = static_cast<int64_t>(static_cast<uint64_t>(sums[i]) + bias);
      output[i] = ClampToInt16(ScaledSum(sum, args.multipliers[first + i], args.wide), args.activation_min,
                               args.activation_max);
    }
  }

  const Conv2DInt16Args& args;
};

// Computes the call's channels of one output pixel.
void ComputeTransposed(const Conv2DInt16Args& args, const Rows& input, int32_t image_row, int32_t y,
                       int32_t x, int16_t* output) {
  const ConvShape& shape = *args.shape;
  const Int16Arithmetic arithmetic = {args};
  const int32_t depth = shape.in_channels;
  const int32_t filter_values = shape.filter_height * shape.filter_width * depth;
  int64_t sums[kWindowBlock];
  for (int32_t first = 0; first < args.channel_count; first += kWindowBlock) {
    const int32_t rest = args.channel_count - first;
    const int32_t count = rest < kWindowBlock ? rest : kWindowBlock;
    arithmetic.Start(first, count, sums);
    ForEachSource<int16_t>(shape, input, image_row, y, x, [&](const int16_t* pixel, int32_t tap) {
      const int8_t* filter = args.filter + static_cast<intptr_t>(first) * filter_values + tap * depth;
      for (int32_t i = 0; i < count; ++i, filter += filter_values) {
        sums[i] += arithmetic.SumOfProducts(pixel, filter, depth);
      }
    });
    arithmetic.Finish(sums, first, count, output + first);
  }
}

}  // namespace

void Conv2DInt16Ref(const Conv2DInt16Args& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  MakeWindows(Int16Arithmetic{args}, args, input, output, first_row, row_count);
}

void TransposeConvInt16Ref(const Conv2DInt16Args& args, const Rows& input, const Rows& output,
                           int32_t first_row, int32_t row_count) {
  const ConvShape& shape = *args.shape;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t image = row / shape.out_height;
    const int32_t y = row - image * shape.out_height + shape.pad_top;
    auto* pixel = reinterpret_cast<int16_t*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x, pixel += shape.out_channels) {
      ComputeTransposed(args, input, image * shape.in_height, y, x + shape.pad_left, pixel);
    }
  }
}

}  // namespace lutra
