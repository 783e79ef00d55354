// SPDX-License-Identifier: Apache-2.0
// Lookup: 256 codes to 256 codes, for every unary int8 operator.
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
};

using LookupFn = void (*)(const LookupArgs& args, int32_t first, int32_t count);

void LookupRef(const LookupArgs& args, int32_t first, int32_t count);

inline constexpr Variant<LookupFn> kLookup[] = {
    {"ref", kCpuAny, LookupRef},
};

}  // namespace lutra
