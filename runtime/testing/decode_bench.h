// SPDX-License-Identifier: Apache-2.0
// Random streams for the decoders' benchmarks.

#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "runtime/testing/kernel_bench.h"

namespace lutra {

inline std::vector<uint8_t> RandomBytes(size_t count) {
  std::mt19937 random(1);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

inline constexpr int32_t kDecodedElements = 1 << 16;

// Counts output bytes, so that all decoders compare with memcpy.
inline void CountDecoded(benchmark::State& state, size_t element_bytes, int32_t elements = kDecodedElements) {
  state.SetBytesProcessed(state.iterations() * elements * static_cast<int64_t>(element_bytes));
}

}  // namespace lutra
