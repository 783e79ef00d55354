// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED in the terms of dot_pixels.h: an input row is a pixel.

#pragma once

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/kernels/dot_patches.h"
#include "runtime/kernels/dot_pixels.h"

namespace lutra {
namespace {

static inline DotLayer DotLayerOf(const FullyConnectedArgs& args, bool may_decode) {
  return {.filter = args.weights,
          .channel_step = args.depth,
          .value_step = 1,
          .bias = args.bias,
          .multipliers = args.multipliers,
          .one_multiplier = args.one_multiplier,
          .channels = args.channels,
          .packed_channels = args.channels,
          .lines = 1,
          .tap_values = args.depth,
          .quantization = args.quantization,
          .rows = args.weights == nullptr ? args.streamed : nullptr,
          .may_decode = may_decode};
}

// For so few outputs the reference is faster than a block of channels: it computes two outputs of 1,024
// values each in 0.9 of the time, and likewise three of 128; five of 17 in 0.98.
static inline bool IsForReference(const FullyConnectedArgs& args) {
  if (args.rows == 0) return false;
  const int32_t few = args.depth <= 32 ? 5 : args.depth <= 128 ? 3 : 2;
  return int64_t{args.rows} * args.channels <= few;
}

template <typename Set>
int32_t PrepareDots(const FullyConnectedArgs& args, void* memory) {
  if (IsForReference(args)) return kNotForTheseArgs;
  return PrepareDots<Set>(DotLayerOf(args, FitsRun<Set>(args.depth)), memory);
}

// Serves as Variant::rows_at_once.
template <typename Set>
int32_t RowsAtOnceOfDots(const FullyConnectedArgs& args) {
  return RowsOfRun<Set>(args.depth, 1);
}

template <typename Set>
void RunDots(const FullyConnectedArgs& args, const Rows& input, const Rows& output, int32_t first_row,
             int32_t row_count) {
  const bool is_run = FitsRun<Set>(args.depth);
  const DotLayer layer = DotLayerOf(args, is_run);
  if (is_run) {
    return ComputeRows<Set>(layer, args.prepared, 1, input, output, first_row, row_count);
  }
  const bool dense = output.row_bytes == args.channels;
  const int32_t step = dense ? row_count : 1;
  for (int32_t row = first_row; row < first_row + row_count; row += step) {
    const auto fill = [&](int32_t pixel, int32_t begin, int32_t count, typename Set::Value* to) {
      Set::Convert(reinterpret_cast<const int8_t*>(input.Row(row + pixel)) + begin, count,
                   args.quantization.input_offset, to);
    };
    ComputeLongRun<Set>(layer, args.prepared, fill, step, reinterpret_cast<int8_t*>(output.Row(row)));
  }
}

}  // namespace
}  // namespace lutra
