// SPDX-License-Identifier: Apache-2.0
// Inputs that every machine can generate: splitmix64 from a seed, eight little-endian
// bytes a step, one stream of bytes for all inputs of a model.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host/core/byte_order.h"
#include "lutra/tensor_info.h"

namespace lutra::host {

class SeededInput {
 public:
  explicit SeededInput(uint64_t seed) : state_(seed) {}

  // Integers take the stream's bytes as they are, the lowest first.
  void Fill(uint8_t* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) bytes[i] = NextByte();
  }
  void FillBool(uint8_t* values, size_t count) {
    for (size_t i = 0; i < count; ++i) values[i] = NextByte() & 1;
  }
  // Multiples of 2^-23 from -1 up to, but not including, 1.
  void FillFloat(float* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      uint32_t bits = 0;
      for (int shift = 0; shift < 32; shift += 8) {
        bits |= static_cast<uint32_t>(NextByte()) << shift;
      }
      values[i] = static_cast<float>(bits >> 8) * 0x1p-23f - 1.0f;
    }
  }

 private:
  uint8_t NextByte() {
    if (left_ == 0) {
      state_ += 0x9e3779b97f4a7c15u;
      uint64_t z = state_;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word_ = z ^ (z >> 31);
      left_ = 8;
    }
    const uint8_t byte = static_cast<uint8_t>(word_);
    word_ >>= 8;
    --left_;
    return byte;
  }

  uint64_t state_;
  uint64_t word_ = 0;
  int left_ = 0;
};

// Fills a tensor of any type from the stream.
inline void FillSeeded(SeededInput& seeded, TensorType type, uint8_t* bytes, size_t count) {
  if (type == TensorType::kBool) return seeded.FillBool(bytes, count);
  if (type != TensorType::kFloat32) {
    seeded.Fill(bytes, count);
    return SwapToOrFromLittleEndian(type, bytes, count);
  }
  for (size_t at = 0; at + sizeof(float) <= count; at += sizeof(float)) {
    float value = 0;
    seeded.FillFloat(&value, 1);
    memcpy(bytes + at, &value, sizeof(value));
  }
}

}  // namespace lutra::host
