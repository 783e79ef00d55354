// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED as dot_tiles.h has it: an input row is a pixel.

#pragma once

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/kernels/dot_tiles.h"

namespace lutra {
namespace {

static inline DotLayer DotLayerOf(const FullyConnectedArgs& args) {
  return {.filter = args.weights,
          .channel_step = args.depth,
          .value_step = 1,
          .bias = args.bias,
          .multipliers = args.multipliers,
          .one_multiplier = args.one_multiplier,
          .channels = args.channels,
          .packed_channels = args.channels,
          .lines = 1,
          .line_values = args.depth,
          .quantization = args.quantization};
}

template <typename Set>
int32_t PrepareFullyConnectedDots(const FullyConnectedArgs& args, void* memory) {
  return FitsRun<Set>(args.depth) ? PrepareDots<Set>(DotLayerOf(args), memory) : kNotForTheseArgs;
}

template <typename Set>
void RunFullyConnectedDots(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                           int32_t first_row, int32_t row_count) {
  MakeRows<Set>(DotLayerOf(args), args.prepared, 1, input, output, first_row, row_count);
}

}  // namespace
}  // namespace lutra
