// SPDX-License-Identifier: Apache-2.0
// The sizes of a firmware's model memory and arena. For smaller boards: -DLUTRA_MODEL_BYTES=...,
// -DLUTRA_ARENA_BYTES=...

#pragma once

#include <stdint.h>

#ifndef LUTRA_MODEL_BYTES
#define LUTRA_MODEL_BYTES (1024 * 1024)
#endif
#ifndef LUTRA_ARENA_BYTES
#define LUTRA_ARENA_BYTES (1024 * 1024)
#endif

namespace lutra::platforms {

extern uint8_t model_memory[LUTRA_MODEL_BYTES];
extern uint8_t arena_memory[LUTRA_ARENA_BYTES];

}  // namespace lutra::platforms
