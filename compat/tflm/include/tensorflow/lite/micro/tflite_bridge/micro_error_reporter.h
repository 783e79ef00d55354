// SPDX-License-Identifier: Apache-2.0
// MicroErrorReporter: an ErrorReporter that prints lines as MicroPrintf does.
//
//   static tflite::MicroErrorReporter reporter;
//   tflite::MicroInterpreter interpreter(model, resolver, arena, sizeof(arena), &reporter);

#pragma once

#include <stdarg.h>

#include "tensorflow/lite/core/api/error_reporter.h"
#include "tensorflow/lite/micro/compatibility.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace tflite {

class MicroErrorReporter : public ErrorReporter {
 public:
  ~MicroErrorReporter() override {}
  int Report(const char* format, va_list arguments) override;

  // It is public, as programs with a heap say `new MicroErrorReporter`; the bytes are not given back.
  TF_LITE_REMOVE_VIRTUAL_DELETE
};

// Returns the same object each time.
ErrorReporter* GetMicroErrorReporter();

}  // namespace tflite
