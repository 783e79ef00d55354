// SPDX-License-Identifier: Apache-2.0
// Sizes of tensors and of aligned memory.
//
//   size_t bytes = 0;
//   TF_LITE_ENSURE_STATUS(tflite::TfLiteEvalTensorByteLength(output, &bytes));

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/core/c/common.h"

namespace tflite {

constexpr size_t AlignSizeUp(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}
template <typename T>
constexpr size_t AlignSizeUp(size_t count = 1) {
  return AlignSizeUp(sizeof(T) * count, alignof(T));
}
inline uint8_t* AlignPointerUp(uint8_t* memory, size_t alignment) {
  return memory +
         (AlignSizeUp(reinterpret_cast<uintptr_t>(memory), alignment) - reinterpret_cast<uintptr_t>(memory));
}
inline uint8_t* AlignPointerDown(uint8_t* memory, size_t alignment) {
  return memory - reinterpret_cast<uintptr_t>(memory) % alignment;
}

// These return kTfLiteError for types whose elements have no whole number of bytes.
TfLiteStatus TfLiteTypeSizeOf(TfLiteType type, size_t* bytes);
TfLiteStatus TfLiteEvalTensorByteLength(const TfLiteEvalTensor* tensor, size_t* bytes);

}  // namespace tflite
