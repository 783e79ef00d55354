// SPDX-License-Identifier: Apache-2.0
// BitUnpack: integers of 1 to 31 bits to elements of 1, 2 or 4 bytes.
//
//   output[i - first] = extend(bits [first_bit + i * width, first_bit + (i + 1) * width) of the stream)
//
// extend fills with zeros or, if sign_extend, with the item's highest bit; a narrower element keeps
// the low bits. (GAP9's mode T1.)

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/compression/format.h"
#include "lutra/cpu.h"

namespace lutra {

struct BitUnpackArgs {
  const uint8_t* stream;
  size_t stream_bytes;  // Nothing behind them is read.
  BitOrder order;
  int32_t width;
  bool sign_extend;
  int32_t first_bit;  // Where item 0 begins, 0 to 31.
  void* output;       // Aligned to the element.
};

using BitUnpackFn = void (*)(const BitUnpackArgs& args, int32_t first, int32_t count);

void BitUnpack8Ref(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack16Ref(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack32Ref(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack8Sse41(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack16Sse41(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack32Sse41(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack8Avx2(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack16Avx2(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack32Avx2(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack8Avx512vbmi(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack16Avx512vbmi(const BitUnpackArgs& args, int32_t first, int32_t count);
void BitUnpack32Avx512vbmi(const BitUnpackArgs& args, int32_t first, int32_t count);

// By the bits of an element.
inline constexpr Variant<BitUnpackFn> kBitUnpack8[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, BitUnpack8Avx512vbmi},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, BitUnpack8Avx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, BitUnpack8Sse41},
#endif
    {"ref", kCpuAny, BitUnpack8Ref},
};
inline constexpr Variant<BitUnpackFn> kBitUnpack16[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, BitUnpack16Avx512vbmi},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, BitUnpack16Avx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, BitUnpack16Sse41},
#endif
    {"ref", kCpuAny, BitUnpack16Ref},
};
inline constexpr Variant<BitUnpackFn> kBitUnpack32[] = {
#if LUTRA_HAVE_AVX512VBMI
    {"avx512vbmi", kCpuAvx512Vbmi, BitUnpack32Avx512vbmi},
#endif
#if LUTRA_HAVE_AVX2
    {"avx2", kCpuAvx2, BitUnpack32Avx2},
#endif
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, BitUnpack32Sse41},
#endif
    {"ref", kCpuAny, BitUnpack32Ref},
};

}  // namespace lutra
