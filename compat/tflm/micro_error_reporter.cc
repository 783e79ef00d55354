// SPDX-License-Identifier: Apache-2.0
// A separate file, so that a program without an error reporter does not link it.

#include "tensorflow/lite/micro/tflite_bridge/micro_error_reporter.h"

#include <stddef.h>

namespace tflite {
namespace {

struct HeldReporter : MicroErrorReporter {
  static void* operator new(size_t, void* room) { return room; }
};

}  // namespace

int ErrorReporter::Report(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = Report(format, arguments);
  va_end(arguments);
  return result;
}

int ErrorReporter::ReportError(void*, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = Report(format, arguments);
  va_end(arguments);
  return result;
}

int MicroErrorReporter::Report(const char* format, va_list arguments) {
  VMicroPrintf(format, arguments);
  return 0;
}

// The object has no destructor that must run, so that a device needs no list of those.
ErrorReporter* GetMicroErrorReporter() {
  alignas(HeldReporter) static unsigned char room[sizeof(HeldReporter)];
  return new (room) HeldReporter;
}

}  // namespace tflite
