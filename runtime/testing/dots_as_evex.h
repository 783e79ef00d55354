// SPDX-License-Identifier: Apache-2.0
// The avxvnni variants for processors that have AVX512-VNNI instead (dots_as_evex_avx512vnni.cc), as tables
// that tests of kernels run beside the real ones.
//
//   LUTRA_TEST_AS_EVEX(Conv2DInt8, kConv2DAsEvex);

#pragma once

#include "lutra/cpu.h"
#include "lutra/kernels/batch_matmul/batch_matmul.h"
#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "lutra/kernels/fully_connected/fully_connected.h"
#include "lutra/kernels/transpose_conv/transpose_conv.h"

#if LUTRA_HAVE_AVX512VNNI

namespace lutra {

int32_t PrepareConv2DAsEvexAvx512Vnni(const Conv2DArgs& args, void* memory);
int32_t RowsAtOnceConv2DAsEvexAvx512Vnni(const Conv2DArgs& args);
void Conv2DAsEvexAvx512Vnni(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                            int32_t row_count);
int32_t PrepareDepthwiseConv2DAsEvexAvx512Vnni(const DepthwiseConv2DArgs& args, void* memory);
int32_t RowsAtOnceDepthwiseConv2DAsEvexAvx512Vnni(const DepthwiseConv2DArgs& args);
void DepthwiseConv2DAsEvexAvx512Vnni(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                                     int32_t first_row, int32_t row_count);
int32_t PrepareFullyConnectedAsEvexAvx512Vnni(const FullyConnectedArgs& args, void* memory);
int32_t RowsAtOnceFullyConnectedAsEvexAvx512Vnni(const FullyConnectedArgs& args);
void FullyConnectedAsEvexAvx512Vnni(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                                    int32_t first_row, int32_t row_count);
int32_t PrepareTransposeConvAsEvexAvx512Vnni(const TransposeConvArgs& args, void* memory);
void TransposeConvAsEvexAvx512Vnni(const TransposeConvArgs& args, const Rows& input, const Rows& output,
                                   int32_t first_row, int32_t row_count);
void MatMulAsEvexAvx512Vnni(const MatMulArgs& args);

inline constexpr Variant<Conv2DFn> kConv2DAsEvex[] = {
    {"avxvnni", kCpuAvx512Vnni, Conv2DAsEvexAvx512Vnni, PrepareConv2DAsEvexAvx512Vnni,
     Unprepared::kIsPassedOver, RowsAtOnceConv2DAsEvexAvx512Vnni},
    {"ref", kCpuAny, Conv2DRef},
};
inline constexpr Variant<DepthwiseConv2DFn> kDepthwiseConv2DAsEvex[] = {
    {"avxvnni", kCpuAvx512Vnni, DepthwiseConv2DAsEvexAvx512Vnni, PrepareDepthwiseConv2DAsEvexAvx512Vnni,
     Unprepared::kIsPassedOver, RowsAtOnceDepthwiseConv2DAsEvexAvx512Vnni},
    {"ref", kCpuAny, DepthwiseConv2DRef},
};
inline constexpr Variant<FullyConnectedFn> kFullyConnectedAsEvex[] = {
    {"avxvnni", kCpuAvx512Vnni, FullyConnectedAsEvexAvx512Vnni, PrepareFullyConnectedAsEvexAvx512Vnni,
     Unprepared::kIsPassedOver, RowsAtOnceFullyConnectedAsEvexAvx512Vnni},
    {"ref", kCpuAny, FullyConnectedRef},
};
inline constexpr Variant<TransposeConvFn> kTransposeConvAsEvex[] = {
    {"avxvnni", kCpuAvx512Vnni, TransposeConvAsEvexAvx512Vnni, PrepareTransposeConvAsEvexAvx512Vnni,
     Unprepared::kIsPassedOver},
    {"ref", kCpuAny, TransposeConvRef},
};
inline constexpr Variant<MatMulFn> kMatMulAsEvex[] = {
    {"avxvnni", kCpuAvx512Vnni, MatMulAsEvexAvx512Vnni},
    {"ref", kCpuAny, MatMulRef},
};

}  // namespace lutra

// Not the reference, which the table's own test runs.
#define LUTRA_TEST_AS_EVEX(suite, table)                                                    \
  INSTANTIATE_TEST_SUITE_P(AsEvex, suite, testing::Values(TestedVariantsOf(table).front()), \
                           [](const auto& info) { return TestedVariantName(info); })

#else

#define LUTRA_TEST_AS_EVEX(suite, table) static_assert(true)

#endif
