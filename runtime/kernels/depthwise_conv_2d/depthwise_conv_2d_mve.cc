// SPDX-License-Identifier: Apache-2.0
// Filters of 3 x 3 taps: four channels of a few rows of output at a time. Of their input four rows and four
// columns of a channel become one vector, of which four outputs are four products: 17 instructions with their
// codes. Other windows are those of the variant armdsp.

#include <arm_mve.h>
#include <string.h>

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/kernels/codes_mve.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_portions.h"
#include "runtime/kernels/scratch_mve.h"

namespace lutra {
namespace {

constexpr int32_t kTaps = 3;
constexpr int32_t kChannels = 4;
constexpr int32_t kColumnBytes = 16;  // Four rows of each channel.

// Some strips of four channels.
struct GroupJob {
  const int8_t* strip;
  int32_t strip_bytes;
  int32_t strips;
  bool has_half_strip;    // The last one makes a single row.
  const int8_t* weights;  // A column of zeros, those of the taps, a column of zeros.
  const int32_t* biases;  // May be null.
  uint32_t offset;        // Of the input.
  const Multiplier* multipliers;
  int32_t zero_point;
  int8_t* output;
  int32_t step;  // From pixel to pixel.
  int32_t pitch;
  int32_t width;
};

// Tiles at equal distances.
struct Run {
  int32_t count;
  int32_t from_step = 0;
  int32_t output_step = 0;
};

// Predicates that GCC 12 would take for one of all lanes.
[[gnu::always_inline]] inline mve_pred16_t Lanes(uint32_t bits) {
  asm("" : "+r"(bits));
  return static_cast<mve_pred16_t>(bits);
}

[[gnu::always_inline]] inline int8x16_t Gather(const int8_t* from, uint32x4_t columns) {
  return vreinterpretq_s8_s32(vldrwq_gather_offset_s32(reinterpret_cast<const int32_t*>(from), columns));
}

[[gnu::always_inline]] inline int32x4_t Put(int32_t a, int32_t b, int32_t c, int32_t d) {
  int32x4_t sums = vuninitializedq_s32();
  sums = vsetq_lane_s32(a, sums, 0);
  sums = vsetq_lane_s32(b, sums, 1);
  sums = vsetq_lane_s32(c, sums, 2);
  return vsetq_lane_s32(d, sums, 3);
}

// Of four sums of a channel, in the lowest byte of each lane.
template <CodeSteps kSteps>
struct ChannelCodes {
  int32_t first_sum;
  int32_t multiplier;
  int32_t shift;
  int32_t zero_point;

  [[gnu::always_inline]] int32x4_t Of(int32x4_t sums) const {
    sums = vaddq_n_s32(sums, first_sum);
    if (kSteps == CodeSteps::kAny) {
      sums = MultiplyAny(sums, {vdupq_n_s32(multiplier), vdupq_n_s32(shift)});
    } else {
      sums = vqrdmulhq_n_s32(sums, multiplier);
      if (kSteps == CodeSteps::kSigned) sums = vaddq_s32(sums, vshrq_n_s32(sums, 31));
      sums = vrshlq_n_s32(sums, shift);
    }
    sums = vaddq_n_s32(sums, zero_point);
    const int16x8_t halves = vqmovnbq_s32(vreinterpretq_s16_s32(sums), sums);
    return vreinterpretq_s32_s8(vqmovnbq_s16(vreinterpretq_s8_s16(halves), halves));
  }
};

template <CodeSteps kSteps>
[[gnu::always_inline]] inline ChannelCodes<kSteps> CodesOf(const GroupJob& job, int channel,
                                                           int8x16_t weights) {
  const uint32_t sum = static_cast<uint32_t>(vaddvq_s8(weights)) * job.offset;
  const uint32_t bias = job.biases != nullptr ? static_cast<uint32_t>(job.biases[channel]) : 0;
  const Multiplier multiplier = job.multipliers[channel];
  return {static_cast<int32_t>(bias + sum), multiplier.value, multiplier.shift, job.zero_point};
}

// Strides of one: two columns of outputs of two rows, in the order of columns.
template <CodeSteps kSteps>
[[gnu::noinline]] void MakeTiles(const GroupJob& job) {
  const uint32x4_t columns = vmulq_n_u32(vidupq_n_u32(0, 1), kColumnBytes);
  const int32_t step = job.step;
  const int32_t pitch = job.pitch;
  const uint32_t places[4] = {0, static_cast<uint32_t>(pitch), static_cast<uint32_t>(step),
                              static_cast<uint32_t>(step + pitch)};
  const uint32x4_t to = vldrwq_u32(places);
  const int32_t pairs = job.width / 2;
  const bool is_odd = job.width % 2 != 0;
  const int32_t whole = job.strips - (job.has_half_strip ? 1 : 0);
  const Run columns_run = {.count = pairs, .from_step = 2 * kColumnBytes, .output_step = 2 * step};
  const Run strips_run = {.count = whole, .from_step = job.strip_bytes, .output_step = 2 * pitch};
  // The longer of the two is the inner loop.
  const Run outer = pairs < whole ? columns_run : strips_run;
  const Run inner = pairs < whole ? strips_run : columns_run;
  for (int i = 0; i < kChannels; ++i) {
    const int8x16_t left = Gather(job.weights + 4 * i + kColumnBytes, columns);
    const int8x16_t right = Gather(job.weights + 4 * i, columns);
    const int8x16_t left_below = vreinterpretq_s8_u32(vshlq_n_u32(vreinterpretq_u32_s8(left), 8));
    const int8x16_t right_below = vreinterpretq_s8_u32(vshlq_n_u32(vreinterpretq_u32_s8(right), 8));
    const ChannelCodes<kSteps> codes = CodesOf<kSteps>(job, i, left);
    const auto tile = [&](const int8_t* from) {
      const int8x16_t values = Gather(from, columns);
      return codes.Of(Put(vmladavq_s8(left, values), vmladavq_s8(left_below, values),
                          vmladavq_s8(right, values), vmladavq_s8(right_below, values)));
    };
    const int8_t* strip = job.strip + 4 * i;
    int8_t* row = job.output + i;
    for (int32_t k = outer.count; k > 0; --k, strip += outer.from_step, row += outer.output_step) {
      const int8_t* from = strip;
      int8_t* output = row;
      for (int32_t n = inner.count; n > 0; --n, from += inner.from_step, output += inner.output_step) {
        vstrbq_scatter_offset_s32(output, to, tile(from));
      }
    }
    const auto make_run = [&](const Run& run, const int8_t* from, int8_t* output, mve_pred16_t lanes) {
      for (int32_t n = run.count; n > 0; --n, from += run.from_step, output += run.output_step) {
        vstrbq_scatter_offset_p_s32(output, to, tile(from), lanes);
      }
    };
    strip = job.strip + 4 * i;
    row = job.output + i;
    const int8_t* const last_column = strip + pairs * 2 * kColumnBytes;
    if (is_odd) make_run(strips_run, last_column, row + pairs * 2 * step, Lanes(0x00FF));
    if (!job.has_half_strip) continue;
    row += whole * 2 * pitch;
    make_run(columns_run, strip + whole * job.strip_bytes, row, Lanes(0x0F0F));
    if (is_odd) {
      make_run({.count = 1}, last_column + whole * job.strip_bytes, row + pairs * 2 * step, Lanes(0x000F));
    }
  }
}

// Strides of two: four outputs of a row.
template <CodeSteps kSteps>
[[gnu::noinline]] void MakeSingles(const GroupJob& job) {
  const uint32x4_t columns = vmulq_n_u32(vidupq_n_u32(0, 1), kColumnBytes);
  const uint32x4_t to = vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(job.step));
  const int32_t four_steps = 4 * job.step;
  const int32_t fours = job.width / 4;
  const auto left = static_cast<uint32_t>(job.width % 4);
  const int32_t strip_bytes = job.strip_bytes;
  const int32_t pitch = job.pitch;
  for (int i = 0; i < kChannels; ++i) {
    const int8x16_t weights = Gather(job.weights + 4 * i + kColumnBytes, columns);
    const ChannelCodes<kSteps> codes = CodesOf<kSteps>(job, i, weights);
    const auto sum = [&](const int8_t* from) { return vmladavq_s8(weights, Gather(from, columns)); };
    const auto four = [&](const int8_t* from) {
      constexpr int32_t kStep = 2 * kColumnBytes;
      return codes.Of(Put(sum(from), sum(from + kStep), sum(from + 2 * kStep), sum(from + 3 * kStep)));
    };
    const int8_t* strip = job.strip + 4 * i;
    int8_t* row = job.output + i;
    for (int32_t k = job.strips; k > 0; --k, strip += strip_bytes, row += pitch) {
      const int8_t* from = strip;
      int8_t* output = row;
      for (int32_t n = fours; n > 0; --n, from += 8 * kColumnBytes, output += four_steps) {
        vstrbq_scatter_offset_s32(output, to, four(from));
      }
      if (left != 0) vstrbq_scatter_offset_p_s32(output, to, four(from), vctp32q(left));
    }
  }
}

// The columns of a strip.
struct StripColumns {
  int32_t before;  // Columns of padding.
  int32_t pixels;
  int32_t behind;  // Columns of padding.
  int32_t channels;
  int8x16_t padding;

  [[gnu::always_inline]] int8_t* FillPadding(int32_t count, int8_t* to) const {
    for (; count > 0; --count, to += kColumnBytes) vstrbq_s8(to, padding);
    return to;
  }

  // Of four rows those of [first, end) lie in the image. Four pixels are filled at a time: up to three
  // columns behind the last are written, too.
  template <bool kAllRows>
  [[gnu::always_inline]] void Fill(const int8_t* from, int32_t pitch, int32_t first, int32_t end,
                                   int8_t* to) const {
    const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(channels));
    to = FillPadding(before, to);
    int8_t* const last = to + pixels * kColumnBytes;
    const auto fill_four = [&](auto load) {
      int8x16x4_t values;
      for (int i = 0; i < 4; ++i) {
        values.val[i] = padding;
        if (!kAllRows && (i < first || i >= end)) continue;
        values.val[i] = vreinterpretq_s8_s32(load(reinterpret_cast<const int32_t*>(from + i * pitch)));
      }
      vst4q_s8(to, values);
    };
    for (int32_t n = pixels / 4; n > 0; --n, from += 4 * channels, to += 4 * kColumnBytes) {
      fill_four([&](const int32_t* words) { return vldrwq_gather_offset_s32(words, places); });
    }
    if (pixels % 4 != 0) {
      const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(pixels % 4));
      fill_four([&](const int32_t* words) { return vldrwq_gather_offset_z_s32(words, places, lanes); });
    }
    FillPadding(behind, last);
  }
};

class Portion {
 public:
  Portion(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output)
      : args_(args),
        shape_(*args.shape),
        input_(input),
        output_(output),
        layout_(MveDepthwiseLayoutOf(shape_)) {
    weights_ = static_cast<int8_t*>(args.scratch);
    strips_ = weights_ + kMveDepthwiseFilterBytes;
    memset(weights_, 0, kColumnBytes);
    const int32_t room = layout_.columns - shape_.pad_left;
    pixels_ = shape_.in_width < room ? shape_.in_width : room;
    padding_ = vdupq_n_s8(static_cast<int8_t>(-args.quantization.input_offset));
  }

  // Makes rows [row, end).
  void MakeAll(int32_t row, int32_t end) {
    int32_t capacity = MveDepthwiseRows(shape_, args_.scratch_bytes);
    if (OverwritesOthers(args_, input_, output_, row, end)) capacity = 1;
    InPortions(args_, row, end, capacity, [this](int32_t first, int32_t rows) { Make(first, rows); });
  }

 private:
  void Make(int32_t row, int32_t rows) {
    const int32_t image = row / shape_.out_height;
    const int32_t top = (row - image * shape_.out_height) * shape_.stride_h - shape_.pad_top;
    const int32_t strips = (rows + layout_.rows - 1) / layout_.rows;
    auto* const output = reinterpret_cast<int8_t*>(output_.PlainRow(row));
    for (int32_t channel = 0; channel < args_.channel_count; channel += kChannels) {
      ExpandFilter(args_.filter + channel);
      FillStrips(image * shape_.in_height, top, args_.first_channel + channel, strips);
      MakeGroup(channel, rows, strips, output);
    }
    ClampPixels(args_.quantization, rows * shape_.out_width, args_.channel_count, shape_.out_channels,
                output);
  }

  // Columns of four channels, three rows and a 0 in each, then a column of zeros.
  void ExpandFilter(const int8_t* filter) const {
    uint32_t taps[kTaps][4];
    for (int ky = 0; ky < kTaps; ++ky) {
      for (int kx = 0; kx < kTaps; ++kx, filter += args_.channel_count) {
        __builtin_memcpy(&taps[ky][kx], filter, 4);
      }
      taps[ky][kTaps] = 0;
    }
    int8x16x4_t rows;
    for (int ky = 0; ky < kTaps; ++ky) rows.val[ky] = vreinterpretq_s8_u32(vldrwq_u32(taps[ky]));
    rows.val[kTaps] = vdupq_n_s8(0);
    vst4q_s8(weights_ + kColumnBytes, rows);
  }

  // Strips of four rows of the image. Those of a strip begin two below those of the last, whatever the
  // stride.
  [[gnu::noinline]] void FillStrips(int32_t image_row, int32_t y, int32_t channel, int32_t strips) const {
    const int32_t pitch = input_.row_bytes;
    const int32_t height = shape_.in_height;
    const int32_t strip_bytes = layout_.strip_bytes;
    const StripColumns columns = {.before = shape_.pad_left,
                                  .pixels = pixels_,
                                  .behind = layout_.columns - shape_.pad_left - pixels_,
                                  .channels = shape_.in_channels,
                                  .padding = padding_};
    const int8_t* from = reinterpret_cast<const int8_t*>(input_.PlainRow(image_row)) + y * pitch + channel;
    int8_t* strip = strips_;
    for (int32_t k = strips; k > 0; --k, y += 2, from += 2 * pitch, strip += strip_bytes) {
      if (y >= 0 && y + 3 < height) {
        columns.Fill<true>(from, pitch, 0, 4, strip);
      } else {
        columns.Fill<false>(from, pitch, y < 0 ? -y : 0, height - y, strip);
      }
    }
  }

  void MakeGroup(int32_t channel, int32_t rows, int32_t strips, int8_t* output) const {
    const GroupJob job = {.strip = strips_,
                          .strip_bytes = layout_.strip_bytes,
                          .strips = strips,
                          .has_half_strip = rows % layout_.rows != 0,
                          .weights = weights_,
                          .biases = args_.bias != nullptr ? args_.bias + channel : nullptr,
                          .offset = static_cast<uint32_t>(args_.quantization.input_offset),
                          .multipliers = args_.multipliers + channel,
                          .zero_point = args_.quantization.output_offset,
                          .output = output + channel,
                          .step = shape_.out_channels,
                          .pitch = output_.row_bytes,
                          .width = shape_.out_width};
    const bool is_single = shape_.stride_w == 2;
    switch (CodeStepsOf(args_.quantization, job.multipliers, kChannels)) {
      case CodeSteps::kAny:
        return is_single ? MakeSingles<CodeSteps::kAny>(job) : MakeTiles<CodeSteps::kAny>(job);
      case CodeSteps::kSigned:
        return is_single ? MakeSingles<CodeSteps::kSigned>(job) : MakeTiles<CodeSteps::kSigned>(job);
      case CodeSteps::kFromZero:
        return is_single ? MakeSingles<CodeSteps::kFromZero>(job) : MakeTiles<CodeSteps::kFromZero>(job);
    }
  }

  const DepthwiseConv2DArgs& args_;
  const ConvShape& shape_;
  const Rows& input_;
  const Rows& output_;
  MveDepthwiseLayout layout_;
  int8_t* weights_;
  int8_t* strips_;
  int32_t pixels_;  // Of a row that lie in a strip.
  int8x16_t padding_;
};

}  // namespace

void DepthwiseConv2DMve(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                        int32_t first_row, int32_t row_count) {
  const bool has_fours = args.first_channel % kChannels == 0 && args.channel_count % kChannels == 0;
  const bool is_made_here = args.scratch != nullptr && has_fours && HasMveDepthwise(*args.shape) &&
                            MveDepthwiseRows(*args.shape, args.scratch_bytes) > 0 && input.ring_rows == 0 &&
                            output.ring_rows == 0 && reinterpret_cast<uintptr_t>(input.base) % 4 == 0;
  if (!is_made_here) return DepthwiseConv2DArmdsp(args, input, output, first_row, row_count);
  Portion(args, input, output).MakeAll(first_row, first_row + row_count);
}

int32_t DepthwiseConv2DRowsAtOnceMve(const DepthwiseConv2DArgs& args) {
  if (!HasMveDepthwise(*args.shape)) return DepthwiseConv2DRowsAtOnceArmdsp(args);
  const bool has_room = args.scratch != nullptr && MakesAllChannels(args) &&
                        MveDepthwiseRows(*args.shape, args.scratch_bytes) > 0;
  return has_room ? args.shape->out_height : 1;
}

ScratchBytes DepthwiseConv2DScratchMve(const DepthwiseConv2DArgs& args) {
  return MveDepthwiseScratch(*args.shape);
}

}  // namespace lutra
