// SPDX-License-Identifier: Apache-2.0
// PruneDecode: decodes a map of the elements that are kept, and the values of these one after the other.
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

// T: the type of elements, of 8 to 64 bits. A file for each instruction set defines the functions.
template <typename T>
Kernel<PruneDecodeFn> PruneDecodeRef;
template <typename T>
Kernel<PruneDecodeFn> PruneDecodeSse41;
template <typename T>  // Elements of 32 and 64 bits.
Kernel<PruneDecodeFn> PruneDecodeAvx2;
template <typename T>
Kernel<PruneDecodeFn> PruneDecodeAvx512vbmi;
Kernel<PruneDecodeFn> PruneDecodeArmdsp;  // For bytes only.

template <typename T>
inline constexpr Variant<PruneDecodeFn> kPruneDecode[] = {
#if LUTRA_HAVE_X86
    {"avx512vbmi", kCpuAvx512Vbmi, PruneDecodeAvx512vbmi<T>},
    {"avx2", kCpuAvx2, PruneDecodeAvx2<T>},
    {"sse41", kCpuSse41, PruneDecodeSse41<T>},
#endif
    {"ref", kCpuAny, PruneDecodeRef<T>},
};

template <typename T>
requires(sizeof(T) <= 2) inline constexpr Variant<PruneDecodeFn> kPruneDecode<T>[] = {
#if LUTRA_HAVE_X86
    {"avx512vbmi", kCpuAvx512Vbmi, PruneDecodeAvx512vbmi<T>},
    {"sse41", kCpuSse41, PruneDecodeSse41<T>},
#endif
    {"ref", kCpuAny, PruneDecodeRef<T>},
};

#if LUTRA_HAS_VARIANTS(prune_decode, ARMDSP)
template <>
inline constexpr Variant<PruneDecodeFn> kPruneDecode<uint8_t>[] = {
    {"armdsp", kCpuArmDsp, PruneDecodeArmdsp},
    {"ref", kCpuAny, PruneDecodeRef<uint8_t>},
};
#endif

}  // namespace lutra
