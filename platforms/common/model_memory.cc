// SPDX-License-Identifier: Apache-2.0
// Defines the memory for models and arenas.

#include "platforms/common/model_memory.h"

namespace lutra::platforms {

// Sections of their own (sections.ld), so that .bss has only the program's own data.
[[gnu::section(".bss.memory")]] alignas(16) uint8_t model_memory[LUTRA_MODEL_BYTES];
[[gnu::section(".bss.memory")]] alignas(16) uint8_t arena_memory[LUTRA_ARENA_BYTES];

}  // namespace lutra::platforms
