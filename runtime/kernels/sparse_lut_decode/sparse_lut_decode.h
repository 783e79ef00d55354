// SPDX-License-Identifier: Apache-2.0
// SparseLutDecode: a flag bit for each element; 0 means the special symbol, an index follows 1.
//
//   output[i] = flag i == 0 ? special : values[index],  0 <= i < count
//
// The special symbol's low bytes are stored, as many as an element has. Every index has an entry (checked
// at load). (GAP9's mode T3.)

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/compression/format.h"
#include "lutra/cpu.h"

namespace lutra {

struct SparseLutDecodeArgs {
  const uint8_t* stream;
  size_t stream_bytes;  // Nothing behind the stream is read.
  BitOrder order;
  int32_t width;          // An index has 1 to 8 bits.
  int32_t first_bit;      // The bit of the first flag, 0 to 31.
  const uint8_t* values;  // Little-endian, at any alignment.
  uint32_t special;
  int32_t count;
  void* output;  // Aligned to the element.
};

using SparseLutDecodeFn = void (*)(const SparseLutDecodeArgs& args);

// T: the type of elements, of 8 to 32 bits. A file for each instruction set defines the functions.
template <typename T>
Kernel<SparseLutDecodeFn> SparseLutDecodeRef;
Kernel<SparseLutDecodeFn> SparseLutDecodeArmdsp;  // For bytes only.

template <typename T>
inline constexpr Variant<SparseLutDecodeFn> kSparseLutDecode[] = {
    {"ref", kCpuAny, SparseLutDecodeRef<T>},
};

#if LUTRA_HAS_VARIANTS(sparse_lut_decode, ARMDSP)
template <>
inline constexpr Variant<SparseLutDecodeFn> kSparseLutDecode<uint8_t>[] = {
    {"armdsp", kCpuArmDsp, SparseLutDecodeArmdsp},
    {"ref", kCpuAny, SparseLutDecodeRef<uint8_t>},
};
#endif

}  // namespace lutra
