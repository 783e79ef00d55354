// SPDX-License-Identifier: Apache-2.0
// Reads FlatBuffers as plain values; a table or vector that is left out reads as empty.
// Only for the files that read FlatBuffers: model.cc, model_options.cc, compression/lut_metadata.cc.

#pragma once

#include <stdint.h>

#include "flatbuffers/flatbuffers.h"
#include "lutra/tensor_info.h"

namespace lutra {

template <typename T>
PackedList<T> List(const flatbuffers::Vector<T>* vector) {
  if (vector == nullptr) return {};
  return {vector->Data(), static_cast<int32_t>(vector->size())};
}

// Returns a number of 8 bytes, which generated code would read as if it were aligned to 8; 0 if it is left
// out.
template <typename T>
uint64_t Long(const T& table, flatbuffers::voffset_t field) {
  const uint8_t* const bytes = reinterpret_cast<const flatbuffers::Table&>(table).GetAddressOf(field);
  return bytes == nullptr ? 0 : PackedList<uint64_t>{bytes, 1}[0];
}

inline const char* Text(const flatbuffers::String* string) {
  return string == nullptr ? "" : string->c_str();
}

template <typename T>
uint32_t Size(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

}  // namespace lutra
