// SPDX-License-Identifier: Apache-2.0
// For the decoders' tests: random bytes in buffers of exactly their size (so that a sanitizer sees reads
// behind them), or at the edges of pages, and an output between guard bytes.

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

#include "lutra/compression/format.h"
#include "runtime/testing/page_edge.h"

namespace lutra {

using ByteList = std::vector<uint8_t>;

inline ByteList RandomBytes(std::mt19937* random, size_t count) {
  ByteList bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((*random)());
  return bytes;
}

// A copy of bytes beside pages that must not be touched.
class EdgeBytes {
 public:
  EdgeBytes(const ByteList& bytes, PageEdge::Side side) : memory_(bytes.size(), side) {
    if (!bytes.empty()) std::memcpy(memory_.data(), bytes.data(), bytes.size());
  }
  uint8_t* data() const { return memory_.data(); }

 private:
  PageEdge memory_;
};

// Packs fields of `width` bits one after the other.
inline ByteList PackFields(const std::vector<uint32_t>& fields, int width, BitOrder order) {
  ByteList stream((fields.size() * static_cast<size_t>(width) + 7) / 8);
  size_t bit = 0;
  for (const uint32_t field : fields) {
    for (int i = 0; i < width; ++i, ++bit) {
      const bool msb_first = order == BitOrder::kMsbFirst;
      const uint32_t set = field >> (msb_first ? width - 1 - i : i) & 1;
      stream[bit / 8] = static_cast<uint8_t>(stream[bit / 8] | set << (msb_first ? 7 - bit % 8 : bit % 8));
    }
  }
  return stream;
}

// At these lengths, loops over words of 8 and 64 bits change their path.
inline constexpr int kDecodeLengths[] = {1,  2,  3,  4,  5,   7,   8,   9,   15,  16,  17,   31,   32,
                                         33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025};
inline constexpr int kDecodeLengthCount = std::size(kDecodeLengths);

class GuardedOutput {
 public:
  explicit GuardedOutput(size_t bytes) : bytes_(bytes), memory_(bytes / 8 + 4, kGuard) {}
  void* data() { return memory_.data() + 1; }
  // Returns the bytes; fails if anything around them was written.
  ByteList Take() {
    const auto* all = reinterpret_cast<const uint8_t*>(memory_.data());
    for (size_t i = 0; i < memory_.size() * 8; ++i) {
      if (i >= 8 && i < 8 + bytes_) continue;
      EXPECT_EQ(all[i], 0xC3) << "written at " << static_cast<int64_t>(i) - 8 << " of " << bytes_;
    }
    return {all + 8, all + 8 + bytes_};
  }

 private:
  static constexpr uint64_t kGuard = 0xC3C3C3C3C3C3C3C3u;
  size_t bytes_;
  std::vector<uint64_t> memory_;
};

}  // namespace lutra
