// SPDX-License-Identifier: Apache-2.0
// A separate file, so that a program that defines these functions does not link it.

#include "tensorflow/lite/micro/debug_log.h"

#if __has_include(<stdio.h>)
#include <stdio.h>

extern "C" void DebugLog(const char* format, va_list arguments) { vfprintf(stderr, format, arguments); }

extern "C" int DebugVsnprintf(char* buffer, size_t bytes, const char* format, va_list arguments) {
  return vsnprintf(buffer, bytes, format, arguments);
}
#endif
