// SPDX-License-Identifier: Apache-2.0
// LutDecode: indices of 1 to 8 bits, one after the other in a bit stream, to values.
//
//   table     = values + (i / inner % channels) * stride
//   output[i - first] = table[index i],  first <= i < first + count
//
// Index i occupies bits [i * width, (i + 1) * width) of the stream. One table: channels 1. Tables on
// the last axis: inner 1. Every index is below stride (checked at load).

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/compression/format.h"
#include "lutra/cpu.h"

namespace lutra {

struct LutDecodeArgs {
  const uint8_t* stream;
  size_t stream_bytes;  // Nothing behind them is read.
  BitOrder order;
  int32_t width;
  const uint8_t* values;  // channels * stride elements, little-endian, at any alignment.
  int32_t stride;
  int32_t channels;
  int32_t inner;
  void* output;  // Aligned to the element.
};

using LutDecodeFn = void (*)(const LutDecodeArgs& args, int32_t first, int32_t count);

void LutDecode8Ref(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode16Ref(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode32Ref(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode64Ref(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode8Sse41(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode16Sse41(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode32Sse41(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode64Sse41(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode8Avx2(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode16Avx2(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode32Avx2(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode64Avx2(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode8Avx512vbmi(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode16Avx512vbmi(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode32Avx512vbmi(const LutDecodeArgs& args, int32_t first, int32_t count);
void LutDecode64Avx512vbmi(const LutDecodeArgs& args, int32_t first, int32_t count);

// By the bits of an element.
inline constexpr Variant<LutDecodeFn> kLutDecode8[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, LutDecode8Avx512vbmi},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, LutDecode8Avx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, LutDecode8Sse41},
#endif
    {"ref", kCpuAny, LutDecode8Ref},
};
inline constexpr Variant<LutDecodeFn> kLutDecode16[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, LutDecode16Avx512vbmi},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, LutDecode16Avx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, LutDecode16Sse41},
#endif
    {"ref", kCpuAny, LutDecode16Ref},
};
inline constexpr Variant<LutDecodeFn> kLutDecode32[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, LutDecode32Avx512vbmi},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, LutDecode32Avx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, LutDecode32Sse41},
#endif
    {"ref", kCpuAny, LutDecode32Ref},
};
inline constexpr Variant<LutDecodeFn> kLutDecode64[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, LutDecode64Avx512vbmi},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, LutDecode64Avx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, LutDecode64Sse41},
#endif
    {"ref", kCpuAny, LutDecode64Ref},
};

}  // namespace lutra
