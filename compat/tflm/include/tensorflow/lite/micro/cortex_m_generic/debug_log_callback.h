// SPDX-License-Identifier: Apache-2.0
// Calls a function of the program's with every text that is printed, in one file of the program:
//
//   RegisterDebugLogCallback([](const char* text) { uart_write(text); });
//
// A program that includes this header has its own DebugLog.

#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "tensorflow/lite/micro/debug_log.h"

typedef void (*DebugLogCallback)(const char* text);

namespace lutra::compat {

inline DebugLogCallback debug_log_callback = nullptr;

}  // namespace lutra::compat

// These are weak, so that any number of files may include them. As the program's objects define them, the
// linker does not look for others in lutra::tflm.
extern "C" {

[[gnu::weak]] void RegisterDebugLogCallback(DebugLogCallback callback) {
  lutra::compat::debug_log_callback = callback;
}

[[gnu::weak]] void DebugLog(const char* format, va_list arguments) {
  if (lutra::compat::debug_log_callback == nullptr) return;
  char text[256];
  vsnprintf(text, sizeof(text), format, arguments);
  lutra::compat::debug_log_callback(text);
}

[[gnu::weak]] int DebugVsnprintf(char* buffer, size_t bytes, const char* format, va_list arguments) {
  return vsnprintf(buffer, bytes, format, arguments);
}

}  // extern "C"
