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
