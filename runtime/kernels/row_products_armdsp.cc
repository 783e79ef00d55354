// SPDX-License-Identifier: Apache-2.0
// Multiplies two rows of weights at a time.

#include "runtime/kernels/row_products_armdsp.h"

#include "runtime/kernels/loops_armdsp.h"

namespace lutra {

LUTRA_OFTEN void AddRowProducts(const RowProducts& row, int32_t channels, uint32_t* sums) {
  // A block has the words of an unrolled loop.
  constexpr int32_t kBlockWords = 8;
  const int32_t words = row.words;
  const bool is_aligned = row.depth % 4 == 0 && reinterpret_cast<uintptr_t>(row.weights) % 4 == 0;
  PairsOfRowsJob job = {.values = row.values,
                        .blocks_end = row.values + (is_aligned ? words / kBlockWords * kBlockWords * 2 : 0),
                        .eights_end = row.values + words / 2 * 4,
                        .values_end = row.values + words * 2,
                        .depth = row.depth,
                        .step = row.depth - 4 * words,
                        .sums = sums,
                        .pairs = channels / 2,
                        .weights = row.weights};
  LutraPairsOfRowsArmdsp(&job);
  if (channels % 2 == 0) return;
  // The last two rows; the first of them may have its products already.
  uint32_t last[2] = {};
  job.sums = last;
  job.pairs = 1;
  job.weights = row.weights + static_cast<intptr_t>(channels - 2) * row.depth;
  LutraPairsOfRowsArmdsp(&job);
  sums[channels - 1] += last[1];
}

LUTRA_RARE void AddRowRest(const int8_t* values, int32_t count, int32_t offset, const RowProducts& row,
                           int32_t channels, uint32_t* sums) {
  for (int32_t i = 0; i < count; ++i) {
    const int32_t value = values[i] + offset;
    const int8_t* weight = row.weights + i;
    for (int32_t c = 0; c < channels; ++c, weight += row.depth)
      sums[c] += static_cast<uint32_t>(value * *weight);
  }
}

}  // namespace lutra
