// SPDX-License-Identifier: Apache-2.0
// Binary: arithmetic on two inputs, int8, int32 and float32.
//
//   output[i] = f(a[i * a_step], b[i * b_step]),  first <= i < first + count, steps 0 or 1
//
// int8, with x = code - zero point of its input:
//   Add, Sub            y = (x << 20) * multiplier of its input; (y_a +- y_b) * out_multiplier
//   Mul                 x_a * x_b * out_multiplier
//   SquaredDifference   y = (x << 7) * multiplier of its input; (y_a - y_b)^2 * out_multiplier
//   Div                 x_a / x_b * out_multiplier by a fixed-point reciprocal; x_b is not 0
// then + out_zero_point, clamped to [min, max]. float32 is clamped to [float_min, float_max], int32 wraps;
// its Div drops the fraction and is 0 where b is 0.
// float32 alone:
//   FloorDiv            floor(a / b) of the quotient in double
//   FloorMod            the remainder of a / b with the sign of b; -6 modulo 3 is -0, x modulo 0 not-a-number
// Element-wise where both steps are 1: output may be either input. Rules: TFLite's reference kernels.
//
// Each function is a kernel of its own, so that an application links only those it uses.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"

namespace lutra {

struct BinaryQuantization {
  Multiplier a_multiplier;  // Add, Sub, SquaredDifference.
  Multiplier b_multiplier;
  Multiplier out_multiplier;
  int8_t a_zero_point;
  int8_t b_zero_point;
  int8_t out_zero_point;
  int8_t min;
  int8_t max;
};

struct BinaryArgs {
  const void* a;
  const void* b;
  void* output;
  int32_t a_step;
  int32_t b_step;
  const BinaryQuantization* quantization;  // int8.
  float float_min;
  float float_max;
#if LUTRA_HAVE_X86
  const void* prepared = nullptr;  // What the variant prepared.
#endif
};

using BinaryFn = void (*)(const BinaryArgs& args, int32_t first, int32_t count);

Kernel<BinaryFn> AddRef, SubRef, MulRef, DivRef, SquaredDifferenceRef;

Kernel<BinaryFn> AddMve, SubMve, MulMve;

Kernel<BinaryFn> AddArmdsp, SubArmdsp;

Kernel<BinaryFn> AddSse41, SubSse41, MulSse41;

Kernel<BinaryFn> AddAvx2, SubAvx2;
int32_t PrepareAddAvx2(const BinaryArgs& args, void* memory);
int32_t PrepareSubAvx2(const BinaryArgs& args, void* memory);
Kernel<BinaryFn> MulAvx2, SquaredDifferenceAvx2;

Kernel<BinaryFn> AddAvx512Vnni, SubAvx512Vnni;
int32_t PrepareAddAvx512Vnni(const BinaryArgs& args, void* memory);
int32_t PrepareSubAvx512Vnni(const BinaryArgs& args, void* memory);
Kernel<BinaryFn> MulAvx512Vnni;

Kernel<BinaryFn> AddFloatRef, SubFloatRef, MulFloatRef, DivFloatRef, SquaredDifferenceFloatRef,
    FloorDivFloatRef, FloorModFloatRef, AddFloatAvx2, SubFloatAvx2, MulFloatAvx2, DivFloatAvx2,
    SquaredDifferenceFloatAvx2;

Kernel<BinaryFn> AddInt32Ref, SubInt32Ref, MulInt32Ref, DivInt32Ref, SquaredDifferenceInt32Ref;

inline constexpr Variant<BinaryFn> kAddInt8[] = {
#if LUTRA_HAVE_X86
    {"avx512vnni", kCpuAvx512Vnni, AddAvx512Vnni, PrepareAddAvx512Vnni},
    {"avx2", kCpuAvx2, AddAvx2, PrepareAddAvx2},
    {"sse41", kCpuSse41, AddSse41},
#endif
#if LUTRA_HAS_VARIANTS(binary, MVE)
    {"mve", kCpuMve, AddMve},
#elif LUTRA_HAS_VARIANTS(binary, ARMDSP)
    {"armdsp", kCpuArmDsp, AddArmdsp},
#endif
    {"ref", kCpuAny, AddRef},
};
inline constexpr Variant<BinaryFn> kSubInt8[] = {
#if LUTRA_HAVE_X86
    {"avx512vnni", kCpuAvx512Vnni, SubAvx512Vnni, PrepareSubAvx512Vnni},
    {"avx2", kCpuAvx2, SubAvx2, PrepareSubAvx2},
    {"sse41", kCpuSse41, SubSse41},
#endif
#if LUTRA_HAS_VARIANTS(binary, MVE)
    {"mve", kCpuMve, SubMve},
#elif LUTRA_HAS_VARIANTS(binary, ARMDSP)
    {"armdsp", kCpuArmDsp, SubArmdsp},
#endif
    {"ref", kCpuAny, SubRef},
};
inline constexpr Variant<BinaryFn> kMulInt8[] = {
#if LUTRA_HAVE_X86
    {"avx512vnni", kCpuAvx512Vnni, MulAvx512Vnni},
    {"avx2", kCpuAvx2, MulAvx2},
    {"sse41", kCpuSse41, MulSse41},
#endif
#if LUTRA_HAS_VARIANTS(binary, MVE)
    {"mve", kCpuMve, MulMve},
#endif
    {"ref", kCpuAny, MulRef},
};
inline constexpr Variant<BinaryFn> kDivInt8[] = {{"ref", kCpuAny, DivRef}};
inline constexpr Variant<BinaryFn> kSquaredDifferenceInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, SquaredDifferenceAvx2},
#endif
    {"ref", kCpuAny, SquaredDifferenceRef},
};

inline constexpr Variant<BinaryFn> kAddFloat[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, AddFloatAvx2},
#endif
    {"ref", kCpuAny, AddFloatRef},
};
inline constexpr Variant<BinaryFn> kSubFloat[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, SubFloatAvx2},
#endif
    {"ref", kCpuAny, SubFloatRef},
};
inline constexpr Variant<BinaryFn> kMulFloat[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, MulFloatAvx2},
#endif
    {"ref", kCpuAny, MulFloatRef},
};
inline constexpr Variant<BinaryFn> kDivFloat[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, DivFloatAvx2},
#endif
    {"ref", kCpuAny, DivFloatRef},
};
inline constexpr Variant<BinaryFn> kSquaredDifferenceFloat[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, SquaredDifferenceFloatAvx2},
#endif
    {"ref", kCpuAny, SquaredDifferenceFloatRef},
};
inline constexpr Variant<BinaryFn> kFloorDivFloat[] = {{"ref", kCpuAny, FloorDivFloatRef}};
inline constexpr Variant<BinaryFn> kFloorModFloat[] = {{"ref", kCpuAny, FloorModFloatRef}};

inline constexpr Variant<BinaryFn> kAddInt32[] = {{"ref", kCpuAny, AddInt32Ref}};
inline constexpr Variant<BinaryFn> kSubInt32[] = {{"ref", kCpuAny, SubInt32Ref}};
inline constexpr Variant<BinaryFn> kMulInt32[] = {{"ref", kCpuAny, MulInt32Ref}};
inline constexpr Variant<BinaryFn> kDivInt32[] = {{"ref", kCpuAny, DivInt32Ref}};
inline constexpr Variant<BinaryFn> kSquaredDifferenceInt32[] = {{"ref", kCpuAny, SquaredDifferenceInt32Ref}};

}  // namespace lutra
