// SPDX-License-Identifier: Apache-2.0
// Copies many short runs of bytes, or fills them, without a call for each. For the variants' .cc files: the
// unnamed namespace lets each keep its own copy.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/copy/copy.h"

namespace lutra {
namespace {

// Copies a run of kBlock to 2 * kBlock bytes as two blocks, which may overlap.
template <int32_t kBlock>
[[gnu::always_inline]] inline void CopyTwoBlocks(const uint8_t* input, uint8_t* output, intptr_t bytes) {
  uint8_t first[kBlock];
  uint8_t last[kBlock];
  memcpy(first, input, kBlock);
  memcpy(last, input + bytes - kBlock, kBlock);
  memcpy(output, first, kBlock);
  memcpy(output + bytes - kBlock, last, kBlock);
}

template <int32_t kBlock>
void CopyRunsOfBlocks(const CopyDim& runs, intptr_t bytes, const uint8_t* input, uint8_t* output) {
  const intptr_t input_stride = runs.input_stride;
  const intptr_t output_stride = runs.output_stride;
  for (int32_t i = 0; i < runs.count; ++i) {
    CopyTwoBlocks<kBlock>(input + i * input_stride, output + i * output_stride, bytes);
  }
}

// For longer runs, a call of memcpy costs little compared with the copying.
inline constexpr intptr_t kLongestShortRun = 128;

// Copies `runs.count` runs of `bytes` bytes.
inline void CopyRunsOf(const CopyDim& runs, intptr_t bytes, const uint8_t* input, uint8_t* output) {
  if (bytes == 0) return;
  if (bytes > kLongestShortRun) {
    for (intptr_t i = 0; i < runs.count; ++i) {
      memcpy(output + i * runs.output_stride, input + i * runs.input_stride, static_cast<size_t>(bytes));
    }
    return;
  }
  if (bytes >= 64) return CopyRunsOfBlocks<64>(runs, bytes, input, output);
  if (bytes >= 32) return CopyRunsOfBlocks<32>(runs, bytes, input, output);
  if (bytes >= 16) return CopyRunsOfBlocks<16>(runs, bytes, input, output);
  if (bytes >= 8) return CopyRunsOfBlocks<8>(runs, bytes, input, output);
  if (bytes >= 4) return CopyRunsOfBlocks<4>(runs, bytes, input, output);
  if (bytes >= 2) return CopyRunsOfBlocks<2>(runs, bytes, input, output);
  CopyRunsOfBlocks<1>(runs, bytes, input, output);
}

// Stores an element again and again.
class Filler {
 public:
  Filler(const uint8_t* element, int32_t element_bytes) {
    uint64_t pattern = 0;
    switch (element_bytes) {
      case 1:
        pattern = *element * 0x0101010101010101u;
        break;
      case 2:
        for (size_t i = 0; i < 8; i += 2) memcpy(reinterpret_cast<uint8_t*>(&pattern) + i, element, 2);
        break;
      case 4:
        for (size_t i = 0; i < 8; i += 4) memcpy(reinterpret_cast<uint8_t*>(&pattern) + i, element, 4);
        break;
      default:
        memcpy(&pattern, element, 8);
    }
    for (size_t i = 0; i < kBlock; i += 8) memcpy(block_ + i, &pattern, 8);
  }

  // `bytes` is a multiple of the element's.
  [[gnu::always_inline]] void Fill(uint8_t* output, intptr_t bytes) const {
    if (bytes >= kBlock) {
      for (intptr_t i = 0; i < bytes - kBlock; i += kBlock) memcpy(output + i, block_, kBlock);
      memcpy(output + bytes - kBlock, block_, kBlock);
    } else if (bytes >= 16) {
      FillTwo<16>(output, bytes);
    } else if (bytes >= 8) {
      FillTwo<8>(output, bytes);
    } else if (bytes >= 4) {
      FillTwo<4>(output, bytes);
    } else if (bytes >= 2) {
      FillTwo<2>(output, bytes);
    } else if (bytes == 1) {
      output[0] = block_[0];
    }
  }

 private:
  static constexpr int32_t kBlock = 32;

  template <int32_t kBytes>
  [[gnu::always_inline]] void FillTwo(uint8_t* output, intptr_t bytes) const {
    memcpy(output, block_, kBytes);
    memcpy(output + bytes - kBytes, block_, kBytes);
  }

  uint8_t block_[kBlock];
};

}  // namespace
}  // namespace lutra
