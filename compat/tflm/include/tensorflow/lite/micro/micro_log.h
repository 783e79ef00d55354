// SPDX-License-Identifier: Apache-2.0
// Prints lines of text, through DebugLog; none with TF_LITE_STRIP_ERROR_STRINGS.
//
//   MicroPrintf("arena: %u bytes", static_cast<unsigned>(interpreter.arena_used_bytes()));

#pragma once

#include <stdarg.h>
#include <stddef.h>

#ifdef TF_LITE_STRIP_ERROR_STRINGS

namespace tflite {

template <typename... Arguments>
int IgnoreText(Arguments&&...) {
  return 0;
}

}  // namespace tflite

#define MicroPrintf(...) static_cast<void>(tflite::IgnoreText(__VA_ARGS__))
#define VMicroPrintf(...) static_cast<void>(tflite::IgnoreText(__VA_ARGS__))
#define MicroSnprintf(...) tflite::IgnoreText(__VA_ARGS__)
#define MicroVsnprintf(...) tflite::IgnoreText(__VA_ARGS__)

#else

void MicroPrintf(const char* format, ...);
void VMicroPrintf(const char* format, va_list arguments);
int MicroSnprintf(char* buffer, size_t bytes, const char* format, ...);
int MicroVsnprintf(char* buffer, size_t bytes, const char* format, va_list arguments);

#endif
