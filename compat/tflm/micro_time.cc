// SPDX-License-Identifier: Apache-2.0
// A separate file, so that a program that defines these functions does not link it.

#include "tensorflow/lite/micro/micro_time.h"

#include "lutra/options.h"

#if LUTRA_HOSTED
#include <time.h>
#endif

namespace tflite {

#if LUTRA_HOSTED
uint32_t ticks_per_second() { return CLOCKS_PER_SEC; }
uint32_t GetCurrentTimeTicks() { return static_cast<uint32_t>(clock()); }
#else
uint32_t ticks_per_second() { return 0; }
uint32_t GetCurrentTimeTicks() { return 0; }
#endif

}  // namespace tflite
