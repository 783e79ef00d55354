// SPDX-License-Identifier: Apache-2.0
// Four codes in a word, for Cortex-M with DSP instructions.

#pragma once

#include <arm_acle.h>
#include <stdint.h>
#include <string.h>

namespace lutra {
namespace {

// From any address.
[[gnu::always_inline]] inline uint32_t LoadWord(const int8_t* codes) {
  uint32_t word;
  memcpy(&word, codes, sizeof word);
  return word;
}

// Takes the larger code of each place, by the flags of a subtraction.
[[gnu::always_inline]] inline uint32_t LargerOf(uint32_t a, uint32_t b) {
  (void)__ssub8(static_cast<int8x4_t>(a), static_cast<int8x4_t>(b));
  return static_cast<uint32_t>(__sel(static_cast<uint8x4_t>(a), static_cast<uint8x4_t>(b)));
}

[[gnu::always_inline]] inline uint32_t SmallerOf(uint32_t a, uint32_t b) {
  (void)__ssub8(static_cast<int8x4_t>(a), static_cast<int8x4_t>(b));
  return static_cast<uint32_t>(__sel(static_cast<uint8x4_t>(b), static_cast<uint8x4_t>(a)));
}

}  // namespace
}  // namespace lutra
