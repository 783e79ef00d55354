// SPDX-License-Identifier: Apache-2.0
// A tensor's data as an array.
//
//   int8_t* codes = tflite::GetTensorData<int8_t>(interpreter.input(0));

#pragma once

#include "tensorflow/lite/core/c/common.h"

namespace tflite {

// The tensor's type is not checked. Returns null if there is no tensor.
template <typename T>
T* GetTensorData(TfLiteTensor* tensor) {
  return tensor == nullptr ? nullptr : reinterpret_cast<T*>(tensor->data.raw);
}
template <typename T>
const T* GetTensorData(const TfLiteTensor* tensor) {
  return tensor == nullptr ? nullptr : reinterpret_cast<const T*>(tensor->data.raw_const);
}

}  // namespace tflite
