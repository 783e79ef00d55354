// SPDX-License-Identifier: Apache-2.0
// HuffmanDecode: decodes a prefix code, most significant bit first, by lookups in a table of tables.
//
//   entry = codes[next first_bits bits]
//   while entry is no leaf: entry = codes[its own index + its value + next (its count + 1) bits]
//   output[i] = its value; the first count bits of the last lookup are the code's, the others are read again
//
// Entries, little-endian: 16 bits = leaf 1, count 4, value 11; 32 bits = leaf 1, count 4, value 27
// (TFLM_DECODE's type 1). HuffmanLutDecode takes the low 8 bits of the value as an index into the
// element's value table, as LutDecode does. Every lookup stays in the table, every code in the stream,
// and no element takes more than 31 bits (checked at load).

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/cpu.h"

namespace lutra {

struct HuffmanDecodeArgs {
  const uint8_t* stream;
  size_t stream_bytes;  // Nothing behind the stream is read.
  const uint8_t* codes;
  size_t codes_bytes;  // Entries to which no code leads may be missing.
  bool wide_codes;     // Entries of 32 bits.
  int32_t first_bits;  // 1 to 16.
  int32_t count;
  void* output;  // Aligned to the element.
  // For HuffmanLutDecode only; as in LutDecodeArgs.
  const uint8_t* values;
  int32_t stride;
  int32_t channels;
  int32_t inner;
};

using HuffmanDecodeFn = void (*)(const HuffmanDecodeArgs& args);

// T: the type of elements, of 8 or 16 bits, with LUT of 8 to 64. A file for each instruction set defines the
// functions.
template <typename T>
Kernel<HuffmanDecodeFn> HuffmanDecodeRef;
template <typename T>
Kernel<HuffmanDecodeFn> HuffmanDecodeSse41;
template <typename T>
Kernel<HuffmanDecodeFn> HuffmanLutDecodeRef;
template <typename T>
Kernel<HuffmanDecodeFn> HuffmanLutDecodeSse41;
Kernel<HuffmanDecodeFn> HuffmanDecodeArmdsp, HuffmanLutDecodeArmdsp;  // For bytes only.

template <typename T>
inline constexpr Variant<HuffmanDecodeFn> kHuffmanDecode[] = {
#if LUTRA_HAVE_X86
    {"sse41", kCpuSse41, HuffmanDecodeSse41<T>},
#endif
    {"ref", kCpuAny, HuffmanDecodeRef<T>},
};

template <typename T>
inline constexpr Variant<HuffmanDecodeFn> kHuffmanLutDecode[] = {
#if LUTRA_HAVE_X86
    {"sse41", kCpuSse41, HuffmanLutDecodeSse41<T>},
#endif
    {"ref", kCpuAny, HuffmanLutDecodeRef<T>},
};

#if LUTRA_HAS_VARIANTS(huffman_decode, ARMDSP)
template <>
inline constexpr Variant<HuffmanDecodeFn> kHuffmanDecode<uint8_t>[] = {
    {"armdsp", kCpuArmDsp, HuffmanDecodeArmdsp},
    {"ref", kCpuAny, HuffmanDecodeRef<uint8_t>},
};
template <>
inline constexpr Variant<HuffmanDecodeFn> kHuffmanLutDecode<uint8_t>[] = {
    {"armdsp", kCpuArmDsp, HuffmanLutDecodeArmdsp},
    {"ref", kCpuAny, HuffmanLutDecodeRef<uint8_t>},
};
#endif

}  // namespace lutra
