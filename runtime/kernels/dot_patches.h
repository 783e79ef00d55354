// SPDX-License-Identifier: Apache-2.0
// Windows of any kind for dot_pixels.h: the values under the window of a pixel are copied side by side, in
// the order of a filter's weights, and are then a pixel of a run. Also runs of pixels with so many values
// that they are summed in parts.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/conv_shape.h"
#include "lutra/kernels/rows.h"
#include "runtime/kernels/dot_pixels.h"

namespace lutra {
namespace {

// Copies go by as many bytes; so much may be written behind what is wanted.
constexpr int32_t kCopyBytes = 16;
// Windows are copied in portions of this many bytes before they are converted.
constexpr int32_t kPatchBytes = 8192;
// Values of a pixel that are summed at a time, where they are too many.
constexpr int32_t kPartValues = 512;

// Copies `count` values; nothing is read at `end` or beyond.
static inline void CopyValues(const int8_t* from, const int8_t* end, int32_t count, int8_t* to) {
  if (count <= kCopyBytes) {
    if (end - from >= kCopyBytes) {
      memcpy(to, from, kCopyBytes);
    } else {
      memcpy(to, from, static_cast<size_t>(count));
    }
    return;
  }
  for (int32_t i = 0; i + kCopyBytes <= count; i += kCopyBytes) memcpy(to + i, from + i, kCopyBytes);
  memcpy(to + count - kCopyBytes, from + count - kCopyBytes, kCopyBytes);
}

static inline void FillValues(int8_t value, int32_t count, int8_t* to) {
  if (count <= kCopyBytes) {
    memset(to, value, kCopyBytes);
  } else {
    memset(to, value, static_cast<size_t>(count));
  }
}

// The channels [first_channel, first_channel + channels) under the windows of an image.
struct PatchSource {
  const ConvShape* shape;
  Rows input;
  int32_t first_channel;
  int32_t channels;
  int8_t zero;  // What stands for real 0.

  // Returns whether the taps of a line are neighbours in the input.
  bool IsDense() const { return shape->dilation_w == 1 && channels == shape->in_channels; }

  // Copies values [begin, begin + count) of a part of an input row that begins at value `origin`. What is
  // outside of the row is real 0.
  void FillLine(const int8_t* row, int64_t origin, int32_t begin, int32_t count, int8_t* to) const {
    const int64_t row_values = int64_t{shape->in_width} * shape->in_channels;
    const auto clip = [&](int64_t value) {
      return static_cast<int32_t>(value < begin ? begin : value > begin + count ? begin + count : value);
    };
    const int32_t inside = clip(-origin);
    const int32_t outside = clip(row_values - origin);
    if (outside <= inside) return FillValues(zero, count, to);
    FillValues(zero, inside - begin, to);
    CopyValues(row + origin + inside, row + row_values, outside - inside, to + inside - begin);
    if (outside < begin + count) FillValues(zero, begin + count - outside, to + outside - begin);
  }

  // Copies values [begin, begin + count) of the window of a pixel of output row `row`; up to kCopyBytes more
  // are written.
  void Fill(int32_t row, int32_t column, int32_t begin, int32_t count, int8_t* to) const {
    const bool dense = IsDense();
    const int32_t part_values = dense ? shape->filter_width * channels : channels;
    const int32_t parts = dense ? 1 : shape->filter_width;  // Of a line of taps.
    const int32_t image = row / shape->out_height;
    int64_t y = int64_t{row - image * shape->out_height} * shape->stride_h - shape->pad_top;
    const int64_t left = int64_t{column} * shape->stride_w - shape->pad_left;
    int32_t part = begin / part_values;
    int32_t value = begin - part * part_values;
    y += int64_t{part / parts} * shape->dilation_h;
    part %= parts;
    while (count > 0) {
      const int32_t some = part_values - value < count ? part_values - value : count;
      const int64_t x = left + int64_t{part} * shape->dilation_w;
      if (y < 0 || y >= shape->in_height || (!dense && (x < 0 || x >= shape->in_width))) {
        FillValues(zero, some, to);
      } else {
        const auto* const from =
            reinterpret_cast<const int8_t*>(input.Row(image * shape->in_height + static_cast<int32_t>(y)));
        FillLine(from, x * shape->in_channels + first_channel, value, some, to);
      }
      to += some;
      count -= some;
      value = 0;
      if (++part == parts) {
        part = 0;
        y += shape->dilation_h;
      }
    }
  }
};

// Makes a tile of ComputeLongRun: pixels [first, first + area.pixels).
template <typename Set, int kPixels, int kVectors, typename Fill>
[[gnu::noinline]] void ComputeLongTile(const DotLayer& layer, const PackedBlock<Set>& block, const Fill& fill,
                                       int32_t first, int32_t first_channel, const DotArea& area) {
  constexpr int32_t kPixelStep = kPartValues + Set::kStep;
  static_assert(kPartValues % Set::kStep == 0);
  alignas(kPackedAlignment) typename Set::Value values[kPixels * kPixelStep] = {};
  typename Set::Sums sums[kPixels * kVectors];
  for (int i = 0; i < kPixels * kVectors; ++i) {
    sums[i] = Set::LoadSums(block.starts + i % kVectors * Set::kLanes);
  }
  for (int32_t begin = 0; begin < layer.tap_values; begin += kPartValues) {
    const int32_t rest = layer.tap_values - begin;
    const int32_t count = rest < kPartValues ? rest : kPartValues;
    for (int32_t pixel = 0; pixel < area.pixels; ++pixel) {
      fill(first + pixel, begin, count, values + pixel * kPixelStep);
    }
    // A step that is not whole ends with what was there before, and weights of 0.
    AddTaps<Set, kPixels, kVectors>(block.weights + intptr_t{begin} * kVectors * Set::kLanes, 1, 1,
                                    (count + Set::kStep - 1) / Set::kStep,
                                    {values, kPixelStep, 0, kPixels, kPixels}, sums);
  }
  FinishTile<Set, kPixels, kVectors, true>(layer, block, sums, first_channel, area);
}

// Makes pixels of any number of values. fill(pixel, begin, count, to) converts values [begin, begin + count)
// of a pixel, of which count is at most kPartValues.
template <typename Set, int kVectors, typename Fill>
void ComputeLongBlock(const DotLayer& layer, const PackedHeader& header, const PackedBlock<Set>& block,
                      const Fill& fill, int32_t pixels, int32_t first_channel, int8_t* output) {
  constexpr int32_t kTile = Set::TilePixels(kVectors);
  DotArea area = AreaOf(layer, header);
  area.channels = layer.channels - first_channel;
  if (area.channels > kVectors * Set::kLanes) area.channels = kVectors * Set::kLanes;
  for (int32_t first = 0; first < pixels; first += area.pixels) {
    area.pixels = pixels - first < kTile ? pixels - first : kTile;
    area.output = output + first_channel + static_cast<intptr_t>(first) * area.pixel_step;
    if (area.pixels == 1) {
      ComputeLongTile<Set, 1, kVectors>(layer, block, fill, first, first_channel, area);
    } else {
      ComputeLongTile<Set, kTile, kVectors>(layer, block, fill, first, first_channel, area);
    }
  }
}

template <typename Set, typename Fill>
void ComputeLongRun(const DotLayer& layer, const void* prepared, const Fill& fill, int32_t pixels,
                    int8_t* output) {
  PackedHeader* const header = PackedHeaderAt(prepared);
  ForEachBlock<Set>(
      layer, header, layer.channels, [&](auto vectors, const PackedBlock<Set>& block, int32_t first) {
        ComputeLongBlock<Set, decltype(vectors)::kCount>(layer, *header, block, fill, pixels, first, output);
      });
}

// Makes `pixels` pixels of output rows of the source's shape, from the first of row `first_row` on.
template <typename Set>
void ComputePatches(const DotLayer& layer, const void* prepared, const PatchSource& source, int32_t first_row,
                    int32_t pixels, int8_t* output) {
  const int32_t width = source.shape->out_width;
  const int32_t count = layer.tap_values;
  // Windows are copied whole if the buffer holds those of a tile, else in parts.
  if (count > kPatchBytes / kMaxTilePixels) {
    const auto fill = [&](int32_t pixel, int32_t begin, int32_t some, typename Set::Value* to) {
      int8_t bytes[kPartValues + kCopyBytes];
      source.Fill(first_row + pixel / width, pixel % width, begin, some, bytes);
      Set::Convert(bytes, some, layer.quantization.input_offset, to);
    };
    return ComputeLongRun<Set>(layer, prepared, fill, pixels, output);
  }
  int8_t patches[kPatchBytes + kCopyBytes];
  const int32_t capacity = kPatchBytes / count;
  const int32_t part = capacity >= 2 * kMaxTilePixels ? 2 * kMaxTilePixels : capacity;
  for (int32_t done = 0; done < pixels; done += part) {
    const int32_t some = pixels - done < part ? pixels - done : part;
    for (int32_t i = 0; i < some; ++i) {
      const int32_t pixel = done + i;
      source.Fill(first_row + pixel / width, pixel % width, 0, count, patches + i * count);
    }
    ComputeRun<Set>(layer, prepared, patches, some, output + static_cast<intptr_t>(done) * OutputStep(layer));
  }
}

}  // namespace
}  // namespace lutra
