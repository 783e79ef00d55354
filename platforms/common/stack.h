// SPDX-License-Identifier: Apache-2.0
// Says how much of the stack a firmware has used: start-up fills the stack with a
// pattern, and the lowest word without it marks the deepest use. Under an operating system it is 0.

#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__linux__) || defined(__wasi__)

namespace lutra::platforms {
inline size_t StackBytes() { return 0; }
inline size_t StackBytesUsed() { return 0; }
}  // namespace lutra::platforms

#else

// The linker script's (common/sections.ld).
extern "C" uint32_t __stack_bottom[];
extern "C" uint32_t __stack_top[];

namespace lutra::platforms {

inline constexpr uint32_t kStackPattern = 0x5afe57ac;

// Start-up calls it before anything else, with the address of its own frame.
inline void PaintStack(const void* frame) {
  const uint32_t* const end = static_cast<const uint32_t*>(frame);
  for (volatile uint32_t* word = __stack_bottom; word < end; ++word) {
    *word = kStackPattern;
  }
}

inline size_t StackBytes() {
  return reinterpret_cast<uintptr_t>(__stack_top) - reinterpret_cast<uintptr_t>(__stack_bottom);
}

// Equal to StackBytes() if the stack has overflowed.
inline size_t StackBytesUsed() {
  const volatile uint32_t* word = __stack_bottom;
  while (word < __stack_top && *word == kStackPattern) ++word;
  return reinterpret_cast<uintptr_t>(__stack_top) - reinterpret_cast<uintptr_t>(word);
}

}  // namespace lutra::platforms

#endif
