// SPDX-License-Identifier: Apache-2.0
// The product of two matrices, each of which may be transposed in memory:
//
//   output[m, n] = clamp(offset + multiplier *
//                    sum over k of (lhs[m, k] + lhs_offset) * (rhs[k, n] + rhs_offset))
//
// Sums wrap in int32. The float32 kernel computes the sum alone. The int16 kernel has no offsets, and sums of
// 64 bits, which MultiplyWideAccumulator multiplies.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/dots.h"

namespace lutra {

struct MatMulShape {
  int32_t m;
  int32_t k;
  int32_t n;
  bool lhs_transposed;  // lhs is stored as [k, m], else as [m, k].
  bool rhs_transposed;  // rhs is stored as [n, k], else as [k, n].
};

struct MatMulArgs {
  MatMulShape shape;
  const int8_t* lhs;
  const int8_t* rhs;
  int8_t* output;  // Does not overlap lhs or rhs.
  Multiplier multiplier;
  int16_t lhs_offset;  // Minus the zero points.
  int16_t rhs_offset;
  int16_t output_offset;
};

struct MatMulInt16Args {
  MatMulShape shape;
  const int16_t* lhs;
  const int16_t* rhs;
  int16_t* output;  // Does not overlap lhs or rhs.
  Multiplier multiplier;
};

struct MatMulFloatArgs {
  MatMulShape shape;
  const float* lhs;
  const float* rhs;
  float* output;
};

using MatMulFn = void (*)(const MatMulArgs& args);
using MatMulInt16Fn = void (*)(const MatMulInt16Args& args);
using MatMulFloatFn = void (*)(const MatMulFloatArgs& args);

Kernel<MatMulFn> MatMulRef;
Kernel<MatMulInt16Fn> MatMulInt16Ref;
Kernel<MatMulFloatFn> MatMulFloatRef;

LUTRA_DECLARE_DOTS(MatMulFn)
inline constexpr Variant<MatMulFn> kMatMulInt8[] = {LUTRA_DOT_VARIANTS(MatMulFn, MatMulRef)};
inline constexpr Variant<MatMulInt16Fn> kMatMulInt16[] = {{"ref", kCpuAny, MatMulInt16Ref}};
inline constexpr Variant<MatMulFloatFn> kMatMulFloat[] = {{"ref", kCpuAny, MatMulFloatRef}};

}  // namespace lutra
