// SPDX-License-Identifier: Apache-2.0

#include "tensorflow/lite/micro/memory_helpers.h"

#include "tensorflow/lite/micro/micro_utils.h"

namespace tflite {

TfLiteStatus TfLiteTypeSizeOf(TfLiteType type, size_t* bytes) {
  static constexpr uint8_t kBytes[] = {0,  4, 4, 1, 8, 0, 1, 2, 8, 1, 2, 8,
                                       16, 8, 4, 0, 4, 2, 0, 2, 0, 0, 1, 1};
  const auto number = static_cast<size_t>(type);
  *bytes = number < sizeof(kBytes) ? kBytes[number] : 0;
  return *bytes == 0 ? kTfLiteError : kTfLiteOk;
}

TfLiteStatus TfLiteEvalTensorByteLength(const TfLiteEvalTensor* tensor, size_t* bytes) {
  size_t element = 0;
  TF_LITE_ENSURE_STATUS(TfLiteTypeSizeOf(tensor->type, &element));
  *bytes = element * static_cast<size_t>(ElementCount(*tensor->dims));
  return kTfLiteOk;
}

}  // namespace tflite
