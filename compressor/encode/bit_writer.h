// SPDX-License-Identifier: Apache-2.0
// BitWriter: fields of any width, one after the other, in either bit order.
//
//   BitWriter writer(BitOrder::kMsbFirst);
//   for (uint32_t index : {7, 0, 3, 2}) writer.Put(index, 3);
//   writer.bytes();                       // E1 A0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lutra/compression/format.h"

namespace lutra::compressor {

class BitWriter {
 public:
  explicit BitWriter(BitOrder order) : order_(order) {}

  // Appends the low `width` bits of `value`, 0 to 32 of them.
  void Put(uint32_t value, int width) {
    const uint64_t field = value & ((uint64_t{1} << width) - 1);
    if (order_ == BitOrder::kMsbFirst) {
      pending_ = pending_ << width | field;
    } else {
      pending_ |= field << pending_bits_;
    }
    pending_bits_ += width;
    bits_ += static_cast<size_t>(width);
    while (pending_bits_ >= 8) {
      if (order_ == BitOrder::kMsbFirst) {
        bytes_.push_back(static_cast<uint8_t>(pending_ >> (pending_bits_ - 8)));
      } else {
        bytes_.push_back(static_cast<uint8_t>(pending_));
        pending_ >>= 8;
      }
      pending_bits_ -= 8;
    }
  }

  // All that was put, with zero bits up to a whole byte.
  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> all = bytes_;
    if (pending_bits_ == 0) return all;
    all.push_back(
        static_cast<uint8_t>(order_ == BitOrder::kMsbFirst ? pending_ << (8 - pending_bits_) : pending_));
    return all;
  }
  size_t bits() const { return bits_; }

 private:
  BitOrder order_;
  uint64_t pending_ = 0;  // MSB first: only the low pending_bits_ count.
  int pending_bits_ = 0;  // Below 8 between calls.
  size_t bits_ = 0;
  std::vector<uint8_t> bytes_;
};

// Items of one width.
inline void PutItems(std::span<const uint32_t> items, int width, BitWriter* writer) {
  for (uint32_t item : items) writer->Put(item, width);
}

// Puts a flag bit for each item: 0 stands for the special symbol, kSpecialItem in `items`; 1 is followed by
// the item.
inline constexpr uint32_t kSpecialItem = UINT32_MAX;
inline void PutSparseItems(std::span<const uint32_t> items, int width, BitWriter* writer) {
  for (uint32_t item : items) {
    writer->Put(item == kSpecialItem ? 0 : 1, 1);
    if (item != kSpecialItem) writer->Put(item, width);
  }
}

}  // namespace lutra::compressor
