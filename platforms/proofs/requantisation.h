// SPDX-License-Identifier: Apache-2.0
// The requantisation of layers with weights: a block is a multiplier and a shift. README.md says which sums
// are tried and why they stand for all.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "lutra/kernels/fully_connected/fully_connected.h"
#include "platforms/proofs/definition.h"
#include "platforms/proofs/tally.h"
#include "runtime/kernels/test_data.h"

namespace lutra::platforms {

inline constexpr int32_t kMultipliers = 4096;
inline constexpr int32_t kLeastShift = -31;
inline constexpr int32_t kMostShift = 30;
inline constexpr int32_t kShifts = kMostShift - kLeastShift + 1;

// From 2^30 to 2^31 - 1, one in each of 4,096 equal parts, the first and the last of all among them.
inline Multiplier MultiplierOfBlock(int32_t block) {
  const int32_t part = block / kShifts;
  uint32_t seed = static_cast<uint32_t>(part) * 2654435761u + 12345;
  NextRandom(&seed);
  uint32_t within = NextRandom(&seed) >> 8 & 0x3FFFF;
  if (part == 0) within = 0;
  if (part == kMultipliers - 1) within = 0x3FFFF;
  return {static_cast<int32_t>((1u << 30) + static_cast<uint32_t>(part) * 0x40000u + within),
          block % kShifts + kLeastShift};
}

// The sums of a block: those at which the result rises, 0, the least and the most, and some at random. Each
// is tried together with the one below.
struct SumsOfBlock {
  static constexpr int32_t kMost = 320;

  Multiplier multiplier;
  int32_t offset;
  int32_t min;
  int32_t max;
  int32_t count;
  int32_t sums[kMost];

  int32_t Result(int32_t sum) const {
    return DefinedClamp(int64_t{DefinedProduct(sum, multiplier)} + offset, min, max);
  }
};

inline void FindSums(int32_t block, SumsOfBlock* found) {
  uint32_t seed = static_cast<uint32_t>(block) * 40503u + 7;
  const auto random = [&seed] {
    NextRandom(&seed);
    return NextRandom(&seed) >> 4;
  };
  const Multiplier m = MultiplierOfBlock(block);
  found->multiplier = m;
  found->offset = static_cast<int32_t>(random() % 256) - 128;
  found->min = random() % 4 == 0 ? found->offset : -128;
  found->max = random() % 4 == 0 && found->min < 100 ? 100 : 127;
  // A sum that a shift, or then a zero point, moves out of int32 is outside the rule.
  const int32_t most = m.shift < 0 ? INT32_MAX : (INT32_MAX - 256) >> m.shift;
  const int32_t least = m.shift < 0 ? INT32_MIN : -most;
  int32_t* sums = found->sums;
  *sums++ = least + 1;
  *sums++ = most;
  if (least + 1 < 0) *sums++ = 0;
  double reach = 1;
  for (int32_t i = m.shift; i < 31; ++i) reach *= 2;
  const auto defined = [&m](int64_t sum) { return DefinedProduct(static_cast<int32_t>(sum), m); };
  for (int32_t result = found->min + 1; result <= found->max; ++result) {
    // The first sum with this result is about here.
    const double near = (result - found->offset - 0.5) * reach / m.value;
    if (near < least || near > most) continue;
    auto sum = static_cast<int64_t>(near);
    while (sum > least + 1 && defined(sum - 1) >= result - found->offset) --sum;
    while (sum < most && defined(sum) < result - found->offset) ++sum;
    if (sum > least + 1) *sums++ = static_cast<int32_t>(sum);
  }
  // Counts around the lengths of vectors.
  for (uint32_t more = random() % 33; more > 0; --more) {
    const auto any = static_cast<int32_t>(random() << 4);
    const int32_t sum = m.shift > 0 ? any >> m.shift : any;
    *sums++ = sum <= least ? least + 1 : sum > most ? most : sum;
  }
  found->count = static_cast<int32_t>(sums - found->sums);
}

// The data of a block: biases are the sums; all inputs are the zero point, except one, which is one less.
struct LayerMemory {
  static constexpr int32_t kMostPixels = 10;
  static constexpr int32_t kMostWeights = 72;  // Of an output channel.

  SumsOfBlock block;
  Multiplier multipliers[SumsOfBlock::kMost];
  uint8_t input[SumsOfBlock::kMost * 10 * 10];
  int8_t weights[SumsOfBlock::kMost * kMostWeights];
  uint8_t output[SumsOfBlock::kMost * kMostPixels];
  ConvShape shape;
  VariantMemory variant;

  void FillWeights(int32_t count) {
    for (int32_t i = 0; i < count; ++i) weights[i] = static_cast<int8_t>(i * 37 % 251 - 125);
  }
  ConvQuantization Quantization(int32_t zero_point) const {
    return {static_cast<int16_t>(-zero_point), static_cast<int16_t>(block.offset),
            static_cast<int8_t>(block.min), static_cast<int8_t>(block.max)};
  }
  // Compares `pixels` pixels whose sums are the biases, and as many behind them whose sums are one less.
  void Compare(int32_t pixels, Tally* tally) const {
    for (int32_t below = 0; below < 2; ++below) {
      for (int32_t pixel = 0; pixel < pixels; ++pixel) {
        const uint8_t* const row = output + (below * pixels + pixel) * block.count;
        for (int32_t i = 0; i < block.count; ++i) {
          tally->Compare(static_cast<int8_t>(row[i]), block.Result(block.sums[i] - below));
        }
      }
    }
  }
};

// Every code but the lowest, since one code less must exist.
inline int32_t ZeroPointOfBlock(int32_t block) { return block * 11 % 255 - 127; }

struct FullyConnectedProof {
  static constexpr int32_t kBlocks = kMultipliers * kShifts;

  template <typename Fn>
  static void Run(const Variant<Fn>& variant, const Variant<Fn>& reference, int32_t block,
                  LayerMemory& memory, Tally* tally) {
    constexpr int32_t kDepths[] = {4, 7, 16, 33};
    const int32_t depth = kDepths[block % 4];
    const int32_t zero_point = ZeroPointOfBlock(block);
    FindSums(block, &memory.block);
    const int32_t channels = memory.block.count;
    for (Multiplier& multiplier : memory.multipliers) multiplier = memory.block.multiplier;
    memset(memory.input, zero_point, static_cast<size_t>(2 * depth));
    memory.input[depth] = static_cast<uint8_t>(zero_point - 1);
    memory.FillWeights(channels * depth);
    for (int32_t i = 0; i < channels; ++i) memory.weights[i * depth] = 1;
    const FullyConnectedArgs args = {.depth = depth,
                                     .channels = channels,
                                     .quantization = memory.Quantization(zero_point),
                                     .weights = memory.weights,
                                     .bias = memory.block.sums,
                                     .multipliers = memory.multipliers,
                                     .one_multiplier = block / 4 % 2 == 0};
    tally->Begin(block, RunVariant<Fn>(variant, reference,
                                       {.args = args,
                                        .first = 0,
                                        .count = 2,
                                        .input = {memory.input, depth},
                                        .output = {memory.output, channels}},
                                       memory.variant));
    memory.Compare(1, tally);
  }
};

// A convolution of two rows and some columns of outputs, whose windows begin at the corners of the image.
struct ConvolutionOfProof {
  int32_t taps;
  int32_t stride;
  int32_t depth;  // 0: as many as there are sums.
};
inline constexpr ConvolutionOfProof kConvolutionsOfProof[] = {{1, 1, 4}, {1, 1, 16}, {3, 1, 3}, {3, 2, 8}};
inline constexpr ConvolutionOfProof kDepthwiseOfProof[] = {{3, 1, 0}, {3, 2, 0}, {1, 1, 0}, {5, 1, 0}};

template <bool kDepthwise>
struct ConvolutionProof {
  static constexpr int32_t kBlocks = kMultipliers * kShifts;

  template <typename Fn>
  static void Run(const Variant<Fn>& variant, const Variant<Fn>& reference, int32_t block,
                  LayerMemory& memory, Tally* tally) {
    const ConvolutionOfProof c = kDepthwise ? kDepthwiseOfProof[block % 4] : kConvolutionsOfProof[block % 4];
    constexpr int32_t kColumns[] = {1, 2, 5};
    const int32_t columns = kColumns[block / 4 % 3];
    const int32_t zero_point = ZeroPointOfBlock(block);
    FindSums(block, &memory.block);
    const int32_t channels = memory.block.count;
    for (Multiplier& multiplier : memory.multipliers) multiplier = memory.block.multiplier;
    const int32_t depth = kDepthwise ? channels : c.depth;
    memory.shape = {.in_height = c.taps + c.stride,
                    .in_width = c.taps + (columns - 1) * c.stride,
                    .in_channels = depth,
                    .out_height = 2,
                    .out_width = columns,
                    .out_channels = channels,
                    .filter_height = c.taps,
                    .filter_width = c.taps,
                    .filter_channels = kDepthwise ? 1 : depth,
                    .stride_h = c.stride,
                    .stride_w = c.stride,
                    .dilation_h = 1,
                    .dilation_w = 1,
                    .pad_top = 0,
                    .pad_left = 0};
    const ConvShape& shape = memory.shape;
    const int32_t row_bytes = shape.in_width * depth;
    memset(memory.input, zero_point, static_cast<size_t>(shape.in_height * row_bytes));
    // The row that the second row of outputs begins at.
    for (int32_t i = 0; i < row_bytes; i += kDepthwise ? 1 : depth) {
      memory.input[c.stride * row_bytes + i] = static_cast<uint8_t>(zero_point - 1);
    }
    FillFilter(c, channels, memory);
    const KernelArgs<Fn> args = {.shape = &shape,
                                 .first_channel = 0,
                                 .channel_count = channels,
                                 .quantization = memory.Quantization(zero_point),
                                 .filter = memory.weights,
                                 .bias = memory.block.sums,
                                 .multipliers = memory.multipliers};
    tally->Begin(block, RunVariant<Fn>(variant, reference,
                                       {.args = args,
                                        .first = 0,
                                        .count = 2,
                                        .input = {memory.input, row_bytes},
                                        .output = {memory.output, columns * channels}},
                                       memory.variant));
    memory.Compare(columns, tally);
  }

 private:
  // A window's first value is multiplied by 1 and the others by 0, wherever there may be other values than
  // the zero point.
  static void FillFilter(const ConvolutionOfProof& c, int32_t channels, LayerMemory& memory) {
    const int32_t taps = c.taps * c.taps;
    const int32_t depth = kDepthwise ? 1 : c.depth;
    memory.FillWeights(channels * taps * depth);
    for (int32_t channel = 0; channel < channels; ++channel) {
      for (int32_t tap = 0; tap < taps; ++tap) {
        const int32_t row = tap / c.taps;
        if (row != 0 && row != c.stride) continue;
        const int32_t at = kDepthwise ? tap * channels + channel : (channel * taps + tap) * depth;
        memory.weights[at] = tap == 0 ? 1 : 0;
      }
    }
  }
};

}  // namespace lutra::platforms
