// SPDX-License-Identifier: Apache-2.0
// Functions by which kernels read nodes and TfLiteTensors. While they run, they use
// micro/kernels/kernel_util.h.
//
//   TF_LITE_ENSURE_EQ(context, tflite::NumInputs(node), 2);

#pragma once

#include <stdint.h>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/lutra_runtime_shape.h"
#include "tensorflow/lite/kernels/internal/tensor_ctypes.h"

namespace tflite {

inline int NumInputs(const TfLiteNode* node) { return node->inputs == nullptr ? 0 : node->inputs->size; }
inline int NumOutputs(const TfLiteNode* node) { return node->outputs == nullptr ? 0 : node->outputs->size; }

inline int NumDimensions(const TfLiteTensor* tensor) { return tensor->dims->size; }
inline int SizeOfDimension(const TfLiteTensor* tensor, int axis) { return tensor->dims->data[axis]; }
inline int64_t NumElements(const TfLiteIntArray* dims) {
  int64_t count = 1;
  for (int i = 0; i < dims->size; ++i) count *= dims->data[i];
  return count;
}
inline int64_t NumElements(const TfLiteTensor* tensor) { return NumElements(tensor->dims); }
inline bool HaveSameShapes(const TfLiteTensor* a, const TfLiteTensor* b) {
  return TfLiteIntArrayEqual(a->dims, b->dims) != 0;
}
inline bool IsConstantTensor(const TfLiteTensor* tensor) { return tensor->allocation_type == kTfLiteMmapRo; }
inline bool IsConstantOrPersistentTensor(const TfLiteTensor* tensor) { return IsConstantTensor(tensor); }
// No tensor has a size that only a run tells.
inline bool IsDynamicTensor(const TfLiteTensor*) { return false; }

// These return null for an operand that the node does not have. They are valid until the function that asks
// for them returns.
inline TfLiteTensor* GetMutableInput(const TfLiteContext* context, const TfLiteNode* node, int i) {
  if (i < 0 || i >= NumInputs(node) || node->inputs->data[i] < 0) return nullptr;
  return context->GetTensor(context, node->inputs->data[i]);
}
inline const TfLiteTensor* GetInput(const TfLiteContext* context, const TfLiteNode* node, int i) {
  return GetMutableInput(context, node, i);
}
inline const TfLiteTensor* GetOptionalInputTensor(const TfLiteContext* context, const TfLiteNode* node,
                                                  int i) {
  return GetMutableInput(context, node, i);
}
inline TfLiteTensor* GetOutput(const TfLiteContext* context, const TfLiteNode* node, int i) {
  return i < 0 || i >= NumOutputs(node) ? nullptr : context->GetTensor(context, node->outputs->data[i]);
}
inline TfLiteStatus GetInputSafe(const TfLiteContext* context, const TfLiteNode* node, int i,
                                 const TfLiteTensor** tensor) {
  *tensor = GetInput(context, node, i);
  return *tensor == nullptr ? kTfLiteError : kTfLiteOk;
}
inline TfLiteStatus GetOutputSafe(const TfLiteContext* context, const TfLiteNode* node, int i,
                                  TfLiteTensor** tensor) {
  *tensor = GetOutput(context, node, i);
  return *tensor == nullptr ? kTfLiteError : kTfLiteOk;
}

}  // namespace tflite
