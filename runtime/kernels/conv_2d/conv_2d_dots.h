// SPDX-License-Identifier: Apache-2.0
// CONV_2D in the terms of dot_pixels.h. A window of one tap needs no strips: pixels are rows of values. If
// the taps of a line are neighbours, a pixel's line of taps is a part of a strip's line, and one tap of the
// layer; if columns or channels lie between them, each tap is one. Groups are layers of their own, as many at
// once as fill a vector. Windows that are too large for a strip are copied one by one.

#pragma once

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "runtime/kernels/dot_patches.h"
#include "runtime/kernels/dot_pixels.h"
#include "runtime/kernels/dot_strips.h"

namespace lutra {
namespace {

// Returns whether the values under a line of taps are neighbours.
static inline bool HasWholeLines(const ConvShape& shape) {
  return shape.filter_channels == shape.in_channels && (shape.dilation_w == 1 || shape.filter_width == 1);
}

// Returns the layer of `groups` groups from `first` on.
static inline DotLayer DotLayerOf(const Conv2DArgs& args, int32_t first, int32_t groups) {
  const ConvShape& shape = *args.shape;
  const int32_t group_channels = shape.out_channels / (shape.in_channels / shape.filter_channels);
  const intptr_t first_channel = intptr_t{first} * group_channels;
  const int32_t line_values = shape.filter_width * shape.filter_channels;
  const intptr_t channel_step = intptr_t{shape.filter_height} * line_values;
  DotLayer layer = {.filter = args.filter,
                    .channel_step = channel_step,
                    .value_step = 1,
                    .bias = args.bias != nullptr ? args.bias + first_channel : nullptr,
                    .multipliers = args.multipliers + first_channel,
                    .one_multiplier = false,
                    .channels = groups * group_channels,
                    .packed_channels = groups * group_channels,
                    .lines = shape.filter_height,
                    .tap_values = groups * shape.filter_channels,
                    .quantization = args.quantization,
                    .taps = shape.filter_width,
                    .groups = groups,
                    .line_step = line_values,
                    .tap_step = shape.filter_channels,
                    .other_channels = shape.out_channels - groups * group_channels,
                    .rows = args.filter == nullptr ? args.streamed : nullptr,
                    .may_decode = shape.filter_channels == shape.in_channels,
                    .first_value = first_channel * channel_step};
  if (HasWholeLines(shape)) {
    layer.lines = 1;
    layer.taps = shape.filter_height;
    layer.tap_step = line_values;
    layer.tap_values = line_values;
  }
  return layer;
}

// Returns whether output pixel i is made from input pixel i.
static inline bool IsPointwise(const ConvShape& shape) {
  return shape.filter_height == 1 && shape.filter_width == 1 && shape.stride_h == 1 && shape.stride_w == 1 &&
         shape.pad_top == 0 && shape.pad_left == 0 && shape.out_height == shape.in_height &&
         shape.out_width == shape.in_width;
}

template <typename Set>
bool IsRun(const ConvShape& shape) {
  return IsPointwise(shape) && shape.filter_channels == shape.in_channels &&
         shape.in_channels <= kStripValues<Set> / kMaxTilePixels;
}

// Returns whether the window is one tap with strides, and always inside the image: the pixels that it reads
// are copied side by side, and form a run.
template <typename Set>
bool IsSampled(const ConvShape& shape) {
  return shape.filter_height == 1 && shape.filter_width == 1 && shape.pad_top == 0 && shape.pad_left == 0 &&
         (shape.out_height - int64_t{1}) * shape.stride_h < shape.in_height &&
         (shape.out_width - int64_t{1}) * shape.stride_w < shape.in_width &&
         shape.filter_channels == shape.in_channels &&
         shape.in_channels <= kStripValues<Set> / kMaxTilePixels;
}

// Returns whether a strip has room for enough pixels; otherwise windows are copied one by one.
template <typename Set>
bool TakesStrips(const ConvShape& shape) {
  constexpr int32_t kEnough = kMaxTilePixels / 2;
  return FitsStrip<Set>(shape, shape.out_width < kEnough ? shape.out_width : kEnough, Set::kStep);
}

// Returns how many groups make one layer: as many as have at most a vector's lanes of channels, or one.
template <typename Set>
int32_t GroupsAtOnce(const ConvShape& shape) {
  const int32_t groups = shape.in_channels / shape.filter_channels;
  if (!TakesStrips<Set>(shape)) return 1;
  int32_t most = Set::kLanes / (shape.out_channels / groups);
  if (most > groups) most = groups;
  while (most > 1 && groups % most != 0) --most;
  return most > 1 ? most : 1;
}

// Calls visit(layer, its first group, its offset in the prepared memory) for all layers of the groups.
template <typename Set, typename Visit>
void ForEachLayer(const Conv2DArgs& args, const Visit& visit) {
  const ConvShape& shape = *args.shape;
  const int32_t groups = shape.in_channels / shape.filter_channels;
  const int32_t at_once = GroupsAtOnce<Set>(shape);
  const bool copied = !IsRun<Set>(shape) && !TakesStrips<Set>(shape);
  DotLayer layer = {};
  intptr_t bytes = 0;
  for (int32_t group = 0; group < groups; group += at_once) {
    layer = DotLayerOf(args, group, at_once);
    if (copied) {
      layer.tap_values = shape.filter_height * shape.filter_width * shape.filter_channels;
      layer.lines = layer.taps = 1;
      layer.may_decode = false;
    }
    if (group == 0) bytes = static_cast<intptr_t>(PreparedBytes<Set>(layer));
    visit(layer, group, group / at_once * bytes);
  }
}

template <typename Set>
int32_t PrepareDots(const Conv2DArgs& args, void* memory) {
  if (args.multipliers == nullptr || !MakesAllChannels(args)) return kNotForTheseArgs;
  return WithValues(DotLayerOf(args, 0, 1), [&](const DotLayer& known) {
    int64_t bytes = 0;
    ForEachLayer<Set>(args, [&](DotLayer layer, int32_t, intptr_t at) {
      if (bytes == kNotForTheseArgs) return;
      layer.decoded = known.decoded;
      const int32_t more =
          PrepareDots<Set>(layer, memory != nullptr ? static_cast<uint8_t*>(memory) + at : nullptr);
      bytes += more;
      if (more == kNotForTheseArgs || bytes > INT32_MAX / 2) bytes = kNotForTheseArgs;
    });
    return static_cast<int32_t>(bytes);
  });
}

// Returns whether the output's rows are contiguous.
static inline bool HasDenseRows(const ConvShape& shape, const Rows& output) {
  return output.row_bytes == shape.out_width * shape.out_channels;
}

// Contiguous rows are computed as one.
template <typename Set>
void RunPatches(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const int32_t step = HasDenseRows(shape, output) ? row_count : 1;
  ForEachLayer<Set>(args, [&](const DotLayer& layer, int32_t group, intptr_t at) {
    const PatchSource source = {&shape, input, group * shape.filter_channels, shape.filter_channels,
                                static_cast<int8_t>(-args.quantization.input_offset)};
    for (int32_t row = first_row; row < first_row + row_count; row += step) {
      ComputePatches<Set>(layer, static_cast<const uint8_t*>(args.prepared) + at, source, row,
                          step * shape.out_width,
                          reinterpret_cast<int8_t*>(output.Row(row)) + group * layer.channels);
    }
  });
}

template <typename Set>
void RunStrips(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
               int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const int32_t group_channels = shape.out_channels / (shape.in_channels / shape.filter_channels);
  const int32_t column_step = shape.filter_width > 1 ? shape.dilation_w * shape.in_channels : 0;
  const DotLayer first_layer = DotLayerOf(args, 0, 1);
  // Many channels make low tiles, which may end within a row.
  const bool together = kScatters<Set, Set::kMaxVectors> && HasDenseRows(shape, output) &&
                        shape.filter_channels == shape.in_channels &&
                        BlockVectors<Set>(shape.out_channels) == Set::kMaxVectors;
  ForEachStrip<Set>(shape, args.quantization.input_offset, Set::kStep, input, first_row, row_count, together,
                    [&](DotStrip<Set>& strip, int32_t row, int32_t first) {
                      strip.tap_step = HasWholeLines(shape) ? strip.line_step : column_step;
                      int8_t* const pixels = reinterpret_cast<int8_t*>(output.Row(row)) +
                                             static_cast<intptr_t>(first) * shape.out_channels;
                      if (shape.filter_channels == shape.in_channels) {
                        return ComputePixels<Set>(first_layer, args.prepared, strip, pixels);
                      }
                      ForEachLayer<Set>(args, [&](const DotLayer& layer, int32_t group, intptr_t at) {
                        DotStrip<Set> of_group = strip;
                        of_group.values += group * shape.filter_channels;
                        ComputePixels<Set>(layer, static_cast<const uint8_t*>(args.prepared) + at, of_group,
                                           pixels + static_cast<intptr_t>(group) * group_channels);
                      });
                    });
}

// Converts every stride_w-th pixel of an input row, from output pixel `column` on.
template <typename Set>
void FillSamples(const ConvShape& shape, int32_t input_offset, const int8_t* row, int32_t column,
                 int32_t pixels, typename Set::Value* to) {
  constexpr int32_t kChunk = 16;
  const int32_t depth = shape.in_channels;
  const intptr_t step = intptr_t{shape.stride_w} * depth;
  const int8_t* from = row + column * step;
  int32_t done = 0;
  if (shape.stride_w == 2) {
    done = Set::ConvertEvenPixels(from, int64_t{shape.in_width} * depth - column * step, depth, pixels, to);
  }
  from += done * step;
  to += intptr_t{done} * depth;
  for (; done < pixels; ++done, from += step, to += depth) {
    if (depth > 4 * kChunk || depth % kChunk != 0) {
      Set::Convert(from, depth, input_offset, to);
    } else {
      for (int32_t i = 0; i < depth; i += kChunk) Set::ConvertChunk(from + i, input_offset, to + i);
    }
  }
}

template <typename Set>
void RunSamples(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const int32_t width = shape.out_width;
  const int32_t step = HasDenseRows(shape, output) ? row_count : 1;
  for (int32_t begin = first_row; begin < first_row + row_count; begin += step) {
    const auto fill = [&](int32_t first, int32_t count, typename Set::Value* values) {
      while (count > 0) {
        const int32_t row = begin + first / width;
        const int32_t column = first % width;
        const int32_t some = width - column < count ? width - column : count;
        const int32_t image = row / shape.out_height;
        const int32_t y = (row - image * shape.out_height) * shape.stride_h;
        const auto* const from = reinterpret_cast<const int8_t*>(input.Row(image * shape.in_height + y));
        FillSamples<Set>(shape, args.quantization.input_offset, from, column, some, values);
        first += some;
        count -= some;
        values += intptr_t{some} * shape.in_channels;
      }
    };
    ComputeFilledRun<Set>(DotLayerOf(args, 0, 1), args.prepared, step * width,
                          reinterpret_cast<int8_t*>(output.Row(begin)), fill);
  }
}

// Serves as Variant::rows_at_once.
template <typename Set>
int32_t RowsAtOnceOfDots(const Conv2DArgs& args) {
  const ConvShape& shape = *args.shape;
  if (IsRun<Set>(shape)) return RowsOfRun<Set>(shape.in_channels, shape.in_width);
  if (IsSampled<Set>(shape)) return RowsOfRun<Set>(shape.in_channels, shape.out_width);
  return TakesStrips<Set>(shape) ? RowsOfStrip<Set>(shape, Set::kStep) : 1;
}

template <typename Set>
void RunDots(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
             int32_t row_count) {
  const ConvShape& shape = *args.shape;
  if (IsRun<Set>(shape)) {
    ComputeRows<Set>(DotLayerOf(args, 0, 1), args.prepared, shape.in_width, input, output, first_row,
                     row_count);
  } else if (IsSampled<Set>(shape)) {
    RunSamples<Set>(args, input, output, first_row, row_count);
  } else if (TakesStrips<Set>(shape)) {
    RunStrips<Set>(args, input, output, first_row, row_count);
  } else {
    RunPatches<Set>(args, input, output, first_row, row_count);
  }
}

}  // namespace
}  // namespace lutra
