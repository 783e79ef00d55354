// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D in the terms of dot_tiles.h. A lane is a value of the output row; the products of a lane
// are its taps, brought side by side by interleaving as many rows of values.
//
// Values of a row are made in blocks of as many lanes as a tile has. A block goes on from one pixel to the
// next, and lanes hold the channels in one of a few patterns; where these would be many, a pixel's channels
// are blocks of their own, the last of them with unused lanes.
//
// Windows of 3x3 are made going down: a block of each line, its three taps side by side, adds to all output
// rows that see it, so that it is interleaved once. Others are made tap by tap.

#pragma once

#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_strips.h"

namespace lutra {
namespace {

// Patterns of channels that blocks across pixels may have.
constexpr int32_t kMaxPatterns = 8;
// Outputs that are not worth a strip.
constexpr int32_t kFewValues = 16;
constexpr int kWindow = 3;  // The size of the windows that are made going down, either way.

// Prepared memory begins with this; offsets of the taps within a strip follow, one for each value of a step,
// and weights of columns. Behind them is what PrepareDots makes.
struct alignas(kPackedAlignment) DepthwisePlan {
  StripLayout layout;
  bool across;  // Whether blocks go on from pixel to pixel.
  int32_t steps;
  int32_t lines_at;  // In bytes from the plan's begin; 0: not made going down.
  int32_t packed_at;
};

static inline DepthwisePlan* PlanAt(const void* memory) {
  return reinterpret_cast<DepthwisePlan*>(PackedHeaderAt(memory));
}
static inline int32_t* OffsetsOf(const DepthwisePlan* plan) {
  return reinterpret_cast<int32_t*>(const_cast<DepthwisePlan*>(plan) + 1);
}
static inline uint8_t* BytesAt(const DepthwisePlan* plan, int32_t at) {
  return reinterpret_cast<uint8_t*>(const_cast<DepthwisePlan*>(plan)) + at;
}

static inline int32_t GreatestCommonDivisor(int32_t a, int32_t b) {
  while (b != 0) {
    const int32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// After how many blocks the lanes hold the same channels again.
template <typename Set>
int32_t PatternsOf(int32_t channels) {
  return channels / GreatestCommonDivisor(channels, kBlockLanes<Set>);
}

template <typename Set>
DotLayer DotLayerOf(const DepthwiseConv2DArgs& args, bool across) {
  const ConvShape& shape = *args.shape;
  const int32_t blocks = (shape.out_channels + kBlockLanes<Set> - 1) / kBlockLanes<Set>;
  return {.filter = args.filter,
          .channel_step = 1,
          .value_step = shape.out_channels,
          .bias = args.bias,
          .multipliers = args.multipliers,
          .one_multiplier = false,
          .channels = shape.out_channels,
          .packed_channels = (across ? PatternsOf<Set>(shape.out_channels) : blocks) * kBlockLanes<Set>,
          .lines = 1,
          .tap_values = shape.filter_height * shape.filter_width,
          .quantization = args.quantization,
          .rows = args.filter == nullptr ? args.streamed : nullptr};
}

// ---- Prepare.

// Rows that share no lines are as quick tap by tap.
static inline bool IsMadeGoingDown(const ConvShape& shape) {
  return shape.filter_height == kWindow && shape.filter_width == kWindow && shape.dilation_h == 1 &&
         shape.stride_h < kWindow;
}

// The taps of a line as vectors of each step.
template <typename Set>
constexpr int kLineSteps = (kWindow + Set::kStep - 1) / Set::kStep;
template <typename Set>
constexpr int kLineVectors = kLineSteps<Set>* Set::kMaxVectors;
template <typename Set>
constexpr int32_t kVectorWeights = Set::kLanes* Set::kStep;

// The weights of each block: [line][step][vector][lane][tap].
template <typename Set>
constexpr int32_t kBlockWeights = kWindow* kLineVectors<Set>* kVectorWeights<Set>;

template <typename Set>
void PackLines(const DotLayer& layer, typename Set::Weight* to) {
  for (int32_t first = 0; first < layer.packed_channels;
       first += kBlockLanes<Set>, to += kBlockWeights<Set>) {
    for (int32_t at = 0; at < kBlockLanes<Set>; ++at) {
      const int32_t lane = ChannelOfLane(Set::kMaxVectors, at / Set::kLanes, at % Set::kLanes);
      ForEachWeight(layer, (first + lane) % layer.channels, [&](int32_t, int32_t i, int32_t weight) {
        const int32_t step = i / kWindow * kLineSteps<Set> + i % kWindow / Set::kStep;
        to[(step * kBlockLanes<Set> + at) * Set::kStep + i % kWindow % Set::kStep] =
            static_cast<typename Set::Weight>(weight);
      });
    }
  }
}

template <typename Set>
void FillOffsets(const ConvShape& shape, const StripLayout& layout, int32_t count, int32_t* offsets) {
  int32_t i = 0;
  for (int32_t ky = 0; ky < shape.filter_height; ++ky) {
    for (int32_t kx = 0; kx < shape.filter_width; ++kx) {
      offsets[i++] = ky * layout.line_values + ColumnOffset(shape, layout, kx);
    }
  }
  // Taps that make the last step whole have weights of 0.
  for (; i < count; ++i) offsets[i] = 0;
}

// Follows the rules of Variant::prepare.
template <typename Set>
int32_t PrepareDots(const DepthwiseConv2DArgs& args, void* memory) {
  if (!MakesAllChannels(args)) return kNotForTheseArgs;
  const ConvShape& shape = *args.shape;
  DepthwisePlan plan = {};
  // The reference makes five values in 38 ns; a strip and its block take 70.
  if (int64_t{shape.out_height} * shape.out_width * shape.out_channels < kFewValues) return kNotForTheseArgs;
  if (!MakeStripLayout<Set>(shape, &plan.layout)) return kNotForTheseArgs;
  plan.across =
      plan.layout.channels == shape.out_channels && PatternsOf<Set>(shape.out_channels) <= kMaxPatterns;
  const DotLayer layer = DotLayerOf<Set>(args, plan.across);
  const int32_t dots = PrepareDots<Set>(layer, nullptr);
  if (dots < 0) return kNotForTheseArgs;
  plan.steps = TapSteps<Set>(layer);
  const auto rounded = [](int64_t bytes) { return (bytes + kPackedAlignment - 1) & -kPackedAlignment; };
  const int64_t offsets = int64_t{plan.steps} * Set::kStep;
  int64_t bytes = rounded(static_cast<int64_t>(sizeof(plan) + offsets * sizeof(int32_t)));
  if (IsMadeGoingDown(shape)) {
    plan.lines_at = static_cast<int32_t>(bytes);
    bytes += rounded(layer.packed_channels / kBlockLanes<Set> * int64_t{kBlockWeights<Set>} *
                     static_cast<int64_t>(sizeof(typename Set::Weight)));
  }
  if (bytes > INT32_MAX / 4) return kNotForTheseArgs;
  plan.packed_at = static_cast<int32_t>(bytes);
  const auto wanted = static_cast<int32_t>(kPackedAlignment + bytes + dots);
  if (memory == nullptr) return wanted;
  DepthwisePlan* const stored = PlanAt(memory);
  memset(static_cast<void*>(stored), 0, static_cast<size_t>(bytes));
  *stored = plan;
  FillOffsets<Set>(shape, plan.layout, static_cast<int32_t>(offsets), OffsetsOf(stored));
  return WithValues(layer, [&](const DotLayer& known) {
    if (plan.lines_at != 0) {
      PackLines<Set>(known, reinterpret_cast<typename Set::Weight*>(BytesAt(stored, plan.lines_at)));
    }
    PrepareDots<Set>(known, BytesAt(stored, plan.packed_at));
    return wanted;
  });
}

// Serves as Variant::rows_at_once: returns the rows of a band, if a strip has all their pixels and channels.
template <typename Set>
int32_t RowsAtOnceOfDots(const DepthwiseConv2DArgs& args) {
  StripLayout layout;
  if (!MakeStripLayout<Set>(*args.shape, &layout)) return 1;
  return layout.pixels >= args.shape->out_width && layout.channels == args.shape->out_channels ? layout.rows
                                                                                               : 1;
}

// ---- Run.

// The functions below share this.
template <typename Set>
struct DepthwiseRun {
  const DepthwisePlan* plan;
  DotLayer layer;
  uint8_t* blocks;
  int64_t block_bytes;
  int32_t patterns;
  DotArea area;

  PackedBlock<Set> Block(int32_t pattern) const {
    return BlockAt<Set>(PackedFilters::kWeights, blocks + pattern * block_bytes, block_bytes,
                        Set::kMaxVectors);
  }
};

// Makes one block of values of one row. The taps' offsets count from `values`.
template <typename Set, bool kSigned>
[[gnu::always_inline]] inline void ComputeDepthwiseBlock(const DotLayer& layer, const PackedBlock<Set>& block,
                                                         const int32_t* offsets, int32_t steps,
                                                         const typename Set::Value* values,
                                                         int32_t first_channel, const DotArea& area) {
  constexpr int kVectors = Set::kMaxVectors;
  typename Set::Sums sums[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) sums[v] = Set::LoadSums(block.starts + v * Set::kLanes);
  const typename Set::Weight* weights = block.weights;
  for (; steps > 0; --steps, offsets += Set::kStep) {
    typename Set::Sums rows[Set::kStep];
#pragma GCC unroll 4
    for (int i = 0; i < Set::kStep; ++i) rows[i] = Set::LoadValues(values + offsets[i]);
    typename Set::Sums interleaved[kVectors];
    Set::Interleave(rows, interleaved);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = Set::Dot(sums[v], interleaved[v], Set::LoadWeights(weights + v * kVectorWeights<Set>));
    }
    weights += kVectors * kVectorWeights<Set>;
  }
  FinishTile<Set, 1, kVectors, kSigned>(layer, block, sums, first_channel, area);
}

// Calls make(area, pattern, values before the block in the strip, the same in the output): of some pixels,
// the blocks of the range's channels. The area has no output yet.
template <typename Set, typename Make>
[[gnu::always_inline]] inline void ForEachBlock(const DepthwiseRun<Set>& run, const ChannelRange& range,
                                                int32_t pixels, const Make& make) {
  constexpr int32_t kLanes = kBlockLanes<Set>;
  DotArea area = run.area;
  // Across pixels all of them are one.
  const int32_t count = run.plan->across ? pixels * range.count : range.count;
  if (run.plan->across) pixels = 1;
  for (int32_t pixel = 0; pixel < pixels; ++pixel) {
    int32_t pattern = range.first / kLanes;
    area.channels = kLanes;
    for (int32_t first = 0; first < count; first += kLanes) {
      if (count - first < kLanes) area.channels = count - first;
      make(area, pattern, static_cast<intptr_t>(pixel) * range.step + first,
           static_cast<intptr_t>(pixel) * run.layer.channels + first);
      if (++pattern == run.patterns) pattern = 0;
    }
  }
}

// Says where the output rows of a band go, for the first of the pixels and channels.
struct BandOutput {
  int8_t* to;
  intptr_t step;
  int32_t rows;
};

// Makes a band of output rows, tap by tap.
template <typename Set, bool kSigned>
[[gnu::noinline]] void ComputeTapByTap(const DepthwiseRun<Set>& run, const ConvShape& shape,
                                       const typename Set::Value* values, const ChannelRange& range,
                                       int32_t pixels, BandOutput output) {
  for (; output.rows > 0; --output.rows, output.to += output.step) {
    ForEachBlock(run, range, pixels, [&](DotArea& area, int32_t pattern, intptr_t at, intptr_t output_at) {
      area.output = output.to + output_at;
      ComputeDepthwiseBlock<Set, kSigned>(run.layer, run.Block(pattern), OffsetsOf(run.plan), run.plan->steps,
                                          values + at, range.first + static_cast<int32_t>(output_at), area);
    });
    values += intptr_t{shape.stride_h} * run.plan->layout.line_values;
  }
}

// Says whether there are registers for the weights of a block as well as for its sums; else they are read
// where they lie.
template <typename Set>
constexpr bool kHoldsWeights = sizeof(typename Set::Sums) == 64;

// A block going down.
template <typename Set>
struct BlockGoingDown {
  [[gnu::always_inline]] BlockGoingDown(const DepthwisePlan* plan, int32_t pattern,
                                        const typename Set::Value* first_values)
      : values(first_values),
        line_step(plan->layout.line_values),
        packed(reinterpret_cast<const typename Set::Weight*>(BytesAt(plan, plan->lines_at)) +
               intptr_t{pattern} * kBlockWeights<Set>) {
#pragma GCC unroll 3
    for (int ky = 0; ky < kWindow; ++ky) {
      columns[ky] = OffsetsOf(plan)[ky];
#pragma GCC unroll 4
      for (int i = 0; kHoldsWeights<Set> && i < kLineVectors<Set>; ++i) weights[ky][i] = Packed(ky, i);
    }
  }
  [[gnu::always_inline]] typename Set::Sums Packed(int ky, int i) const {
    return Set::LoadWeights(packed + (ky * kLineVectors<Set> + i) * kVectorWeights<Set>);
  }

  const typename Set::Value* values;
  intptr_t line_step;
  const typename Set::Weight* packed;
  intptr_t columns[kWindow];
  typename Set::Sums weights[kWindow][kLineVectors<Set>];

  // Loads the next line, its taps side by side.
  [[gnu::always_inline]] inline void Next(typename Set::Sums (&line)[kLineVectors<Set>]) {
#pragma GCC unroll 2
    for (int step = 0; step < kLineSteps<Set>; ++step) {
      typename Set::Sums rows[Set::kStep];
#pragma GCC unroll 4
      for (int i = 0; i < Set::kStep; ++i) {
        const int tap = step * Set::kStep + i;
        rows[i] = tap < kWindow ? Set::LoadValues(values + columns[tap]) : typename Set::Sums{};
      }
      Set::Interleave(rows, line + step * Set::kMaxVectors);
    }
    values += line_step;
  }
  // sums = from + the products of the line with the window's line `ky`.
  [[gnu::always_inline]] inline void Add(const typename Set::Sums (&line)[kLineVectors<Set>], int ky,
                                         typename Set::Sums (&sums)[Set::kMaxVectors]) const {
#pragma GCC unroll 4
    for (int i = 0; i < kLineVectors<Set>; ++i) {
      sums[i % Set::kMaxVectors] =
          Set::Dot(sums[i % Set::kMaxVectors], line[i], kHoldsWeights<Set> ? weights[ky][i] : Packed(ky, i));
      // Without this, GCC delays the sums and stores all their products on the stack.
      if constexpr (!kHoldsWeights<Set>) __asm__("" : "+x"(sums[i % Set::kMaxVectors]));
    }
  }
};

template <typename Set>
[[gnu::always_inline]] inline void Start(const PackedBlock<Set>& block,
                                         typename Set::Sums (&sums)[Set::kMaxVectors]) {
#pragma GCC unroll 4
  for (int v = 0; v < Set::kMaxVectors; ++v) sums[v] = Set::LoadSums(block.starts + v * Set::kLanes);
}

// The output rows of a band for one block, whose values begin at `values`.
template <typename Set, bool kSigned, bool kGuarded, int kStride>
[[gnu::always_inline]] inline void ComputeBlockGoingDown(const DepthwiseRun<Set>& run, int32_t pattern,
                                                         const typename Set::Value* values,
                                                         int32_t first_channel, DotArea& area,
                                                         const BandOutput& output) {
  using Sums = typename Set::Sums;
  const PackedBlock<Set> block = run.Block(pattern);
  BlockGoingDown<Set> down(run.plan, pattern, values);
  Sums line[kLineVectors<Set>];
  // The sums of the output row that the next line completes, and of the rows below it.
  Sums a[Set::kMaxVectors], b[Set::kMaxVectors], c[Set::kMaxVectors];
  Start<Set>(block, a);
  down.Next(line);
  down.Add(line, 0, a);
  if constexpr (kStride == 1) {
    Start<Set>(block, b);
    down.Next(line);
    down.Add(line, 1, a);
    down.Add(line, 0, b);
  }
  area.output = output.to;
  const intptr_t step = output.step;
  int32_t rows = output.rows;
  // `done` completes a row, the others are one and two below it.
  const auto make = [&](Sums(&done)[Set::kMaxVectors], Sums(&next)[Set::kMaxVectors],
                        Sums(&last)[Set::kMaxVectors]) __attribute__((always_inline)) {
    if constexpr (kStride == 2) {
      down.Next(line);
      down.Add(line, 1, done);
    }
    down.Next(line);
    down.Add(line, 2, done);
    if constexpr (kStride == 1) {
      down.Add(line, 1, next);
      Start<Set>(block, last);
      down.Add(line, 0, last);
    } else {
      Start<Set>(block, next);
      down.Add(line, 0, next);
    }
    FinishTile<Set, 1, Set::kMaxVectors, kSigned, kGuarded>(run.layer, block, done, first_channel, area);
    area.output += step;
  };
  for (; rows >= 3; rows -= 3) {
    make(a, b, c);
    make(b, c, a);
    make(c, a, b);
  }
  if (rows > 0) make(a, b, c);
  if (rows > 1) make(b, c, a);
}

template <typename Set, bool kSigned, bool kGuarded, int kStride>
[[gnu::noinline]] void ComputeGoingDown(const DepthwiseRun<Set>& run, const typename Set::Value* values,
                                        const ChannelRange& range, int32_t pixels, const BandOutput& output) {
  ForEachBlock(run, range, pixels, [&](DotArea& area, int32_t pattern, intptr_t at, intptr_t output_at) {
    ComputeBlockGoingDown<Set, kSigned, kGuarded, kStride>(
        run, pattern, values + at, range.first + static_cast<int32_t>(output_at), area,
        {output.to + output_at, output.step, output.rows});
  });
}

// A band of output rows. Not guarded: of proved blocks, going down.
template <typename Set, bool kSigned, bool kGuarded>
void ComputeBand(const DepthwiseRun<Set>& run, const ConvShape& shape, const typename Set::Value* values,
                 const ChannelRange& range, int32_t pixels, const BandOutput& output) {
  if (run.plan->lines_at == 0) {
    ComputeTapByTap<Set, kSigned>(run, shape, values, range, pixels, output);
  } else if (shape.stride_h == 1) {
    ComputeGoingDown<Set, kSigned, kGuarded, 1>(run, values, range, pixels, output);
  } else {
    ComputeGoingDown<Set, kSigned, kGuarded, 2>(run, values, range, pixels, output);
  }
}

template <typename Set>
bool AllAreProved(const PackedHeader& header, int32_t blocks) {
  const bool* const is_proved = FlagsOf(const_cast<PackedHeader*>(&header));
  for (int32_t i = 0; i < blocks; ++i) {
    if (!is_proved[i]) return false;
  }
  return true;
}

template <typename Set>
auto BandMaker(const PackedHeader& header, int32_t blocks) {
  if constexpr (kProves<Set>) {
    if (AllAreProved<Set>(header, blocks)) {
      return header.is_signed ? ComputeBand<Set, true, false> : ComputeBand<Set, false, false>;
    }
  }
  return header.is_signed ? ComputeBand<Set, true, true> : ComputeBand<Set, false, true>;
}

template <typename Set>
void RunDots(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output, int32_t first_row,
             int32_t row_count) {
  const ConvShape& shape = *args.shape;
  const DepthwisePlan* const plan = PlanAt(args.prepared);
  const PackedHeader* const header = PackedHeaderAt(BytesAt(plan, plan->packed_at));
  DepthwiseRun<Set> run = {};
  run.plan = plan;
  run.layer = DotLayerOf<Set>(args, plan->across);
  run.blocks = reinterpret_cast<uint8_t*>(const_cast<PackedHeader*>(header) + 1);
  run.block_bytes = BytesOfBlock<Set>(run.layer, PackedFilters::kWeights, Set::kMaxVectors);
  run.patterns = run.layer.packed_channels / kBlockLanes<Set>;
  run.area = AreaOf(run.layer, *header);
  run.area.pixels = 1;
  const auto make = BandMaker<Set>(*header, run.patterns);
  ForEachStrip<Set>(shape, plan->layout, args.quantization.input_offset, input, first_row, row_count,
                    [&](const typename Set::Value* values, const ChannelRange& range, const RowBand& band,
                        int32_t first, int32_t pixels) {
                      int8_t* const to = reinterpret_cast<int8_t*>(output.Row(band.row)) +
                                         static_cast<intptr_t>(first) * shape.out_channels + range.first;
                      make(run, shape, values, range, pixels, {to, output.row_bytes, band.rows});
                    });
}

}  // namespace
}  // namespace lutra
