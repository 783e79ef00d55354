// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV in the terms of dot_pixels.h. Output pixels with the same row and column modulo the stride
// use the same taps of the filter: they are the pixels of a convolution of stride 1 with these taps in
// reverse order. So a layer is a convolution for each such remainder, a phase, and an output row interleaves
// those of its phases. If the stride is larger than the filter, some phases have no tap.

#pragma once

#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "runtime/kernels/dot_pixels.h"
#include "runtime/kernels/dot_strips.h"

namespace lutra {
namespace {

// The taps of one dimension in a phase: first, first + stride and so on.
struct PhaseTaps {
  int32_t first;
  int32_t count;  // 0: none.
};
static inline PhaseTaps PhaseTapsOf(int32_t phase, int32_t window, int32_t stride) {
  return {phase, phase < window ? (window - 1 - phase) / stride + 1 : 0};
}

// Counts the phases with taps in a dimension, and one for all others.
static inline int32_t PhasesOf(int32_t window, int32_t stride) {
  return stride <= window ? stride : window + 1;
}

static inline DotLayer DotLayerOf(const TransposeConvArgs& args, const PhaseTaps& down,
                                  const PhaseTaps& across) {
  const ConvShape& shape = *args.shape;
  const intptr_t column = shape.in_channels;
  const intptr_t row = shape.filter_width * column;
  DotLayer layer = {.filter = args.filter,
                    .channel_step = shape.filter_height * row,
                    .value_step = 1,
                    .bias = args.bias,
                    .multipliers = args.multipliers,
                    .one_multiplier = false,
                    .channels = shape.out_channels,
                    .packed_channels = shape.out_channels,
                    .lines = 0,
                    .tap_values = shape.in_channels,
                    .quantization = args.quantization,
                    .other_channels = 0,
                    .rows = args.filter == nullptr ? args.streamed : nullptr};
  if (down.count == 0 || across.count == 0) return layer;
  layer.lines = down.count;
  layer.taps = across.count;
  layer.line_step = -row * shape.stride_h;
  layer.tap_step = -column * shape.stride_w;
  layer.first_value = row * (down.first + intptr_t{down.count - 1} * shape.stride_h) +
                      column * (across.first + intptr_t{across.count - 1} * shape.stride_w);
  return layer;
}

static inline ConvShape PhaseShapeOf(const ConvShape& shape, const PhaseTaps& down, const PhaseTaps& across) {
  ConvShape phase = shape;
  phase.filter_height = down.count;
  phase.filter_width = across.count;
  phase.stride_h = phase.stride_w = phase.dilation_h = phase.dilation_w = 1;
  return phase;
}

// Calls visit(layer, its number, its offset in the prepared memory) for the layers of all phases, row by row,
// while it returns true.
template <typename Set, typename Visit>
void ForEachPhase(const TransposeConvArgs& args, const Visit& visit) {
  const ConvShape& shape = *args.shape;
  const int32_t rows = PhasesOf(shape.filter_height, shape.stride_h);
  const int32_t columns = PhasesOf(shape.filter_width, shape.stride_w);
  int64_t at = 0;
  for (int32_t y = 0; y < rows; ++y) {
    for (int32_t x = 0; x < columns; ++x) {
      const DotLayer layer = DotLayerOf(args, PhaseTapsOf(y, shape.filter_height, shape.stride_h),
                                        PhaseTapsOf(x, shape.filter_width, shape.stride_w));
      if (!visit(layer, y * columns + x, at)) return;
      at += PreparedBytes<Set>(layer);
    }
  }
}

// The memory begins with the phases' offsets.
static inline int64_t PlacesBytes(const ConvShape& shape) {
  const int64_t phases =
      int64_t{PhasesOf(shape.filter_height, shape.stride_h)} * PhasesOf(shape.filter_width, shape.stride_w);
  const int64_t bytes = phases * static_cast<int64_t>(sizeof(int32_t));
  return (bytes + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
}

template <typename Set>
int32_t PrepareDots(const TransposeConvArgs& args, void* memory) {
  if (args.multipliers == nullptr || !MakesAllChannels(args)) return kNotForTheseArgs;
  const ConvShape& shape = *args.shape;
  // The reference skips taps outside the image: it is faster for images of a few pixels.
  if (int64_t{shape.in_height} * shape.in_width < 4) return kNotForTheseArgs;
  // The first phase has the most taps.
  const ConvShape largest = PhaseShapeOf(shape, PhaseTapsOf(0, shape.filter_height, shape.stride_h),
                                         PhaseTapsOf(0, shape.filter_width, shape.stride_w));
  if (!FitsStrip<Set>(largest, 1, Set::kStep)) return kNotForTheseArgs;
  const int64_t begin = PlacesBytes(shape);
  auto* const bytes = static_cast<uint8_t*>(memory);
  int64_t end = begin;
  const DotLayer whole = DotLayerOf(args, PhaseTapsOf(0, 1, 1), PhaseTapsOf(0, 1, 1));
  return WithValues(whole, [&](const DotLayer& known) {
    ForEachPhase<Set>(args, [&](DotLayer layer, int32_t phase, int64_t at) {
      layer.decoded = known.decoded;
      end = begin + at + PreparedBytes<Set>(layer);
      if (end > INT32_MAX / 2) return false;
      if (bytes != nullptr) static_cast<int32_t*>(memory)[phase] = static_cast<int32_t>(begin + at);
      if (PrepareDots<Set>(layer, bytes != nullptr ? bytes + begin + at : nullptr) != kNotForTheseArgs) {
        return true;
      }
      end = INT32_MAX;
      return false;
    });
    return end > INT32_MAX / 2 ? kNotForTheseArgs : static_cast<int32_t>(end);
  });
}

// An output row is interleaved from several phases, each of which reads the input rows again.
template <typename Set>
int32_t RowsAtOnceOfDots(const TransposeConvArgs&) {
  return 1;
}

// Pixels without a tap are their biases.
template <typename Set>
void ComputeBiases(const DotLayer& layer, const void* prepared, int32_t pixels, int8_t* output) {
  const typename Set::Value nothing = 0;
  ComputePixels<Set>(layer, prepared, {&nothing, 0, 0, pixels, pixels}, output);
}

// Computes `count` pixels x, x + stride and so on of an output row.
template <typename Set>
void ComputePhase(const TransposeConvArgs& args, const Rows& input, int32_t row, int32_t x, int32_t count,
                  int8_t* output) {
  const ConvShape& shape = *args.shape;
  const int32_t image = row / shape.out_height;
  const int32_t from_y = row - image * shape.out_height + shape.pad_top;
  const int32_t from_x = x + shape.pad_left;
  const PhaseTaps down = PhaseTapsOf(from_y % shape.stride_h, shape.filter_height, shape.stride_h);
  const PhaseTaps across = PhaseTapsOf(from_x % shape.stride_w, shape.filter_width, shape.stride_w);
  DotLayer layer = DotLayerOf(args, down, across);
  layer.other_channels = count > 1 ? (shape.stride_w - 1) * shape.out_channels : 0;
  const int32_t columns = PhasesOf(shape.filter_width, shape.stride_w);
  const int32_t phase_y = down.count == 0 ? shape.filter_height : down.first;
  const int32_t phase_x = across.count == 0 ? shape.filter_width : across.first;
  const auto* const prepared = static_cast<const uint8_t*>(args.prepared) +
                               static_cast<const int32_t*>(args.prepared)[phase_y * columns + phase_x];
  int8_t* const to = output + static_cast<intptr_t>(x) * shape.out_channels;
  if (layer.lines == 0) return ComputeBiases<Set>(layer, prepared, count, to);
  // The convolution of one output row is row `image` of images of one row.
  ConvShape phase = PhaseShapeOf(shape, down, across);
  phase.out_height = 1;
  phase.out_width = count;
  phase.pad_top = down.count - 1 - from_y / shape.stride_h;
  phase.pad_left = across.count - 1 - from_x / shape.stride_w;
  ForEachStrip<Set>(phase, args.quantization.input_offset, Set::kStep, input, image, 1, false,
                    [&](DotStrip<Set>& strip, int32_t, int32_t first) {
                      strip.tap_step = shape.in_channels;
                      ComputePixels<Set>(layer, prepared, strip,
                                         to + static_cast<intptr_t>(first) * OutputStep(layer));
                    });
}

template <typename Set>
void RunDots(const TransposeConvArgs& args, const Rows& input, const Rows& output, int32_t first_row,
             int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const int32_t phases = shape.stride_w < shape.out_width ? shape.stride_w : shape.out_width;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    auto* const pixels = reinterpret_cast<int8_t*>(output.Row(row));
    for (int32_t x = 0; x < phases; ++x) {
      ComputePhase<Set>(args, input, row, x, (shape.out_width - 1 - x) / shape.stride_w + 1, pixels);
    }
  }
}

}  // namespace
}  // namespace lutra
