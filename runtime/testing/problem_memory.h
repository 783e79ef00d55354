// SPDX-License-Identifier: Apache-2.0
// The memory of problems (runtime/kernels/problem.h) for tests and benchmarks.
//
//   ProblemMemory memory;
//   Problem<LookupArgs> problem = LookupProblemOf({count, table}, memory);

#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/kernels/conv_cases.h"
#include "runtime/kernels/problem.h"
#include "runtime/kernels/test_data.h"

namespace lutra {

class ProblemMemory {
 public:
  uint8_t* Take(int32_t count, int32_t element_bytes) {
    const auto bytes = static_cast<size_t>(count) * static_cast<size_t>(element_bytes);
    blocks_.emplace_back(bytes / sizeof(uint64_t) + 1);
    return reinterpret_cast<uint8_t*>(blocks_.back().data());
  }
  uint8_t* TakeFilled(uint32_t seed, int32_t count, int32_t element_bytes) {
    uint8_t* const bytes = Take(count, element_bytes);
    FillBytes(seed, count * element_bytes, bytes);
    return bytes;
  }
  float* TakeFilledReals(uint32_t seed, int32_t count) {
    auto* const values = Data<float>(*this, count);
    FillFloat(seed, count, values);
    return values;
  }
  // Returns memory between guards.
  uint8_t* TakeOutput(int32_t count, int32_t element_bytes) {
    const int32_t guards = kGuardBytes / element_bytes;
    uint8_t* const begin = Take(count + 2 * guards, element_bytes);
    const auto bytes = static_cast<size_t>(count) * static_cast<size_t>(element_bytes);
    std::memset(begin, kGuard, bytes + 2 * kGuardBytes);
    outputs_.push_back({begin + kGuardBytes, bytes});
    return begin + kGuardBytes;
  }
  float* TakeOutputReals(int32_t count) { return reinterpret_cast<float*>(TakeOutput(count, sizeof(float))); }

  // Returns whether nothing was written around the outputs.
  bool HasWholeGuards() const {
    for (const auto& [begin, bytes] : outputs_) {
      for (int32_t i = 0; i < kGuardBytes; ++i) {
        if (begin[i - kGuardBytes] != kGuard || begin[bytes + static_cast<size_t>(i)] != kGuard) return false;
      }
    }
    return true;
  }

 private:
  struct OutputBytes {
    uint8_t* begin;
    size_t bytes;
  };
  static constexpr int32_t kGuardBytes = 64;
  static constexpr uint8_t kGuard = 0x5A;
  std::vector<std::vector<uint64_t>> blocks_;
  std::vector<OutputBytes> outputs_;
};

}  // namespace lutra
