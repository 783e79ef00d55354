// SPDX-License-Identifier: Apache-2.0
// Filters of 3 x 3 taps: four channels of a few rows of output at a time. Their input rows become planes of
// int16, pairs of neighbouring columns, each with all rows one after the other, of which two outputs take
// twelve instructions. Weights are times 256; a channel whose sums may leave what that takes (scaled_sum.h)
// is made by the rule. Other layers are the reference's.

#include <string.h>

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/fixed_point/scaled_sum.h"
#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/scratch_armdsp.h"

namespace lutra {
namespace {

constexpr int32_t kTaps = 3;
constexpr int32_t kChannels = 4;

class Portion {
 public:
  Portion(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output)
      : args_(args), shape_(*args.shape), input_(input), output_(output) {
    pairs_ = ArmdspDepthwisePairs(shape_);
    capacity_ = ArmdspDepthwiseRows(shape_, args.scratch_bytes);
    layer_ = {args.quantization.output_offset, args.quantization.activation_min,
              args.quantization.activation_max};
    reach_ = ReachOf(kTaps * kTaps, args.quantization.input_offset);
    // Of the pairs of columns the first ones are padding, then come the image's.
    const int32_t left = shape_.pad_left % 2;
    const int32_t width = shape_.in_width - left;
    const int32_t room = pairs_ - shape_.pad_left / 2 - left;
    const int32_t whole = width / 2 < room ? width / 2 : room;
    columns_ = {.step = shape_.in_channels,
                .offset = static_cast<uint32_t>(args.quantization.input_offset & 0xFFFF) * 0x10001u,
                .plane_bytes = 0,
                .pitch = input.row_bytes,
                .pairs = whole,
                .gap = 0,
                .rows_bytes = 0,
                .has_right = width % 2 != 0 && whole < room ? 1 : 0,
                .has_left = left};
    const int32_t per_line = IsInPairs() ? 2 : 1;
    job_ = {.step = shape_.out_channels,
            .output_pitch = shape_.out_width * shape_.out_channels,
            .output = nullptr,
            .line_step = per_line * shape_.out_channels,
            .lines = shape_.out_width / per_line,
            .line_bytes = 0,
            .has_single = shape_.out_width % 2,
            .needs_sign = layer_.NeedsSign() ? 1 : 0,
            .values = nullptr,
            .run_bytes = 0};
  }

  // Makes rows [row, end), in the order that is asked for.
  void MakeAll(int32_t row, int32_t end) {
    const int32_t height = shape_.out_height;
    const int32_t first_image = row / height;
    const int32_t images = (end - 1) / height + 1 - first_image;
    const Stretch read = {input_.Row(first_image * shape_.in_height),
                          images * shape_.in_height * input_.row_bytes};
    if (Overwrites({output_.Row(row), (end - row) * output_.row_bytes}, read)) {
      const int32_t copied = ArmdspDepthwiseCopiedRows(shape_, args_.scratch_bytes);
      if (capacity_ > copied) capacity_ = copied > 1 ? copied : 1;
    }
    while (row < end) {
      // Of one image.
      int32_t rows = args_.downwards ? (end - 1) % height + 1 : height - row % height;
      if (rows > end - row) rows = end - row;
      if (rows > capacity_) rows = capacity_;
      if (args_.downwards) end -= rows;
      Make(args_.downwards ? end : row, rows);
      if (!args_.downwards) row += rows;
    }
  }

 private:
  void Make(int32_t row, int32_t rows) {
    rows_ = rows;
    const int32_t image = row / shape_.out_height;
    const int32_t first = row - image * shape_.out_height;
    auto* const output = reinterpret_cast<int8_t*>(output_.Row(row));
    const int32_t top = first * shape_.stride_h - shape_.pad_top;
    const int32_t in_rows = (rows - 1) * shape_.stride_h + kTaps;
    columns_.plane_bytes = pairs_ * in_rows * 4;
    Rows input = input_;
    if (rows_ > 1) CopyWhatIsOverwritten(output, image * shape_.in_height, top, &input);
    // What is padding stays so for all channels.
    memset(args_.scratch, 0, static_cast<size_t>(kChannels * columns_.plane_bytes));
    const int32_t begin = top > 0 ? top : 0;
    const int32_t end = top + in_rows < shape_.in_height ? top + in_rows : shape_.in_height;
    in_rows_ = end > begin ? end - begin : 0;
    first_row_ = reinterpret_cast<const int8_t*>(input.Row(image * shape_.in_height + begin));
    first_place_ = shape_.pad_left / 2 * in_rows + begin - top;
    columns_.rows_bytes = 4 * in_rows_;
    columns_.gap = 4 * (in_rows - in_rows_);
    job_.line_bytes = 4 * in_rows;
    job_.run_bytes = 4 * (IsInPairs() ? 1 : 2) * rows;
    for (int32_t c = 0; c < shape_.in_channels; c += kChannels) {
      // Of the last four some have been made.
      const int32_t last = shape_.in_channels - kChannels;
      ComputeFour(c < last ? c : last, c < last ? 0 : c - last, output);
    }
    if (layer_.min > INT8_MIN || layer_.max < INT8_MAX) Clamp(output);
  }

  bool IsInPairs() const { return shape_.stride_w == 1; }

  uint32_t* Plane(int32_t i) const {
    return static_cast<uint32_t*>(args_.scratch) + i * (columns_.plane_bytes / 4);
  }

  struct Stretch {
    const uint8_t* begin;
    int32_t bytes;
  };

  // Whether outputs lie over inputs of other channels. Those of its own a channel has in its planes before it
  // is made.
  bool Overwrites(const Stretch& written, const Stretch& read) const {
    if (input_.ring_rows != 0 || output_.ring_rows != 0) return false;
    const auto in = reinterpret_cast<uintptr_t>(read.begin);
    const auto out = reinterpret_cast<uintptr_t>(written.begin);
    if (in >= out + static_cast<uintptr_t>(written.bytes)) return false;
    if (out >= in + static_cast<uintptr_t>(read.bytes)) return false;
    return (in > out ? in - out : out - in) % static_cast<uintptr_t>(shape_.in_channels) != 0;
  }

  // Several rows may lie over their input, all channels of which are needed until the last is made.
  void CopyWhatIsOverwritten(const int8_t* output, int32_t image_row, int32_t top, Rows* input) const {
    const int32_t begin = top > 0 ? top : 0;
    int32_t end = top + (rows_ - 1) * shape_.stride_h + kTaps;
    if (end > shape_.in_height) end = shape_.in_height;
    if (begin >= end) return;
    const uint8_t* const from = input->Row(image_row + begin);
    const int32_t in_bytes = (end - begin) * input->row_bytes;
    const auto* const out = reinterpret_cast<const uint8_t*>(output);
    if (!Overwrites({out, rows_ * output_.row_bytes}, {from, in_bytes})) return;
    uint8_t* const copy = static_cast<uint8_t*>(args_.scratch) + kChannels * columns_.plane_bytes;
    memcpy(copy, from, static_cast<size_t>(in_bytes));
    // Row `begin` of the image lies where the copy begins.
    input->base = copy - static_cast<intptr_t>(image_row + begin) * input->row_bytes;
  }

  // Words of the taps of four channels.
  void ExpandFilter(const int8_t* filter) {
    for (int32_t ky = 0; ky < kTaps; ++ky) {
      uint32_t even[kTaps];  // Channels 0 and 2, times 256.
      uint32_t odd[kTaps];
      for (int32_t kx = 0; kx < kTaps; ++kx, filter += shape_.out_channels) {
        uint32_t word;
        memcpy(&word, filter, sizeof word);
        even[kx] = word << 8 & 0xFF00FF00u;
        odd[kx] = word & 0xFF00FF00u;
      }
      for (int32_t i = 0; i < 2; ++i) {
        channels_[0].weights[2 * ky + i] = (even[i] & 0xFFFF) | even[i + 1] << 16;
        channels_[1].weights[2 * ky + i] = (odd[i] & 0xFFFF) | odd[i + 1] << 16;
        channels_[2].weights[2 * ky + i] = even[i] >> 16 | (even[i + 1] & 0xFFFF0000u);
        channels_[3].weights[2 * ky + i] = odd[i] >> 16 | (odd[i + 1] & 0xFFFF0000u);
      }
    }
  }

  // Makes the channels behind the first `made` of four.
  LUTRA_OFTEN void ComputeFour(int32_t first, int32_t made, int8_t* output) {
    if (in_rows_ > 0) LutraExpandColumnsArmdsp(&columns_, first_row_ + first, Plane(0) + first_place_);
    ExpandFilter(args_.filter + first);
    for (int32_t i = made; i < kChannels; ++i) {
      DepthwiseChannel& channel = channels_[i];
      const int32_t bias = args_.bias != nullptr ? args_.bias[first + i] : 0;
      job_.values = Plane(i);
      job_.output = output + first + i;
      if (!ComputeScaledSumStep(layer_, args_.multipliers[first + i], bias, reach_, &channel.step)) {
        ComputeByRule(first + i);
        continue;
      }
      channel.first_sum = static_cast<int32_t>(static_cast<uint32_t>(bias) << 8);
      if (IsInPairs()) {
        LutraDepthwisePairsArmdsp(&job_, &channel);
      } else {
        LutraDepthwiseSinglesArmdsp(&job_, &channel);
      }
    }
  }

  // In wrapping int32.
  LUTRA_RARE void ComputeByRule(int32_t channel) const {
    const int32_t in_rows = job_.line_bytes / 4;
    const uint32_t* plane = job_.values;
    int8_t* output = job_.output;
    for (int32_t row = 0; row < rows_; ++row, plane += shape_.stride_h) {
      for (int32_t x = 0; x < shape_.out_width; ++x, output += shape_.out_channels) {
        auto sum = args_.bias != nullptr ? static_cast<uint32_t>(args_.bias[channel]) : 0;
        for (int32_t tap = 0; tap < kTaps * kTaps; ++tap) {
          const int32_t column = x * shape_.stride_w + tap % kTaps;
          const uint32_t word = plane[column / 2 * in_rows + tap / kTaps];
          const auto value = static_cast<int16_t>((column & 1) != 0 ? word >> 16 : word);
          sum += static_cast<uint32_t>(value * args_.filter[tap * shape_.out_channels + channel]);
        }
        *output =
            static_cast<int8_t>(ClampedCode(layer_, args_.multipliers[channel], static_cast<int32_t>(sum)));
      }
    }
  }

  LUTRA_RARE void Clamp(int8_t* output) const {
    const int32_t count = rows_ * shape_.out_width * shape_.out_channels;
    for (int32_t i = 0; i < count; ++i) {
      output[i] = static_cast<int8_t>(ClampToInt8(output[i], layer_.min, layer_.max));
    }
  }

  const DepthwiseConv2DArgs& args_;
  const ConvShape& shape_;
  const Rows& input_;
  const Rows& output_;
  int32_t pairs_;     // Of columns in a plane.
  int32_t capacity_;  // Rows of output.
  int32_t reach_;
  ScaledSumLayer layer_;
  ColumnsJob columns_;
  DepthwiseJob job_;
  DepthwiseChannel channels_[kChannels];
  int32_t rows_ = 0;
  int32_t in_rows_ = 0;                // Rows of the image that rows_ rows of output read.
  const int8_t* first_row_ = nullptr;  // The first of these.
  int32_t first_place_ = 0;            // Where in a plane its first pixel is.
};

}  // namespace

LUTRA_RARE void DepthwiseConv2DArmdsp(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                                      int32_t first_row, int32_t row_count) {
  const ConvShape& shape = *args.shape;
  if (args.scratch == nullptr || !MakesAllChannels(args) || input.ring_rows != 0 || output.ring_rows != 0 ||
      ArmdspDepthwiseRows(shape, args.scratch_bytes) == 0) {
    return DepthwiseConv2DRef(args, input, output, first_row, row_count);
  }
  Portion(args, input, output).MakeAll(first_row, first_row + row_count);
}

// Portions are made in the order that is asked for; what one overwrites of its own input is copied first.
LUTRA_RARE int32_t DepthwiseConv2DRowsAtOnceArmdsp(const DepthwiseConv2DArgs& args) {
  const bool is_for_all = args.scratch != nullptr && ArmdspDepthwiseRows(*args.shape, args.scratch_bytes) > 0;
  return is_for_all ? args.shape->out_height : 1;
}

LUTRA_RARE ScratchBytes DepthwiseConv2DScratchArmdsp(const DepthwiseConv2DArgs& args) {
  return ArmdspDepthwiseScratch(*args.shape);
}

}  // namespace lutra
