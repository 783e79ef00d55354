// SPDX-License-Identifier: Apache-2.0
// The inner loops of the variants for Cortex-M with DSP instructions. They are assembly
// (<kernel>_loops_armdsp.S), since they need all fourteen registers, which compilers do not use. Sums wrap in
// int32.
//
// SMLAD multiplies two pairs of int16 and adds both products. So values and weights are expanded to pairs,
// four of them to two words: the even places (0, 2), and the odd places (1, 3).

#pragma once

#include <stdint.h>

#include "runtime/fixed_point/scaled_sum.h"

// Marks functions in which a run spends few instructions. GCC compiles them for size, and also functions that
// they alone call, unless these are marked as often called.
#define LUTRA_RARE __attribute__((cold, noinline))
#define LUTRA_OFTEN __attribute__((hot, noinline))

namespace lutra {

extern "C" {

// Expands two pixels, each of 4 * words values: eight values become to[0], to[1], the even places of each
// pixel, and to[4], to[5], the odd ones. `to` advances by eight words, so that two more pixels have room in
// between. offset: what is added to each value, twice as int16. words > 0. `to` is aligned to 4, the pixels
// need not be.
void LutraExpandPixelsArmdsp(const int8_t* first, const int8_t* second, uint32_t* to, int32_t words,
                             uint32_t offset);
// Does so with windows, lines of `words` words, that lie in the image.
struct LinesJob {
  const int8_t* first;
  const int8_t* second;
  uint32_t* to;
  int32_t words;
  uint32_t offset;
  int32_t step;  // From the end of a line to the next one.
  int32_t lines;
};
void LutraExpandLinesArmdsp(const LinesJob* job);
// Copies lines of `bytes` bytes that lie `pitch` bytes apart, one behind the other. Up to three bytes behind
// each line are read and written, too. lines and bytes > 0.
void LutraCopyLinesArmdsp(const int8_t* from, int8_t* to, int32_t bytes, int32_t pitch, int32_t lines);
// Expands one row: to[0] has the even places, to[1] the odd ones.
void LutraExpandRowArmdsp(const int8_t* from, uint32_t* to, int32_t words, uint32_t offset);
// Expands one row of three: from word to word there is room for those of the two others.
void LutraExpandRowOfThreeArmdsp(const int8_t* from, uint32_t* to, int32_t words, uint32_t offset);
// Prepares what LutraDotsArmdsp takes of two outputs, `channel` and the next: first sums, weights of whole
// words, and steps, which are right if both have plain ones (PlainScaledSumStep). Four weights of each become
// four words, times 256: the even places of each, then the odd ones. Returns the first output's weights
// behind the whole words.
struct PairJob {
  const void* filter;             // Rows of int8, or packed.
  int32_t row_bytes;              // Of the weights of an output.
  const int32_t* bias;            // Or null.
  const Multiplier* multipliers;  // Null: `steps` has the pair's.
  uint32_t* to;
  int32_t words;
  ScaledSumStep* steps;
  int32_t middle;          // Twice the zero point, and 1.
  int32_t nudge;           // kScaledSumNudge.
  uint32_t* tables;        // Of packed weights, times 256: pairs (packed_weights.h), or see below.
  const uint32_t* single;  // A pixel as LutraExpandRowArmdsp leaves it, and its first output.
  int8_t* single_output;
  int32_t sign_step;  // What is taken from the high half of a negative sum's product: 128 or 0.
};
const int8_t* LutraPreparePairArmdsp(const PairJob* job, int32_t channel);
// Does so for rows of an even number of whole words, and makes both outputs of the single pixel. The return
// value has no meaning.
const int8_t* LutraPreparePairOfOneArmdsp(const PairJob* job, int32_t channel);
// Makes both outputs of the single pixel from a prepared pair.
void LutraDotsOfOneArmdsp(const PairJob* job, int32_t channel);
// Does so with packed weights, whose rows are whole words; the return value has no meaning.
const int8_t* LutraPreparePackedPairArmdsp(const PairJob* job, int32_t channel);
// Does so with the tables of both, 16 values each as uint16, in the place of pairs.
const int8_t* LutraPrepareTablesPairArmdsp(const PairJob* job, int32_t channel);

// Makes two outputs of 4 * n pixels.
struct DotsJob {
  const uint32_t* values;  // Four pixels as LutraExpandPixelsArmdsp leaves them, then the next four.
  const uint32_t* end_of_values;
  int8_t* output;       // That of the first pixel, and beside it that of the second output.
  int32_t quad_bytes;   // Of four pixels: 32 for each word of values; a multiple of 64.
  int32_t block_bytes;  // quad_bytes, rounded down to a multiple of 256.
  int32_t step;         // From pixel to pixel.
  int32_t three_steps;
  int32_t needs_sign;
  const uint32_t* weights;  // The first sums of both outputs, expanded weights, a ScaledSumStep of each.
  int32_t last_pixels;      // So many of the last four are stored, 1 to 4.
};
void LutraDotsArmdsp(const DotsJob* job);
// Adds to the sums of four pixels the products of whole words of one output's weights.
void LutraAddQuadArmdsp(const uint32_t* values, const int8_t* weights, int32_t words, uint32_t* sums);

// Adds to sums the products of a row with pairs of rows of weights.
struct PairsOfRowsJob {
  const uint32_t* values;      // As LutraExpandRowArmdsp leaves them.
  const uint32_t* blocks_end;  // Of whole blocks of 32 values, if weights are aligned to 4, else `values`.
  const uint32_t* eights_end;  // Of whole groups of eight values.
  const uint32_t* values_end;
  int32_t depth;  // From row to row.
  int32_t step;   // From the end of a pair's products to the next pair.
  uint32_t* sums;
  int32_t pairs;
  const int8_t* weights;
};
void LutraPairsOfRowsArmdsp(const PairsOfRowsJob* job);

// Adds to sums the products of three rows with rows of weights. Sums of the second row lie behind `channels`
// of the first, and those of the third behind them.
struct ThreeRowsJob {
  const uint32_t* values;      // As LutraExpandRowOfThreeArmdsp leaves them.
  const uint32_t* blocks_end;  // Of whole blocks of 16 values of each row.
  const uint32_t* values_end;
  int32_t step;  // From the end of a row of weights to the next.
  uint32_t* sums;
  int32_t channels;
  const int8_t* weights;
};
void LutraThreeRowsArmdsp(const ThreeRowsJob* job);

// Expands one row to pairs of neighbours.
void LutraExpandPairsArmdsp(const int8_t* from, uint32_t* to, int32_t words, uint32_t offset);
// Adds the products of a row with fours of rows of packed weights (packed_weights.h).
struct PackedRowsJob {
  const uint32_t* values;      // As LutraExpandPairsArmdsp leaves them.
  const uint32_t* blocks_end;  // Of whole blocks of 32 values.
  const uint32_t* values_end;  // Of whole groups of four.
  int32_t row_bytes;
  int32_t step;  // From the end of the first row of four to the next four.
  uint32_t* sums;
  int32_t fours;
  const uint8_t* stream;
  const uint32_t* pairs;
};
void LutraPackedRowsArmdsp(const PackedRowsJob* job);

// Sums of int8 codes by the rule for ADD, one input of which is multiplied by a half. A product is the high
// word of the input's number and `multiplier`, plus `addend`, less 2 for numbers below 0, shifted by `shift`.
struct AddHalvesJob {
  const int8_t* halves;
  const int8_t* products;
  int8_t* output;  // Saturated.
  const int8_t* end;
  int32_t first_half;  // The numbers of the code 0.
  int32_t first_product;
  int32_t multiplier;
  int32_t addend;
  int32_t shift;
  int32_t out_multiplier;
  int32_t out_addend;
  int32_t out_shift;
};
void LutraAddHalvesArmdsp(const AddHalvesJob* job);

// Some rows of input, four channels at a time, become words of four planes, two columns in each: all rows of
// the first pair of columns, then those of the next.
struct ColumnsJob {
  int32_t step;  // From pixel to pixel.
  uint32_t offset;
  int32_t plane_bytes;  // From plane to plane.
  int32_t pitch;        // From row to row of the input.
  int32_t pairs;
  int32_t gap;  // From the last row of a pair of columns to the first of the next, in bytes of a plane.
  int32_t rows_bytes;  // 4 for each row.
  int32_t has_right;   // The last pixel is alone, the first of its pair;
  int32_t has_left;    // so is the first, the second of its pair.
};
void LutraExpandColumnsArmdsp(const ColumnsJob* job, const int8_t* pixels, uint32_t* plane);

// One channel of a convolution with 3 x 3 taps, of a plane as LutraExpandColumnsArmdsp leaves it. A line is
// the outputs that lie below each other.
struct DepthwiseJob {
  int32_t step;          // From pixel to pixel.
  int32_t output_pitch;  // From row to row.
  int8_t* output;
  int32_t line_step;   // From line to line of the output.
  int32_t lines;       // Of single outputs, or of pairs. More than 0.
  int32_t line_bytes;  // Of the rows of a pair of columns.
  int32_t has_single;  // LutraDepthwisePairsArmdsp: single outputs are the last line.
  int32_t needs_sign;
  const uint32_t* values;
  int32_t run_bytes;  // From the first row that a line's outputs begin at to the one behind the last.
};
struct DepthwiseChannel {
  ScaledSumStep step;
  uint32_t weights[6];  // Times 256, for each row (w0, w1) and (w1, w2).
  int32_t first_sum;
};
// Two outputs begin at each pair of columns, and one row below the other: strides of one. Of a single row the
// stride does not matter.
void LutraDepthwisePairsArmdsp(const DepthwiseJob* job, const DepthwiseChannel* channel);
// Makes a single row, where sums need no sign.
void LutraDepthwiseRowArmdsp(const DepthwiseJob* job, const DepthwiseChannel* channel);
// One does, and two rows below the other: strides of two.
void LutraDepthwiseSinglesArmdsp(const DepthwiseJob* job, const DepthwiseChannel* channel);

// One channel of a convolution of single channels with windows of any kind.
struct WindowsJob {
  const int16_t* values;
  const uint32_t* weights;  // Pairs of taps, or single ones with a 0, times 256: `taps` words for each row.
  int32_t first_sum;
  int32_t taps;
  int32_t tap_step;      // Bytes from the values of a word to those of the next.
  int32_t tap_row_step;  // From the end of a row's taps to the next row's.
  int32_t tap_rows;
  int32_t value_step;    // Bytes from the first value of an output to that of the next in its row, and
  int32_t values_pitch;  // from that of a row's first output to the next row's.
  ScaledSumStep step;
  int32_t sign;  // 128 in layers that need it, else 0.
  int8_t* output;
  int32_t output_step;
  int32_t output_pitch;
  int32_t width;
  int32_t rows;
};
void LutraWindowsArmdsp(const WindowsJob* job);
// Pixels whose windows have the same taps within the image. All distances are in bytes.
struct TapsRun {
  const int8_t* input;   // The first tap of the first pixel.
  const int8_t* filter;  // Its weights.
  int32_t tap_step;      // From tap to tap in the input,
  int32_t filter_step;   // and in the filter.
  int32_t row_step;      // From behind a row's last tap to the next row's first.
  int32_t filter_row_step;
  int32_t taps;      // Of a row.
  int32_t tap_rows;  // 0: all taps lie in the padding.
  int32_t pixels;
  int32_t pixel_step;  // In the input.
  int8_t* output;
  int32_t output_step;
};
// Makes a run of four output channels, tap by tap. tap_rows, taps and pixels are above 0.
struct TapsJob {
  TapsRun run;
  uint32_t offset;    // What is added to each value, twice as int16.
  int32_t sign;       // 128 in layers that need it, else 0.
  int32_t made_bits;  // Eight for each of the first channels that are not written.
  int32_t is_of_one;  // 1: all four are of one input channel; 0: they lie side by side in the input.
  int32_t biases[4];
  ScaledSumStep steps[4];
};
void LutraTapsArmdsp(TapsJob* job);

}  // extern "C"

}  // namespace lutra
