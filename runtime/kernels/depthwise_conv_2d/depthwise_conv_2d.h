// SPDX-License-Identifier: Apache-2.0
// Convolution of each channel by itself; each input channel has m = out_channels / in_channels filters:
//
//   output[y, x, o] = clamp(offset + multiplier[o] * (bias[o] +
//                       sum over ky, kx of (input[iy, ix, o / m] + input_offset) *
//                                          filter[ky, kx, o]))
//
// with (iy, ix) as in conv_shape.h. Sums wrap in int32. The float32 kernel: the same without
// offsets and multipliers.

#pragma once

#include "lutra/cpu.h"
#include "lutra/kernels/conv_args.h"
#include "lutra/kernels/dots.h"
#include "lutra/kernels/rows.h"

namespace lutra {

// The filter is [filter_height, filter_width, channel_count].
using DepthwiseConv2DArgs = ConvArgs<struct DepthwiseConv2D>;

using DepthwiseConv2DFn = RowsFn<DepthwiseConv2DArgs>;
using DepthwiseConv2DFloatFn = RowsFn<ConvFloatArgs>;

Kernel<DepthwiseConv2DFn> DepthwiseConv2DRef;
Kernel<DepthwiseConv2DFloatFn> DepthwiseConv2DFloatRef;

#if LUTRA_HAS_VARIANTS(depthwise_conv_2d, ARMDSP)
Kernel<DepthwiseConv2DFn> DepthwiseConv2DArmdsp;
int32_t DepthwiseConv2DRowsAtOnceArmdsp(const DepthwiseConv2DArgs& args);
ScratchBytes DepthwiseConv2DScratchArmdsp(const DepthwiseConv2DArgs& args, int32_t rows);
#endif

#if LUTRA_HAS_VARIANTS(depthwise_conv_2d, MVE)
Kernel<DepthwiseConv2DFn> DepthwiseConv2DMve;
int32_t DepthwiseConv2DRowsAtOnceMve(const DepthwiseConv2DArgs& args);
ScratchBytes DepthwiseConv2DScratchMve(const DepthwiseConv2DArgs& args, int32_t rows);
#endif

LUTRA_DECLARE_DOTS(DepthwiseConv2DFn)
inline constexpr Variant<DepthwiseConv2DFn> kDepthwiseConv2DInt8[] = {
#if LUTRA_HAS_VARIANTS(depthwise_conv_2d, MVE)
    {"mve", kCpuMve, DepthwiseConv2DMve, nullptr, Unprepared::kRuns, DepthwiseConv2DRowsAtOnceMve,
     DepthwiseConv2DScratchMve},
#elif LUTRA_HAS_VARIANTS(depthwise_conv_2d, ARMDSP)
    {"armdsp", kCpuArmDsp, DepthwiseConv2DArmdsp, nullptr, Unprepared::kRuns, DepthwiseConv2DRowsAtOnceArmdsp,
     DepthwiseConv2DScratchArmdsp},
#endif
    LUTRA_DOT_VARIANTS(DepthwiseConv2DFn, DepthwiseConv2DRef)};
inline constexpr Variant<DepthwiseConv2DFloatFn> kDepthwiseConv2DFloat[] = {
    {"ref", kCpuAny, DepthwiseConv2DFloatRef}};

}  // namespace lutra
