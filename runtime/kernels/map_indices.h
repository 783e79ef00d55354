// SPDX-License-Identifier: Apache-2.0
// Maps indices of a byte each to values, for the decoders: by one table, or by the tables of channels.
// All functions are local to a file: the linker must not keep one file's copy for another.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/kernels/bit_stream.h"

namespace lutra {
namespace {

// Maps each by the table that is `step` bytes behind that of the one before.
template <typename T>
void MapIndices(const uint8_t* table, size_t step, const uint8_t* indices, int32_t count, T* output) {
  int32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t eight = LoadLittle64(indices + i);
    for (int32_t k = 0; k < 8; ++k, eight >>= 8, table += step) {
      output[i + k] = LoadElement<T>(table + (eight & 0xFF) * sizeof(T));
    }
  }
  for (; i < count; ++i, table += step) output[i] = LoadElement<T>(table + indices[i] * sizeof(T));
}

// The tables of the elements from `first` on: channel i / inner % channels is element i's.
template <typename T>
class ChannelTables {
 public:
  ChannelTables(const uint8_t* values, int32_t stride, int32_t channels, int32_t inner, int32_t first)
      : values_(values),
        table_bytes_(static_cast<size_t>(stride) * sizeof(T)),
        channels_(channels),
        run_(inner),
        channel_(first / inner % channels),
        left_(inner - first % inner) {}

  // The values of the next elements.
  void Map(const uint8_t* indices, int32_t count, T* output) {
    if (channels_ == 1) return MapIndices(values_, 0, indices, count, output);
    if (run_ == 1) return MapRows(indices, count, output);
    for (int32_t i = 0; i < count;) {
      const int32_t made = count - i < left_ ? count - i : left_;
      MapIndices(values_ + static_cast<size_t>(channel_) * table_bytes_, 0, indices + i, made, output + i);
      i += made;
      left_ -= made;
      if (left_ > 0) continue;
      left_ = run_;
      channel_ = channel_ + 1 == channels_ ? 0 : channel_ + 1;
    }
  }

 private:
  // Neighbours are of neighbouring channels.
  void MapRows(const uint8_t* indices, int32_t count, T* output) {
    for (int32_t i = 0; i < count;) {
      const int32_t made = count - i < channels_ - channel_ ? count - i : channels_ - channel_;
      MapIndices(values_ + static_cast<size_t>(channel_) * table_bytes_, table_bytes_, indices + i, made,
                 output + i);
      i += made;
      channel_ = channel_ + made == channels_ ? 0 : channel_ + made;
    }
  }

  const uint8_t* values_;
  size_t table_bytes_;
  int32_t channels_;
  int32_t run_;
  int32_t channel_;
  int32_t left_;
};

}  // namespace
}  // namespace lutra
