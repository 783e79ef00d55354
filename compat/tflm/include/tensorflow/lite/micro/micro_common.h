// SPDX-License-Identifier: Apache-2.0
// TFLMRegistration: the functions of an operator that a program has for itself.
//
//   static const TFLMRegistration registration = tflite::micro::RegisterOp(Init, Prepare, Invoke);
//   TF_LITE_ENSURE_STATUS(resolver.AddCustom("MyOperator", &registration));

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/core/c/common.h"

namespace lutra::compat {

struct Operator;

}  // namespace lutra::compat

// Any function but invoke may be null. Lutra does not call free and reset: README.md.
struct TFLMRegistration {
  void* (*init)(TfLiteContext* context, const char* options, size_t bytes) = nullptr;
  void (*free)(TfLiteContext* context, void* user_data) = nullptr;
  TfLiteStatus (*prepare)(TfLiteContext* context, TfLiteNode* node) = nullptr;
  TfLiteStatus (*invoke)(TfLiteContext* context, TfLiteNode* node) = nullptr;
  void (*reset)(TfLiteContext* context, void* user_data) = nullptr;
  int32_t builtin_code = 0;
  const char* custom_name = nullptr;
  const lutra::compat::Operator* lutra_operator = nullptr;  // One of Lutra's own operators.
};
