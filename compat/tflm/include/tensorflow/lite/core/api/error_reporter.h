// SPDX-License-Identifier: Apache-2.0
// ErrorReporter: prints the texts of programs that are written for TensorFlow Lite Micro before MicroPrintf.
//
//   static tflite::MicroErrorReporter reporter;
//   TF_LITE_REPORT_ERROR(&reporter, "version %d", version);

#pragma once

#include <stdarg.h>

namespace tflite {

// A program may derive a class of its own. Lutra calls none: its lines are MicroPrintf's.
class ErrorReporter {
 public:
  virtual ~ErrorReporter() {}
  // Returns a negative number if the text cannot be printed.
  virtual int Report(const char* format, va_list arguments) = 0;
  int Report(const char* format, ...);
  // Does what Report does; the pointer is not used.
  int ReportError(void*, const char* format, ...);
};

}  // namespace tflite

#ifdef TF_LITE_STRIP_ERROR_STRINGS
#define TF_LITE_REPORT_ERROR(reporter, ...) static_cast<void>(reporter)
#else
#define TF_LITE_REPORT_ERROR(reporter, ...) \
  static_cast<void>(static_cast<tflite::ErrorReporter*>(reporter)->Report(__VA_ARGS__))
#endif
