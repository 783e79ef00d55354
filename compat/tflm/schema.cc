// SPDX-License-Identifier: Apache-2.0
// tflite::Model is a pointer to a file's first byte.

#include "compat/tflm/report.h"
#include "lutra/diagnosis.h"
#include "lutra/model.h"
#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace tflite {
namespace {

uint32_t Read(const uint8_t* bytes, int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) value |= static_cast<uint32_t>(bytes[i]) << (8 * i);
  return value;
}

}  // namespace

// Reads the first field of the root: a table's first word is the distance back to the list of its fields, and
// the third half-word of that list is the first field's offset.
uint32_t Model::version() const {
  const auto* const file = reinterpret_cast<const uint8_t*>(this);
  const uint8_t* const root = file + Read(file, 4);
  const uint8_t* const fields = root - static_cast<int32_t>(Read(root, 4));
  const uint32_t at = Read(fields, 2) < 6 ? 0 : Read(fields + 4, 2);
  return at == 0 ? 0 : Read(root + at, 4);
}

const Model* GetModel(const void* bytes) { return static_cast<const Model*>(bytes); }

const Model* GetModel(const void* bytes, size_t size) {
  lutra::Model model;
  lutra::Diagnosis diagnosis;
  const lutra::Span<const uint8_t> span(static_cast<const uint8_t*>(bytes), size);
  if (bytes == nullptr) {
    MicroPrintf("GetModel: there are no bytes");
    return nullptr;
  }
  const lutra::Status status = lutra::Model::Load(span, &model, &diagnosis);
  if (status == lutra::Status::kOk) return GetModel(bytes);
  lutra::compat::Report("GetModel", status, diagnosis, nullptr);
  return nullptr;
}

}  // namespace tflite
