// SPDX-License-Identifier: Apache-2.0
// Transposed convolution: each input pixel adds its products with the filter to the output pixels
//
//   (iy * stride_h - pad_top + ky, ix * stride_w - pad_left + kx)
//
// that exist. The kernels compute it from the output's side:
//
//   output[y, x, o] = clamp(offset + multiplier[o] * (bias[o] +
//                       sum over ky, kx, c of (input[iy, ix, c] + input_offset) *
//                                             filter[o, ky, kx, c]))
//
// over the taps for which iy = (y + pad_top - ky) / stride_h and ix, computed likewise, are whole numbers
// inside the image. In ConvShape, dilations are 1. Sums wrap in int32. The float32 kernel is the same
// without offsets and multipliers.

#pragma once

#include "lutra/cpu.h"
#include "lutra/kernels/conv_args.h"
#include "lutra/kernels/dots.h"
#include "lutra/kernels/rows.h"

namespace lutra {

// The filter is [channel_count, filter_height, filter_width, in_channels].
using TransposeConvArgs = ConvArgs<struct TransposeConv>;

// The whole input may be read.
using TransposeConvFn = RowsFn<TransposeConvArgs>;
using TransposeConvFloatFn = RowsFn<ConvFloatArgs>;

Kernel<TransposeConvFn> TransposeConvRef;
Kernel<TransposeConvFloatFn> TransposeConvFloatRef;

LUTRA_DECLARE_DOTS(TransposeConvFn)
inline constexpr Variant<TransposeConvFn> kTransposeConvInt8[] = {
    LUTRA_DOT_VARIANTS(TransposeConvFn, TransposeConvRef)};
inline constexpr Variant<TransposeConvFloatFn> kTransposeConvFloat[] = {
    {"ref", kCpuAny, TransposeConvFloatRef}};

}  // namespace lutra
