// SPDX-License-Identifier: Apache-2.0
// Transposing elements of 1, 2, 4 or 8 bytes with instructions that interleave the elements of two vectors,
// lane by lane of 16 bytes. For the variants' .cc files, each of which brings its own Vector type; the
// namespace without a name lets each keep its own copy.
//
// Elements of a line are neighbours in the input, those of a row in the output: element (row, line) is copied
// from input + line * line_stride + row * kBytes to output + row * row_stride + line * kBytes. Interleaving
// the first half of the vectors with the second, over and over, brings together first pairs of lines, at last
// all of them.
//
// Where a number of rows or lines is no multiple of what is done at once, the last ones are done twice.

#pragma once

#include <stdint.h>
#include <string.h>

namespace lutra {
namespace {

struct Transposition {
  const uint8_t* input;
  uint8_t* output;
  intptr_t line_stride;  // In bytes, as the next.
  intptr_t row_stride;
  int32_t lines;
  int32_t rows;
};

template <typename Vector, int32_t kBytes>
class Transposer {
 public:
  static constexpr int32_t kSide = 16 / kBytes;  // Elements of a lane.

  // Returns whether there are enough: of one kind kSide, of the other two. More lanes want lines for each.
  static bool Fits(int32_t lines, int32_t rows) {
    if constexpr (Vector::kLanes > 1) return lines >= Vector::kLanes * kSide && rows >= kSide;
    return lines >= 2 && rows >= 2 && (lines >= kSide || rows >= kSide);
  }
  static void Run(const Transposition& t) {
    if constexpr (Vector::kLanes > 1) return RunLines<kSide>(t);
    t.lines >= kSide ? RunLines<kSide>(t) : RunRows<kSide / 2>(t);
  }

 private:
  // Interleaves kCount vectors until each holds neighbours only.
  template <int32_t kCount>
  [[gnu::always_inline]] static void Interleave(Vector* x) {
#pragma GCC unroll 4
    for (int32_t done = 1; done < kCount; done *= 2) {
      Vector y[kCount];
#pragma GCC unroll 8
      for (int32_t i = 0; i < kCount / 2; ++i) {
        y[2 * i] = Vector::template InterleaveLow<kBytes>(x[i], x[i + kCount / 2]);
        y[2 * i + 1] = Vector::template InterleaveHigh<kBytes>(x[i], x[i + kCount / 2]);
      }
#pragma GCC unroll 16
      for (int32_t i = 0; i < kCount; ++i) x[i] = y[i];
    }
  }

  // kRows rows at a time, and kSide lines for each lane: the lanes' lines follow upon each other, but for the
  // last.
  template <int32_t kRows>
  static void RunLines(const Transposition& t) {
    if constexpr (kRows > 2) {
      if (t.rows < kRows) return RunLines<kRows / 2>(t);
    }
    for (int32_t at = 0; at < t.rows; at += kRows) {
      const int32_t row = at < t.rows - kRows ? at : t.rows - kRows;
      for (int32_t line = 0; line < t.lines; line += Vector::kLanes * kSide) {
        const int32_t last = t.lines - kSide;
        Block<kRows>(t, row, line < last ? line : last, line + kSide < last ? line + kSide : last);
      }
    }
  }

  template <int32_t kRows>
  [[gnu::always_inline]] static void Block(const Transposition& t, int32_t row, int32_t line,
                                           int32_t next_line) {
    const uint8_t* input = t.input + row * kBytes + line * t.line_stride;
    const uint8_t* next_input = t.input + row * kBytes + next_line * t.line_stride;
    Vector x[kSide];
#pragma GCC unroll 16
    for (int32_t i = 0; i < kSide; ++i) {
      x[i] = Vector::template Load<kRows * kBytes>(input + i * t.line_stride, next_input + i * t.line_stride);
    }
    // Short lines fill a vector together.
#pragma GCC unroll 4
    for (int32_t count = kSide / 2; count >= kRows; count /= 2) {
#pragma GCC unroll 8
      for (int32_t i = 0; i < count; ++i) x[i] = Vector::template InterleaveLow<kBytes>(x[i], x[i + count]);
    }
    Interleave<kRows>(x);
    uint8_t* output = t.output + row * t.row_stride;
#pragma GCC unroll 16
    for (int32_t i = 0; i < kRows; ++i) {
      x[i].Store(output + i * t.row_stride + line * kBytes, output + i * t.row_stride + next_line * kBytes);
    }
  }

  // kLines lines at a time, fewer than a lane has, and kSide rows.
  template <int32_t kLines>
  static void RunRows(const Transposition& t) {
    if constexpr (kLines > 2) {
      if (t.lines < kLines) return RunRows<kLines / 2>(t);
    }
    if constexpr (kLines >= 2 && Vector::kLanes == 1) {
      for (int32_t at = 0; at < t.lines; at += kLines) {
        const int32_t line = at < t.lines - kLines ? at : t.lines - kLines;
        for (int32_t row = 0; row < t.rows; row += kSide) {
          ShortBlock<kLines>(t, line, row < t.rows - kSide ? row : t.rows - kSide);
        }
      }
    }
  }

  template <int32_t kLines>
  [[gnu::always_inline]] static void ShortBlock(const Transposition& t, int32_t line, int32_t row) {
    constexpr int32_t kPiece = kLines * kBytes;
    const uint8_t* input = t.input + row * kBytes + line * t.line_stride;
    Vector x[kLines];
#pragma GCC unroll 8
    for (int32_t i = 0; i < kLines; ++i) {
      const uint8_t* from = input + i * t.line_stride;
      x[i] = Vector::template Load<16>(from, from);
    }
    Interleave<kLines>(x);
    uint8_t pieces[16 * kLines];
#pragma GCC unroll 8
    for (int32_t i = 0; i < kLines; ++i) x[i].Store(pieces + 16 * i, pieces + 16 * i);
    uint8_t* output = t.output + row * t.row_stride + line * kBytes;
#pragma GCC unroll 16
    for (int32_t i = 0; i < kSide; ++i) memcpy(output + i * t.row_stride, pieces + i * kPiece, kPiece);
  }
};

}  // namespace
}  // namespace lutra
