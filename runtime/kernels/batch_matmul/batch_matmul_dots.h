// SPDX-License-Identifier: Apache-2.0
// The matrix product in the terms of dot_tiles.h: rows of lhs are pixels, columns of rhs channels. A block
// of columns is packed on the stack when it is needed, and serves all rows; if its depth exceeds a part, it
// serves as many rows as can keep their sums on the stack.
//
// With the values v that a Set makes of lhs, and its start offset s, a sum is
//   sum of (l + lhs_offset) * (r + rhs_offset) = sum of v * r + s * sum of r + rhs_offset * sum of (l +
//   lhs_offset).

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/batch_matmul/batch_matmul.h"
#include "runtime/kernels/dot_tiles.h"

namespace lutra {
namespace {

constexpr int32_t kMatMulPart = 256;  // Values of a part of the depth.
constexpr int32_t kMatMulRows = 48;   // Rows whose sums are kept from part to part.

template <typename Set>
struct MatMulBlock {
  static constexpr int32_t kVectors = Set::kMaxVectors;
  static constexpr int32_t kLanes = kVectors * Set::kLanes;
  static constexpr int32_t kTile = Set::TilePixels(kVectors);

  alignas(kPackedAlignment) typename Set::Weight weights[kMatMulPart * kLanes];
  int32_t starts[kLanes];
  float scale[kLanes];
  float above[kLanes];
  float below[kLanes];
  int32_t sums[kMatMulRows * kLanes];
};

// Returns the lane of a channel in its block: the inverse of ChannelOfLane.
template <typename Set>
int32_t LaneOfChannel(int32_t channel) {
  constexpr int32_t kVectors = Set::kMaxVectors;
  return channel / 4 % kVectors * Set::kLanes + channel / (4 * kVectors) * 4 + channel % 4;
}

// Packs rows [begin, begin + count) of columns [first, first + columns) of rhs.
template <typename Set>
void PackPart(const MatMulArgs& args, int32_t first, int32_t columns, int32_t begin, int32_t count,
              MatMulBlock<Set>* block) {
  constexpr int32_t kLanes = MatMulBlock<Set>::kLanes;
  const MatMulShape& shape = args.shape;
  const int32_t steps = (count + Set::kStep - 1) / Set::kStep;
  memset(block->weights, 0, static_cast<size_t>(steps) * Set::kStep * kLanes * sizeof(typename Set::Weight));
  memset(block->starts, 0, sizeof(block->starts));
  const auto offset = static_cast<uint32_t>(Set::StartOffset(args.lhs_offset));
  const intptr_t row = shape.rhs_transposed ? 1 : shape.n;
  const intptr_t column = shape.rhs_transposed ? shape.k : 1;
  for (int32_t c = 0; c < columns; ++c) {
    const int8_t* from = args.rhs + begin * row + (first + c) * column;
    const int32_t lane = LaneOfChannel<Set>(c);
    typename Set::Weight* to = block->weights + lane * Set::kStep;
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i += Set::kStep, to += kLanes * Set::kStep) {
      const int32_t some = count - i < Set::kStep ? count - i : Set::kStep;
      for (int32_t j = 0; j < some; ++j, from += row) {
        to[j] = *from;
        sum += *from;
      }
    }
    block->starts[lane] = static_cast<int32_t>(offset * static_cast<uint32_t>(sum));
  }
}

// Converts values [begin, begin + count) of a row of lhs. Returns the number that they add to each sum of the
// row.
template <typename Set>
uint32_t ConvertLhs(const MatMulArgs& args, int32_t m, int32_t begin, int32_t count,
                    typename Set::Value* to) {
  const MatMulShape& shape = args.shape;
  int8_t gathered[kMatMulPart];
  const int8_t* from = args.lhs + static_cast<intptr_t>(m) * shape.k + begin;
  if (shape.lhs_transposed) {
    const int8_t* value = args.lhs + static_cast<intptr_t>(begin) * shape.m + m;
    for (int32_t i = 0; i < count; ++i, value += shape.m) gathered[i] = *value;
    from = gathered;
  }
  Set::Convert(from, count, args.lhs_offset, to);
  if (args.rhs_offset == 0) return 0;
  int32_t sum = count * args.lhs_offset;
  for (int32_t i = 0; i < count; ++i) sum += from[i];
  return static_cast<uint32_t>(sum) * static_cast<uint32_t>(int32_t{args.rhs_offset});
}

// Adds one part of the depth of rows [first, first + area.pixels).
template <typename Set>
void ComputeMatMulTile(const MatMulArgs& args, const DotLayer& layer, int32_t first, int32_t begin,
                       int32_t count, MatMulBlock<Set>* block, int32_t* kept, const DotArea& area) {
  using Block = MatMulBlock<Set>;
  constexpr int32_t kPixelStep = kMatMulPart + Set::kStep;
  constexpr int32_t kSums = Block::kTile * Block::kVectors;
  alignas(kPackedAlignment) typename Set::Value values[Block::kTile * kPixelStep];
  int32_t starts[Block::kTile * Block::kLanes];
  for (int32_t p = 0; p < Block::kTile; ++p) {
    // The last row is repeated for rows that are missing.
    const int32_t row = p < area.pixels ? p : area.pixels - 1;
    typename Set::Value* const to = values + p * kPixelStep;
    const uint32_t of_row = ConvertLhs<Set>(args, first + row, begin, count, to);
    memset(to + count, 0, Set::kStep * sizeof(*to));
    static constexpr int32_t kNone[Block::kLanes] = {};
    const int32_t* const before = begin == 0 ? kNone : kept + row * Block::kLanes;
    for (int32_t i = 0; i < Block::kLanes; ++i) {
      starts[p * Block::kLanes + i] = static_cast<int32_t>(static_cast<uint32_t>(before[i]) + of_row +
                                                           static_cast<uint32_t>(block->starts[i]));
    }
  }
  typename Set::Sums sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = Set::LoadSums(starts + i * Set::kLanes);
  AddTaps<Set, Block::kTile, Block::kVectors>(block->weights, 1, 1, (count + Set::kStep - 1) / Set::kStep,
                                              {values, kPixelStep, 0, Block::kTile, Block::kTile}, sums);
  if (begin + count < args.shape.k) {
    for (int i = 0; i < area.pixels * Block::kVectors; ++i) Set::StoreSums(sums[i], kept + i * Set::kLanes);
    return;
  }
  const PackedBlock<Set> packed = {block->starts, block->scale, block->above, block->below, nullptr, nullptr};
  FinishTile<Set, Block::kTile, Block::kVectors, true>(layer, packed, sums, 0, area);
}

// Computes columns [first, first + area.channels) of the output.
template <typename Set>
void ComputeMatMulColumns(const MatMulArgs& args, const DotLayer& layer, int32_t first, DotArea area,
                          MatMulBlock<Set>* block) {
  using Block = MatMulBlock<Set>;
  const MatMulShape& shape = args.shape;
  const int32_t at_once = shape.k <= kMatMulPart ? shape.m : kMatMulRows / Block::kTile * Block::kTile;
  for (int32_t rows = 0; rows < shape.m;) {
    const int32_t end = shape.m - rows < at_once ? shape.m : rows + at_once;
    for (int32_t begin = 0; begin < shape.k; begin += kMatMulPart) {
      const int32_t count = shape.k - begin < kMatMulPart ? shape.k - begin : kMatMulPart;
      PackPart<Set>(args, first, area.channels, begin, count, block);
      for (int32_t row = rows; row < end; row += Block::kTile) {
        area.pixels = end - row < Block::kTile ? end - row : Block::kTile;
        area.output = args.output + static_cast<intptr_t>(row) * shape.n + first;
        int32_t* const kept = shape.k <= kMatMulPart ? nullptr : block->sums + (row - rows) * Block::kLanes;
        ComputeMatMulTile<Set>(args, layer, row, begin, count, block, kept, area);
      }
    }
    rows = end;
  }
}

template <typename Set>
void RunDots(const MatMulArgs& args) {
  using Block = MatMulBlock<Set>;
  const MatMulShape& shape = args.shape;
  // Packing takes longer than it saves for so few rows, as measured: transposed matrices suit the reference.
  const int32_t few_rows = shape.rhs_transposed && Set::kStep < 4 ? 128 / Set::kLanes : 8;
  const int64_t magnitude = int64_t{shape.k} * 255 * 255;
  const int32_t width = GuardWidth(magnitude) + (Set::kIsFused ? 0 : 1);
  GuardedScale guarded;
  if (shape.m < few_rows || shape.n < Set::kLanes ||
      !ComputeGuardedScale(args.multiplier, args.output_offset, 0, width, &guarded)) {
    return MatMulRef(args);
  }
  Block block;
  for (int32_t i = 0; i < Block::kLanes; ++i) {
    block.scale[i] = guarded.scale;
    block.above[i] = guarded.above;
    block.below[i] = guarded.below;
  }
  DotLayer layer = {};
  layer.multipliers = &args.multiplier;
  layer.one_multiplier = true;
  layer.channels = shape.n;
  layer.quantization = {args.lhs_offset, args.output_offset, INT8_MIN, INT8_MAX};
  DotArea area = {};
  area.pixel_step = shape.n;
  area.min = INT8_MIN;
  area.max = INT8_MAX;
  area.exact_check_threshold = 2 * width;
  for (int32_t first = 0; first < shape.n; first += Block::kLanes) {
    area.channels = shape.n - first < Block::kLanes ? shape.n - first : Block::kLanes;
    ComputeMatMulColumns<Set>(args, layer, first, area, &block);
  }
}

}  // namespace
}  // namespace lutra
