// SPDX-License-Identifier: Apache-2.0
// The inner loops of the variants for Cortex-M with DSP instructions. They need all fourteen registers, which
// compilers do not give, and are assembly: <kernel>_loops_armdsp.S. Sums wrap in int32.
//
// SMLAD multiplies two pairs of int16 and adds both products. So values and weights are expanded to pairs,
// four of them to two words: the even places (0, 2), and the odd places (1, 3).

#pragma once

#include <stdint.h>

namespace lutra {

extern "C" {

// Of two pixels, each of 4 * words values: eight values become to[0], to[1], the even places of each pixel,
// and to[4], to[5], the odd ones. `to` advances by eight words, so that two more pixels have room in between.
// offset: what is added to each value, twice as int16. words > 0. `to` is aligned to 4, the pixels need not
// be.
void LutraExpandPixelsArmdsp(const int8_t* first, const int8_t* second, uint32_t* to, int32_t words,
                             uint32_t offset);
// The same of windows, lines of `words` words, that lie in the image.
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
// Lines of `bytes` bytes that lie `pitch` bytes apart, one behind the other. Up to three bytes behind each
// line are read and written, too. lines and bytes > 0.
void LutraCopyLinesArmdsp(const int8_t* from, int8_t* to, int32_t bytes, int32_t pitch, int32_t lines);
// Of one row: to[0] the even places, to[1] the odd ones.
void LutraExpandRowArmdsp(const int8_t* from, uint32_t* to, int32_t words, uint32_t offset);
// Of two filters, times 256: to[0], to[1] the even places of each, to[2], to[3] the odd ones.
void LutraExpandWeightsArmdsp(const int8_t* first, const int8_t* second, uint32_t* to, int32_t words);

// Two outputs of 4 * n pixels.
struct DotsJob {
  const uint32_t* values;  // Four pixels as LutraExpandPixelsArmdsp leaves them, then the next four.
  const uint32_t* end_of_values;
  int32_t quad_bytes;       // Of four pixels: 32 for each word of values; a multiple of 64.
  const uint32_t* weights;  // The first sums of both outputs, expanded weights, a ScaledSumStep of each.
  int8_t* output;           // That of the first pixel, and beside it that of the second output.
  int32_t step;             // From pixel to pixel.
  int32_t three_steps;
  int32_t needs_sign;
  int32_t block_bytes;  // quad_bytes, rounded down to a multiple of 256.
  int32_t last_pixels;  // So many of the last four are stored, 1 to 4.
};
void LutraDotsArmdsp(const DotsJob* job);

// Adds to sums the products of a row with pairs of rows of weights.
struct PairsOfRowsJob {
  const uint32_t* values;      // As LutraExpandRowArmdsp leaves them.
  const uint32_t* blocks_end;  // Of whole blocks of 64 values, if weights are aligned to 4, else `values`.
  const uint32_t* eights_end;  // Of whole groups of eight values.
  const uint32_t* values_end;
  int32_t depth;  // From row to row.
  int32_t step;   // From the end of a pair's products to the next pair.
  uint32_t* sums;
  int32_t pairs;
  const int8_t* weights;
};
void LutraPairsOfRowsArmdsp(const PairsOfRowsJob* job);

// A row of input, four channels at a time, becomes words of four planes, two columns in each, in one to three
// slots: places of the row in rows of output.
struct ColumnsJob {
  int32_t step;  // From pixel to pixel.
  uint32_t offset;
  int32_t plane_bytes;  // From plane to plane.
  int32_t slot_step;    // Bytes from slot to slot.
  int32_t pairs_bytes;  // 12 for each pair of pixels.
  int32_t has_left;     // The first pixel is alone, the second of its pair;
  int32_t has_right;    // so is the last, the first of its pair.
};
void LutraExpandColumnsArmdsp(const ColumnsJob* job, const int8_t* pixels, uint32_t* plane, int32_t slots);

// One channel of a convolution with 3 x 3 taps. Values are pairs of neighbouring columns: of each pair the
// word of the first input row, of the second, of the third. Rows of output are `pitch` bytes of values apart.
struct DepthwiseJob {
  int32_t needs_sign;
  int32_t step;  // From pixel to pixel.
  int32_t unused;
  int32_t rows;
  const uint32_t* values;
  int32_t pitch;
  int8_t* output;
  int32_t output_pitch;
  int32_t row_bytes;   // 12 for each pair of columns at which an output, or a pair of them, begins; above 0.
  int32_t has_single;  // LutraDepthwisePairsArmdsp: a single output is the last of a row.
};
struct DepthwiseChannel {
  int32_t multiplier;
  int32_t addend;
  uint32_t weights[6];  // Times 256, for each row (w0, w1) and (w1, w2).
  int32_t first_sum;
  int32_t shift;
};
// Two outputs begin at each pair of columns: a stride of one.
void LutraDepthwisePairsArmdsp(const DepthwiseJob* job, const DepthwiseChannel* channel);
// One does: a stride of two.
void LutraDepthwiseSinglesArmdsp(const DepthwiseJob* job, const DepthwiseChannel* channel);

}  // extern "C"

}  // namespace lutra
