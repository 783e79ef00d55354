// SPDX-License-Identifier: Apache-2.0
// Filters of 3 x 3 taps: four channels of a few rows of output at a time. Their input rows become planes of
// int16: pairs of neighbouring columns, each with all rows in order, of which two outputs take twelve
// instructions. Weights are multiplied by 256; a channel whose sums may exceed the range of that method
// (scaled_sum.h) is computed by the rule. Images of few columns are computed tap by tap
// (depthwise_conv_2d_taps.h).

#include <string.h>

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/fixed_point/scaled_sum.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_portions.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_taps.h"
#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/scratch_armdsp.h"

namespace lutra {
namespace {

constexpr int32_t kTaps = 3;
constexpr int32_t kChannels = 4;

uint32_t Word(const int8_t* bytes) {
  uint32_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

// Returns a word of the low halves of two words, or of the high halves.
uint32_t LowHalves(uint32_t low, uint32_t high) {
  uint32_t word;
  asm("pkhbt %0, %1, %2, lsl #16" : "=r"(word) : "r"(low), "r"(high));
  return word;
}
uint32_t HighHalves(uint32_t low, uint32_t high) {
  uint32_t word;
  asm("pkhtb %0, %1, %2, asr #16" : "=r"(word) : "r"(high), "r"(low));
  return word;
}

// Clamps rows if the bounds are narrower than int8.
LUTRA_RARE void ClampRows(const DepthwiseConv2DArgs& args, int32_t rows, int8_t* output) {
  const int32_t min = args.quantization.activation_min;
  const int32_t max = args.quantization.activation_max;
  if (min == INT8_MIN && max == INT8_MAX) return;
  for (int32_t pixels = rows * args.shape->out_width; pixels > 0; --pixels) {
    for (int32_t i = 0; i < args.channel_count; ++i) {
      output[i] = static_cast<int8_t>(ClampToInt8(output[i], min, max));
    }
    output += args.shape->out_channels;
  }
}

// Computes some rows of one output channel from a plane, in wrapping int32. Values of a column are `row_step`
// apart, and pairs of columns `pair_step`.
LUTRA_RARE void ComputeByRule(const DepthwiseConv2DArgs& args, int32_t channel, const int16_t* plane,
                              int32_t row_step, int32_t pair_step, int32_t rows, int8_t* output) {
  const ConvShape& shape = *args.shape;
  const ScaledSumLayer layer = {args.quantization.output_offset, args.quantization.activation_min,
                                args.quantization.activation_max};
  for (int32_t row = 0; row < rows; ++row, plane += shape.stride_h * row_step) {
    for (int32_t x = 0; x < shape.out_width; ++x, output += shape.out_channels) {
      const int16_t* values = plane;
      const int8_t* weight = args.filter + channel;
      auto sum = args.bias != nullptr ? static_cast<uint32_t>(args.bias[channel]) : 0;
      for (int32_t ky = 0; ky < shape.filter_height; ++ky, values += shape.dilation_h * row_step) {
        int32_t column = x * shape.stride_w;
        for (int32_t kx = 0; kx < shape.filter_width; ++kx, column += shape.dilation_w) {
          sum += static_cast<uint32_t>(values[column / 2 * pair_step + column % 2] * *weight);
          weight += args.channel_count;
        }
      }
      *output = static_cast<int8_t>(ClampedCode(layer, args.multipliers[channel], static_cast<int32_t>(sum)));
    }
  }
}

// Holds the facts of a layer that all forms of the kernel need.
class Layer {
 protected:
  LUTRA_RARE explicit Layer(const DepthwiseConv2DArgs& args) : args_(args), shape_(*args.shape) {
    layer_ = {args.quantization.output_offset, args.quantization.activation_min,
              args.quantization.activation_max};
    reach_ = ReachOf(shape_.filter_height * shape_.filter_width, args.quantization.input_offset);
    offset_ = static_cast<uint32_t>(args.quantization.input_offset & 0xFFFF) * 0x10001u;
  }

  const DepthwiseConv2DArgs& args_;
  const ConvShape& shape_;
  ScaledSumLayer layer_;
  int32_t reach_;
  uint32_t offset_;  // Added to two values of a word.
};

class Portion : Layer {
 public:
  Portion(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output)
      : Layer(args), input_(input), output_(output), steps_(layer_, reach_) {
    pairs_ = ArmdspDepthwisePairs(shape_);
    // The first pairs of columns are padding, the next are the image's.
    const int32_t left = shape_.pad_left % 2;
    const int32_t width = shape_.in_width - left;
    const int32_t room = pairs_ - shape_.pad_left / 2 - left;
    const int32_t whole = width / 2 < room ? width / 2 : room;
    columns_ = {.step = shape_.in_channels,
                .offset = offset_,
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

  // Computes rows [row, end).
  void MakeAll(int32_t row, int32_t end) {
    int32_t capacity = ArmdspDepthwiseRows(shape_, args_.scratch_bytes);
    if (OverwritesOthers(args_, input_, output_, row, end)) {
      const int32_t copied = ArmdspDepthwiseCopiedRows(shape_, args_.scratch_bytes);
      if (capacity > copied) capacity = copied > 1 ? copied : 1;
    }
    for (Portions portions(args_, row, end, capacity); portions.Next();) Make(portions.row, portions.count);
  }

 private:
  LUTRA_RARE void Make(int32_t row, int32_t rows) {
    rows_ = rows;
    const int32_t image = row / shape_.out_height;
    const int32_t first = row - image * shape_.out_height;
    auto* const output = reinterpret_cast<int8_t*>(output_.Row(row));
    const int32_t top = first * shape_.stride_h - shape_.pad_top;
    const int32_t in_rows = (rows - 1) * shape_.stride_h + kTaps;
    columns_.plane_bytes = pairs_ * in_rows * 4;
    Rows input = input_;
    if (rows_ > 1) CopyWhatIsOverwritten(output, image * shape_.in_height, top, &input);
    // The padding is the same for all channels.
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
    const bool is_plain_row = rows == 1 && job_.needs_sign == 0;
    make_channel_ = !IsInPairs()   ? LutraDepthwiseSinglesArmdsp
                    : is_plain_row ? LutraDepthwiseRowArmdsp
                                   : LutraDepthwisePairsArmdsp;
    for (int32_t c = 0; c < args_.channel_count; c += kChannels) {
      // Some of the last four channels may have been computed before.
      const int32_t last = args_.channel_count - kChannels;
      ComputeFour(c < last ? c : last, c < last ? 0 : c - last, output);
    }
    ClampRows(args_, rows_, output);
  }

  bool IsInPairs() const { return shape_.stride_w == 1; }

  uint32_t* Plane(int32_t i) const {
    return static_cast<uint32_t*>(args_.scratch) + i * (columns_.plane_bytes / 4);
  }

  // Several output rows may overwrite their input, all channels of which are needed until the last is
  // computed.
  void CopyWhatIsOverwritten(const int8_t* output, int32_t image_row, int32_t top, Rows* input) const {
    const int32_t begin = top > 0 ? top : 0;
    int32_t end = top + (rows_ - 1) * shape_.stride_h + kTaps;
    if (end > shape_.in_height) end = shape_.in_height;
    if (begin >= end) return;
    const uint8_t* const from = input->Row(image_row + begin);
    const int32_t in_bytes = (end - begin) * input->row_bytes;
    const auto* const out = reinterpret_cast<const uint8_t*>(output);
    if (!Overwrites(shape_, {out, rows_ * output_.row_bytes}, {from, in_bytes})) return;
    uint8_t* const copy = static_cast<uint8_t*>(args_.scratch) + kChannels * columns_.plane_bytes;
    memcpy(copy, from, static_cast<size_t>(in_bytes));
    // Row `begin` of the image is at the copy's begin.
    input->base = copy - static_cast<intptr_t>(image_row + begin) * input->row_bytes;
  }

  // Stores the taps of four channels in words.
  LUTRA_OFTEN void ExpandFilter(const int8_t* filter) {
    // Stores a tap and the next one of its row: weights of channels 0 and 1, then of 2 and 3, times 256.
    const auto store = [this](int32_t word, uint32_t tap, uint32_t next) __attribute__((always_inline)) {
      constexpr uint32_t kHighBytes = 0xFF00FF00u;
      const uint32_t low = LowHalves(tap, next);
      const uint32_t high = HighHalves(tap, next);
      channels_[0].weights[word] = low << 8 & kHighBytes;
      channels_[1].weights[word] = low & kHighBytes;
      channels_[2].weights[word] = high << 8 & kHighBytes;
      channels_[3].weights[word] = high & kHighBytes;
    };
    for (int32_t ky = 0; ky < kTaps; ++ky) {
      const uint32_t left = Word(filter);
      const uint32_t middle = Word(filter + args_.channel_count);
      const uint32_t right = Word(filter + 2 * args_.channel_count);
      filter += kTaps * args_.channel_count;
      store(2 * ky, left, middle);
      store(2 * ky + 1, middle, right);
    }
  }

  // Computes the channels of four that follow the first `made` ones.
  LUTRA_RARE void ComputeFour(int32_t first, int32_t made, int8_t* output) {
    if (in_rows_ > 0) {
      LutraExpandColumnsArmdsp(&columns_, first_row_ + args_.first_channel + first, Plane(0) + first_place_);
    }
    ExpandFilter(args_.filter + first);
    const uint32_t plane_words = static_cast<uint32_t>(columns_.plane_bytes) / 4;
    const uint32_t* values = Plane(made);
    output += first;
    for (int32_t i = made; i < kChannels; ++i, values += plane_words) {
      DepthwiseChannel& channel = channels_[i];
      const Multiplier& m = args_.multipliers[first + i];
      const int32_t bias = args_.bias != nullptr ? args_.bias[first + i] : 0;
      job_.values = values;
      job_.output = output + i;
      if (steps_.Has(m, bias)) {
        channel.step = PlainScaledSumStep(layer_, m);
      } else if (!ComputeRareScaledSumStep(layer_, m, bias, reach_, &channel.step)) {
        ComputeByRule(args_, first + i, reinterpret_cast<const int16_t*>(job_.values), 2, job_.line_bytes / 2,
                      rows_, job_.output);
        continue;
      }
      channel.first_sum = static_cast<int32_t>(static_cast<uint32_t>(bias) << 8);
      make_channel_(&job_, &channel);
    }
  }

  const Rows& input_;
  const Rows& output_;
  const PlainScaledSumSteps steps_;
  int32_t pairs_;  // Pairs of columns in a plane.
  ColumnsJob columns_;
  DepthwiseJob job_;
  DepthwiseChannel channels_[kChannels];
  void (*make_channel_)(const DepthwiseJob* job, const DepthwiseChannel* channel) = nullptr;
  int32_t rows_ = 0;
  int32_t in_rows_ = 0;                // Rows of the image that rows_ rows of output read.
  const int8_t* first_row_ = nullptr;  // The first of these rows.
  int32_t first_place_ = 0;            // The place of its first pixel in a plane.
};

// Windows of any other size: one channel of a few rows of output at a time. Its rows of input are expanded
// with their padding to int16; four outputs take nine instructions for a pair of taps.
class Windows : Layer {
 public:
  Windows(const DepthwiseConv2DArgs& args, const ArmdspWindowsLayout& layout, const Rows& input,
          const Rows& output)
      : Layer(args), layout_(layout), input_(input), output_(output) {
    weights_ = static_cast<uint32_t*>(args.scratch);
    plane_ = reinterpret_cast<int16_t*>(weights_ + layout.filter_bytes / 4);
    const int32_t row_bytes = 2 * layout.row_values;
    job_ = {.values = plane_,
            .weights = weights_,
            .first_sum = 0,
            .taps = layout.taps,
            .tap_step = layout.tap_step,
            .tap_row_step = BoundedProduct(shape_.dilation_h, row_bytes) - layout.taps * layout.tap_step,
            .tap_rows = shape_.filter_height,
            .value_step = 2 * shape_.stride_w,
            .values_pitch = BoundedProduct(shape_.stride_h, row_bytes),
            .step = {},
            .sign = layer_.NeedsSign() ? 128 : 0,
            .output = nullptr,
            .output_step = shape_.out_channels,
            .output_pitch = output.row_bytes,
            .width = shape_.out_width,
            .rows = 0};
  }

  // Computes rows [row, end).
  void MakeAll(int32_t row, int32_t end) {
    int32_t capacity = ArmdspWindowsRows(shape_, layout_, args_.scratch_bytes);
    if (OverwritesOthers(args_, input_, output_, row, end)) capacity = 1;
    for (Portions portions(args_, row, end, capacity); portions.Next();) Make(portions.row, portions.count);
  }

 private:
  void Make(int32_t row, int32_t rows) {
    const int32_t image = row / shape_.out_height;
    const int32_t top = (row - image * shape_.out_height) * shape_.stride_h - shape_.pad_top;
    auto* const output = reinterpret_cast<int8_t*>(output_.Row(row));
    const int32_t in_rows = (rows - 1) * shape_.stride_h + layout_.window_rows;
    // The padding is the same for all channels.
    memset(plane_, 0, static_cast<size_t>(in_rows * layout_.row_values * 2));
    const TapRange image_rows = TapsInside(top, in_rows, 1, shape_.in_height);
    const TapRange columns = TapsInside(-shape_.pad_left, layout_.row_values, 1, shape_.in_width);
    const int32_t multiplier = shape_.out_channels / shape_.in_channels;
    job_.rows = rows;
    int32_t expanded = -1;  // The input channel in the plane.
    for (int32_t i = 0; i < args_.channel_count; ++i) {
      const int32_t channel = (args_.first_channel + i) / multiplier;
      for (int32_t t = image_rows.begin; t < image_rows.end && channel != expanded; ++t) {
        const auto* const from =
            reinterpret_cast<const int8_t*>(input_.Row(image * shape_.in_height + top + t));
        ExpandRow(from + (columns.begin - shape_.pad_left) * shape_.in_channels + channel,
                  columns.end - columns.begin, plane_ + t * layout_.row_values + columns.begin);
      }
      expanded = channel;
      ComputeChannel(i, output);
    }
    ClampRows(args_, rows, output);
  }

  LUTRA_OFTEN void ExpandRow(const int8_t* from, int32_t count, int16_t* to) const {
    const int32_t step = shape_.in_channels;
    const int32_t offset = args_.quantization.input_offset;
    for (; count > 0; --count, from += step) *to++ = static_cast<int16_t>(*from + offset);
  }

  void ExpandFilter(const int8_t* filter) const {
    uint32_t* to = weights_;
    const int32_t together = shape_.dilation_w == 1 ? 2 : 1;
    for (int32_t ky = 0; ky < shape_.filter_height; ++ky) {
      for (int32_t kx = 0; kx < shape_.filter_width; kx += together) {
        uint32_t word = static_cast<uint32_t>(*filter) << 8 & 0xFFFF;
        filter += args_.channel_count;
        if (together == 2 && kx + 1 < shape_.filter_width) {
          word |= static_cast<uint32_t>(*filter) << 24;
          filter += args_.channel_count;
        }
        *to++ = word;
      }
    }
  }

  LUTRA_RARE void ComputeChannel(int32_t channel, int8_t* output) {
    const int32_t bias = args_.bias != nullptr ? args_.bias[channel] : 0;
    job_.output = output + channel;
    if (reach_ == INT32_MAX ||
        !ComputeScaledSumStep(layer_, args_.multipliers[channel], bias, reach_, &job_.step)) {
      return ComputeByRule(args_, channel, plane_, layout_.row_values, 2, job_.rows, job_.output);
    }
    ExpandFilter(args_.filter + channel);
    job_.first_sum = static_cast<int32_t>(static_cast<uint32_t>(bias) << 8);
    LutraWindowsArmdsp(&job_);
  }

  const ArmdspWindowsLayout& layout_;
  const Rows& input_;
  const Rows& output_;
  uint32_t* weights_;
  int16_t* plane_;
  WindowsJob job_;
};

// Computes runs of pixels, four channels at a time, tap by tap.
class Taps : Layer {
 public:
  explicit Taps(const DepthwiseConv2DArgs& args) : Layer(args) {
    multiplier_ = shape_.out_channels / shape_.in_channels;
    job_.offset = offset_;
    job_.sign = layer_.NeedsSign() ? 128 : 0;
    job_.is_of_one = multiplier_ == 1 ? 0 : 1;
  }

  // Returns whether any four channels are neighbours in the input, or have the same input channel.
  static bool CanMake(const DepthwiseConv2DArgs& args) {
    const ConvShape& shape = *args.shape;
    if (shape.out_channels == shape.in_channels) return args.channel_count >= kChannels;
    return shape.out_channels / shape.in_channels % kChannels == 0 && args.first_channel % kChannels == 0 &&
           args.channel_count % kChannels == 0;
  }

  void Make(const TapsRun& run) {
    for (int32_t c = 0; c < args_.channel_count; c += kChannels) {
      // Some of the last four channels may have been computed before.
      const int32_t last = args_.channel_count - kChannels;
      MakeFour(run, c < last ? c : last, c < last ? 0 : c - last);
    }
  }

 private:
  // Computes the channels of four that follow the first `made` ones.
  LUTRA_OFTEN void MakeFour(const TapsRun& run, int32_t first, int32_t made) {
    const int32_t input_channel =
        multiplier_ == 1 ? first
                         : (args_.first_channel + first) / multiplier_ - args_.first_channel / multiplier_;
    const PlainScaledSumSteps steps(layer_, reach_);
    bool has_steps = run.tap_rows > 0;
    for (int32_t i = 0; i < kChannels; ++i) {
      const Multiplier& m = args_.multipliers[first + i];
      const int32_t bias = args_.bias != nullptr ? args_.bias[first + i] : 0;
      job_.biases[i] = bias;
      if (steps.Has(m, bias)) {
        job_.steps[i] = PlainScaledSumStep(layer_, m);
      } else if (reach_ == INT32_MAX || !ComputeRareScaledSumStep(layer_, m, bias, reach_, &job_.steps[i])) {
        has_steps = false;
      }
    }
    job_.run = run;
    job_.run.input += input_channel;
    job_.run.filter += first;
    job_.run.output += first;
    job_.made_bits = 8 * made;
    if (has_steps) return LutraTapsArmdsp(&job_);
    MakeByRule(first, made);
  }

  LUTRA_RARE void MakeByRule(int32_t first, int32_t made) {
    TapsRun& run = job_.run;
    for (; run.pixels > 0; --run.pixels, run.input += run.pixel_step, run.output += run.output_step) {
      for (int32_t i = made; i < kChannels; ++i) {
        const uint32_t sum = SumOfTaps(run, multiplier_ == 1 ? i : 0, i, args_.quantization.input_offset);
        const uint32_t all = sum + static_cast<uint32_t>(job_.biases[i]);
        run.output[i] =
            static_cast<int8_t>(ClampedCode(layer_, args_.multipliers[first + i], static_cast<int32_t>(all)));
      }
    }
  }

  int32_t multiplier_;
  TapsJob job_ = {};
};

bool MakesFours(const DepthwiseConv2DArgs& args) {
  return HasArmdspDepthwise(*args.shape) && args.channel_count >= kChannels;
}

// Returns how many rows have room in the scratch, and the layout if they are not computed four channels at a
// time.
LUTRA_RARE int32_t RowsOf(const DepthwiseConv2DArgs& args, ArmdspWindowsLayout* layout) {
  if (args.scratch == nullptr) return 0;
  if (MakesFours(args)) return ArmdspDepthwiseRows(*args.shape, args.scratch_bytes);
  return ArmdspWindowsLayoutOf(*args.shape, layout)
             ? ArmdspWindowsRows(*args.shape, *layout, args.scratch_bytes)
             : 0;
}

}  // namespace

LUTRA_RARE void DepthwiseConv2DArmdsp(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                                      int32_t first_row, int32_t row_count) {
  ArmdspWindowsLayout layout;
  const int32_t end = first_row + row_count;
  const bool has_rows = RowsOf(args, &layout) > 0;
  if (Taps::CanMake(args) && (!has_rows || PrefersArmdspTaps(*args.shape))) {
    Taps taps(args);
    ForEachTapsRun(args, input, output, first_row, end, [&taps](const TapsRun& run) { taps.Make(run); });
    return ClampRows(args, row_count, reinterpret_cast<int8_t*>(output.Row(first_row)));
  }
  if (!has_rows) return DepthwiseConv2DRef(args, input, output, first_row, row_count);
  if (MakesFours(args)) return Portion(args, input, output).MakeAll(first_row, end);
  Windows(args, layout, input, output).MakeAll(first_row, end);
}

// Portions are computed in the order that args.downwards requires; input that a portion overwrites is copied
// first.
LUTRA_RARE int32_t DepthwiseConv2DRowsAtOnceArmdsp(const DepthwiseConv2DArgs& args) {
  ArmdspWindowsLayout layout;
  if (!MakesAllChannels(args)) return 1;
  return Taps::CanMake(args) || RowsOf(args, &layout) > 0 ? args.shape->out_height : 1;
}

LUTRA_RARE ScratchBytes DepthwiseConv2DScratchArmdsp(const DepthwiseConv2DArgs& args, int32_t rows) {
  return ArmdspDepthwiseScratch(*args.shape, rows);
}

}  // namespace lutra
