// SPDX-License-Identifier: Apache-2.0
// Products of a row of codes of any length with rows of weights, for `armdsp` variants without scratch: SVDF
// and LSTMs.
//
//   RowSums row(input, input_offset, depth);
//   for (int32_t left = rows; left > 0;) {
//     const int32_t count = RowsOfBlock(left);
//     uint32_t sums[kRowBlock] = {};
//     row.AddProducts(weights, count, sums);
//     ...
//   }

#pragma once

#include <stdint.h>

#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/row_products_armdsp.h"

namespace lutra {
namespace {

constexpr int32_t kRowBlock = 32;

// Returns how many of the remaining rows the next block has: never one, if there were at least two.
inline int32_t RowsOfBlock(int32_t left) {
  if (left == kRowBlock + 1) return kRowBlock - 1;
  return left < kRowBlock ? left : kRowBlock;
}

class RowSums {
 public:
  // offset: the number added to each code, within int16.
  RowSums(const int8_t* codes, int32_t offset, int32_t depth)
      : codes_(codes), offset_(offset), depth_(depth) {
    if (depth / 4 <= memory_.words) Expand(0, depth / 4);
  }

  // Adds to `sums` the products with `rows` rows of weights, two or more. Sums wrap.
  LUTRA_OFTEN void AddProducts(const int8_t* weights, int32_t rows, uint32_t* sums) {
    const int32_t words = depth_ / 4;
    for (int32_t begin = 0; begin < words; begin += memory_.words) {
      const int32_t count = words - begin < memory_.words ? words - begin : memory_.words;
      if (words > memory_.words) Expand(begin, count);
      AddRowProducts({memory_.values, count, weights + 4 * begin, depth_}, rows, sums);
    }
    if (depth_ % 4 == 0) return;
    AddRowRest(codes_ + 4 * words, depth_ % 4, offset_, {nullptr, 0, weights + 4 * words, depth_}, rows,
               sums);
  }

 private:
  void Expand(int32_t begin, int32_t words) {
    if (words == 0) return;
    LutraExpandRowArmdsp(codes_ + 4 * begin, memory_.values, words,
                         static_cast<uint32_t>(offset_ & 0xFFFF) * 0x10001u);
  }

  const int8_t* codes_;
  int32_t offset_;
  int32_t depth_;
  RowMemory memory_;  // For the whole row if there is room, else for a part.
};

}  // namespace
}  // namespace lutra
