// SPDX-License-Identifier: Apache-2.0
// The clock of MicroProfiler. A program may define both functions itself; lutra::tflm's is clock() if there
// is an operating system, else it stands still.

#pragma once

#include <stdint.h>

namespace tflite {

uint32_t ticks_per_second();
uint32_t GetCurrentTimeTicks();

inline uint32_t TicksToMs(int32_t ticks) {
  const uint32_t per_second = ticks_per_second();
  return static_cast<uint32_t>(1000.0f * static_cast<float>(ticks) /
                               static_cast<float>(per_second > 0 ? per_second : 1));
}

}  // namespace tflite
