// SPDX-License-Identifier: Apache-2.0
// Counts the elements of a shape.
//
//   const int count = tflite::ElementCount(*output->dims);

#pragma once

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/tensor_ctypes.h"

namespace tflite {

// Returns the product of all dimensions: 1 for a scalar.
int ElementCount(const TfLiteIntArray& dims);

}  // namespace tflite
