// SPDX-License-Identifier: Apache-2.0
// Fully connected layer, one output row for each input row:
//
//   output[o] = clamp(offset + multiplier[o] * (bias[o] +
//                 sum over c of (input[c] + input_offset) * weights[o, c]))
//
// Sums wrap in int32. The float32 kernel: the same without offsets and multipliers.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"
#include "lutra/kernels/streamed_rows.h"

namespace lutra {

struct FullyConnectedArgs {
  int32_t depth;     // Values of an input row.
  int32_t channels;  // Values of an output row.
  ConvQuantization quantization;
  const int8_t* weights;          // [channels, depth]
  const int32_t* bias;            // [channels] or null.
  const Multiplier* multipliers;  // [channels], or one for all of them:
  bool one_multiplier;
#if LUTRA_HAVE_PREPARING_LAYERS
  const void* prepared = nullptr;  // The variant's own.
  // At prepare: the weights, if compressed weights are streamed; `weights` is null then. A variant that
  // prepares memory of them makes its runs from that; any other finds blocks of decoded rows in `weights`.
  const StreamedRows* streamed = nullptr;
  // At prepare: the rows of an inference, 0 if they are not known; a variant may leave few to the reference.
  int32_t rows = 0;
#endif
};

struct FullyConnectedFloatArgs {
  int32_t depth;
  int32_t channels;
  const float* weights;
  const float* bias;
  float activation_min;
  float activation_max;
};

// Make output rows [first_row, first_row + row_count).
using FullyConnectedFn = void (*)(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                                  int32_t first_row, int32_t row_count);
using FullyConnectedFloatFn = void (*)(const FullyConnectedFloatArgs& args, const Rows& input,
                                       const Rows& output, int32_t first_row, int32_t row_count);

void FullyConnectedRef(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                       int32_t first_row, int32_t row_count);
void FullyConnectedSse41(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                         int32_t first_row, int32_t row_count);
void FullyConnectedAvx2(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                        int32_t first_row, int32_t row_count);
void FullyConnectedAvxVnni(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                           int32_t first_row, int32_t row_count);
void FullyConnectedAvx512Vnni(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                              int32_t first_row, int32_t row_count);
int32_t PrepareFullyConnectedSse41(const FullyConnectedArgs& args, void* memory);
int32_t RowsAtOnceFullyConnectedSse41(const FullyConnectedArgs& args);
int32_t PrepareFullyConnectedAvx2(const FullyConnectedArgs& args, void* memory);
int32_t RowsAtOnceFullyConnectedAvx2(const FullyConnectedArgs& args);
int32_t PrepareFullyConnectedAvxVnni(const FullyConnectedArgs& args, void* memory);
int32_t RowsAtOnceFullyConnectedAvxVnni(const FullyConnectedArgs& args);
int32_t PrepareFullyConnectedAvx512Vnni(const FullyConnectedArgs& args, void* memory);
int32_t RowsAtOnceFullyConnectedAvx512Vnni(const FullyConnectedArgs& args);
void FullyConnectedFloatRef(const FullyConnectedFloatArgs& args, const Rows& input, const Rows& output,
                            int32_t first_row, int32_t row_count);

inline constexpr Variant<FullyConnectedFn> kFullyConnectedInt8[] = {
#if LUTRA_HAVE_AVX512VNNI
    {"avx512vnni", kCpuAvx512Vnni, FullyConnectedAvx512Vnni, PrepareFullyConnectedAvx512Vnni,
     Unprepared::kIsPassedOver, RowsAtOnceFullyConnectedAvx512Vnni},
#endif
#if LUTRA_HAVE_AVXVNNI
    {"avxvnni", kCpuAvxVnni, FullyConnectedAvxVnni, PrepareFullyConnectedAvxVnni, Unprepared::kIsPassedOver,
     RowsAtOnceFullyConnectedAvxVnni},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, FullyConnectedAvx2, PrepareFullyConnectedAvx2, Unprepared::kIsPassedOver,
     RowsAtOnceFullyConnectedAvx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, FullyConnectedSse41, PrepareFullyConnectedSse41, Unprepared::kIsPassedOver,
     RowsAtOnceFullyConnectedSse41},
#endif
    {"ref", kCpuAny, FullyConnectedRef},
};
inline constexpr Variant<FullyConnectedFloatFn> kFullyConnectedFloat[] = {
    {"ref", kCpuAny, FullyConnectedFloatRef}};

}  // namespace lutra
