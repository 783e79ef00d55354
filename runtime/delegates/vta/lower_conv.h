// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED as one thing: windows on an image, each block of output
// channels reading a range of blocks of input channels. Dense layers read all, groups and depthwise layers
// only theirs; weights between channels that do not see each other are 0.
//
// A tile is some rows and columns of outputs by some blocks of output channels. Its accumulators are summed
// up over chunks: some blocks of input channels, or some rows or columns of the filter of one block. Each
// chunk's inputs, and weights of some output blocks, are one step of loads.

#pragma once

#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"
#include "runtime/delegates/vta/driver.h"

namespace lutra::vta {

struct ConvProblem {
  ConvShape shape = {};  // FULLY_CONNECTED: 1 x 1 windows on one row.
  bool is_depthwise = false;
  const int8_t* filter = nullptr;      // [O, height, width, channels], or [height, width, O].
  const int32_t* bias = nullptr;       // May be null.
  Span<const Multiplier> multipliers;  // One, or one for each output channel.
  int32_t input_zero_point = 0, zero_point = 0;
  int32_t min = -128, max = 127;
};

struct ConvTile {
  uint32_t rows = 1, columns = 1;  // Of outputs.
  uint32_t out_blocks = 1;         // Whose accumulators are in SRAM together.
  uint32_t step_blocks = 1;        // Of them, whose weights are loaded together.
  uint32_t in_blocks = 1;          // Of a chunk, with
  uint32_t filter_rows = 1, filter_columns = 1;
  bool blocks_outside = false;  // The loop over output blocks is around that over pixels.
};

struct ConvPlan {
  ConvProblem problem;
  Image input, output;
  uint32_t out_blocks = 0;
  uint32_t in_blocks = 0;  // That each output block reads.
  ConvTile tile;
  uint32_t constant_rows = 0;       // Of each output block.
  uint32_t scratch_rows = 0;        // Of each pixel.
  Span<RequantizePlan> requantize;  // For each output block.
  DramBuffer weights, constants;

  // The first input block that an output block reads.
  uint32_t FirstInBlock(const Config& config, uint32_t out_block) const;
};

// The frame that the problem's windows want around its input.
Status WidenForConv(const ConvShape& shape, Image* input);

// Both images are allocated. Packs weights and constants, and writes the stream. kUnsupported: declined, and
// layer->reason says why.
Status LowerConv(const Driver& driver, const ConvProblem& problem, const Image& input, const Image& output,
                 LoweredLayer* layer);

}  // namespace lutra::vta
