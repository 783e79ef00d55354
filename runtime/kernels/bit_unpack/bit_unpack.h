// SPDX-License-Identifier: Apache-2.0
// BitUnpack: converts integers of 1 to 31 bits to elements of 1, 2 or 4 bytes.
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
  size_t stream_bytes;  // Nothing behind the stream is read.
  BitOrder order;
  int32_t width;
  bool sign_extend;
  int32_t first_bit;  // The bit at which item 0 begins, 0 to 31.
  void* output;       // Aligned to the element.
};

using BitUnpackFn = void (*)(const BitUnpackArgs& args, int32_t first, int32_t count);

// T: the type of elements, of 8 to 32 bits. A file for each instruction set defines the functions.
template <typename T>
Kernel<BitUnpackFn> BitUnpackRef;
template <typename T>
Kernel<BitUnpackFn> BitUnpackSse41;
template <typename T>
Kernel<BitUnpackFn> BitUnpackAvx2;
template <typename T>
Kernel<BitUnpackFn> BitUnpackAvx512vbmi;

template <typename T>
inline constexpr Variant<BitUnpackFn> kBitUnpack[] = {
#if LUTRA_HAVE_X86
    {"avx512vbmi", kCpuAvx512Vbmi, BitUnpackAvx512vbmi<T>},
    {"avx2", kCpuAvx2, BitUnpackAvx2<T>},
    {"sse41", kCpuSse41, BitUnpackSse41<T>},
#endif
    {"ref", kCpuAny, BitUnpackRef<T>},
};

}  // namespace lutra
