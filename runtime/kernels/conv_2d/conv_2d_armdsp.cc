// SPDX-License-Identifier: Apache-2.0
// Expands strips of pixels to int16 once, then computes two outputs at a time for the whole strip, with
// weights that are expanded from the file's, times 256. Compressed weights are expanded through tables, or
// two rows are decoded first. If the sums of two outputs may exceed the range of that method (scaled_sum.h),
// they are computed by the rule, from the same values. A single remaining pixel, and all pixels if there is
// no room for a strip, are computed one by one (conv_2d_pixels_armdsp.h).

#include <arm_acle.h>
#include <string.h>

#include "lutra/compression/encoding.h"
#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/packed_weights.h"
#include "runtime/fixed_point/scaled_sum.h"
#include "runtime/kernels/conv_2d/conv_2d_pixels_armdsp.h"
#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/scratch_armdsp.h"

namespace lutra {
namespace {

// Expands the weights of an output and the next one, and finds their steps.
using PreparePairFn = const int8_t* (*)(const PairJob* job, int32_t first);

// The weights may be compressed.
struct PackedPairJob : PairJob {
  const StreamedRows* rows = nullptr;  // Null: the weights are plain.
  int8_t* decoded = nullptr;           // Memory for decoded rows.
  PreparePairFn prepare = LutraPreparePairArmdsp;
};

const int8_t* DecodeRows(const PackedPairJob& job, int32_t first, int32_t count) {
  StreamPosition position;
  job.rows->Decode(first, count, &position, job.decoded);
  return job.decoded;
}

// Fills a table with 16 values times 256, as uint16.
LUTRA_OFTEN void FillTable(const uint8_t* values, uint32_t* table) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    uint32_t word;
    memcpy(&word, values + 4 * i, sizeof word);
    const uint32_t even = word << 8 & 0xFF00FF00u;
    const uint32_t odd = word & 0xFF00FF00u;
    table[2 * i] = (even & 0xFFFF) | odd << 16;
    table[2 * i + 1] = even >> 16 | (odd & 0xFFFF0000u);
  }
}

const int8_t* PrepareTablesPair(const PairJob* packed, int32_t first) {
  const PackedPairJob& job = *static_cast<const PackedPairJob*>(packed);
  const Encoding& encoding = *job.rows->encoding;
  const int32_t stride = encoding.channels == 1 ? 0 : encoding.lut.value_table_channel_stride;
  const uint8_t* const values = encoding.lut.value_table + static_cast<intptr_t>(first) * stride;
  FillTable(values, job.tables);
  FillTable(values + stride, job.tables + kFilterTablesBytes / 8);
  return LutraPrepareTablesPairArmdsp(&job, first);
}

const int8_t* PrepareDecodedPair(const PairJob* packed, int32_t first) {
  const int8_t* const weights = DecodeRows(*static_cast<const PackedPairJob*>(packed), first, 2);
  PairJob job = *packed;
  job.filter = weights - static_cast<intptr_t>(first) * job.row_bytes;
  return LutraPreparePairArmdsp(&job, first);
}

const int8_t* PreparePackedPairOfOne(const PairJob* packed, int32_t first) {
  static_cast<const PackedPairJob*>(packed)->prepare(packed, first);
  LutraDotsOfOneArmdsp(packed, first);
  return nullptr;
}

class Strips {
 public:
  Strips(const Conv2DArgs& args, const ArmdspConvLayout& layout, const Rows& input, const Rows& output,
         int32_t first_row, int32_t row_count)
      : args_(args),
        shape_(*args.shape),
        layout_(layout),
        input_(input),
        output_(output),
        row_(first_row),
        end_row_(first_row + row_count) {
    pair_ = static_cast<uint32_t*>(args.scratch);
    windows_ = reinterpret_cast<int8_t*>(pair_);
    values_ = pair_ + layout.pair_bytes / 4;
    capacity_ = (args.scratch_bytes - layout.pair_bytes) / layout.quad_bytes * 4;
    line_values_ = shape_.filter_width * shape_.filter_channels;
    const int64_t last_line = (int64_t{shape_.filter_height} - 1) * shape_.dilation_h;
    last_line_ = last_line < shape_.in_height ? static_cast<int32_t>(last_line) : shape_.in_height;
    offset_ = static_cast<uint32_t>(args.quantization.input_offset & 0xFFFF) * 0x10001u;
    layer_ = {args.quantization.output_offset, args.quantization.activation_min,
              args.quantization.activation_max};
    is_pointwise_ = layout.window_bytes == 0;
    has_words_ = layout.values == layout.words * 4;
    reach_ = ReachOf(layout.values, args.quantization.input_offset);
    job_ = {.values = values_,
            .end_of_values = nullptr,
            .output = nullptr,
            .quad_bytes = layout.quad_bytes,
            .block_bytes = layout.quad_bytes / 256 * 256,
            .step = shape_.out_channels,
            .three_steps = 3 * shape_.out_channels,
            .needs_sign = layer_.NeedsSign() ? 1 : 0,
            .weights = pair_,
            .last_pixels = 4};
    PairJob& pair_job = pair_job_;
    pair_job = {.filter = args.filter,
                .row_bytes = layout.values,
                .bias = args.bias,
                .multipliers = args.multipliers,
                .to = pair_,
                .words = layout.values / 4,
                .steps = reinterpret_cast<ScaledSumStep*>(pair_ + 2 + layout.words * 4),
                .middle = 2 * layer_.zero_point + 1,
                .nudge = kScaledSumNudge,
                .tables = nullptr,
                .single = nullptr,
                .single_output = nullptr,
                .sign_step = layer_.NeedsSign() ? 128 : 0};
  }

  // Uses the compressed weights of `args`.
  void Pack(const Conv2DPackedArgs& args) {
    pair_job_.rows = &args.rows;
    pair_job_.decoded = static_cast<int8_t*>(args.memory);
    pair_job_.prepare = PrepareDecodedPair;
    prepare_single_ = PreparePackedPairOfOne;
    if (args.expansion == FilterExpansion::kRows) return;
    // Single rows are decoded into the memory of the two expanded rows.
    pair_job_.decoded = reinterpret_cast<int8_t*>(pair_ + 2);
    pair_job_.filter = args.rows.encoding->stream.data();
    pair_job_.row_bytes = layout_.values / 2;
    pair_job_.tables = static_cast<uint32_t*>(args.memory);
    const bool has_pairs = args.expansion == FilterExpansion::kPairs;
    pair_job_.prepare = has_pairs ? LutraPreparePackedPairArmdsp : PrepareTablesPair;
  }

  void MakeAll() {
    const int32_t groups = shape_.in_channels / shape_.filter_channels;
    for (int32_t group = 0; group < groups; ++group) {
      const ChannelRange outputs = ChannelsOfGroup(args_, group, shape_.out_channels / groups);
      if (outputs.begin < outputs.end) Make(group, outputs);
    }
  }

 private:
  // Computes output channels of a group.
  void Make(int32_t group, const ChannelRange& outputs) {
    first_channel_ = group * shape_.filter_channels;
    first_output_ = outputs.begin;
    end_output_ = outputs.end;
    JudgePairs();
    const int32_t all = (end_row_ - row_) * shape_.out_width;
    const bool makes_pixels = Pixels::HasWords(shape_) && pair_job_.rows == nullptr;
    for (int32_t done = 0; done < all;) {
      const int32_t pixels = TakePixels(all - done);
      const int32_t first = args_.downwards ? all - done - pixels : done;
      const int32_t row = first / shape_.out_width;
      const int32_t column = first - row * shape_.out_width;
      int8_t* const output =
          reinterpret_cast<int8_t*>(output_.Row(row_ + row)) + column * shape_.out_channels;
      if (makes_pixels && pixels == 1) {
        Pixels(args_, input_, values_, capacity_ / 4 * layout_.quad_bytes / 8)
            .Make(WindowOf(row_ + row, column), first_channel_, outputs, output);
      } else {
        ExpandStrip(pixels, row_ + row, column);
        ComputeStrip(pixels, output);
      }
      done += pixels;
    }
  }

  // Returns how many of the remaining pixels the next strip has. If weights are whole words, one pixel behind
  // the fours is computed while the weights are expanded: it takes a quarter of the memory of four pixels,
  // and less than a quarter of the time of their products.
  int32_t TakePixels(int32_t left) {
    const int32_t fours = left / 4;
    const bool is_single = left % 4 == 1 && fours > 0 && fours <= capacity_ / 4 && has_words_;
    const bool has_single =
        is_single &&
        layout_.pair_bytes + fours * layout_.quad_bytes + layout_.quad_bytes / 4 <= args_.scratch_bytes;
    single_ = has_single ? values_ + fours * (layout_.quad_bytes / 4) : nullptr;
    return has_single || left < capacity_ ? left : capacity_;
  }

  Window WindowOf(int32_t row, int32_t column) const { return WindowAt(shape_, row, column); }

  // Copies the line that begins at x in a row of the input, tap by tap: with padding outside the image, or
  // everywhere if `row` is null.
  LUTRA_RARE void CopyLine(const int8_t* row, int32_t x, int8_t* to) const {
    const auto zero_point = static_cast<int8_t>(-args_.quantization.input_offset);
    for (int32_t tap = 0; tap < shape_.filter_width; ++tap) {
      const int64_t tap_x = x + int64_t{tap} * shape_.dilation_w;
      const int8_t* from = nullptr;
      if (row != nullptr && tap_x >= 0 && tap_x < shape_.in_width) {
        from = row + static_cast<int32_t>(tap_x) * shape_.in_channels + first_channel_;
      }
      for (int32_t i = 0; i < shape_.filter_channels; ++i) to[i] = from != nullptr ? from[i] : zero_point;
      to += shape_.filter_channels;
    }
  }

  const int8_t* RowOf(const Window& window, int32_t ky) const {
    const int64_t y = window.y + int64_t{ky} * shape_.dilation_h;
    if (y < 0 || y >= shape_.in_height) return nullptr;
    return reinterpret_cast<const int8_t*>(input_.Row(window.image_row + static_cast<int32_t>(y)));
  }

  LUTRA_RARE const int8_t* CopyWindow(const Window& window, int8_t* memory) const {
    if (layout_.dense && IsInside(window)) {
      // The last line ends with the window.
      const int8_t* const from = AddressOf(window);
      const int32_t before = shape_.filter_height - 1;
      const int32_t pitch = shape_.dilation_h * input_.row_bytes;
      if (before > 0) LutraCopyLinesArmdsp(from, memory, line_values_, pitch, before);
      CopyBytes(from + before * pitch, line_values_, memory + before * line_values_);
      return memory;
    }
    if (layout_.dense) {
      CopyDenseWindow(window, memory);
      return memory;
    }
    int8_t* to = memory;
    for (int32_t ky = 0; ky < shape_.filter_height; ++ky, to += line_values_) {
      CopyLine(RowOf(window, ky), window.x, to);
    }
    return memory;
  }

  // Copies the part of a window that lies in the image, and fills the rest with padding.
  LUTRA_RARE void CopyDenseWindow(const Window& window, int8_t* memory) const {
    memset(memory, -args_.quantization.input_offset, static_cast<size_t>(layout_.values));
    const TapRange rows = TapsInside(window.y, shape_.filter_height, shape_.dilation_h, shape_.in_height);
    const TapRange columns = TapsInside(window.x, shape_.filter_width, 1, shape_.in_width);
    const int32_t bytes = (columns.end - columns.begin) * shape_.in_channels;
    if (bytes <= 0 || rows.end <= rows.begin) return;
    const Window first = {window.image_row, window.y + rows.begin * shape_.dilation_h,
                          window.x + columns.begin};
    const int32_t pitch = shape_.dilation_h * input_.row_bytes;
    const int8_t* from = AddressOf(first);
    int8_t* to = memory + rows.begin * line_values_ + columns.begin * shape_.in_channels;
    for (int32_t left = rows.end - rows.begin; left > 0; --left, from += pitch, to += line_values_) {
      CopyBytes(from, bytes, to);
    }
  }

  static void CopyBytes(const int8_t* from, int32_t left, int8_t* to) {
    for (; left >= 4; left -= 4, from += 4, to += 4) memcpy(to, from, 4);
    for (; left > 0; --left) *to++ = *from++;
  }

  bool IsInside(const Window& window) const {
    return window.x >= 0 && window.y >= 0 && window.x <= shape_.in_width - shape_.filter_width &&
           window.y < shape_.in_height - last_line_;
  }

  const int8_t* AddressOf(const Window& window) const {
    return reinterpret_cast<const int8_t*>(input_.Row(window.image_row + window.y)) +
           window.x * shape_.in_channels;
  }

  void ExpandTwo(const Window& a, const Window& b, uint32_t* to) const {
    int8_t* const memory_b = windows_ + layout_.window_bytes / 2;
    if (!layout_.in_place || !IsInside(a) || !IsInside(b)) {
      return ExpandPoints(CopyWindow(a, windows_), CopyWindow(b, memory_b), to);
    }
    const LinesJob job = {.first = AddressOf(a),
                          .second = AddressOf(b),
                          .to = to,
                          .words = line_values_ / 4,
                          .offset = offset_,
                          .step = shape_.dilation_h * input_.row_bytes - line_values_,
                          .lines = shape_.filter_height};
    LutraExpandLinesArmdsp(&job);
    EndPoints(to);
  }

  // Expands pixels whose values are contiguous.
  void ExpandPoints(const int8_t* a, const int8_t* b, uint32_t* to) const {
    LutraExpandPixelsArmdsp(a, b, to, (layout_.values + 3) / 4, offset_);
    EndPoints(to);
  }

  // Weights behind the last value are 0. A word that makes the number of words even has values of 0, too.
  void EndPoints(uint32_t* to) const {
    const int32_t words = (layout_.values + 3) / 4;
    if (words == layout_.words) return;
    to += words * 8;
    to[0] = to[1] = to[4] = to[5] = 0;
  }

  // Expands a strip from a column of a row on.
  LUTRA_OFTEN void ExpandStrip(int32_t pixels, int32_t row, int32_t column) const {
    uint32_t* to = values_;
    Window window = WindowOf(row, column);
    for (int32_t left = Fours(pixels); left > 0; left -= 4, to += layout_.quad_bytes / 4) {
      // The last window is repeated for windows that the last four lack.
      Window windows[4];
      for (int32_t k = 0; k < 4; ++k) {
        if (k >= left) {
          windows[k] = windows[k - 1];
          continue;
        }
        windows[k] = window;
        window.x += shape_.stride_w;
        if (++column < shape_.out_width) continue;
        column = 0;
        if (++row < end_row_) window = WindowOf(row, 0);
      }
      if (is_pointwise_) {
        ExpandPoints(AddressOf(windows[0]), AddressOf(windows[1]), to);
        ExpandPoints(AddressOf(windows[2]), AddressOf(windows[3]), to + 2);
      } else {
        ExpandTwo(windows[0], windows[1], to);
        ExpandTwo(windows[2], windows[3], to + 2);
      }
    }
    if (single_ != nullptr) ExpandSingle(window);
  }

  // Returns the pixels of a strip without the single one.
  int32_t Fours(int32_t pixels) const { return single_ != nullptr ? pixels - 1 : pixels; }

  LUTRA_RARE void ExpandSingle(const Window& window) const {
    const int32_t words = (layout_.values + 3) / 4;
    const int8_t* const bytes = is_pointwise_ ? AddressOf(window) : CopyWindow(window, windows_);
    // A word that is missing of an even number is multiplied by weights of 0.
    LutraExpandRowArmdsp(bytes, single_, words, offset_);
  }

  // Expands the weights behind the last whole word, and zeros up to an even number of words.
  LUTRA_RARE void ExpandLastWeights(const int8_t* first, const int8_t* second) const {
    uint32_t* to = pair_ + 2 + layout_.values / 4 * 4;
    const int32_t left = layout_.values % 4;
    if (left > 0) {
      uint32_t words[2] = {};
      memcpy(&words[0], first, static_cast<size_t>(left));
      memcpy(&words[1], second, static_cast<size_t>(left));
      constexpr uint32_t kHighBytes = 0xFF00FF00u;
      for (const uint32_t word : words) *to++ = word << 8 & kHighBytes;
      for (const uint32_t word : words) *to++ = word & kHighBytes;
    }
    for (; to < pair_ + 2 + layout_.words * 4; ++to) *to = 0;
  }

  // Returns the sum of the weights' magnitudes times the largest magnitude of a value.
  int32_t ExactReach(const int8_t* weights) const {
    constexpr uint32_t kZeros = 0x80808080u;
    uint32_t sum = 0;
    int32_t i = 0;
    for (; i + 4 <= layout_.values; i += 4) {
      uint32_t word;
      memcpy(&word, weights + i, 4);
      sum = __usada8(word ^ kZeros, kZeros, sum);
    }
    for (; i < layout_.values; ++i) sum += static_cast<uint32_t>(weights[i] < 0 ? -weights[i] : weights[i]);
    const int64_t reach = int64_t{sum} * (ReachOf(1, args_.quantization.input_offset) / 128);
    return reach < (1 << 30) ? static_cast<int32_t>(reach) : INT32_MAX;
  }

  int32_t BiasOf(int32_t output) const { return args_.bias != nullptr ? args_.bias[output] : 0; }
  // Returns weights as int8; the next call may overwrite them.
  const int8_t* WeightsOf(int32_t output) const {
    if (pair_job_.rows != nullptr) return DecodeRows(pair_job_, output, 1);
    return args_.filter + static_cast<intptr_t>(output) * layout_.values;
  }

  LUTRA_RARE bool HasPlainStep(int32_t output) const {
    const Multiplier& m = args_.multipliers[output];
    const int32_t bias = BiasOf(output);
    const auto has = [&](int32_t reach) { return PlainScaledSumSteps(layer_, reach).Has(m, bias); };
    return has(reach_) || (has(0) && has(ExactReach(WeightsOf(output))));
  }

  // Returns the first channel of a pair. A single last channel is computed again with the one before it.
  int32_t FirstOf(int32_t pair) const {
    const int32_t first = first_output_ + 2 * pair;
    return first + 2 > end_output_ && end_output_ - 2 >= first_output_ ? end_output_ - 2 : first;
  }

  // Finds which pairs have plain steps, once for all strips.
  LUTRA_RARE void JudgePairs() {
    pairs_ = (end_output_ - first_output_ + 1) / 2;
    const bool has_pairs = end_output_ - first_output_ >= 2;
    all_are_plain_ = has_pairs && AllArePlain();
    if (all_are_plain_) return;
    memset(is_plain_, 0, sizeof is_plain_);
    for (int32_t pair = 0; has_pairs && pair < pairs_ && pair < kMostJudged; ++pair) {
      const int32_t first = FirstOf(pair);
      if (HasPlainStep(first) && HasPlainStep(first + 1)) is_plain_[pair / 32] |= uint32_t{1} << pair % 32;
    }
  }

  // Judges by the weights' largest magnitude, without reading weights.
  LUTRA_OFTEN bool AllArePlain() const {
    const PlainScaledSumSteps steps(layer_, reach_);
    const int32_t* bias = args_.bias != nullptr ? args_.bias + first_output_ : nullptr;
    const Multiplier* const end = args_.multipliers + end_output_;
    for (const Multiplier* m = args_.multipliers + first_output_; m != end; ++m) {
      if (!steps.Has(*m, bias != nullptr ? *bias++ : 0)) return false;
    }
    return true;
  }

  bool IsPlain(int32_t pair) const {
    return all_are_plain_ || (pair < kMostJudged && (is_plain_[pair / 32] >> pair % 32 & 1) != 0);
  }

  // Computes the step of an output, plain or not. Returns false if there is none.
  LUTRA_RARE bool ComputeStep(int32_t output, ScaledSumStep* step) const {
    const Multiplier m = args_.multipliers[output];
    const int32_t bias = BiasOf(output);
    if (reach_ < kReachLimit && ComputeScaledSumStep(layer_, m, bias, reach_, step)) return true;
    const int32_t reach = ExactReach(WeightsOf(output));
    return reach != INT32_MAX && ComputeScaledSumStep(layer_, m, bias, reach, step);
  }

  LUTRA_RARE void ComputeStrip(int32_t pixels, int8_t* output) {
    const int32_t fours = Fours(pixels);
    job_.end_of_values = values_ + (fours + 3) / 4 * (layout_.quad_bytes / 4);
    job_.last_pixels = (fours - 1) % 4 + 1;
    pair_job_.single = single_;
    pair_job_.single_output = output + fours * shape_.out_channels;
    const int32_t pairs = pairs_;
    const PreparePairFn prepare = single_ != nullptr ? prepare_single_ : pair_job_.prepare;
    for (int32_t pair = 0; pair < pairs; ++pair) {
      const int32_t first = FirstOf(pair);
      job_.output = output + first;
      if (IsPlain(pair) || FindRareSteps(first)) {
        const int8_t* const rest = prepare(&pair_job_, first);
        if (!has_words_) ExpandLastWeights(rest, rest + layout_.values);
        LutraDotsArmdsp(&job_);
      } else {
        ComputeByRule(first, pixels, output + first);
        if (first + 2 <= end_output_) ComputeByRule(first + 1, pixels, output + first + 1);
      }
      pair_job_.multipliers = args_.multipliers;  // FindRareSteps sets it to null.
    }
    if (layer_.min > INT8_MIN || layer_.max < INT8_MAX) Clamp(pixels, output);
  }

  // Returns whether this output and the next one have steps; the next pair to prepare uses them.
  LUTRA_RARE bool FindRareSteps(int32_t first) {
    pair_job_.multipliers = nullptr;
    return first + 2 <= end_output_ && ComputeStep(first, &pair_job_.steps[0]) &&
           ComputeStep(first + 1, &pair_job_.steps[1]);
  }

  // Computes an output channel in wrapping int32.
  LUTRA_RARE void ComputeByRule(int32_t channel, int32_t pixels, int8_t* output) const {
    const int8_t* const weights = WeightsOf(channel);
    const auto bias = static_cast<uint32_t>(BiasOf(channel));
    const int32_t fours = Fours(pixels);
    uint32_t sums[4];
    for (int32_t i = 0; i < pixels; ++i, output += shape_.out_channels) {
      const uint32_t* values = values_ + i / 4 * (layout_.quad_bytes / 4);
      if (i % 4 == 0) {
        for (uint32_t& sum : sums) sum = bias;
        if (i < fours) LutraAddQuadArmdsp(values, weights, layout_.values / 4, sums);
      }
      uint32_t sum = sums[i % 4];
      values += i % 4;
      // Of four pixels, values behind the last whole word remain, of a single pixel all.
      for (int32_t k = i < fours ? layout_.values / 4 * 4 : 0; k < layout_.values; ++k) {
        const uint32_t word = values[(k / 4 * 2 + (k & 1)) * (i < fours ? 4 : 1)];
        const auto value = static_cast<int16_t>((k & 2) != 0 ? word >> 16 : word);
        sum += static_cast<uint32_t>(value * weights[k]);
      }
      *output =
          static_cast<int8_t>(ClampedCode(layer_, args_.multipliers[channel], static_cast<int32_t>(sum)));
    }
  }

  LUTRA_RARE void Clamp(int32_t pixels, int8_t* output) const {
    for (int32_t i = 0; i < pixels; ++i, output += shape_.out_channels) {
      for (int32_t o = first_output_; o < end_output_; ++o) {
        output[o] = static_cast<int8_t>(ClampToInt8(output[o], layer_.min, layer_.max));
      }
    }
  }

  static constexpr int32_t kMostJudged = 256;
  static constexpr int32_t kReachLimit = 1 << 23;

  const Conv2DArgs& args_;
  const ConvShape& shape_;
  const ArmdspConvLayout& layout_;
  const Rows& input_;
  const Rows& output_;
  int32_t row_;
  int32_t end_row_;
  uint32_t* pair_;
  int8_t* windows_;
  uint32_t* values_;
  // The strip's single last pixel, as LutraExpandRowArmdsp expands it; null: there is none.
  uint32_t* single_ = nullptr;
  int32_t capacity_;  // Pixels of a strip, a multiple of four.
  int32_t line_values_;
  int32_t last_line_;  // Lines from a window's first to its last; at most the image's height.
  uint32_t offset_;
  int32_t reach_;
  ScaledSumLayer layer_;
  DotsJob job_;
  PackedPairJob pair_job_;
  PreparePairFn prepare_single_ = LutraPreparePairOfOneArmdsp;
  bool is_pointwise_;
  bool has_words_;             // The weights of an output are an even number of whole words.
  int32_t first_channel_ = 0;  // In the input.
  int32_t first_output_ = 0;   // Among the call's channels.
  int32_t end_output_ = 0;
  int32_t pairs_ = 0;
  bool all_are_plain_ = false;
  uint32_t is_plain_[kMostJudged / 32];  // A bit for each pair, if not all are plain.
};

bool HasRoom(const Conv2DArgs& args, ArmdspConvLayout* layout) {
  return args.scratch != nullptr && ArmdspConvLayoutOf(*args.shape, layout) &&
         args.scratch_bytes >= layout->pair_bytes + layout->quad_bytes;
}

// Computes rows if there is no room for a strip.
LUTRA_RARE void MakePixelByPixel(const Conv2DArgs& args, const Rows& input, const Rows& output,
                                 int32_t first_row, int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const int32_t groups = shape.in_channels / shape.filter_channels;
  const RowMemory memory(args.scratch, args.scratch_bytes);
  Pixels pixels(args, input, memory.values, memory.words);
  const bool has_three = pixels.HasThree();
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    Window window = WindowAt(shape, row, 0);
    auto* pixel = reinterpret_cast<int8_t*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width;) {
      const int32_t together = has_three && x + 3 <= shape.out_width ? 3 : 1;
      if (together == 3) pixels.MakeThree(window, ChannelsOfGroup(args, 0, shape.out_channels), pixel);
      for (int32_t group = 0; together == 1 && group < groups; ++group) {
        pixels.Make(window, group * shape.filter_channels,
                    ChannelsOfGroup(args, group, shape.out_channels / groups), pixel);
      }
      x += together;
      pixel += together * shape.out_channels;
      window.x += together * shape.stride_w;
    }
  }
}

// Does the same with compressed weights. Each row is computed by itself, as it may overwrite the input of
// rows before it.
LUTRA_RARE void DecodePixelByPixel(const Conv2DPackedArgs& args, int32_t values, const Rows& input,
                                   const Rows& output, int32_t first_row, int32_t row_count) {
  const bool has_rows = args.expansion == FilterExpansion::kRows;
  auto* const memory = static_cast<int8_t*>(has_rows ? args.memory : args.scratch);
  const int32_t most = has_rows || args.scratch_bytes >= 2 * values ? 2 : 1;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    for (int32_t first = 0; first < args.channel_count; first += most) {
      Conv2DArgs some = args;
      some.first_channel = first;
      some.channel_count = args.channel_count - first < most ? args.channel_count - first : most;
      StreamPosition position;
      args.rows.Decode(first, some.channel_count, &position, memory);
      some.filter = memory;
      if (some.bias != nullptr) some.bias += first;
      some.multipliers += first;
      some.scratch = nullptr;
      MakePixelByPixel(some, input, {output.base + first, output.row_bytes}, row, 1);
    }
  }
}

}  // namespace

LUTRA_RARE void Conv2DArmdsp(const Conv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                             int32_t row_count) {
  ArmdspConvLayout layout;
  if (!HasRoom(args, &layout)) return MakePixelByPixel(args, input, output, first_row, row_count);
  Strips(args, layout, input, output, first_row, row_count).MakeAll();
}

LUTRA_RARE void Conv2DPackedArmdsp(const Conv2DPackedArgs& args, const Rows& input, const Rows& output,
                                   int32_t first_row, int32_t row_count) {
  ArmdspConvLayout layout;
  if (!HasRoom(args, &layout))
    return DecodePixelByPixel(args, layout.values, input, output, first_row, row_count);
  Strips strips(args, layout, input, output, first_row, row_count);
  strips.Pack(args);
  strips.MakeAll();
}

LUTRA_RARE void Conv2DPairsArmdsp(const uint8_t* values, uint32_t* pairs) { FillPairs(values, 8, pairs); }

// A strip is read before any of it is written, one group after the other. Strips may begin and end within a
// row: a row of output overwrites nothing that it or a later row reads (safe_distance.cc).
LUTRA_RARE int32_t Conv2DRowsAtOnceArmdsp(const Conv2DArgs& args) {
  ArmdspConvLayout layout;
  const bool is_for_all = MakesAllChannels(args) && HasRoom(args, &layout) &&
                          args.shape->filter_channels == args.shape->in_channels;
  return is_for_all ? args.shape->out_height : 1;
}

LUTRA_RARE ScratchBytes Conv2DScratchArmdsp(const Conv2DArgs& args, int32_t rows) {
  return ArmdspConvScratch(*args.shape, rows);
}

}  // namespace lutra
