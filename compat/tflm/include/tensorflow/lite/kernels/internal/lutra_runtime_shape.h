// SPDX-License-Identifier: Apache-2.0
// RuntimeShape: the dimensions of a tensor.
//
//   const int count = tflite::GetTensorShape(tensor).FlatSize();

#pragma once

#include <stdint.h>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/compatibility.h"

// A program that uses the reference kernels of TensorFlow Lite Micro has their RuntimeShape.
#if __has_include("tensorflow/lite/kernels/internal/types.h")
#include "tensorflow/lite/kernels/internal/types.h"
#else
namespace tflite {

class RuntimeShape {
 public:
  static constexpr int kMaxSmallSize = 8;

  RuntimeShape(int rank, const int32_t* dims) : rank_(rank <= kMaxSmallSize ? rank : kMaxSmallSize) {
    for (int i = 0; i < rank_; ++i) dims_[i] = dims[i];
  }
  int32_t DimensionsCount() const { return rank_; }
  int32_t Dims(int axis) const { return dims_[axis]; }
  const int32_t* DimsData() const { return dims_; }
  int FlatSize() const {
    int count = 1;
    for (int i = 0; i < rank_; ++i) count *= dims_[i];
    return count;
  }

 private:
  int32_t rank_;
  int32_t dims_[kMaxSmallSize] = {};
};

}  // namespace tflite
#endif

namespace tflite {

inline RuntimeShape GetTensorShape(const TfLiteTensor* tensor) {
  if (tensor == nullptr) return RuntimeShape(0, nullptr);
  return RuntimeShape(tensor->dims->size, reinterpret_cast<const int32_t*>(tensor->dims->data));
}

}  // namespace tflite
