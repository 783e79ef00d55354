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
#include "lutra/kernels/rows.h"
#include "lutra/kernels/streamed_rows.h"

namespace lutra {

struct DepthwiseConv2DArgs {
  const ConvShape* shape;
  ConvQuantization quantization;
  const int8_t* filter;           // [filter_height, filter_width, out_channels]
  const int32_t* bias;            // [out_channels] or null.
  const Multiplier* multipliers;  // [out_channels]
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
using DepthwiseConv2DFn = void (*)(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                                   int32_t first_row, int32_t row_count);
using DepthwiseConv2DFloatFn = void (*)(const DepthwiseConv2DFloatArgs& args, const Rows& input,
                                        const Rows& output, int32_t first_row, int32_t row_count);

void DepthwiseConv2DRef(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                        int32_t first_row, int32_t row_count);
void DepthwiseConv2DSse41(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                          int32_t first_row, int32_t row_count);
void DepthwiseConv2DAvx2(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                         int32_t first_row, int32_t row_count);
void DepthwiseConv2DAvxVnni(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                            int32_t first_row, int32_t row_count);
void DepthwiseConv2DAvx512Vnni(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                               int32_t first_row, int32_t row_count);
int32_t PrepareDepthwiseConv2DSse41(const DepthwiseConv2DArgs& args, void* memory);
int32_t RowsAtOnceDepthwiseConv2DSse41(const DepthwiseConv2DArgs& args);
int32_t PrepareDepthwiseConv2DAvx2(const DepthwiseConv2DArgs& args, void* memory);
int32_t RowsAtOnceDepthwiseConv2DAvx2(const DepthwiseConv2DArgs& args);
int32_t PrepareDepthwiseConv2DAvxVnni(const DepthwiseConv2DArgs& args, void* memory);
int32_t RowsAtOnceDepthwiseConv2DAvxVnni(const DepthwiseConv2DArgs& args);
int32_t PrepareDepthwiseConv2DAvx512Vnni(const DepthwiseConv2DArgs& args, void* memory);
int32_t RowsAtOnceDepthwiseConv2DAvx512Vnni(const DepthwiseConv2DArgs& args);
void DepthwiseConv2DFloatRef(const DepthwiseConv2DFloatArgs& args, const Rows& input, const Rows& output,
                             int32_t first_row, int32_t row_count);

inline constexpr Variant<DepthwiseConv2DFn> kDepthwiseConv2DInt8[] = {
#if LUTRA_HAVE_AVX512VNNI
    {"avx512vnni", kCpuAvx512Vnni, DepthwiseConv2DAvx512Vnni, PrepareDepthwiseConv2DAvx512Vnni,
     Unprepared::kIsPassedOver, RowsAtOnceDepthwiseConv2DAvx512Vnni},
#endif
#if LUTRA_HAVE_AVXVNNI
    {"avxvnni", kCpuAvxVnni, DepthwiseConv2DAvxVnni, PrepareDepthwiseConv2DAvxVnni, Unprepared::kIsPassedOver,
     RowsAtOnceDepthwiseConv2DAvxVnni},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, DepthwiseConv2DAvx2, PrepareDepthwiseConv2DAvx2, Unprepared::kIsPassedOver,
     RowsAtOnceDepthwiseConv2DAvx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, DepthwiseConv2DSse41, PrepareDepthwiseConv2DSse41, Unprepared::kIsPassedOver,
     RowsAtOnceDepthwiseConv2DSse41},
#endif
    {"ref", kCpuAny, DepthwiseConv2DRef},
};
inline constexpr Variant<DepthwiseConv2DFloatFn> kDepthwiseConv2DFloat[] = {
    {"ref", kCpuAny, DepthwiseConv2DFloatRef}};

}  // namespace lutra
