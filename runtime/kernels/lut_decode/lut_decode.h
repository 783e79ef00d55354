// SPDX-License-Identifier: Apache-2.0
// LutDecode: maps indices of 1 to 8 bits, one after the other in a bit stream, to values.
//
//   table     = values + (i / inner % channels) * stride
//   output[i - first] = table[index i],  first <= i < first + count
//
// Index i is bits [i * width, (i + 1) * width) of the stream. channels is 1 for one table, inner is 1 for
// tables along the last axis. Every index is below stride (checked at load).

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/compression/format.h"
#include "lutra/cpu.h"

namespace lutra {

struct LutDecodeArgs {
  const uint8_t* stream;
  size_t stream_bytes;  // Nothing behind the stream is read.
  BitOrder order;
  int32_t width;
  const uint8_t* values;  // channels * stride elements, little-endian, at any alignment.
  int32_t stride;
  int32_t channels;
  int32_t inner;
  void* output;  // Aligned to the element.
};

using LutDecodeFn = void (*)(const LutDecodeArgs& args, int32_t first, int32_t count);

// T: the type of elements, of 8 to 64 bits. A file for each instruction set defines the functions.
template <typename T>
Kernel<LutDecodeFn> LutDecodeRef;
template <typename T>
Kernel<LutDecodeFn> LutDecodeSse41;
template <typename T>
Kernel<LutDecodeFn> LutDecodeAvx2;
template <typename T>
Kernel<LutDecodeFn> LutDecodeAvx512vbmi;
Kernel<LutDecodeFn> LutDecodeArmdsp, LutDecodeMve;  // For bytes only.

template <typename T>
inline constexpr Variant<LutDecodeFn> kLutDecode[] = {
#if LUTRA_HAVE_X86
    {"avx512vbmi", kCpuAvx512Vbmi, LutDecodeAvx512vbmi<T>},
    {"avx2", kCpuAvx2, LutDecodeAvx2<T>},
    {"sse41", kCpuSse41, LutDecodeSse41<T>},
#endif
    {"ref", kCpuAny, LutDecodeRef<T>},
};

#if LUTRA_HAS_VARIANTS(lut_decode, ARMDSP)
template <>
inline constexpr Variant<LutDecodeFn> kLutDecode<uint8_t>[] = {
#if LUTRA_HAS_VARIANTS(lut_decode, MVE)
    {"mve", kCpuMve, LutDecodeMve},
#else
    {"armdsp", kCpuArmDsp, LutDecodeArmdsp},
#endif
    {"ref", kCpuAny, LutDecodeRef<uint8_t>},
};
#endif

}  // namespace lutra
