// SPDX-License-Identifier: Apache-2.0
// Transposed convolution: each input pixel adds its products with the filter to the output pixels
//
//   (iy * stride_h - pad_top + ky, ix * stride_w - pad_left + kx)
//
// that exist. Seen from the output, which is how the kernels go about it:
//
//   output[y, x, o] = clamp(offset + multiplier[o] * (bias[o] +
//                       sum over ky, kx, c of (input[iy, ix, c] + input_offset) *
//                                             filter[o, ky, kx, c]))
//
// over the taps for which iy = (y + pad_top - ky) / stride_h and ix, likewise, are whole numbers
// inside the image. In ConvShape, dilations are 1. Sums wrap in int32. The float32 kernel: the same
// without offsets and multipliers.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/dots.h"
#include "lutra/kernels/rows.h"
#include "lutra/kernels/streamed_rows.h"

namespace lutra {

struct TransposeConvArgs {
  const ConvShape* shape;
  int32_t first_channel;  // conv_shape.h says which channels a call makes.
  int32_t channel_count;
  ConvQuantization quantization;
  const int8_t* filter;           // [channel_count, filter_height, filter_width, in_channels]
  const int32_t* bias;            // [channel_count] or null.
  const Multiplier* multipliers;  // [channel_count]
#if LUTRA_HAVE_PREPARING_LAYERS
  const void* prepared = nullptr;  // The variant's own.
  // The filter, if compressed weights are streamed: `filter` is null then. A variant that prepares memory of
  // them makes its runs from both; any other finds blocks of decoded rows in `filter`, and null here.
  const StreamedRows* streamed = nullptr;
#endif
};

struct TransposeConvFloatArgs {
  const ConvShape* shape;
  const float* filter;
  const float* bias;
  float activation_min;
  float activation_max;
};

// Make output rows [first_row, first_row + row_count). All of the input may be read.
using TransposeConvFn = RowsFn<TransposeConvArgs>;
using TransposeConvFloatFn = RowsFn<TransposeConvFloatArgs>;

Kernel<TransposeConvFn> TransposeConvRef;
Kernel<TransposeConvFloatFn> TransposeConvFloatRef;

LUTRA_DECLARE_DOTS(TransposeConvFn)
inline constexpr Variant<TransposeConvFn> kTransposeConvInt8[] = {
    LUTRA_DOT_VARIANTS(TransposeConvFn, TransposeConvRef)};
inline constexpr Variant<TransposeConvFloatFn> kTransposeConvFloat[] = {
    {"ref", kCpuAny, TransposeConvFloatRef}};

}  // namespace lutra
