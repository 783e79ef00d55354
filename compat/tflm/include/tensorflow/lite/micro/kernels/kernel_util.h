// SPDX-License-Identifier: Apache-2.0
// The kernels of programs use these functions while they run.
//
//   TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
//     const TfLiteEvalTensor* const input = tflite::micro::GetEvalInput(context, node, 0);
//     TfLiteEvalTensor* const output = tflite::micro::GetEvalOutput(context, node, 0);
//     const int count = tflite::micro::GetTensorShape(input).FlatSize();
//     Compute(tflite::micro::GetTensorData<int8_t>(input), count, output->data.int8);
//     return kTfLiteOk;
//   }

#pragma once

#include <stdint.h>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/compatibility.h"
#include "tensorflow/lite/kernels/internal/lutra_runtime_shape.h"
#include "tensorflow/lite/micro/micro_common.h"
#include "tensorflow/lite/micro/micro_context.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace tflite::micro {

inline TFLMRegistration RegisterOp(void* (*init)(TfLiteContext*, const char*, size_t),
                                   TfLiteStatus (*prepare)(TfLiteContext*, TfLiteNode*),
                                   TfLiteStatus (*invoke)(TfLiteContext*, TfLiteNode*),
                                   void (*free)(TfLiteContext*, void*) = nullptr,
                                   void (*reset)(TfLiteContext*, void*) = nullptr) {
  TFLMRegistration registration;
  registration.init = init;
  registration.free = free;
  registration.prepare = prepare;
  registration.invoke = invoke;
  registration.reset = reset;
  return registration;
}

// These return null for an operand that the node does not have.
inline TfLiteEvalTensor* GetMutableEvalInput(const TfLiteContext* context, const TfLiteNode* node, int i) {
  if (i < 0 || i >= node->inputs->size || node->inputs->data[i] < 0) return nullptr;
  return context->GetEvalTensor(context, node->inputs->data[i]);
}
inline const TfLiteEvalTensor* GetEvalInput(const TfLiteContext* context, const TfLiteNode* node, int i) {
  return GetMutableEvalInput(context, node, i);
}
inline TfLiteEvalTensor* GetEvalOutput(const TfLiteContext* context, const TfLiteNode* node, int i) {
  if (i < 0 || i >= node->outputs->size) return nullptr;
  return context->GetEvalTensor(context, node->outputs->data[i]);
}

// The tensor's type is not checked.
template <typename T>
T* GetTensorData(TfLiteEvalTensor* tensor) {
  return reinterpret_cast<T*>(tensor->data.raw);
}
template <typename T>
const T* GetTensorData(const TfLiteEvalTensor* tensor) {
  return reinterpret_cast<const T*>(tensor->data.raw);
}
template <typename T>
T* GetOptionalTensorData(TfLiteEvalTensor* tensor) {
  return tensor == nullptr ? nullptr : GetTensorData<T>(tensor);
}
template <typename T>
const T* GetOptionalTensorData(const TfLiteEvalTensor* tensor) {
  return tensor == nullptr ? nullptr : GetTensorData<T>(tensor);
}

inline const RuntimeShape GetTensorShape(const TfLiteEvalTensor* tensor) {
  if (tensor == nullptr || tensor->dims == nullptr) return RuntimeShape(0, nullptr);
  return RuntimeShape(tensor->dims->size, reinterpret_cast<const int32_t*>(tensor->dims->data));
}
inline bool HaveSameShapes(const TfLiteEvalTensor* a, const TfLiteEvalTensor* b) {
  return TfLiteIntArrayEqual(a->dims, b->dims) != 0;
}

}  // namespace tflite::micro
