// SPDX-License-Identifier: Apache-2.0
// The memory itself.

#include "platforms/common/model_memory.h"

namespace lutra::platforms {

// In a section of their own (sections.ld), so that .bss is what the program itself needs.
[[gnu::section(".bss.memory")]] alignas(16) uint8_t model_memory[LUTRA_MODEL_BYTES];
[[gnu::section(".bss.memory")]] alignas(16) uint8_t arena_memory[LUTRA_ARENA_BYTES];

}  // namespace lutra::platforms
