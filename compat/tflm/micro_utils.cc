// SPDX-License-Identifier: Apache-2.0

#include "tensorflow/lite/micro/micro_utils.h"

namespace tflite {

int ElementCount(const TfLiteIntArray& dims) {
  int count = 1;
  for (int i = 0; i < dims.size; ++i) count *= dims.data[i];
  return count;
}

}  // namespace tflite
