// SPDX-License-Identifier: Apache-2.0
// Products of one row of values with rows of int8 weights that are read where they lie, for the variants
// `armdsp`.
//
//   LutraExpandRowArmdsp(row, values, depth / 4, offset);
//   AddRowProducts({values, depth / 4, weights, depth}, channels, sums);
//   AddRowRest(row, input_offset, {values, depth / 4, weights, depth}, channels, sums);

#pragma once

#include <stdint.h>

namespace lutra {

struct RowProducts {
  const uint32_t* values;  // As LutraExpandRowArmdsp leaves them.
  int32_t words;           // Of four values each; more than 0.
  const int8_t* weights;   // Those of the first value and the first channel.
  int32_t depth;           // From row to row of weights.
};

// Adds to sums the products of all words with `channels` rows of weights, two or more. Sums wrap.
void AddRowProducts(const RowProducts& row, int32_t channels, uint32_t* sums);

// Adds those of the values behind the last whole word; `row.weights` are those of the row's first value.
void AddRowRest(const int8_t* values, int32_t offset, const RowProducts& row, int32_t channels,
                uint32_t* sums);

}  // namespace lutra
