// SPDX-License-Identifier: Apache-2.0
// Convolution of each channel by itself; m = out_channels / in_channels filters see each channel:
//
//   output[y, x, o] = clamp(offset + multiplier[o] * (bias[o] +
//                       sum over ky, kx of (input[iy, ix, o / m] + input_offset) *
//                                          filter[ky, kx, o]))
//
// with (iy, ix) as in conv_shape.h. Sums wrap in int32. The float32 kernel: the same without
// offsets and multipliers.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/dots.h"
#include "lutra/kernels/rows.h"
#include "lutra/kernels/streamed_rows.h"

namespace lutra {

struct DepthwiseConv2DArgs {
  const ConvShape* shape;
  int32_t first_channel;  // conv_shape.h says which channels a call makes.
  int32_t channel_count;
  ConvQuantization quantization;
  const int8_t* filter;           // [filter_height, filter_width, channel_count]
  const int32_t* bias;            // [channel_count] or null.
  const Multiplier* multipliers;  // [channel_count]
#if LUTRA_HAVE_PREPARING_LAYERS
  const void* prepared = nullptr;  // The variant's own.
  // At prepare: the filter, if compressed weights are streamed; `filter` is null then. A variant that
  // prepares memory of them makes its runs from that; any other finds blocks of decoded rows in `filter`.
  const StreamedRows* streamed = nullptr;
#endif
};

struct DepthwiseConv2DFloatArgs {
  const ConvShape* shape;
  const float* filter;
  const float* bias;
  float activation_min;
  float activation_max;
};

// Make output rows [first_row, first_row + row_count).
using DepthwiseConv2DFn = RowsFn<DepthwiseConv2DArgs>;
using DepthwiseConv2DFloatFn = RowsFn<DepthwiseConv2DFloatArgs>;

Kernel<DepthwiseConv2DFn> DepthwiseConv2DRef;
Kernel<DepthwiseConv2DFloatFn> DepthwiseConv2DFloatRef;

LUTRA_DECLARE_DOTS(DepthwiseConv2DFn)
inline constexpr Variant<DepthwiseConv2DFn> kDepthwiseConv2DInt8[] = {
    LUTRA_DOT_VARIANTS(DepthwiseConv2DFn, DepthwiseConv2DRef)};
inline constexpr Variant<DepthwiseConv2DFloatFn> kDepthwiseConv2DFloat[] = {
    {"ref", kCpuAny, DepthwiseConv2DFloatRef}};

}  // namespace lutra
