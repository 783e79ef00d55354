// SPDX-License-Identifier: Apache-2.0
// Products of one row of values with rows of int8 weights that are read in place, for the variants `armdsp`.
//
//   RowMemory memory(args.scratch, args.scratch_bytes);
//   LutraExpandRowArmdsp(row, memory.values, depth / 4, offset);
//   AddRowProducts({memory.values, depth / 4, weights, depth}, channels, sums);
//   const int32_t rest = depth / 4 * 4;
//   AddRowRest(row + rest, depth - rest, input_offset, {.weights = weights + rest, .depth = depth}, channels,
//              sums);

#pragma once

#include <stdint.h>

#include "runtime/kernels/scratch_armdsp.h"

namespace lutra {

// Holds expanded values, in a layer's scratch or, if that has less room, in the object itself.
class RowMemory {
 public:
  static constexpr int32_t kOwnWords = kArmdspPartBytes / 8;  // Of four values, 8 bytes each.

  RowMemory() : values(own_), words(kOwnWords) {}
  RowMemory(void* scratch, int32_t scratch_bytes) : RowMemory() {
    if (scratch == nullptr || scratch_bytes / 8 <= kOwnWords) return;
    values = static_cast<uint32_t*>(scratch);
    words = scratch_bytes / 8;
  }
  RowMemory(const RowMemory&) = delete;
  RowMemory& operator=(const RowMemory&) = delete;

 private:
  uint32_t own_[2 * kOwnWords];

 public:
  uint32_t* values;
  int32_t words;
};

struct RowProducts {
  const uint32_t* values;  // As LutraExpandRowArmdsp leaves them.
  int32_t words;           // Of four values each; more than 0.
  const int8_t* weights;   // Those of the first value and the first channel.
  int32_t depth;           // From row to row of weights.
};

// Adds to sums the products of all words with `channels` rows of weights, two or more. Sums wrap.
void AddRowProducts(const RowProducts& row, int32_t channels, uint32_t* sums);

// Adds the products of the last `count` values, which are no whole word; `row` has weights and depth alone.
void AddRowRest(const int8_t* values, int32_t count, int32_t offset, const RowProducts& row, int32_t channels,
                uint32_t* sums);

}  // namespace lutra
