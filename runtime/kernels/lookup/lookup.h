// SPDX-License-Identifier: Apache-2.0
// Lookup: maps 256 codes to 256 codes, for every unary int8 operator.
//
//   output[i] = table[uint8(input[i])],  first <= i < first + count
//
// Element-wise: each element is read before it is written, so output may be input.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"

namespace lutra {

struct LookupArgs {
  const uint8_t* table;  // 256 entries; the index is the code's bit pattern.
  const uint8_t* input;
  uint8_t* output;
  const void* prepared;  // What the variant prepared, or null.
};

using LookupFn = void (*)(const LookupArgs& args, int32_t first, int32_t count);

Kernel<LookupFn> LookupRef, LookupSse41, LookupAvx2, LookupAvx512Vbmi, LookupMve;
int32_t PrepareLookupSse41(const LookupArgs& args, void* memory);
int32_t PrepareLookupAvx2(const LookupArgs& args, void* memory);

inline constexpr Variant<LookupFn> kLookup[] = {
#if LUTRA_HAVE_X86
    {"avx512vbmi", kCpuAvx512Vbmi, LookupAvx512Vbmi},
    {"avx2", kCpuAvx2, LookupAvx2, PrepareLookupAvx2},
    {"sse41", kCpuSse41, LookupSse41, PrepareLookupSse41, Unprepared::kIsPassedOver},
#endif
#if LUTRA_HAS_VARIANTS(lookup, MVE)
    {"mve", kCpuMve, LookupMve},
#endif
    {"ref", kCpuAny, LookupRef},
};

}  // namespace lutra
