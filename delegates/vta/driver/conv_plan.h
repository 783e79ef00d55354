// SPDX-License-Identifier: Apache-2.0
// For lower_conv: the plan of a layer, and the steps that make it. lower_conv.cc has the weights,
// conv_requantize.cc the constants, conv_tiles.cc the search for a tile, conv_stream.cc the stream.
//
// A tile is some rows and columns of outputs by some blocks of output channels. Its accumulators are summed
// up over chunks: some blocks of input channels, or some rows or columns of the filter of one block. Each
// chunk's inputs, and weights of some output blocks, are one step of loads.

#pragma once

#include "delegates/vta/driver/lower_conv.h"

namespace lutra::vta {

struct ConvTile {
  uint32_t rows = 1, columns = 1;  // Of outputs.
  uint32_t out_blocks = 1;         // Their accumulators are in SRAM at the same time.
  uint32_t step_blocks = 1;        // The weights of this many blocks are loaded together.
  uint32_t in_blocks = 1;          // Of a chunk, with
  uint32_t filter_rows = 1, filter_columns = 1;
  bool blocks_outside = false;  // The loop over output blocks is around that over pixels.
};

struct ConvPlan {
  ConvProblem problem;
  Image input, output;
  uint32_t out_blocks = 0;
  uint32_t in_blocks = 0;  // Input blocks of each output block.
  ConvTile tile;
  uint32_t constant_rows = 0;       // Of each output block.
  uint32_t scratch_rows = 0;        // Of each pixel.
  Span<RequantizePlan> requantize;  // For each output block.
  DramBuffer weights, constants;

  // Returns the first input block that an output block reads.
  uint32_t FirstInBlock(const Config& config, uint32_t out_block) const;
};

inline uint32_t Taps(const ConvShape& shape) {
  return Unsigned(shape.filter_height) * Unsigned(shape.filter_width);
}

// The `width` input channels, from `first` on, that an output channel reads.
struct Channels {
  uint32_t first, width;
};
Channels ChannelsOf(const ConvProblem& problem, uint32_t out_channel);
// Returns the filter's value between an input and an output channel of one group.
int32_t FilterValue(const ConvProblem& problem, uint32_t out, uint32_t in_group, uint32_t tap);

inline uint32_t Part(const DriverOptions& options, Memory memory) {
  return options.config.Depth(memory) / options.threads;
}

// Returns the input rows of a chunk of `filter_rows` for `rows` rows of outputs. With one filter row, the
// rows between are not loaded.
inline uint32_t InRows(const ConvShape& shape, uint32_t rows, uint32_t filter_rows) {
  if (filter_rows == 1) return rows;
  return (rows - 1) * Unsigned(shape.stride_h) + (filter_rows - 1) * Unsigned(shape.dilation_h) + 1;
}
inline uint32_t InColumns(const ConvShape& shape, uint32_t columns, uint32_t filter_columns) {
  return (columns - 1) * Unsigned(shape.stride_w) + (filter_columns - 1) * Unsigned(shape.dilation_w) + 1;
}

// Says how micro-ops of a chunk are laid out: the inner list, and two loops around it.
enum class Form : uint8_t {
  kTaps,    // List: taps, output blocks, columns. Loops: input blocks, rows.
  kRow,     // List: taps of a row, output blocks, columns. Loops: filter rows, rows.
  kPixels,  // List: output blocks, rows, columns. Loops: input blocks, filter columns.
};

struct FormChoice {
  Form form;
  uint32_t uops, instructions, lists;
};
FormChoice ChooseForm(const Config& config, const ConvTile& tile);

// Returns the ALU's cycles for one vector. Adding a bias from a register takes two cycles.
inline uint32_t AluCycles(const RequantizePlan& requantize) {
  return requantize.alu_cycles() + (requantize.takes_bias() ? 0 : 2);
}

// Sets plan->requantize, and for each output block [bias, constants of the requantisation]. kUnsupported:
// layer->reason says why.
Status PlanConstants(const Driver& driver, ConvPlan* plan, LoweredLayer* layer);
// Returns false if the buffers are too small for one pixel.
bool ChooseTile(const Driver& driver, ConvPlan* plan);
Status WriteConvStream(const Driver& driver, const ConvPlan& plan, CommandStream& commands);

}  // namespace lutra::vta
