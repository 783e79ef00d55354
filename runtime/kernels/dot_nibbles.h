// SPDX-License-Identifier: Apache-2.0
// Filters that stay compressed for dot_pixels.h: indices of up to four bits into tables of values, packed in
// the order of the packed weights, two to a byte. A block of channels is decoded just before it is used.
//
// With one table for all weights, a vector of nibbles becomes two vectors of weights, one after the other.
// With a table for each channel, a look-up of 16 bytes uses one table only, so that the nibbles of a
// channel's four steps are together; four channels are transposed after that.
//
// An instruction set with kTakesNibbles has Nibbles, a register of nibbles, LoadNibbles, LoadTable,
// LowWeights and HighWeights for the halves of the bytes, and StoreWeights; with kTakesTablesOfChannels, also
// DecodeSteps(nibbles, tables, steps, weights, step). For the kernels' .cc files: all names are local.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/compression/encoding.h"
#include "lutra/kernels/streamed_rows.h"

namespace lutra {
namespace {

constexpr int32_t kNibbleBits = 4;
constexpr int32_t kNibbleEntries = 1 << kNibbleBits;
// The bytes of a block of decoded weights, which lies on the stack.
constexpr int32_t kDecodedBytes = 40960;

// Says how a layer's filters are packed: as weights, as nibbles with one table for all channels, or with one
// for each channel.
enum class PackedFilters : uint8_t { kWeights, kOneTable, kTables };

// A compressed filter, value by value. A window of it is decoded at a time. Streams that can only be read
// from their start have marks at the begins of windows, from which decoding of later windows starts.
class DecodedFilter {
 public:
  static inline bool Takes(const StreamedRows& rows) { return rows.encoding->element_bytes == 1; }
  static inline bool HasTables(const StreamedRows& rows) {
    return rows.encoding->type == DecodeType::kLut || rows.encoding->type == DecodeType::kWideLut;
  }
  explicit inline DecodedFilter(const StreamedRows& rows) : rows_(rows) { marks_[0] = {0, 0, 0}; }

  inline int8_t ValueAt(intptr_t place) {
    const auto window = static_cast<int32_t>(place / kValues);
    if (window != window_) MoveTo(window);
    return values_[place - intptr_t{window} * kValues];
  }

 private:
  static constexpr int32_t kValues = 32768;
  static constexpr int32_t kMarks = 32;
  // A StreamPosition without a constructor, which an unoptimised build would export.
  struct Mark {
    int32_t element;
    int32_t kept;
    uint64_t bit;
  };

  inline void MoveTo(int32_t window) {
    int32_t at = window < last_mark_ ? window : last_mark_;
    StreamPosition position = {marks_[at].element, marks_[at].kept, marks_[at].bit};
    if (CanBeEntered(rows_.encoding->type)) at = window;
    for (; at <= window; ++at) {
      const int32_t first = at * kValues;
      const int32_t left = rows_.encoding->elements - first;
      rows_.decode(*rows_.encoding, rows_.features, first, left < kValues ? left : kValues, &position,
                   values_);
      if (at == last_mark_ && at + 1 < kMarks) {
        marks_[++last_mark_] = {position.element, position.kept, position.bit};
      }
    }
    window_ = window;
  }

  const StreamedRows& rows_;
  int32_t window_ = -1;
  int32_t last_mark_ = 0;
  Mark marks_[kMarks];
  int8_t values_[kValues];
};

// The table of the value at a place of a filter; entries that no index names may be missing.
struct FilterTable {
  const uint8_t* entries;
  int32_t count;

  static inline FilterTable At(const Encoding& e, intptr_t place) {
    const int32_t stride = e.lut.value_table_channel_stride;
    const intptr_t table = e.channels == 1 ? 0 : place / e.inner % e.channels;
    return {e.lut.value_table + table * stride, stride < 1 << e.width ? stride : 1 << e.width};
  }
  // Returns the index of the first of equal entries.
  inline uint32_t IndexOf(int32_t value) const {
    int32_t i = 0;
    while (i + 1 < count && static_cast<int8_t>(entries[i]) != value) ++i;
    return static_cast<uint32_t>(i);
  }
};

// Says where the nibbles of a block begin: with one table, behind its kPackedAlignment bytes; with tables of
// channels, behind 16 bytes for each lane.
template <typename Set>
struct NibbleLayout {
  static constexpr int32_t kVector = Set::kLanes * Set::kStep;  // Weights.
  static constexpr int32_t kSteps =
      kNibbleEntries / Set::kStep;  // Steps of a channel that a table decodes at once.
  bool one_table;
  int32_t lines;
  int32_t steps;
  int32_t vectors;

  int64_t TableBytes() const { return one_table ? 64 : int64_t{vectors} * Set::kLanes * kNibbleEntries; }
  int32_t Groups() const { return (steps + kSteps - 1) / kSteps; }
  int64_t Bytes() const {
    const int64_t all = int64_t{lines} * steps * vectors;
    if (one_table) return TableBytes() + (all + 1) / 2 * kVector;
    return TableBytes() + int64_t{lines} * vectors * Groups() * (kVector * kSteps / 2);
  }
  // The last decoded pair may have a vector that is not used.
  int64_t DecodedWeights() const { return (int64_t{lines} * steps * vectors + 1) / 2 * 2 * kVector; }

  // Stores the index of value i of a line, for a lane of a vector.
  void Put(int32_t line, int32_t i, int32_t vector, int32_t lane, uint32_t index, uint8_t* nibbles) const {
    const int32_t step = i / Set::kStep;
    const int32_t value = i % Set::kStep;
    int64_t at;
    int32_t half;
    if (one_table) {
      const int64_t of_vector = (int64_t{line} * steps + step) * vectors + vector;
      at = of_vector / 2 * kVector + lane * Set::kStep + value;
      half = of_vector % 2;
    } else {
      const int64_t group = (int64_t{line} * vectors + vector) * Groups() + step / kSteps;
      at = group * (kVector * kSteps / 2) + lane % 4 / 2 * kVector + lane / 4 * kNibbleEntries +
           step % kSteps * Set::kStep + value;
      half = lane % 2;
    }
    nibbles[at] = static_cast<uint8_t>(nibbles[at] | index << (half * kNibbleBits));
  }
  // Returns the offset of a lane's table.
  int64_t TableAt(int32_t vector, int32_t lane) const {
    return one_table ? 0
                     : int64_t{vector} * Set::kLanes * kNibbleEntries + lane % 4 * (4 * kNibbleEntries) +
                           lane / 4 * kNibbleEntries;
  }

  void Decode(const uint8_t* tables, typename Set::Weight* weights) const {
    const uint8_t* nibbles = tables + TableBytes();
    if (one_table) {
      const typename Set::Nibbles table = Set::LoadTable(tables);
      for (int64_t left = int64_t{lines} * steps * vectors; left > 0; left -= 2) {
        const typename Set::Nibbles both = Set::LoadNibbles(nibbles);
        Set::StoreWeights(Set::LowWeights(both, table), weights);
        Set::StoreWeights(Set::HighWeights(both, table), weights + kVector);
        nibbles += kVector;
        weights += 2 * kVector;
      }
      return;
    }
    if constexpr (requires { Set::DecodeSteps(nibbles, tables, 0, weights, 0); }) {
      const int32_t step_weights = vectors * kVector;
      for (int32_t line = 0; line < lines; ++line, weights += static_cast<intptr_t>(steps) * step_weights) {
        for (int32_t vector = 0; vector < vectors; ++vector) {
          Set::DecodeSteps(nibbles, tables + TableAt(vector, 0), steps, weights + vector * kVector,
                           step_weights);
          nibbles += Groups() * (kVector * kSteps / 2);
        }
      }
    }
  }
};

}  // namespace
}  // namespace lutra
