// SPDX-License-Identifier: Apache-2.0
// Of up to twelve pixels the windows are copied, unless they are points that may be read where they lie. Two
// outputs of three pixels are multiplied at a time: 11 instructions for 96 products. Weights are read as the
// file has them; what the input's zero point adds to all sums of an output is made of them at each call.

#include <arm_mve.h>
#include <string.h>

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "runtime/kernels/codes_mve.h"
#include "runtime/kernels/scratch_mve.h"

namespace lutra {
namespace {

constexpr int32_t kPixels = kMveStripPixels;
// Sums of so many channels are kept at a time.
constexpr int32_t kBlockChannels = 16;
constexpr int32_t kEightPitch = kPixels * 8;

// Some pixels, three at a time, by eight output channels after eight.
struct EightsJob {
  const int8_t* const* pixels;
  int32_t triples;
  int32_t whole;      // Vectors of a window.
  mve_pred16_t last;  // The lanes of what is behind them.
  const int8_t* weights;
  const int32_t* rows;  // Where the weights of eight channels begin, in the order of their sums.
  int32_t eights;
  int32_t eight_bytes;  // From the weights of eight channels to the next.
  int32_t* sums;        // Eight for each pixel.
};

[[gnu::always_inline]] inline int8x16_t Load(const int8_t* from) { return vldrbq_s8(from); }

// One vector, all lanes of it or some.
template <bool kWhole>
[[gnu::always_inline]] inline int8x16_t LoadLanes(const int8_t* from, mve_pred16_t lanes) {
  return kWhole ? vldrbq_s8(from) : vldrbq_z_s8(from, lanes);
}

// Sums of three pixels and two channels.
struct SixSums {
  int32_t s[6];

  [[gnu::always_inline]] void Set(int8x16_t u, int8x16_t v, int8x16_t a, int8x16_t b, int8x16_t c) {
    s[0] = vmladavq_s8(u, a);
    s[1] = vmladavq_s8(v, a);
    s[2] = vmladavq_s8(u, b);
    s[3] = vmladavq_s8(v, b);
    s[4] = vmladavq_s8(u, c);
    s[5] = vmladavq_s8(v, c);
  }
  [[gnu::always_inline]] void Add(int8x16_t u, int8x16_t v, int8x16_t a, int8x16_t b, int8x16_t c) {
    s[0] = vmladavaq_s8(s[0], u, a);
    s[1] = vmladavaq_s8(s[1], v, a);
    s[2] = vmladavaq_s8(s[2], u, b);
    s[3] = vmladavaq_s8(s[3], v, b);
    s[4] = vmladavaq_s8(s[4], u, c);
    s[5] = vmladavaq_s8(s[5], v, c);
  }
  [[gnu::always_inline]] void Store(int32_t* sums) const {
    sums[0] = s[0];
    sums[1] = s[1];
    sums[8] = s[2];
    sums[9] = s[3];
    sums[16] = s[4];
    sums[17] = s[5];
  }
};

// Windows of up to 16 values, or of up to 32: three of them stay in registers.
template <int kVectors, bool kWhole>
[[gnu::noinline]] void MultiplyShort(const EightsJob& job) {
  constexpr int kLast = 16 * (kVectors - 1);
  const mve_pred16_t lanes = job.last;
  const int8_t* const* pixels = job.pixels;
  int32_t* triple_sums = job.sums;
  for (int32_t triples = job.triples; triples > 0; --triples, pixels += 3, triple_sums += 24) {
    const int8_t* const a = pixels[0];
    const int8_t* const b = pixels[1];
    const int8_t* const c = pixels[2];
    const int8x16_t a1 = LoadLanes<kWhole>(a + kLast, lanes);
    const int8x16_t b1 = LoadLanes<kWhole>(b + kLast, lanes);
    const int8x16_t c1 = LoadLanes<kWhole>(c + kLast, lanes);
    const int8x16_t a0 = kVectors == 2 ? Load(a) : a1;
    const int8x16_t b0 = kVectors == 2 ? Load(b) : b1;
    const int8x16_t c0 = kVectors == 2 ? Load(c) : c1;
    const int8_t* weights = job.weights;
    int32_t* to = triple_sums;
    for (int32_t eights = job.eights; eights > 0; --eights, weights += job.eight_bytes, to += kEightPitch) {
      const int32_t* const rows = job.rows;
#pragma GCC unroll 4
      for (int i = 0; i < 8; i += 2) {
        const int8_t* const u = weights + rows[i];
        const int8_t* const v = weights + rows[i + 1];
        SixSums sums;
        sums.Set(LoadLanes<kWhole>(u + kLast, lanes), LoadLanes<kWhole>(v + kLast, lanes), a1, b1, c1);
        if (kVectors == 2) sums.Add(Load(u), Load(v), a0, b0, c0);
        sums.Store(to + i);
      }
    }
  }
}

// What windows have beside their first vectors.
enum class More {
  kNone,
  kPart,    // Less than a vector.
  kAsMany,  // As many vectors again, any number of times.
  kAny,
};

// Two channels of windows of so many vectors and more.
template <int kVectors, More kMore>
[[gnu::always_inline]] inline void MultiplyTwo(const EightsJob& job, const int8_t* first_u,
                                               const int8_t* first_v, int32_t* to) {
  const int8_t* const* pixels = job.pixels;
  for (int32_t triples = job.triples; triples > 0; --triples, pixels += 3, to += 24) {
    const int8_t* a = pixels[0];
    const int8_t* b = pixels[1];
    const int8_t* c = pixels[2];
    const int8_t* u = first_u;
    const int8_t* v = first_v;
    SixSums sums;
    sums.Set(Load(u), Load(v), Load(a), Load(b), Load(c));
    const auto advance = [&] {
      u += 16;
      v += 16;
      a += 16;
      b += 16;
      c += 16;
    };
#pragma GCC unroll 16
    for (int i = 1; i < kVectors; ++i) {
      advance();
      sums.Add(Load(u), Load(v), Load(a), Load(b), Load(c));
    }
    if (kMore == More::kAsMany) {
      for (int32_t left = job.whole - kVectors; left > 0; left -= kVectors) {
#pragma GCC unroll 16
        for (int i = 0; i < kVectors; ++i) {
          advance();
          sums.Add(Load(u), Load(v), Load(a), Load(b), Load(c));
        }
      }
    }
    if (kMore == More::kAny) {
      for (int32_t left = job.whole - kVectors; left > 0; --left) {
        advance();
        sums.Add(Load(u), Load(v), Load(a), Load(b), Load(c));
      }
    }
    if (kMore == More::kAny || kMore == More::kPart) {
      advance();
      const mve_pred16_t lanes = job.last;
      sums.Add(vldrbq_z_s8(u, lanes), vldrbq_z_s8(v, lanes), vldrbq_z_s8(a, lanes), vldrbq_z_s8(b, lanes),
               vldrbq_z_s8(c, lanes));
    }
    sums.Store(to);
  }
}

template <int kVectors, More kMore = More::kNone>
[[gnu::noinline]] void MultiplyLong(const EightsJob& job) {
  const int8_t* weights = job.weights;
  int32_t* to = job.sums;
  for (int32_t eights = job.eights; eights > 0; --eights, weights += job.eight_bytes, to += kEightPitch) {
#pragma GCC unroll 1
    for (int i = 0; i < 8; i += 2) {
      MultiplyTwo<kVectors, kMore>(job, weights + job.rows[i], weights + job.rows[i + 1], to + i);
    }
  }
}

using MultiplyFn = void (*)(const EightsJob& job);

// Whole vectors by their number are the quickest.
constexpr MultiplyFn kMultiplyVectors[] = {
    MultiplyShort<1, true>, MultiplyShort<2, true>, MultiplyLong<3>, MultiplyLong<4>, MultiplyLong<5>,
    MultiplyLong<6>,        MultiplyLong<7>,        MultiplyLong<8>, MultiplyLong<9>,
};
constexpr int32_t kMostVectors = sizeof kMultiplyVectors / sizeof *kMultiplyVectors;

MultiplyFn MultiplyOf(int32_t values) {
  if (values < 16) return MultiplyShort<1, false>;
  if (values % 16 == 0 && values <= 16 * kMostVectors) return kMultiplyVectors[values / 16 - 1];
  if (values < 32) return MultiplyShort<2, false>;
  if (values < 48) return MultiplyLong<2, More::kPart>;
  if (values < 64) return MultiplyLong<3, More::kPart>;
  if (values < 80) return MultiplyLong<4, More::kPart>;
  if (values % (16 * 9) == 0) return MultiplyLong<9, More::kAsMany>;
  if (values % (16 * 8) == 0) return MultiplyLong<8, More::kAsMany>;
  return values > 16 * kMostVectors ? MultiplyLong<kMostVectors, More::kAny> : MultiplyLong<2, More::kAny>;
}

// Lines of so many whole vectors.
template <int kVectors>
[[gnu::always_inline]] inline void CopyWholeLines(const int8_t* from, int32_t pitch, int32_t lines,
                                                  int8_t* to) {
  for (; lines > 0; --lines, from += pitch, to += 16 * kVectors) {
    int8x16_t values[kVectors];
    for (int i = 0; i < kVectors; ++i) values[i] = Load(from + 16 * i);
    for (int i = 0; i < kVectors; ++i) vstrbq_s8(to + 16 * i, values[i]);
  }
}

// A window.
struct Window {
  int32_t image_row;  // The first row of the image.
  int32_t y;          // Where its first tap lies in the image.
  int32_t x;
};

class Strips {
 public:
  Strips(const Conv2DArgs& args, const MveConvLayout& layout, const Rows& input, const Rows& output,
         int32_t first_row, int32_t row_count)
      : args_(args),
        shape_(*args.shape),
        layout_(layout),
        input_(input),
        output_(output),
        row_(first_row),
        end_row_(first_row + row_count) {
    line_values_ = shape_.filter_width * shape_.filter_channels;
    const int64_t last_line = (int64_t{shape_.filter_height} - 1) * shape_.dilation_h;
    last_line_ = last_line < shape_.in_height ? static_cast<int32_t>(last_line) : shape_.in_height;
    right_steps_ = RightStepsOf(args.quantization);
    some_shift_left_ = SomeShiftLeft(args.multipliers, args.channel_count);
    whole_ = layout.values / 16;
    last_ = vctp8q(static_cast<uint32_t>(layout.values % 16));
    multiply_ = MultiplyOf(layout.values);
    for (int i = 0; i < 8; ++i) rows_[i] = kChannelsInOrder[i] * layout.values;
    is_contiguous_ = layout.points && layout.dense && shape_.out_width == shape_.in_width &&
                     shape_.out_height == shape_.in_height && shape_.stride_w == 1 && shape_.stride_h == 1;
    pitch_ = shape_.dilation_h * input.row_bytes;
    sums_ = static_cast<int32_t*>(args.scratch);
  }

  // Makes output channels of a group, as many at a time as there is room for.
  void Make(int32_t group) {
    first_channel_ = group * shape_.filter_channels;
    const ChannelRange outputs = ChannelsOfGroup(args_, group, layout_.channels);
    for (int32_t first = outputs.begin; first < outputs.end;) {
      int32_t channels = ChannelsAtOnce(args_.scratch_bytes, layout_);
      if (channels > outputs.end - first) channels = outputs.end - first;
      MakeChannels(first, channels);
      first += channels;
    }
  }

  // So many channels have room beside a window.
  static int32_t ChannelsAtOnce(int32_t scratch_bytes, const MveConvLayout& layout) {
    int32_t left = scratch_bytes;
    if (!layout.points || left >= layout.window_bytes + MveSumsBytes(1)) left -= layout.window_bytes;
    const int32_t channels = left < MveSumsBytes(1) ? 0 : left / MveSumsBytes(1) * 8;
    return channels < layout.channels ? channels : layout.channels;
  }

 private:
  void MakeChannels(int32_t first, int32_t channels) {
    first_output_ = first;
    channels_ = channels;
    ComputeFirstSums();
    windows_ = static_cast<int8_t*>(args_.scratch) + MveSumsBytes(channels);
    int32_t capacity = args_.scratch_bytes - MveSumsBytes(channels);
    capacity = capacity < layout_.window_bytes ? 0 : capacity / layout_.window_bytes;
    copies_ = !layout_.points || (capacity > 0 && MayOverlap());
    if (!copies_ || capacity > kPixels) capacity = kPixels;
    const int32_t all = (end_row_ - row_) * shape_.out_width;
    for (int32_t done = 0; done < all;) {
      const int32_t pixels = all - done < capacity ? all - done : capacity;
      const int32_t begin = args_.downwards ? all - done - pixels : done;
      const int32_t row = begin / shape_.out_width;
      MakeStrip(pixels, row_ + row, begin - row * shape_.out_width);
      done += pixels;
    }
  }

  // Whether outputs may lie over inputs that are still needed.
  bool MayOverlap() const {
    const int32_t first_image = row_ / shape_.out_height;
    const int32_t end_image = (end_row_ - 1) / shape_.out_height + 1;
    return output_.PlainRow(row_) < input_.PlainRow(end_image * shape_.in_height) &&
           input_.PlainRow(first_image * shape_.in_height) < output_.PlainRow(end_row_);
  }

  // Biases, and what the zero point adds to each product.
  [[gnu::noinline]] void ComputeFirstSums() const {
    const int8_t* weights = WeightsOf(first_output_);
    for (int32_t i = 0; i < channels_; ++i, weights += layout_.values) {
      int32_t sum = 0;
      const int8_t* from = weights;
      for (int32_t left = whole_; left > 0; --left, from += 16) sum = vaddvaq_s8(sum, Load(from));
      sum = vaddvaq_s8(sum, vldrbq_z_s8(from, last_));
      const int32_t channel = first_output_ + i;
      const uint32_t bias = args_.bias != nullptr ? static_cast<uint32_t>(args_.bias[channel]) : 0;
      sums_[PlaceOf(i)] = static_cast<int32_t>(
          bias + static_cast<uint32_t>(sum) * static_cast<uint32_t>(args_.quantization.input_offset));
    }
  }

  const int8_t* WeightsOf(int32_t output) const {
    return args_.filter + static_cast<intptr_t>(output) * layout_.values;
  }

  Window WindowOf(int32_t row, int32_t column) const {
    const int32_t image = row / shape_.out_height;
    return {image * shape_.in_height, (row - image * shape_.out_height) * shape_.stride_h - shape_.pad_top,
            column * shape_.stride_w - shape_.pad_left};
  }

  const int8_t* AddressOf(const Window& window) const {
    return reinterpret_cast<const int8_t*>(input_.PlainRow(window.image_row + window.y)) +
           window.x * shape_.in_channels;
  }

  // The line that lies at x in a row of the input, tap by tap: padding where it leaves the image, or `row` is
  // null.
  void CopyLine(const int8_t* row, int32_t x, int8_t* to) const {
    for (int32_t tap = 0; tap < shape_.filter_width; ++tap, to += shape_.filter_channels) {
      const int64_t tap_x = x + int64_t{tap} * shape_.dilation_w;
      if (row == nullptr || tap_x < 0 || tap_x >= shape_.in_width) continue;
      CopyVectors(row + static_cast<int32_t>(tap_x) * shape_.in_channels + first_channel_,
                  shape_.filter_channels, to);
    }
  }

  [[gnu::noinline]] void CopySparseWindow(const Window& window, int8_t* to) const {
    memset(to, -args_.quantization.input_offset, static_cast<size_t>(layout_.values));
    for (int32_t ky = 0; ky < shape_.filter_height; ++ky, to += line_values_) {
      const int64_t y = window.y + int64_t{ky} * shape_.dilation_h;
      if (y < 0 || y >= shape_.in_height) continue;
      CopyLine(reinterpret_cast<const int8_t*>(input_.PlainRow(window.image_row + static_cast<int32_t>(y))),
               window.x, to);
    }
  }

  // What of a window lies in the image.
  [[gnu::noinline]] void CopyBorderWindow(const Window& window, int8_t* memory) const {
    memset(memory, -args_.quantization.input_offset, static_cast<size_t>(layout_.values));
    const TapRange rows = TapsInside(window.y, shape_.filter_height, shape_.dilation_h, shape_.in_height);
    const TapRange columns = TapsInside(window.x, shape_.filter_width, 1, shape_.in_width);
    const int32_t bytes = (columns.end - columns.begin) * shape_.in_channels;
    if (bytes <= 0 || rows.end <= rows.begin) return;
    const Window first = {window.image_row, window.y + rows.begin * shape_.dilation_h,
                          window.x + columns.begin};
    CopyLines<0>(AddressOf(first), bytes, rows.end - rows.begin,
                 memory + rows.begin * line_values_ + columns.begin * shape_.in_channels);
  }

  // Lines of a window, or of a part of it. Lines of a window are one vector at most, as many whole ones, or
  // (0) of any size.
  template <int kVectors>
  [[gnu::always_inline]] void CopyLines(const int8_t* from, int32_t bytes, int32_t lines, int8_t* to) const {
    const int32_t pitch = pitch_;
    const int32_t step = line_values_;
    if constexpr (kVectors > 1) return CopyWholeLines<kVectors>(from, pitch, lines, to);
    if (kVectors == 1) {
      const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(bytes));
      for (; lines > 0; --lines, from += pitch, to += step) vstrbq_p_s8(to, vldrbq_z_s8(from, lanes), lanes);
      return;
    }
    for (; lines > 0; --lines, from += pitch, to += step) CopyVectors(from, bytes, to);
  }

  // Windows beside each other.
  template <int kVectors>
  [[gnu::noinline]] void CopyRun(Window window, int32_t count, int8_t* to) const {
    const int32_t window_bytes = layout_.window_bytes;
    const int32_t lines = shape_.filter_height;
    const int32_t most_x = shape_.in_width - shape_.filter_width;
    const bool rows_inside = window.y >= 0 && window.y < shape_.in_height - last_line_;
    const int8_t* from = AddressOf(window);
    const int32_t from_step = shape_.stride_w * shape_.in_channels;
    for (; count > 0; --count, window.x += shape_.stride_w, from += from_step, to += window_bytes) {
      if (rows_inside && window.x >= 0 && window.x <= most_x) {
        CopyLines<kVectors>(from, line_values_, lines, to);
      } else {
        CopyBorderWindow(window, to);
      }
    }
  }

  void CopyRun(Window window, int32_t count, int8_t* to) const {
    if (!layout_.dense) {
      for (; count > 0; --count, window.x += shape_.stride_w, to += layout_.window_bytes) {
        CopySparseWindow(window, to);
      }
    } else if (line_values_ <= 16) {
      CopyRun<1>(window, count, to);
    } else if (line_values_ == 32) {
      CopyRun<2>(window, count, to);
    } else if (line_values_ == 48) {
      CopyRun<3>(window, count, to);
    } else {
      CopyRun<0>(window, count, to);
    }
  }

  // Finds the windows of a strip, the last of which stands for what is missing of three.
  [[gnu::noinline]] void PlaceWindows(int32_t pixels, int32_t row, int32_t column) {
    const int8_t* from = windows_;
    int32_t step = layout_.window_bytes;
    if (copies_ && is_contiguous_) {
      step = layout_.values;
      CopyVectors(AddressOf(WindowOf(row, column)), pixels * step, windows_);
    } else if (!copies_) {
      step = shape_.stride_w * shape_.in_channels;
    }
    for (int32_t i = 0; i < pixels; column = 0, ++row) {
      const int32_t left = pixels - i;
      int32_t run = shape_.out_width - column < left ? shape_.out_width - column : left;
      if (!copies_) {
        from = AddressOf(WindowOf(row, column)) + first_channel_;
      } else if (!is_contiguous_) {
        CopyRun(WindowOf(row, column), run, windows_ + i * step);
      }
      for (; run > 0; --run, from += step) pixels_[i++] = from;
    }
    for (int32_t i = pixels; i % 3 != 0; ++i) pixels_[i] = pixels_[i - 1];
  }

  void MakeStrip(int32_t pixels, int32_t row, int32_t column) {
    PlaceWindows(pixels, row, column);
    alignas(8) int32_t sums[kBlockChannels * kPixels];
    auto* const output =
        reinterpret_cast<int8_t*>(output_.PlainRow(row)) + column * shape_.out_channels + first_output_;
    for (int32_t first = 0; first < channels_; first += kBlockChannels) {
      const int32_t channels = channels_ - first < kBlockChannels ? channels_ - first : kBlockChannels;
      MultiplyBlock(first, channels, (pixels + 2) / 3, sums);
      StoreCodes(right_steps_, some_shift_left_,
                 {.sums = sums,
                  .pitch = kEightPitch,
                  .pixels = pixels,
                  .first_sums = sums_ + first,
                  .multipliers = args_.multipliers + first_output_ + first,
                  .channels = channels,
                  .zero_point = args_.quantization.output_offset,
                  .output = output + first,
                  .step = shape_.out_channels});
    }
    ClampPixels(args_.quantization, pixels, channels_, shape_.out_channels, output);
  }

  void MultiplyBlock(int32_t first, int32_t channels, int32_t triples, int32_t* sums) const {
    EightsJob job = {.pixels = pixels_,
                     .triples = triples,
                     .whole = whole_,
                     .last = last_,
                     .weights = WeightsOf(first_output_ + first),
                     .rows = rows_,
                     .eights = channels / 8,
                     .eight_bytes = 8 * layout_.values,
                     .sums = sums};
    if (job.eights > 0) multiply_(job);
    const int32_t left = channels % 8;
    if (left == 0) return;
    // The last channel stands for what is missing of eight.
    int32_t rows[8];
    for (int i = 0; i < 8; ++i) {
      rows[i] = (kChannelsInOrder[i] < left ? kChannelsInOrder[i] : left - 1) * layout_.values;
    }
    job.weights += job.eights * job.eight_bytes;
    job.sums += job.eights * kEightPitch;
    job.rows = rows;
    job.eights = 1;
    multiply_(job);
  }

  const Conv2DArgs& args_;
  const ConvShape& shape_;
  const MveConvLayout& layout_;
  const Rows& input_;
  const Rows& output_;
  int32_t row_;
  int32_t end_row_;
  int32_t line_values_;
  int32_t last_line_;  // How far below the first line of a window the last is; the image's height at most.
  CodeSteps right_steps_;
  bool some_shift_left_;
  MultiplyFn multiply_;
  int32_t whole_;      // Vectors of a window.
  mve_pred16_t last_;  // The lanes of what is behind them.
  int32_t rows_[8];    // Where the weights of eight channels begin, in the order of their sums.
  int32_t pitch_;      // From line to line of a window.
  int32_t* sums_;
  int8_t* windows_ = nullptr;
  bool copies_ = false;
  bool is_contiguous_;         // Points are all of the image in its order.
  int32_t first_channel_ = 0;  // Of the input.
  int32_t first_output_ = 0;   // Of the call's channels.
  int32_t channels_ = 0;
  const int8_t* pixels_[kPixels];
};

bool HasRoom(const Conv2DArgs& args, const MveConvLayout& layout) {
  return args.scratch != nullptr && Strips::ChannelsAtOnce(args.scratch_bytes, layout) > 0;
}

}  // namespace

void Conv2DMve(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
               int32_t row_count) {
  const MveConvLayout layout = MveConvLayoutOf(*args.shape);
  if (input.ring_rows != 0 || output.ring_rows != 0 || !HasRoom(args, layout)) {
    return Conv2DRef(args, input, output, first_row, row_count);
  }
  Strips strips(args, layout, input, output, first_row, row_count);
  const int32_t groups = args.shape->in_channels / args.shape->filter_channels;
  for (int32_t group = 0; group < groups; ++group) strips.Make(group);
}

// All of a strip is read before anything of it is written, if all channels are made at once. Strips may begin
// and end within a row: a row of output lies over nothing that it or a later row reads (safe_distance.cc).
int32_t Conv2DRowsAtOnceMve(const Conv2DArgs& args) {
  const MveConvLayout layout = MveConvLayoutOf(*args.shape);
  const bool is_for_all = MakesAllChannels(args) && HasRoom(args, layout) &&
                          layout.channels == args.shape->out_channels &&
                          args.scratch_bytes >= layout.window_bytes + MveSumsBytes(layout.channels);
  return is_for_all ? args.shape->out_height : 1;
}

ScratchBytes Conv2DScratchMve(const Conv2DArgs& args) { return MveConvScratch(*args.shape); }

}  // namespace lutra
