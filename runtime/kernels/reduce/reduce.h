// SPDX-License-Identifier: Apache-2.0
// Reductions over any set of dimensions:
//
//   sum:       output[k] = clamp(offset + multiplier * sum over r of (input[k, r] - zero point))
//   max, min:  output[k] = max or min over r of input[k, r]
//
// k runs over the kept dimensions in row-major order, r over the reduced ones. A mean is a sum
// whose multiplier includes 1 / n. n * 255, or for int16 n * (32768 + |zero point|), fits int32. Float32 has
// the sum times `scale`, max, min.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"

namespace lutra {

// Neighbouring dimensions of one kind are merged and dimensions of one element dropped, so that of eight
// dimensions at most four are of either kind.
inline constexpr int32_t kMaxReduceRank = 4;

struct ReduceDim {
  int32_t count;
  int32_t stride;  // In elements of the input.
};

struct ReduceShape {
  const ReduceDim* kept;  // From the outermost.
  const ReduceDim* reduced;
  int32_t kept_rank;
  int32_t reduced_rank;
};

// The function determines the type of input and output.
struct ReduceArgs {
  ReduceShape shape;
  const void* input;
  void* output;
  // Sums of codes:
  int32_t sum_offset;  // Minus the input's zero point, times n.
  Multiplier multiplier;
  int32_t output_offset;  // The output's zero point.
  // float32 sums:
  float scale;
};

using ReduceFn = void (*)(const ReduceArgs& args);

Kernel<ReduceFn> ReduceSumRef, ReduceMaxRef, ReduceMinRef, ReduceSumAvx2, ReduceMaxAvx2, ReduceMinAvx2,
    ReduceSumArmdsp, ReduceMaxArmdsp, ReduceMinArmdsp, ReduceSumMve, ReduceMaxMve, ReduceMinMve,
    ReduceSumFloatRef, ReduceMaxFloatRef, ReduceMinFloatRef, ReduceSumInt16Ref;

inline constexpr Variant<ReduceFn> kReduceSumInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ReduceSumAvx2},
#endif
#if LUTRA_HAS_VARIANTS(reduce, MVE)
    {"mve", kCpuMve, ReduceSumMve},
#elif LUTRA_HAS_VARIANTS(reduce, ARMDSP)
    {"armdsp", kCpuArmDsp, ReduceSumArmdsp},
#endif
    {"ref", kCpuAny, ReduceSumRef},
};
inline constexpr Variant<ReduceFn> kReduceMaxInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ReduceMaxAvx2},
#endif
#if LUTRA_HAS_VARIANTS(reduce, MVE)
    {"mve", kCpuMve, ReduceMaxMve},
#elif LUTRA_HAS_VARIANTS(reduce, ARMDSP)
    {"armdsp", kCpuArmDsp, ReduceMaxArmdsp},
#endif
    {"ref", kCpuAny, ReduceMaxRef},
};
inline constexpr Variant<ReduceFn> kReduceMinInt8[] = {
#if LUTRA_HAVE_X86
    {"avx2", kCpuAvx2, ReduceMinAvx2},
#endif
#if LUTRA_HAS_VARIANTS(reduce, MVE)
    {"mve", kCpuMve, ReduceMinMve},
#elif LUTRA_HAS_VARIANTS(reduce, ARMDSP)
    {"armdsp", kCpuArmDsp, ReduceMinArmdsp},
#endif
    {"ref", kCpuAny, ReduceMinRef},
};
inline constexpr Variant<ReduceFn> kReduceSumInt16[] = {{"ref", kCpuAny, ReduceSumInt16Ref}};
inline constexpr Variant<ReduceFn> kReduceSumFloat[] = {{"ref", kCpuAny, ReduceSumFloatRef}};
inline constexpr Variant<ReduceFn> kReduceMaxFloat[] = {{"ref", kCpuAny, ReduceMaxFloatRef}};
inline constexpr Variant<ReduceFn> kReduceMinFloat[] = {{"ref", kCpuAny, ReduceMinFloatRef}};

}  // namespace lutra
