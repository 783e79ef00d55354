// SPDX-License-Identifier: Apache-2.0
// Ends a program whose check fails.

#pragma once

#include "tensorflow/lite/micro/micro_log.h"

#ifdef TF_LITE_MCU_DEBUG_LOG
#define TFLITE_ABORT       \
  do {                     \
    MicroPrintf("HALTED"); \
    for (;;) {             \
    }                      \
  } while (false)
#else
#define TFLITE_ABORT __builtin_abort()
#endif

#ifdef NDEBUG
#define TFLITE_ASSERT_FALSE (static_cast<void>(0))
#else
#define TFLITE_ASSERT_FALSE TFLITE_ABORT
#endif
