// SPDX-License-Identifier: Apache-2.0
// Four codes in a word, for Cortex-M with DSP instructions.

#pragma once

#include <arm_acle.h>
#include <stdint.h>
#include <string.h>

namespace lutra {
namespace {

// Loads four codes from any address.
[[gnu::always_inline]] inline uint32_t LoadWord(const int8_t* codes) {
  uint32_t word;
  memcpy(&word, codes, sizeof word);
  return word;
}

// Returns the larger code of each place, by the flags of a subtraction.
[[gnu::always_inline]] inline uint32_t LargerOf(uint32_t a, uint32_t b) {
  (void)__ssub8(static_cast<int8x4_t>(a), static_cast<int8x4_t>(b));
  return static_cast<uint32_t>(__sel(static_cast<uint8x4_t>(a), static_cast<uint8x4_t>(b)));
}

[[gnu::always_inline]] inline uint32_t SmallerOf(uint32_t a, uint32_t b) {
  (void)__ssub8(static_cast<int8x4_t>(a), static_cast<int8x4_t>(b));
  return static_cast<uint32_t>(__sel(static_cast<uint8x4_t>(b), static_cast<uint8x4_t>(a)));
}

// Adds to a sum, which wraps, the products of four weights with four codes, to each of which a half word of
// `offset` is added.
[[gnu::always_inline]] inline uint32_t AddFourProducts(uint32_t codes, uint32_t offset, uint32_t weights,
                                                       uint32_t sum) {
  // The compiler does not find that these rotations can be part of an instruction.
  uint32_t odd_codes;
  uint32_t odd_weights;
  asm("sxtab16 %0, %1, %2, ror #8" : "=r"(odd_codes) : "r"(offset), "r"(codes));
  asm("sxtb16 %0, %1, ror #8" : "=r"(odd_weights) : "r"(weights));
  const int16x2_t even_codes = __sxtab16(static_cast<int16x2_t>(offset), static_cast<int8x4_t>(codes));
  auto total = static_cast<int32_t>(sum);
  total = __smlad(even_codes, __sxtb16(static_cast<int8x4_t>(weights)), total);
  total = __smlad(static_cast<int16x2_t>(odd_codes), static_cast<int16x2_t>(odd_weights), total);
  return static_cast<uint32_t>(total);
}

}  // namespace
}  // namespace lutra
