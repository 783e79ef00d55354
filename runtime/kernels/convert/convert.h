// SPDX-License-Identifier: Apache-2.0
// Convert: converts one element type to another, with or without quantisation.
//
//   kQuantize    real to code      round_half_away(f32(x / scale)) + zero_point, clamped
//   kRequantize  code to code      (x - in_zero_point) * multiplier + out_zero_point, clamped
//   kDequantize  code to real      f32(scale * (x - zero_point)), the product in double
//   kCast        number to number  as in C; a real that does not fit saturates, NaN becomes 0
//
// for elements first <= i < first + count. Where both types have the same size, output may be
// input. Rules: TFLite's reference kernels for QUANTIZE, DEQUANTIZE and CAST.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/tensor_info.h"

namespace lutra {

enum class Conversion : uint8_t { kQuantize, kRequantize, kDequantize, kCast };

struct ConvertArgs {
  Conversion conversion;
  TensorType in_type;  // int8, uint8, int16, int32, uint32, int64, bool, float32.
  TensorType out_type;
  float scale;  // kQuantize: the output's. kDequantize: the input's.
  int32_t in_zero_point;
  int32_t out_zero_point;
  Multiplier multiplier;
  const void* input;
  void* output;
};

using ConvertFn = void (*)(const ConvertArgs& args, int32_t first, int32_t count);

Kernel<ConvertFn> ConvertRef, ConvertAvx2;

inline constexpr Variant<ConvertFn> kConvert[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ConvertAvx2},
#endif
    {"ref", kCpuAny, ConvertRef},
};

}  // namespace lutra
