// SPDX-License-Identifier: Apache-2.0
// Int8 pools of any depth with vectors of any instruction set. An operation is an object with
//
//   kCodes, State      the channels that it takes at a time, and their state
//   Start(), Add(state, codes), Finish(state, to)    read, and write, kCodes codes
//   SetCount(count)    sets the number of values for the next states
//
// The last vector of channels begins earlier if necessary. With a stride of one, neighbouring pixels whose
// windows lie inside the image are treated as one pixel with all their channels. Other pixels with fewer
// channels than a vector also read and write the following pixels, as long as there are any in the row.
//
// For the kernels' .cc files: all names are local.

#pragma once

#include <stdint.h>
#include <string.h>

#include "runtime/kernels/pool/pool_rows.h"

namespace lutra {
namespace {

// Vectors that are computed at a time.
constexpr int kPoolVectors = 4;
// Sums of up to this many codes fit int16.
constexpr int64_t kMostInt16 = 255;
// Averages of up to this many codes are exact in float32, see FloatAverage.
constexpr int64_t kMostFloat = 16384;

static inline int64_t MostTaps(const PoolShape& shape) {
  const int64_t height = shape.filter_height < shape.in_height ? shape.filter_height : shape.in_height;
  const int64_t width = shape.filter_width < shape.in_width ? shape.filter_width : shape.in_width;
  return height * width;
}

// The average is trunc((sum +- (count / 2 + 1/2)) / count) with the sum's sign: the added 1/2 keeps the
// quotient at least 1 / (2 * count) from the next integer. In float32 the numerator, below 2^22, is exact;
// the reciprocal and the product are off by 2^-24 of at most 130, together 2^-16: less than that distance for
// counts up to 2^14.
struct FloatAverage {
  float half = 0;
  float reciprocal = 0;
  int32_t count = 0;

  void SetCount(int32_t new_count) {
    if (new_count == count) return;
    count = new_count;
    half = static_cast<float>(count / 2) + 0.5f;
    reciprocal = 1.0f / static_cast<float>(count);
  }
};

// The input values under an output pixel.
struct PoolWindow {
  const Rows* input;
  int32_t first_row;
  int32_t rows;
  int32_t columns;
  int32_t step;   // From column to column.
  int32_t depth;  // Channels to compute.
  int64_t at;     // Their offset in a row.
};

// Computes kVectors vectors of channels from `first` on.
template <int kVectors, typename Operation>
[[gnu::always_inline]] inline void PoolVectors(const Operation& operation, const PoolWindow& window,
                                               int32_t first, int8_t* to) {
  typename Operation::State states[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) states[v] = operation.Start();
  for (int32_t y = 0; y < window.rows; ++y) {
    const int8_t* from =
        reinterpret_cast<const int8_t*>(window.input->Row(window.first_row + y)) + window.at + first;
    for (int32_t x = 0; x < window.columns; ++x, from += window.step) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) operation.Add(&states[v], from + v * Operation::kCodes);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) operation.Finish(states[v], to + first + v * Operation::kCodes);
}

// Computes all channels, at least a vector of them.
template <typename Operation>
[[gnu::always_inline]] inline void PoolDeepPixel(const Operation& operation, const PoolWindow& window,
                                                 int8_t* to) {
  constexpr int32_t kCodes = Operation::kCodes;
  int32_t first = 0;
  for (; window.depth - first >= kPoolVectors * kCodes; first += kPoolVectors * kCodes) {
    PoolVectors<kPoolVectors>(operation, window, first, to);
  }
  for (; first < window.depth; first += kCodes) {
    if (first > window.depth - kCodes) first = window.depth - kCodes;
    PoolVectors<1>(operation, window, first, to);
  }
}

// Computes all channels, fewer than a vector. `readable` bytes of an input row may be read, and `writable`
// bytes of the output's written.
template <typename Operation>
[[gnu::always_inline]] inline void PoolShallowPixel(const Operation& operation, const PoolWindow& window,
                                                    int64_t readable, int64_t writable, int8_t* to) {
  constexpr int32_t kCodes = Operation::kCodes;
  const auto bytes = static_cast<size_t>(window.depth);
  int8_t codes[kCodes] = {};
  int8_t* const result = writable >= kCodes ? to : codes;
  // Vectors may read this many columns.
  int64_t whole = readable < kCodes ? 0 : (readable - kCodes) / window.step + 1;
  if (whole > window.columns) whole = window.columns;
  typename Operation::State state = operation.Start();
  for (int32_t y = 0; y < window.rows; ++y) {
    const int8_t* from = reinterpret_cast<const int8_t*>(window.input->Row(window.first_row + y)) + window.at;
    int32_t x = 0;
    for (; x < whole; ++x, from += window.step) operation.Add(&state, from);
    for (; x < window.columns; ++x, from += window.step) {
      memcpy(codes, from, bytes);
      operation.Add(&state, codes);
    }
  }
  operation.Finish(state, result);
  if (result == codes) memcpy(to, codes, bytes);
}

// Returns how many pixels from `x` on have windows that begin one pixel apart and lie inside the image.
static inline int32_t PoolRun(const PoolShape& shape, int32_t x) {
  if (shape.stride_w != 1 || x < shape.pad_left) return 0;
  const int32_t inside = shape.in_width - shape.filter_width + shape.pad_left + 1;
  const int32_t end = inside < shape.out_width ? inside : shape.out_width;
  return end > x ? end - x : 0;
}

// Returns the most channels that vectors can take at a time.
static inline int64_t PoolDepth(const PoolShape& shape) {
  return int64_t{shape.depth} * (shape.stride_w == 1 ? shape.out_width : 1);
}

template <typename Operation>
void PoolRowsInVectors(const PoolShape& shape, const Rows& input, const Rows& output, int32_t first_row,
                       int32_t row_count, Operation operation) {
  const int64_t in_row = int64_t{shape.in_width} * shape.depth;
  const int64_t out_row = int64_t{shape.out_width} * shape.depth;
  PoolWindow window = {};
  window.input = &input;
  window.step = shape.depth;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t top = row % shape.out_height * shape.stride_h - shape.pad_top;
    const PoolTaps tall = PoolTapsInside(top, shape.filter_height, shape.in_height);
    window.first_row = row / shape.out_height * shape.in_height + top + tall.begin;
    window.rows = tall.end - tall.begin;
    auto* const to = reinterpret_cast<int8_t*>(output.Row(row));
    for (int32_t x = 0, run = 1; x < shape.out_width; x += run) {
      const int32_t left = x * shape.stride_w - shape.pad_left;
      const PoolTaps wide = PoolTapsInside(left, shape.filter_width, shape.in_width);
      const int64_t at = int64_t{x} * shape.depth;
      window.columns = wide.end - wide.begin;
      window.at = int64_t{left + wide.begin} * shape.depth;
      operation.SetCount(window.rows * window.columns);
      run = PoolRun(shape, x);
      if (run == 0 || shape.depth * run < Operation::kCodes) run = 1;
      window.depth = shape.depth * run;
      if (window.depth >= Operation::kCodes) {
        PoolDeepPixel(operation, window, to + at);
      } else {
        PoolShallowPixel(operation, window, in_row - window.at, out_row - at, to + at);
      }
    }
  }
}

}  // namespace
}  // namespace lutra
