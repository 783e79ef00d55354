// SPDX-License-Identifier: Apache-2.0
// The input row is expanded to int16 once, and multiplied with two rows of weights at a time, or with four
// rows of packed ones.

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/fixed_point/high_word.h"
#include "runtime/kernels/conv_sums.h"
#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/row_products_armdsp.h"
#include "runtime/kernels/scratch_armdsp.h"

namespace lutra {
namespace {

constexpr int32_t kChannelBlock = 32;

// A part of the input row, which is expanded, from a word on; `first`: the first of the channels.
struct Part {
  int32_t first;
  int32_t begin;
  int32_t words;
};

// From row to row of weights. A layer of one channel is made as two that have one row.
int32_t RowStep(const FullyConnectedArgs& args) { return args.channels > 1 ? args.depth : 0; }

// Adds its products with `channels` rows of weights, two or more.
void AddWords(const FullyConnectedArgs& args, const Part& part, int32_t channels, uint32_t* sums) {
  AddRowProducts({.values = static_cast<const uint32_t*>(args.scratch),
                  .words = part.words,
                  .weights = args.weights + static_cast<intptr_t>(part.first) * args.depth + 4 * part.begin,
                  .depth = RowStep(args)},
                 channels, sums);
}

// The same of packed weights, four rows or more, of whole words.
void AddWords(const FullyConnectedPackedArgs& args, const Part& part, int32_t channels, uint32_t* sums) {
  constexpr int32_t kBlockWords = 8;
  const int32_t row_bytes = args.depth / 2;
  const auto* const values = static_cast<const uint32_t*>(args.scratch);
  const uint8_t* const stream =
      args.packed.stream + static_cast<intptr_t>(part.first) * row_bytes + 2 * part.begin;
  PackedRowsJob job = {.values = values,
                       .blocks_end = values + part.words / kBlockWords * kBlockWords * 2,
                       .values_end = values + part.words * 2,
                       .row_bytes = row_bytes,
                       .step = 4 * row_bytes - 2 * part.words,
                       .sums = sums,
                       .fours = channels / 4,
                       .stream = stream,
                       .pairs = args.packed.pairs};
  LutraPackedRowsArmdsp(&job);
  const int32_t rest = channels % 4;
  if (rest == 0) return;
  // The last four, of which the first have their products already.
  uint32_t last[4] = {};
  job.sums = last;
  job.fours = 1;
  job.stream = stream + static_cast<intptr_t>(channels - 4) * row_bytes;
  LutraPackedRowsArmdsp(&job);
  for (int32_t i = 0; i < rest; ++i) sums[channels - rest + i] += last[4 - rest + i];
}

// The values behind the last whole word.
void AddRest(const FullyConnectedArgs& args, const int8_t* input, int32_t first, int32_t channels,
             uint32_t* sums) {
  if (args.depth % 4 == 0) return;
  AddRowRest(input, args.quantization.input_offset,
             {.values = nullptr,
              .words = 0,
              .weights = args.weights + static_cast<intptr_t>(first) * args.depth,
              .depth = args.depth},
             channels, sums);
}

// By the rule, or channel by channel.
LUTRA_OFTEN void StoreCodesOfChannels(const FullyConnectedArgs& args, const uint32_t* sums, int32_t first,
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

// Variants of packed weights and of plain ones.
constexpr int32_t LeastChannels(const FullyConnectedPackedArgs*) { return 4; }
constexpr int32_t LeastChannels(const FullyConnectedArgs*) { return 2; }
void ExpandPart(const FullyConnectedPackedArgs& args, const int8_t* from, int32_t words, uint32_t offset) {
  LutraExpandPairsArmdsp(from, static_cast<uint32_t*>(args.scratch), words, offset);
}
void ExpandPart(const FullyConnectedArgs& args, const int8_t* from, int32_t words, uint32_t offset) {
  LutraExpandRowArmdsp(from, static_cast<uint32_t*>(args.scratch), words, offset);
}

void StartSumsOf(const FullyConnectedArgs& args, int32_t first, int32_t count, uint32_t* sums) {
  StartSums(args.bias, first, count, sums);
}
LUTRA_OFTEN void StartSumsOf(const FullyConnectedPackedArgs& args, int32_t first, int32_t count,
                             uint32_t* sums) {
  const PackedBiases biases = args.biases;
  if (biases.stream == nullptr) return StartSums(args.bias, first, count, sums);
  int32_t i = 0;
  for (; first % 2 == 0 && i + 2 <= count; i += 2) {
    const uint32_t byte = biases.stream[(first + i) / 2];
    sums[i] = static_cast<uint32_t>(PackedBias(biases, byte >> 4));
    sums[i + 1] = static_cast<uint32_t>(PackedBias(biases, byte & 15));
  }
  for (; i < count; ++i) {
    const uint32_t byte = biases.stream[(first + i) / 2];
    sums[i] = static_cast<uint32_t>(PackedBias(biases, (first + i) % 2 == 0 ? byte >> 4 : byte & 15));
  }
}

template <typename Args>
void ComputeRow(const Args& args, const int8_t* input, int8_t* output) {
  constexpr int32_t kLeastChannels = LeastChannels(static_cast<const Args*>(nullptr));
  const uint32_t offset = static_cast<uint32_t>(args.quantization.input_offset & 0xFFFF) * 0x10001u;
  const int32_t all_words = args.depth / 4;
  const int32_t part_words = args.scratch_bytes / 8 < all_words ? args.scratch_bytes / 8 : all_words;
  uint32_t sums[kChannelBlock];
  sums[1] = 0;  // Of one channel there is a second row, which is not stored.
  bool expanded = false;
  for (int32_t first = 0; first < args.channels; first += kChannelBlock) {
    int32_t channels = args.channels - first;
    if (channels > kChannelBlock) channels = kChannelBlock;
    if (channels < kLeastChannels && args.channels >= kLeastChannels) {
      first = args.channels - kLeastChannels;
      channels = kLeastChannels;
    }
    StartSumsOf(args, first, channels, sums);
    const int32_t rows = channels < kLeastChannels ? kLeastChannels : channels;
    for (int32_t begin = 0; begin < all_words; begin += part_words) {
      const int32_t words = all_words - begin < part_words ? all_words - begin : part_words;
      // A row of a single part serves all channels.
      if (!expanded) ExpandPart(args, input + 4 * begin, words, offset);
      expanded = part_words == all_words;
      AddWords(args, {first, begin, words}, rows, sums);
    }
    AddRest(args, input, first, channels, sums);
    StoreCodes(args, sums, first, channels, output);
  }
}

}  // namespace

LUTRA_RARE void FullyConnectedArmdsp(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                                     int32_t first_row, int32_t row_count) {
  if (args.scratch == nullptr || args.scratch_bytes < 8 || args.depth < 4) {
    return FullyConnectedRef(args, input, output, first_row, row_count);
  }
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    ComputeRow(args, reinterpret_cast<const int8_t*>(input.Row(row)),
               reinterpret_cast<int8_t*>(output.Row(row)));
  }
}

LUTRA_RARE void FullyConnectedPackedArmdsp(const FullyConnectedPackedArgs& args, const Rows& input,
                                           const Rows& output, int32_t first_row, int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    ComputeRow(args, reinterpret_cast<const int8_t*>(input.Row(row)),
               reinterpret_cast<int8_t*>(output.Row(row)));
  }
}

LUTRA_OFTEN void FullyConnectedPairsArmdsp(const uint8_t* values, uint32_t* pairs) {
  FillPairs(values, 0, pairs);
}

LUTRA_RARE ScratchBytes FullyConnectedScratchArmdsp(const FullyConnectedArgs& args, int32_t) {
  return ArmdspRowScratch(args.depth);
}

}  // namespace lutra
