// SPDX-License-Identifier: Apache-2.0
// The input row is expanded to int16 once, and multiplied with two rows of weights at a time.

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/fixed_point/high_word.h"
#include "runtime/kernels/conv_sums.h"
#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/scratch_armdsp.h"

namespace lutra {
namespace {

constexpr int32_t kChannelBlock = 32;

// Adds the products of a part of the input row, which is expanded, with `channels` rows of weights, two or
// more.
void AddWords(const FullyConnectedArgs& args, const int8_t* weights, int32_t words, int32_t channels,
              uint32_t* sums) {
  // A block is an unrolled loop's.
  constexpr int32_t kBlockWords = 8;
  const bool is_aligned = args.depth % 4 == 0 && reinterpret_cast<uintptr_t>(weights) % 4 == 0;
  const auto* const values = static_cast<const uint32_t*>(args.scratch);
  PairsOfRowsJob job = {.values = values,
                        .blocks_end = values + (is_aligned ? words / kBlockWords * kBlockWords * 2 : 0),
                        .eights_end = values + words / 2 * 4,
                        .values_end = values + words * 2,
                        .depth = args.depth,
                        .step = args.depth - 4 * words,
                        .sums = sums,
                        .pairs = channels / 2,
                        .weights = weights};
  LutraPairsOfRowsArmdsp(&job);
  if (channels % 2 == 0) return;
  // The last two, the first of which has its products already.
  uint32_t last[2] = {};
  job.sums = last;
  job.pairs = 1;
  job.weights = weights + static_cast<intptr_t>(channels - 2) * args.depth;
  LutraPairsOfRowsArmdsp(&job);
  sums[channels - 1] += last[1];
}

// The values behind the last whole word.
LUTRA_RARE void AddRest(const FullyConnectedArgs& args, const int8_t* input, int32_t first, int32_t channels,
                        uint32_t* sums) {
  for (int32_t i = args.depth / 4 * 4; i < args.depth; ++i) {
    const int32_t value = input[i] + args.quantization.input_offset;
    const int8_t* weight = args.weights + static_cast<intptr_t>(first) * args.depth + i;
    for (int32_t c = 0; c < channels; ++c, weight += args.depth)
      sums[c] += static_cast<uint32_t>(value * *weight);
  }
}

// By the rule, or channel by channel.
LUTRA_RARE void StoreCodesOfChannels(const FullyConnectedArgs& args, const uint32_t* sums, int32_t first,
                                     int32_t channels, int8_t* output) {
  const ConvQuantization& q = args.quantization;
  for (int32_t i = 0; i < channels; ++i) {
    const Multiplier& m = args.multipliers[args.one_multiplier ? 0 : first + i];
    const auto sum = static_cast<int32_t>(sums[i]);
    HighWordStep step;
    const int32_t code = ComputeHighWordStep(m, q.output_offset, &step)
                             ? Requantise(sum, step)
                             : WrappingAdd(MultiplyByQuantizedMultiplier(sum, m), q.output_offset);
    output[first + i] = static_cast<int8_t>(ClampToInt8(code, q.activation_min, q.activation_max));
  }
}

LUTRA_OFTEN void StoreCodes(const FullyConnectedArgs& args, const uint32_t* sums, int32_t first,
                            int32_t channels, int8_t* output) {
  const ConvQuantization& q = args.quantization;
  HighWordStep step;
  if (!args.one_multiplier || !ComputeHighWordStep(*args.multipliers, q.output_offset, &step)) {
    return StoreCodesOfChannels(args, sums, first, channels, output);
  }
  const int32_t min = q.activation_min;
  const int32_t max = q.activation_max;
  output += first;
  for (const uint32_t* const end = sums + channels; sums != end; ++sums) {
    *output++ = static_cast<int8_t>(ClampToInt8(Requantise(static_cast<int32_t>(*sums), step), min, max));
  }
}

void ComputeRow(const FullyConnectedArgs& args, const int8_t* input, int8_t* output) {
  const uint32_t offset = static_cast<uint32_t>(args.quantization.input_offset & 0xFFFF) * 0x10001u;
  const int32_t all_words = args.depth / 4;
  const int32_t part_words = args.scratch_bytes / 8 < all_words ? args.scratch_bytes / 8 : all_words;
  uint32_t sums[kChannelBlock];
  bool expanded = false;
  for (int32_t first = 0; first < args.channels; first += kChannelBlock) {
    int32_t channels = args.channels - first;
    if (channels > kChannelBlock) channels = kChannelBlock;
    if (channels < 2) {
      first = args.channels - 2;
      channels = 2;
    }
    StartSums(args.bias, first, channels, sums);
    for (int32_t begin = 0; begin < all_words; begin += part_words) {
      const int32_t words = all_words - begin < part_words ? all_words - begin : part_words;
      // A row of a single part serves all channels.
      if (!expanded)
        LutraExpandRowArmdsp(input + 4 * begin, static_cast<uint32_t*>(args.scratch), words, offset);
      expanded = part_words == all_words;
      AddWords(args, args.weights + static_cast<intptr_t>(first) * args.depth + 4 * begin, words, channels,
               sums);
    }
    AddRest(args, input, first, channels, sums);
    StoreCodes(args, sums, first, channels, output);
  }
}

}  // namespace

LUTRA_RARE void FullyConnectedArmdsp(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                                     int32_t first_row, int32_t row_count) {
  if (args.scratch == nullptr || args.scratch_bytes < 8 || args.depth < 4 || args.channels < 2) {
    return FullyConnectedRef(args, input, output, first_row, row_count);
  }
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    ComputeRow(args, reinterpret_cast<const int8_t*>(input.Row(row)),
               reinterpret_cast<int8_t*>(output.Row(row)));
  }
}

LUTRA_RARE ScratchBytes FullyConnectedScratchArmdsp(const FullyConnectedArgs& args) {
  return ArmdspRowScratch(args.depth);
}

}  // namespace lutra
