// SPDX-License-Identifier: Apache-2.0
// Describes a tensor of a model as TensorFlow Lite Micro does.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/tensor_info.h"
#include "tensorflow/lite/core/c/common.h"

namespace lutra::compat {

// TfLiteType counts float32 as 1 and float16 as 10; in files they are 0 and 1.
inline TfLiteType TypeOf(TensorType type) {
  if (type == TensorType::kFloat32) return kTfLiteFloat32;
  if (type == TensorType::kFloat16) return kTfLiteFloat16;
  const int number = static_cast<int>(type);
  return static_cast<TfLiteType>(number < kTfLiteFloat16 ? number : number + 1);
}

// A tensor and the data that its pointers name. Scale and zero point are lists of one element.
struct Record {
  TfLiteTensor tensor;
  TfLiteAffineQuantization affine;
  int32_t scale_count;
  float scale;
  int32_t zero_point_count;
  int32_t zero_point;
  int32_t rank;
  int32_t dimensions[kMaxRank];  // The first `rank` ones are valid.
};

constexpr size_t BytesOf(int rank) {
  const size_t bytes = offsetof(Record, dimensions) + static_cast<size_t>(rank) * sizeof(int32_t);
  return (bytes + alignof(Record) - 1) / alignof(Record) * alignof(Record);
}

inline void Fill(const TensorInfo& info, Record* record) {
  TfLiteTensor& tensor = record->tensor;
  record->rank = info.shape.rank;
  for (int i = 0; i < info.shape.rank; ++i) record->dimensions[i] = info.shape.dims[i];
  tensor.dims = reinterpret_cast<TfLiteIntArray*>(&record->rank);
  tensor.type = TypeOf(info.type);
  tensor.bytes = static_cast<size_t>(info.bytes);
  tensor.allocation_type = info.is_constant() ? kTfLiteMmapRo : kTfLiteArenaRw;
  tensor.is_variable = info.is_variable;
  tensor.params = {info.scale, info.zero_point};
  if (!info.is_quantized()) return;
  record->scale_count = 1;
  record->scale = info.scale;
  record->zero_point_count = 1;
  record->zero_point = info.zero_point;
  record->affine = {reinterpret_cast<TfLiteFloatArray*>(&record->scale_count),
                    reinterpret_cast<TfLiteIntArray*>(&record->zero_point_count), info.quantized_dimension};
  tensor.quantization = {kTfLiteAffineQuantization, &record->affine};
}

}  // namespace lutra::compat
