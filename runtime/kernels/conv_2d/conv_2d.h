// SPDX-License-Identifier: Apache-2.0
// Convolution in two dimensions, in groups:
//
//   output[y, x, o] = clamp(offset + multiplier[o] * (bias[o] +
//                       sum over ky, kx, c of (input[iy, ix, g + c] + input_offset) *
//                                             filter[o, ky, kx, c]))
//
// with (iy, ix) as in conv_shape.h and g the first channel of o's group. A filter has
// filter_channels channels and in_channels / filter_channels is the number of groups, each with as
// many output channels. Sums wrap in int32. The float32 kernel: the same without offsets and
// multipliers.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/dots.h"
#include "lutra/kernels/rows.h"
#include "lutra/kernels/streamed_rows.h"

namespace lutra {

struct Conv2DArgs {
  const ConvShape* shape;
  int32_t first_channel;  // conv_shape.h says which channels a call makes.
  int32_t channel_count;
  ConvQuantization quantization;
  const int8_t* filter;           // [channel_count, filter_height, filter_width, filter_channels]
  const int32_t* bias;            // [channel_count] or null.
  const Multiplier* multipliers;  // [channel_count]
#if LUTRA_HAVE_PREPARING_LAYERS
  const void* prepared = nullptr;  // The variant's own.
  // At prepare: the filter, if compressed weights are streamed; `filter` is null then. A variant that
  // prepares memory of them makes its runs from that; any other finds blocks of decoded rows in `filter`.
  const StreamedRows* streamed = nullptr;
#endif
};

struct Conv2DFloatArgs {
  const ConvShape* shape;
  const float* filter;
  const float* bias;
  float activation_min;
  float activation_max;
};

// Make output rows [first_row, first_row + row_count).
using Conv2DFn = RowsFn<Conv2DArgs>;
using Conv2DFloatFn = RowsFn<Conv2DFloatArgs>;

Kernel<Conv2DFn> Conv2DRef;
Kernel<Conv2DFloatFn> Conv2DFloatRef;

LUTRA_DECLARE_DOTS(Conv2DFn)
inline constexpr Variant<Conv2DFn> kConv2DInt8[] = {LUTRA_DOT_VARIANTS(Conv2DFn, Conv2DRef)};
inline constexpr Variant<Conv2DFloatFn> kConv2DFloat[] = {{"ref", kCpuAny, Conv2DFloatRef}};

}  // namespace lutra
