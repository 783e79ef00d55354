// SPDX-License-Identifier: Apache-2.0
// FlexbufferWrapper: the options of a custom operator, by their order. It needs FlatBuffers' headers, as in
// TensorFlow Lite Micro.
//
//   void* Init(TfLiteContext* context, const char* options, size_t bytes) {
//     const tflite::FlexbufferWrapper values(reinterpret_cast<const uint8_t*>(options), bytes);
//     const int32_t shift = values.ElementAsInt32(0);

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "flatbuffers/flexbuffers.h"

namespace tflite {

// A map has its values in the order of their names; an element that is no number reads as 0. The bytes are
// trusted. Unlike flexbuffers::Reference this class reads no numbers out of strings, which would link
// locales.
class FlexbufferWrapper : public flexbuffers::Vector {
 public:
  FlexbufferWrapper(const uint8_t* bytes, size_t size)
      : flexbuffers::Vector(flexbuffers::GetRoot(bytes, size).AsVector()) {}
  int64_t ElementAsInt64(size_t i) const { return Read<int64_t>(i); }
  uint64_t ElementAsUInt64(size_t i) const { return Read<uint64_t>(i); }
  int32_t ElementAsInt32(size_t i) const { return static_cast<int32_t>(ElementAsInt64(i)); }
  bool ElementAsBool(size_t i) const { return ElementAsUInt64(i) != 0; }
  double ElementAsDouble(size_t i) const { return Read<double>(i); }
  float ElementAsFloat(size_t i) const { return static_cast<float>(ElementAsDouble(i)); }

 private:
  template <typename T>
  T Read(size_t i) const {
    if (i >= size()) return 0;
    const uint8_t packed = data_[size() * byte_width_ + i];
    auto type = static_cast<flexbuffers::Type>(packed >> 2);
    const uint8_t* bytes = data_ + i * byte_width_;
    uint8_t width = byte_width_;
    if (type == flexbuffers::FBT_INDIRECT_INT || type == flexbuffers::FBT_INDIRECT_UINT ||
        type == flexbuffers::FBT_INDIRECT_FLOAT) {
      bytes = flexbuffers::Indirect(bytes, width);
      width = static_cast<uint8_t>(1 << (packed & 3));
      type = static_cast<flexbuffers::Type>(type - flexbuffers::FBT_INDIRECT_INT + flexbuffers::FBT_INT);
    }
    switch (type) {
      case flexbuffers::FBT_INT:
        return static_cast<T>(flexbuffers::ReadInt64(bytes, width));
      case flexbuffers::FBT_UINT:
      case flexbuffers::FBT_BOOL:
        return static_cast<T>(flexbuffers::ReadUInt64(bytes, width));
      case flexbuffers::FBT_FLOAT:
        return static_cast<T>(flexbuffers::ReadDouble(bytes, width));
      default:
        return 0;
    }
  }
};

}  // namespace tflite
