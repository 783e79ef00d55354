// SPDX-License-Identifier: Apache-2.0
// Counts and orders of the streams that decoders read. Streams, tables and values are bytes as in a file, at
// any alignment and the same on every machine. Needs no C++ library.

#pragma once

#include "lutra/compression/format.h"
#include "runtime/kernels/problem.h"
#include "runtime/kernels/test_data.h"

namespace lutra {

inline constexpr int32_t kStreamCounts[] = {1, 2, 7, 8, 9, 15, 16, 31, 33, 63, 64, 65, 70, 257};

// Random numbers below a limit, for longer streams.
class StreamDice {
 public:
  int32_t Below(int32_t limit) {
    return static_cast<int32_t>((NextRandom(&state_) >> 4) % static_cast<uint32_t>(limit));
  }
  // Returns a small or a large count of elements with this many bytes each.
  int32_t Count(int32_t element_bytes) { return 1 + Below((Below(2) == 0 ? 400 : 6000) / element_bytes); }
  BitOrder Order() { return Below(2) == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst; }

 private:
  uint32_t state_ = random_problems_seed;
};
inline constexpr int32_t kRandomStreams = 40;

inline BitOrder BitOrderOf(int32_t i) { return i % 2 == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst; }

}  // namespace lutra
