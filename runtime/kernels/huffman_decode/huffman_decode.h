// SPDX-License-Identifier: Apache-2.0
// HuffmanDecode: a prefix code, most significant bit first, decoded by lookups in a table of tables.
//
//   entry = codes[next first_bits bits]
//   while entry is no leaf: entry = codes[its own place + its value + next (its count + 1) bits]
//   output[i] = its value; of the last lookup's bits its count belong to the code, the rest is put back
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
  size_t stream_bytes;  // Nothing behind them is read.
  const uint8_t* codes;
  size_t codes_bytes;  // Of entries that no code leads to, some may be missing.
  bool wide_codes;     // Entries of 32 bits.
  int32_t first_bits;  // 1 to 16.
  int32_t count;
  void* output;  // Aligned to the element.
  // HuffmanLutDecode only; as in LutDecodeArgs.
  const uint8_t* values;
  int32_t stride;
  int32_t channels;
  int32_t inner;
};

using HuffmanDecodeFn = void (*)(const HuffmanDecodeArgs& args);

void HuffmanDecode8Ref(const HuffmanDecodeArgs& args);
void HuffmanDecode16Ref(const HuffmanDecodeArgs& args);
void HuffmanLutDecode8Ref(const HuffmanDecodeArgs& args);
void HuffmanLutDecode16Ref(const HuffmanDecodeArgs& args);
void HuffmanLutDecode32Ref(const HuffmanDecodeArgs& args);
void HuffmanLutDecode64Ref(const HuffmanDecodeArgs& args);
void HuffmanDecode8Sse41(const HuffmanDecodeArgs& args);
void HuffmanDecode16Sse41(const HuffmanDecodeArgs& args);
void HuffmanLutDecode8Sse41(const HuffmanDecodeArgs& args);
void HuffmanLutDecode16Sse41(const HuffmanDecodeArgs& args);
void HuffmanLutDecode32Sse41(const HuffmanDecodeArgs& args);
void HuffmanLutDecode64Sse41(const HuffmanDecodeArgs& args);

// By the bits of an element.
inline constexpr Variant<HuffmanDecodeFn> kHuffmanDecode8[] = {
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, HuffmanDecode8Sse41},
#endif
    {"ref", kCpuAny, HuffmanDecode8Ref},
};
inline constexpr Variant<HuffmanDecodeFn> kHuffmanDecode16[] = {
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, HuffmanDecode16Sse41},
#endif
    {"ref", kCpuAny, HuffmanDecode16Ref},
};
inline constexpr Variant<HuffmanDecodeFn> kHuffmanLutDecode8[] = {
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, HuffmanLutDecode8Sse41},
#endif
    {"ref", kCpuAny, HuffmanLutDecode8Ref},
};
inline constexpr Variant<HuffmanDecodeFn> kHuffmanLutDecode16[] = {
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, HuffmanLutDecode16Sse41},
#endif
    {"ref", kCpuAny, HuffmanLutDecode16Ref},
};
inline constexpr Variant<HuffmanDecodeFn> kHuffmanLutDecode32[] = {
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, HuffmanLutDecode32Sse41},
#endif
    {"ref", kCpuAny, HuffmanLutDecode32Ref},
};
inline constexpr Variant<HuffmanDecodeFn> kHuffmanLutDecode64[] = {
#if LUTRA_HAVE_SSE41
    {"sse41", kCpuSse41, HuffmanLutDecode64Sse41},
#endif
    {"ref", kCpuAny, HuffmanLutDecode64Ref},
};

}  // namespace lutra
