// SPDX-License-Identifier: Apache-2.0
// PruneDecode: a map of which elements are kept, and their values one after the other.
//
//   output[i] = map bit i ? the next value : zero point of channel i / inner % channels
//
// Map bit i is bit 7 - i % 8 of byte i / 8. Without zero points, pruned elements are 0. There is a
// value for each bit that is set (checked at load).

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/tensor_info.h"

namespace lutra {

struct PruneDecodeArgs {
  const uint8_t* map;     // (count + 7) / 8 bytes.
  const uint8_t* values;  // Little-endian, at any alignment.
  PackedList<int64_t> zero_points;
  int32_t channels;
  int32_t inner;
  int32_t count;
  void* output;  // Aligned to the element.
};

using PruneDecodeFn = void (*)(const PruneDecodeArgs& args);

void PruneDecode8Ref(const PruneDecodeArgs& args);
void PruneDecode16Ref(const PruneDecodeArgs& args);
void PruneDecode32Ref(const PruneDecodeArgs& args);
void PruneDecode64Ref(const PruneDecodeArgs& args);
void PruneDecode8Sse41(const PruneDecodeArgs& args);
void PruneDecode16Sse41(const PruneDecodeArgs& args);
void PruneDecode32Sse41(const PruneDecodeArgs& args);
void PruneDecode64Sse41(const PruneDecodeArgs& args);
void PruneDecode32Avx2(const PruneDecodeArgs& args);
void PruneDecode64Avx2(const PruneDecodeArgs& args);
void PruneDecode8Avx512vbmi(const PruneDecodeArgs& args);
void PruneDecode16Avx512vbmi(const PruneDecodeArgs& args);
void PruneDecode32Avx512vbmi(const PruneDecodeArgs& args);
void PruneDecode64Avx512vbmi(const PruneDecodeArgs& args);

// By the bits of an element.
inline constexpr Variant<PruneDecodeFn> kPruneDecode8[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, PruneDecode8Avx512vbmi},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, PruneDecode8Sse41},
#endif
    {"ref", kCpuAny, PruneDecode8Ref},
};
inline constexpr Variant<PruneDecodeFn> kPruneDecode16[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, PruneDecode16Avx512vbmi},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, PruneDecode16Sse41},
#endif
    {"ref", kCpuAny, PruneDecode16Ref},
};
inline constexpr Variant<PruneDecodeFn> kPruneDecode32[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, PruneDecode32Avx512vbmi},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, PruneDecode32Avx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, PruneDecode32Sse41},
#endif
    {"ref", kCpuAny, PruneDecode32Ref},
};
inline constexpr Variant<PruneDecodeFn> kPruneDecode64[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, PruneDecode64Avx512vbmi},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, PruneDecode64Avx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, PruneDecode64Sse41},
#endif
    {"ref", kCpuAny, PruneDecode64Ref},
};

}  // namespace lutra
