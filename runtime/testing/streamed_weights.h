// SPDX-License-Identifier: Apache-2.0
// Weights compressed by lookup tables, for tests and benchmarks of the kernels that take them.
//
//   StreamedWeights weights(&random, count, {.width = 4, .channels = 64, .inner = 128});
//   args.weights = nullptr;
//   args.streamed = &weights.rows();
//   ... weights.values() ...

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "lutra/compression/decode.h"
#include "lutra/compression/encoding.h"
#include "lutra/kernels/streamed_rows.h"

namespace lutra {

// The members have the same meaning as in Encoding.
struct TablesOfWeights {
  int32_t width = kMaxTableWidth;
  int32_t channels = 1;
  int32_t inner = 1;
  BitOrder order = BitOrder::kMsbFirst;

  static constexpr int32_t kMaxTableWidth = 4;
};

class StreamedWeights {
 public:
  StreamedWeights(std::mt19937* random, int32_t count, const TablesOfWeights& tables) {
    const auto any = [random](uint32_t limit) { return (*random)() % limit; };
    // Tables have at most as many entries as indices can name, and sometimes fewer.
    const uint32_t entries = 1 + any(1u << tables.width);
    tables_.resize(entries * static_cast<size_t>(tables.channels));
    for (uint8_t& entry : tables_) entry = static_cast<uint8_t>(any(256));
    stream_.resize((static_cast<size_t>(count) * static_cast<size_t>(tables.width) + 7) / 8);
    for (int32_t i = 0; i < count; ++i) {
      const uint32_t index = any(entries);
      PutIndex(i, index, tables);
      const auto table = static_cast<size_t>(i / tables.inner % tables.channels);
      values_.push_back(static_cast<int8_t>(tables_[table * entries + index]));
    }
    encoding_.order = tables.order;
    encoding_.element_bytes = 1;
    encoding_.width = static_cast<uint8_t>(tables.width);
    encoding_.elements = count;
    encoding_.channels = tables.channels;
    encoding_.inner = tables.inner;
    encoding_.stream = {stream_.data(), stream_.size()};
    encoding_.lut = {tables_.data(), tables_.size(), static_cast<int32_t>(entries)};
    rows_.encoding = &encoding_;
    rows_.features = CpuFeaturesHere();
    rows_.decode = DecodePart;
  }
  StreamedWeights(const StreamedWeights&) = delete;
  StreamedWeights& operator=(const StreamedWeights&) = delete;

  const StreamedRows& rows() const { return rows_; }
  const std::vector<int8_t>& values() const { return values_; }
  Encoding& encoding() { return encoding_; }

 private:
  void PutIndex(int32_t i, uint32_t index, const TablesOfWeights& tables) {
    const bool msb_first = tables.order == BitOrder::kMsbFirst;
    auto bit = static_cast<size_t>(i) * static_cast<size_t>(tables.width);
    for (int32_t k = 0; k < tables.width; ++k, ++bit) {
      const uint32_t set = index >> (msb_first ? tables.width - 1 - k : k) & 1;
      stream_[bit / 8] = static_cast<uint8_t>(stream_[bit / 8] | set << (msb_first ? 7 - bit % 8 : bit % 8));
    }
  }

  std::vector<uint8_t> tables_;
  std::vector<uint8_t> stream_;
  std::vector<int8_t> values_;
  Encoding encoding_;
  StreamedRows rows_ = {};
};

}  // namespace lutra
