// SPDX-License-Identifier: Apache-2.0
// typeToTfLiteType<T>(): the type of tensors whose elements are T.

#pragma once

#include "tensorflow/lite/micro/micro_interpreter.h"

namespace tflite {

template <typename T>
constexpr TfLiteType typeToTfLiteType() {
  return lutra::compat::kTypeOf<T>;
}

}  // namespace tflite
