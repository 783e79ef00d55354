// SPDX-License-Identifier: Apache-2.0
// A model, as the bytes of its file.
//
//   const tflite::Model* model = tflite::GetModel(g_model, sizeof(g_model));  // Checks every byte.
//   if (model == nullptr || model->version() != TFLITE_SCHEMA_VERSION) return kTfLiteError;
//
// The bytes are aligned to 4 and outlive all objects that use them.

#pragma once

#include <stddef.h>
#include <stdint.h>

#define TFLITE_SCHEMA_VERSION (3)

namespace tflite {

// Types as files have them; TfLiteType has other numbers.
enum TensorType : int8_t {
  TensorType_FLOAT32 = 0,
  TensorType_FLOAT16 = 1,
  TensorType_INT32 = 2,
  TensorType_UINT8 = 3,
  TensorType_INT64 = 4,
  TensorType_STRING = 5,
  TensorType_BOOL = 6,
  TensorType_INT16 = 7,
  TensorType_COMPLEX64 = 8,
  TensorType_INT8 = 9,
  TensorType_FLOAT64 = 10,
  TensorType_COMPLEX128 = 11,
  TensorType_UINT64 = 12,
  TensorType_RESOURCE = 13,
  TensorType_VARIANT = 14,
  TensorType_UINT32 = 15,
  TensorType_UINT16 = 16,
  TensorType_INT4 = 17,
  TensorType_BFLOAT16 = 18,
  TensorType_INT2 = 19,
  TensorType_UINT4 = 20,
  TensorType_FLOAT8_E4M3FN = 21,
  TensorType_FLOAT8_E5M2 = 22,
};

// A pointer to the file has this type. FlatBuffers generates more fields; this class has only version().
class Model {
 public:
  uint32_t version() const;

 private:
  Model() = delete;
};

// Trusts the bytes, as TensorFlow Lite Micro does: without a size, offsets cannot be checked. A file that is
// cut short, or broken otherwise, may make the program read other memory.
const Model* GetModel(const void* bytes);
// Returns null, after a line of MicroPrintf, unless all that the runtime will read is within the bytes and
// obeys the format.
const Model* GetModel(const void* bytes, size_t size);

}  // namespace tflite
