// SPDX-License-Identifier: Apache-2.0
// Prints lines with the line ends of terminals.

#include "tensorflow/lite/micro/micro_log.h"

#include "tensorflow/lite/micro/debug_log.h"

namespace {

void Print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  DebugLog(format, arguments);
  va_end(arguments);
}

}  // namespace

void VMicroPrintf(const char* format, va_list arguments) {
  DebugLog(format, arguments);
  Print("\r\n");
}

void MicroPrintf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  VMicroPrintf(format, arguments);
  va_end(arguments);
}

int MicroVsnprintf(char* buffer, size_t bytes, const char* format, va_list arguments) {
  return DebugVsnprintf(buffer, bytes, format, arguments);
}

int MicroSnprintf(char* buffer, size_t bytes, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = MicroVsnprintf(buffer, bytes, format, arguments);
  va_end(arguments);
  return length;
}
