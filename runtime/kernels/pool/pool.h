// SPDX-License-Identifier: Apache-2.0
// Average, maximum and root of the mean square over the window of each output pixel, channel by channel.
// Images are [height, width, depth]; the window of output pixel (y, x) begins at input pixel (y * stride_h -
// pad_top, x * stride_w - pad_left). Only pixels inside the image count; each window has at least one.
//
//   int8 average:  clamp(sum / count), to nearest, ties away from zero; sums of at most 2^23 codes
//   int8 maximum:  clamp(max)
//   int16:         the same on sums of at most 65535 codes
//   uint8:         the same on codes from 0 to 255; ties go up
//   float32:       the same, the average in float32
//   float32 L2:    clamp(sqrt(sum of squares / count)), each step in float32

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/kernels/rows.h"

namespace lutra {

struct PoolShape {
  int32_t in_height;
  int32_t in_width;
  int32_t depth;
  int32_t out_height;
  int32_t out_width;
  int32_t filter_height;
  int32_t filter_width;
  int32_t stride_h;
  int32_t stride_w;
  int32_t pad_top;
  int32_t pad_left;
};

struct PoolArgs {
  const PoolShape* shape;
  int32_t activation_min;
  int32_t activation_max;
};

struct PoolFloatArgs {
  const PoolShape* shape;
  float activation_min;
  float activation_max;
};

using PoolFn = RowsFn<PoolArgs>;
using PoolFloatFn = RowsFn<PoolFloatArgs>;

Kernel<PoolFn> AveragePoolRef, MaxPoolRef, AveragePoolSse41, MaxPoolSse41, AveragePoolAvx2, MaxPoolAvx2,
    AveragePoolArmdsp, MaxPoolArmdsp, AveragePoolMve, MaxPoolMve, AveragePoolUint8Ref, MaxPoolUint8Ref,
    AveragePoolInt16Ref, MaxPoolInt16Ref;
Kernel<PoolFloatFn> AveragePoolFloatRef, MaxPoolFloatRef, L2PoolFloatRef;

// Computes the int8 average over the whole image, which has one output pixel: adds one row of the input to
// `depth` sums. For the last row, `output` is not null, and is written.
void AddAveragePoolRow(const PoolArgs& args, const int8_t* row, int32_t* sums, int8_t* output);

inline constexpr Variant<PoolFn> kAveragePoolInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, AveragePoolAvx2},
    {"sse41", kCpuSse41, AveragePoolSse41},
#endif
#if LUTRA_HAS_VARIANTS(pool, MVE)
    {"mve", kCpuMve, AveragePoolMve},
#elif LUTRA_HAS_VARIANTS(pool, ARMDSP)
    {"armdsp", kCpuArmDsp, AveragePoolArmdsp},
#endif
    {"ref", kCpuAny, AveragePoolRef},
};
inline constexpr Variant<PoolFn> kMaxPoolInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, MaxPoolAvx2},
    {"sse41", kCpuSse41, MaxPoolSse41},
#endif
#if LUTRA_HAS_VARIANTS(pool, MVE)
    {"mve", kCpuMve, MaxPoolMve},
#elif LUTRA_HAS_VARIANTS(pool, ARMDSP)
    {"armdsp", kCpuArmDsp, MaxPoolArmdsp},
#endif
    {"ref", kCpuAny, MaxPoolRef},
};
inline constexpr Variant<PoolFn> kAveragePoolUint8[] = {{"ref", kCpuAny, AveragePoolUint8Ref}};
inline constexpr Variant<PoolFn> kMaxPoolUint8[] = {{"ref", kCpuAny, MaxPoolUint8Ref}};
inline constexpr Variant<PoolFn> kAveragePoolInt16[] = {{"ref", kCpuAny, AveragePoolInt16Ref}};
inline constexpr Variant<PoolFn> kMaxPoolInt16[] = {{"ref", kCpuAny, MaxPoolInt16Ref}};
inline constexpr Variant<PoolFloatFn> kAveragePoolFloat[] = {{"ref", kCpuAny, AveragePoolFloatRef}};
inline constexpr Variant<PoolFloatFn> kMaxPoolFloat[] = {{"ref", kCpuAny, MaxPoolFloatRef}};
inline constexpr Variant<PoolFloatFn> kL2PoolFloat[] = {{"ref", kCpuAny, L2PoolFloatRef}};

}  // namespace lutra
