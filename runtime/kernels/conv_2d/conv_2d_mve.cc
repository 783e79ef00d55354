// SPDX-License-Identifier: Apache-2.0
// Copies the windows of up to 24 pixels, unless they are points that may be read from the input. Two outputs
// of three pixels are multiplied at a time: 11 instructions for 96 products. Weights are read from the file;
// the number that the input's zero point adds to all sums of an output is computed from them at each call.

#include <arm_mve.h>
#include <string.h>

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "runtime/kernels/codes_mve.h"
#include "runtime/kernels/scratch_mve.h"

namespace lutra {
namespace {

constexpr int32_t kPixels = kMveStripPixels;

// Computes some pixels, three at a time, by eight output channels.
struct EightJob {
  const int8_t* const* pixels;  // Addresses of windows, at MiddleOf() of the function.
  const uint32_t* rows;         // The same for the weights of eight channels, in the order of sums.
  int32_t triples;
  int32_t whole;      // Vectors of a window.
  int32_t rest;       // Values behind these vectors.
  mve_pred16_t last;  // Lanes of the rest in a last vector that ends with the window.
  int32_t* sums;      // Eight for each pixel.
};

[[gnu::always_inline]] inline const int8_t* AtAddress(uint32_t address) {
  return reinterpret_cast<const int8_t*>(address);
}
uint32_t ToAddress(const int8_t* values) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values));
}

[[gnu::always_inline]] inline int8x16_t Load(const int8_t* from) { return vldrbq_s8(from); }

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

// For windows of up to 16 values, or of up to 32: three of them stay in registers. 16 bytes that may be read
// follow the weights of shorter windows.
template <int kVectors>
[[gnu::noinline]] void MultiplyShort(const EightJob& job) {
  const mve_pred16_t lanes = job.last;
  const int32_t last = kVectors == 2 ? job.rest : 0;
  const int8_t* const* pixels = job.pixels;
  const uint32_t* const rows = job.rows;
  int32_t* to = job.sums;
  for (int32_t triples = job.triples; triples > 0; --triples, pixels += 3, to += 24) {
    const int8_t* const a = pixels[0];
    const int8_t* const b = pixels[1];
    const int8_t* const c = pixels[2];
    const int8x16_t a1 = vldrbq_z_s8(a + last, lanes);
    const int8x16_t b1 = vldrbq_z_s8(b + last, lanes);
    const int8x16_t c1 = vldrbq_z_s8(c + last, lanes);
    const int8x16_t a0 = kVectors == 2 ? Load(a) : a1;
    const int8x16_t b0 = kVectors == 2 ? Load(b) : b1;
    const int8x16_t c0 = kVectors == 2 ? Load(c) : c1;
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
      const int8_t* const u = AtAddress(rows[i]);
      const int8_t* const v = AtAddress(rows[i + 1]);
      SixSums sums;
      sums.Set(Load(u), Load(v), a0, b0, c0);
      if (kVectors == 2) sums.Add(Load(u + last), Load(v + last), a1, b1, c1);
      sums.Store(to + i);
    }
  }
}

// Values of a window behind its first vectors.
enum class More {
  kNone,
  kPart,    // Less than a vector.
  kAsMany,  // As many vectors again, any number of times.
  kAny,
};

// Loads reach 127 bytes forward and backward; addresses of windows of so many vectors are moved by this.
constexpr int32_t MiddleOf(int32_t vectors) { return vectors > 8 ? 64 : 0; }

// Multiplies windows of kVectors vectors and more with the weights of two channels.
template <int kVectors, More kMore>
[[gnu::always_inline]] inline void MultiplyTwo(const EightJob& job, const int8_t* first_u,
                                               const int8_t* first_v, int32_t* to) {
  constexpr int32_t kMiddle = MiddleOf(kVectors);
  const int8_t* const* pixels = job.pixels;
  for (int32_t triples = job.triples; triples > 0; --triples, pixels += 3, to += 24) {
    const int8_t* a = pixels[0];
    const int8_t* b = pixels[1];
    const int8_t* c = pixels[2];
    const int8_t* u = first_u;
    const int8_t* v = first_v;
    SixSums sums;
    const auto add = [&](int32_t at) {
      sums.Add(Load(u + at), Load(v + at), Load(a + at), Load(b + at), Load(c + at));
    };
    const auto advance = [&](int32_t bytes) {
      u += bytes;
      v += bytes;
      a += bytes;
      b += bytes;
      c += bytes;
    };
    sums.Set(Load(u - kMiddle), Load(v - kMiddle), Load(a - kMiddle), Load(b - kMiddle), Load(c - kMiddle));
#pragma GCC unroll 16
    for (int i = 1; i < kVectors; ++i) add(16 * i - kMiddle);
    if (kMore == More::kAsMany) {
      for (int32_t left = job.whole - kVectors; left > 0; left -= kVectors) {
        advance(16 * kVectors);
#pragma GCC unroll 16
        for (int i = 0; i < kVectors; ++i) add(16 * i - kMiddle);
      }
    }
    if (kMore == More::kAny) {
      advance(16 * (kVectors - 1) - kMiddle);
      for (int32_t left = job.whole - kVectors; left > 0; --left) {
        advance(16);
        add(0);
      }
      advance(job.rest);
    }
    if (kMore == More::kPart) advance(16 * (kVectors - 1) + job.rest);
    if (kMore == More::kAny || kMore == More::kPart) {
      const mve_pred16_t lanes = job.last;
      sums.Add(Load(u), Load(v), vldrbq_z_s8(a, lanes), vldrbq_z_s8(b, lanes), vldrbq_z_s8(c, lanes));
    }
    sums.Store(to);
  }
}

template <int kVectors, More kMore = More::kNone>
[[gnu::noinline]] void MultiplyLong(const EightJob& job) {
#pragma GCC unroll 1
  for (int i = 0; i < 8; i += 2) {
    MultiplyTwo<kVectors, kMore>(job, AtAddress(job.rows[i]), AtAddress(job.rows[i + 1]), job.sums + i);
  }
}

struct Multiplication {
  void (*run)(const EightJob& job);
  int32_t middle = 0;
};

// Functions for windows of 1 to kMostVectors whole vectors are the fastest.
constexpr int32_t kMostVectors = 9;
constexpr Multiplication kMultiplyVectors[] = {
    {MultiplyLong<3>},
    {MultiplyLong<4>},
    {MultiplyLong<5>},
    {MultiplyLong<6>},
    {MultiplyLong<7>},
    {MultiplyLong<8>},
    {MultiplyLong<9>, MiddleOf(9)},
};

Multiplication MultiplicationOf(int32_t values) {
  if (values <= 16) return {MultiplyShort<1>};
  if (values <= 32) return {MultiplyShort<2>};
  if (values % 16 == 0 && values <= 16 * kMostVectors) return kMultiplyVectors[values / 16 - 3];
  if (values < 48) return {MultiplyLong<2, More::kPart>};
  if (values < 64) return {MultiplyLong<3, More::kPart>};
  if (values < 80) return {MultiplyLong<4, More::kPart>};
  if (values % (16 * 9) == 0) return {MultiplyLong<9, More::kAsMany>, MiddleOf(9)};
  if (values % (16 * 8) == 0) return {MultiplyLong<8, More::kAsMany>};
  if (values < 16 * kMostVectors) return {MultiplyLong<2, More::kAny>};
  return {MultiplyLong<kMostVectors, More::kAny>, MiddleOf(kMostVectors)};
}

// Lines of windows.
struct Lines {
  int32_t bytes;
  int32_t pitch;  // From line to line of the input.
  int32_t count;
};

// Copies a line of kVectors whole vectors, or (0) of any size. kTight: of less than a vector, and bytes
// behind the line may be read and written.
template <int kVectors, bool kTight>
[[gnu::always_inline]] inline void CopyLine(const int8_t* from, int32_t bytes, int8_t* to) {
  if constexpr (kTight) {
    vstrbq_s8(to, Load(from));
  } else if constexpr (kVectors == 0) {
    CopyVectors(from, bytes, to);
  } else {
    int8x16_t values[kVectors];
    for (int i = 0; i < kVectors; ++i) values[i] = Load(from + 16 * i);
    for (int i = 0; i < kVectors; ++i) vstrbq_s8(to + 16 * i, values[i]);
  }
}

// Copies `count` windows that lie within the image, `step` bytes apart.
template <int kVectors, bool kTight = false>
[[gnu::noinline]] void CopyWindows(const Lines& lines, const int8_t* from, int32_t step, int32_t count,
                                   int8_t* to, int32_t window_bytes) {
  const int32_t bytes = kVectors != 0 ? 16 * kVectors : lines.bytes;
  const int32_t pitch = lines.pitch;
  // The bytes that are written behind a tight line are overwritten by the next line, but not behind the last.
  const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(bytes));
  const auto copy_last = [&](const int8_t* line, int8_t* copy) {
    if constexpr (kTight) {
      vstrbq_p_s8(copy, vldrbq_z_s8(line, lanes), lanes);
    } else {
      CopyLine<kVectors, false>(line, bytes, copy);
    }
  };
  if (lines.count == 3) {
    for (; count > 0; --count, from += step, to += window_bytes) {
      CopyLine<kVectors, kTight>(from, bytes, to);
      CopyLine<kVectors, kTight>(from + pitch, bytes, to + bytes);
      copy_last(from + 2 * pitch, to + 2 * bytes);
    }
    return;
  }
  for (; count > 0; --count, from += step, to += window_bytes) {
    const int8_t* line = from;
    int8_t* copy = to;
    for (int32_t left = lines.count - 1; left > 0; --left, line += pitch, copy += bytes) {
      CopyLine<kVectors, kTight>(line, bytes, copy);
    }
    copy_last(line, copy);
  }
}

// The window of an output pixel.
struct Window {
  int32_t image_row;  // The first row of the image.
  int32_t y;          // The image row of its first tap.
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
        end_row_(first_row + row_count),
        lines_({.bytes = shape_.filter_width * shape_.filter_channels,
                .pitch = shape_.dilation_h * input.row_bytes,
                .count = shape_.filter_height}) {
    const int64_t last_line = (int64_t{shape_.filter_height} - 1) * shape_.dilation_h;
    last_line_ = last_line < shape_.in_height ? static_cast<int32_t>(last_line) : shape_.in_height;
    right_steps_ = RightStepsOf(args.quantization);
    some_shift_left_ = SomeShiftLeft(args.multipliers, args.channel_count);
    multiplication_ = MultiplicationOf(layout.values);
    is_contiguous_ = layout.points && layout.dense && shape_.out_width == shape_.in_width &&
                     shape_.out_height == shape_.in_height && shape_.stride_w == 1 && shape_.stride_h == 1;
    // Tight lines write bytes behind themselves, within their window, and read bytes within their image.
    has_tight_lines_ = lines_.bytes < 16 && lines_.pitch >= 16 &&
                       (lines_.count - 2) * lines_.bytes + 16 <= layout.window_bytes;
    for (int i = 0; i < 8; ++i) row_offsets_[i] = static_cast<uint32_t>(kChannelsInOrder[i] * layout.values);
    windows_job_.pixels = pixels_;
    windows_job_.rows = rows_;
    windows_job_.sums = window_sums_;
    windows_job_.whole = layout.values <= 32 ? 1 : layout.values / 16;
    windows_job_.rest = layout.values <= 32 ? layout.values - 16 : layout.values % 16;
    windows_job_.last = layout.values <= 16 ? vctp8q(static_cast<uint32_t>(layout.values))
                                            : vpnot(vctp8q(static_cast<uint32_t>(16 - windows_job_.rest)));
  }

  // Computes output channels of a group, as many at a time as there is room for.
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

  // Returns how many channels have room beside a window. Points may need no window.
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
    ChooseFirstSums();
    copied_eight_ = -1;
    windows_ = static_cast<int8_t*>(args_.scratch) + MveSumsBytes(channels);
    int32_t capacity = args_.scratch_bytes - MveSumsBytes(channels);
    capacity = capacity < layout_.window_bytes ? 0 : capacity / layout_.window_bytes;
    copies_ = !layout_.points || (capacity > 0 && MayOverlap());
    if (!copies_ || capacity > kPixels) capacity = kPixels;
    if (capacity > 3) capacity = capacity / 3 * 3;
    const int32_t all = (end_row_ - row_) * shape_.out_width;
    for (int32_t done = 0; done < all;) {
      const int32_t pixels = all - done < capacity ? all - done : capacity;
      const int32_t begin = args_.downwards ? all - done - pixels : done;
      const int32_t row = begin / shape_.out_width;
      MakeStrip(pixels, row_ + row, begin - row * shape_.out_width);
      done += pixels;
    }
  }

  // Returns whether outputs may overwrite inputs that are still needed.
  bool MayOverlap() const {
    const int32_t first_image = row_ / shape_.out_height;
    const int32_t end_image = (end_row_ - 1) / shape_.out_height + 1;
    return output_.Row(row_) < input_.Row(end_image * shape_.in_height) &&
           input_.Row(first_image * shape_.in_height) < output_.Row(end_row_);
  }

  void ChooseFirstSums() {
    if (args_.prepared != nullptr) {
      const int32_t group = first_output_ / layout_.channels;
      first_sums_ = static_cast<const int32_t*>(args_.prepared) + group * MveSumsBytes(layout_.channels) / 4 +
                    (first_output_ - group * layout_.channels);
      return;
    }
    auto* const sums = static_cast<int32_t*>(args_.scratch);
    first_sums_ = sums;
    ComputeFirstSums(WeightsOf(first_output_), args_.bias != nullptr ? args_.bias + first_output_ : nullptr,
                     channels_, layout_.values, args_.quantization.input_offset, sums);
  }

  const int8_t* WeightsOf(int32_t output) const {
    return args_.filter + static_cast<intptr_t>(output) * layout_.values;
  }

  // Returns whether a vector that begins with the last of eight rows would end behind the weights.
  bool ReachesBehind(int32_t first) const {
    return layout_.values < 16 && (channels_ - first - 7) * layout_.values < 16;
  }

  // Copies eight rows of weights; the last channel is repeated if there are fewer.
  void CopyRows(int32_t first) {
    copied_eight_ = first;
    const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(layout_.values));
    for (int32_t i = 0; i < 8; ++i) {
      const int32_t channel = first + i < channels_ ? first + i : channels_ - 1;
      vstrbq_s8(copied_rows_[i], vldrbq_z_s8(WeightsOf(first_output_ + channel), lanes));
    }
  }

  // Sets the addresses of the weights of eight channels; the last channel is repeated if there are fewer.
  [[gnu::always_inline]] void PlaceRows(int32_t first) {
    const int32_t last = channels_ - 1 - first;
    if (ReachesBehind(first)) {
      if (copied_eight_ != first) CopyRows(first);
      for (int i = 0; i < 8; ++i) rows_[i] = ToAddress(copied_rows_[kChannelsInOrder[i]]);
      return;
    }
    const uint32_t base =
        ToAddress(WeightsOf(first_output_ + first)) + static_cast<uint32_t>(multiplication_.middle);
    if (last >= 7) {
      vstrwq_u32(rows_, vaddq_n_u32(vldrwq_u32(row_offsets_), base));
      vstrwq_u32(rows_ + 4, vaddq_n_u32(vldrwq_u32(row_offsets_ + 4), base));
      return;
    }
    for (int i = 0; i < 8; ++i) {
      const int32_t channel = kChannelsInOrder[i] < last ? kChannelsInOrder[i] : last;
      rows_[i] = base + static_cast<uint32_t>(channel * layout_.values);
    }
  }

  Window WindowOf(int32_t row, int32_t column) const {
    const int32_t image = row / shape_.out_height;
    return {image * shape_.in_height, (row - image * shape_.out_height) * shape_.stride_h - shape_.pad_top,
            column * shape_.stride_w - shape_.pad_left};
  }

  const int8_t* AddressOf(const Window& window) const {
    return reinterpret_cast<const int8_t*>(input_.Row(window.image_row + window.y)) +
           window.x * shape_.in_channels;
  }

  void FillPadding(int8_t* window) const {
    const int8x16_t padding = vdupq_n_s8(static_cast<int8_t>(-args_.quantization.input_offset));
    for (int32_t left = layout_.window_bytes; left > 0; left -= 16, window += 16) vstrbq_s8(window, padding);
  }

  // Copies the line that begins at x in a row of the input, tap by tap: with padding outside the image.
  void CopySparseLine(const int8_t* row, int32_t x, int8_t* to) const {
    for (int32_t tap = 0; tap < shape_.filter_width; ++tap, to += shape_.filter_channels) {
      const int64_t tap_x = x + int64_t{tap} * shape_.dilation_w;
      if (tap_x < 0 || tap_x >= shape_.in_width) continue;
      CopyVectors(row + static_cast<int32_t>(tap_x) * shape_.in_channels + first_channel_,
                  shape_.filter_channels, to);
    }
  }

  [[gnu::noinline]] void CopySparseWindow(const Window& window, int8_t* to) const {
    FillPadding(to);
    for (int32_t ky = 0; ky < shape_.filter_height; ++ky, to += lines_.bytes) {
      const int64_t y = window.y + int64_t{ky} * shape_.dilation_h;
      if (y < 0 || y >= shape_.in_height) continue;
      CopySparseLine(reinterpret_cast<const int8_t*>(input_.Row(window.image_row + static_cast<int32_t>(y))),
                     window.x, to);
    }
  }

  // Copies the part of a window that lies in the image, and fills the rest with padding.
  [[gnu::noinline]] void CopyBorderWindow(const Window& window, int8_t* to) const {
    FillPadding(to);
    const TapRange rows = TapsInside(window.y, shape_.filter_height, shape_.dilation_h, shape_.in_height);
    const TapRange columns = TapsInside(window.x, shape_.filter_width, 1, shape_.in_width);
    const int32_t bytes = (columns.end - columns.begin) * shape_.in_channels;
    if (bytes <= 0 || rows.end <= rows.begin) return;
    const Window first = {window.image_row, window.y + rows.begin * shape_.dilation_h,
                          window.x + columns.begin};
    const int8_t* from = AddressOf(first);
    to += rows.begin * lines_.bytes + columns.begin * shape_.in_channels;
    for (int32_t left = rows.end - rows.begin; left > 0; --left, from += lines_.pitch, to += lines_.bytes) {
      CopyVectors(from, bytes, to);
    }
  }

  // Copies windows that lie in the image.
  void CopyInnerWindows(const Window& window, int32_t count, int8_t* to) const {
    const int8_t* const from = AddressOf(window);
    const int32_t step = shape_.stride_w * shape_.in_channels;
    const auto copy = [&](auto copy_windows) {
      copy_windows(lines_, from, step, count, to, layout_.window_bytes);
    };
    if (has_tight_lines_) return copy(CopyWindows<0, true>);
    if (lines_.bytes == 16) return copy(CopyWindows<1>);
    if (lines_.bytes == 32) return copy(CopyWindows<2>);
    if (lines_.bytes == 48) return copy(CopyWindows<3>);
    copy(CopyWindows<0>);
  }

  // Copies the windows of neighbouring pixels.
  [[gnu::noinline]] void CopyRun(Window window, int32_t count, int8_t* to) const {
    const int32_t most_x = shape_.in_width - shape_.filter_width;
    const bool rows_inside = window.y >= 0 && window.y < shape_.in_height - last_line_;
    while (count > 0) {
      int32_t windows = 1;
      if (!layout_.dense) {
        CopySparseWindow(window, to);
      } else if (rows_inside && window.x >= 0 && window.x <= most_x) {
        windows = (most_x - window.x) / shape_.stride_w + 1;
        if (windows > count) windows = count;
        CopyInnerWindows(window, windows, to);
      } else {
        CopyBorderWindow(window, to);
      }
      count -= windows;
      window.x += windows * shape_.stride_w;
      to += windows * layout_.window_bytes;
    }
  }

  // Sets the addresses of a strip's windows; the last is repeated up to a multiple of three.
  [[gnu::noinline]] void PlaceWindows(int32_t pixels, int32_t row, int32_t column) {
    const int8_t* from = windows_;
    int32_t step = layout_.window_bytes;
    int32_t width = shape_.out_width;
    if (is_contiguous_) {
      from = AddressOf(WindowOf(row, column));
      step = layout_.values;
      width = INT32_MAX;
      if (copies_) {
        CopyVectors(from, pixels * step, windows_);
        from = windows_;
      }
    } else if (!copies_) {
      step = shape_.stride_w * shape_.in_channels;
    }
    for (int32_t i = 0; i < pixels; column = 0, ++row) {
      int32_t run = pixels - i;
      if (run > width - column) run = width - column;
      if (copies_ && !is_contiguous_) {
        CopyRun(WindowOf(row, column), run, windows_ + i * step);
      } else if (!is_contiguous_) {
        from = AddressOf(WindowOf(row, column)) + first_channel_;
      }
      for (; run > 0; --run, from += step) pixels_[i++] = from + multiplication_.middle;
    }
    for (int32_t i = pixels; i % 3 != 0; ++i) pixels_[i] = pixels_[i - 1];
  }

  void MakeStrip(int32_t pixels, int32_t row, int32_t column) {
    PlaceWindows(pixels, row, column);
    auto* const output =
        reinterpret_cast<int8_t*>(output_.Row(row)) + column * shape_.out_channels + first_output_;
    windows_job_.triples = (pixels + 2) / 3;
    const CodesJob codes_job = {.pixels = pixels,
                                .first_sums = first_sums_,
                                .multipliers = args_.multipliers + first_output_,
                                .channels = channels_,
                                .zero_point = args_.quantization.output_offset,
                                .output = output,
                                .step = shape_.out_channels};
    for (int32_t first = 0; first < channels_; first += 8) {
      PlaceRows(first);
      multiplication_.run(windows_job_);
      StoreUpToEight(right_steps_, some_shift_left_, codes_job, window_sums_, first);
    }
    ClampPixels(args_.quantization, pixels, channels_, shape_.out_channels, output);
  }

  const Conv2DArgs& args_;
  const ConvShape& shape_;
  const MveConvLayout& layout_;
  const Rows& input_;
  const Rows& output_;
  int32_t row_;
  int32_t end_row_;
  Lines lines_;
  int32_t last_line_;  // Lines from a window's first to its last; at most the image's height.
  CodeSteps right_steps_;
  bool some_shift_left_;
  Multiplication multiplication_;
  bool is_contiguous_;  // Points are the whole image in its order.
  bool has_tight_lines_;
  const int32_t* first_sums_ = nullptr;
  int8_t* windows_ = nullptr;
  bool copies_ = false;
  int32_t first_channel_ = 0;  // In the input.
  int32_t first_output_ = 0;   // Among the call's channels.
  int32_t channels_ = 0;
  int32_t copied_eight_ = -1;  // The first of eight channels whose weights are copied.
  EightJob windows_job_ = {};
  uint32_t row_offsets_[8];  // From a channel's weights to those of eight channels, in the order of sums.
  alignas(8) uint32_t rows_[8];
  alignas(8) const int8_t* pixels_[kPixels];
  alignas(8) int32_t window_sums_[8 * kPixels];
  alignas(8) int8_t copied_rows_[8][16];
};

bool HasRoom(const Conv2DArgs& args, const MveConvLayout& layout) {
  return args.scratch != nullptr && Strips::ChannelsAtOnce(args.scratch_bytes, layout) > 0;
}

}  // namespace

void Conv2DMve(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
               int32_t row_count) {
  const MveConvLayout layout = MveConvLayoutOf(*args.shape);
  if (!HasRoom(args, layout)) return Conv2DRef(args, input, output, first_row, row_count);
  Strips strips(args, layout, input, output, first_row, row_count);
  const int32_t groups = args.shape->in_channels / args.shape->filter_channels;
  for (int32_t group = 0; group < groups; ++group) strips.Make(group);
}

// Prepares the first sums of each group.
int32_t Conv2DPrepareMve(const Conv2DArgs& args, void* memory) {
  if (args.filter == nullptr || !MakesAllChannels(args)) return 0;
  const MveConvLayout layout = MveConvLayoutOf(*args.shape);
  const int32_t bytes = MveSumsBytes(layout.channels);
  const int32_t groups = args.shape->in_channels / args.shape->filter_channels;
  auto* sums = static_cast<int32_t*>(memory);
  for (int32_t group = 0; memory != nullptr && group < groups; ++group, sums += bytes / 4) {
    const int32_t first = group * layout.channels;
    ComputeFirstSums(args.filter + static_cast<intptr_t>(first) * layout.values,
                     args.bias != nullptr ? args.bias + first : nullptr, layout.channels, layout.values,
                     args.quantization.input_offset, sums);
  }
  return MveConvPreparedBytes(*args.shape);
}

// If all channels are computed at once, a strip is read before any of it is written. Strips may begin and end
// within a row: a row of output overwrites nothing that it or a later row reads (safe_distance.cc).
int32_t Conv2DRowsAtOnceMve(const Conv2DArgs& args) {
  const MveConvLayout layout = MveConvLayoutOf(*args.shape);
  const bool is_for_all = MakesAllChannels(args) && HasRoom(args, layout) &&
                          layout.channels == args.shape->out_channels &&
                          args.scratch_bytes >= layout.window_bytes + MveSumsBytes(layout.channels);
  return is_for_all ? args.shape->out_height : 1;
}

ScratchBytes Conv2DScratchMve(const Conv2DArgs& args, int32_t) { return MveConvScratch(*args.shape); }

}  // namespace lutra
