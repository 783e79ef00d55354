// SPDX-License-Identifier: Apache-2.0
// PruneDecode: a map of which elements are kept, and their values one after the other.
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

void PruneDecode8Ref(const PruneDecodeArgs& args);
void PruneDecode16Ref(const PruneDecodeArgs& args);
void PruneDecode32Ref(const PruneDecodeArgs& args);
void PruneDecode64Ref(const PruneDecodeArgs& args);

// By the bits of an element.
inline constexpr Variant<PruneDecodeFn> kPruneDecode8[] = {{"ref", kCpuAny, PruneDecode8Ref}};
inline constexpr Variant<PruneDecodeFn> kPruneDecode16[] = {{"ref", kCpuAny, PruneDecode16Ref}};
inline constexpr Variant<PruneDecodeFn> kPruneDecode32[] = {{"ref", kCpuAny, PruneDecode32Ref}};
inline constexpr Variant<PruneDecodeFn> kPruneDecode64[] = {{"ref", kCpuAny, PruneDecode64Ref}};

}  // namespace lutra
