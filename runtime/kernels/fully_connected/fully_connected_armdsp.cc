// SPDX-License-Identifier: Apache-2.0
// The input row is expanded to int16 once, and multiplied with two rows of weights at a time, or with four
// rows of packed ones.

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/fixed_point/high_word.h"
#include "runtime/kernels/conv_sums.h"
#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/row_products_armdsp.h"
#include "runtime/kernels/scratch_armdsp.h"
#include "runtime/kernels/words_armdsp.h"

namespace lutra {
namespace {

constexpr int32_t kChannelBlock = 32;

// A part of the input row, `words` words from word `begin` on, and its values; `first`: the first channel.
struct Part {
  uint32_t* values;
  int32_t first;
  int32_t begin;
  int32_t words;
};

// Adds the part's products with the weights of `channels` channels, two or more.
void AddWords(const FullyConnectedArgs& args, const Part& part, int32_t channels, uint32_t* sums) {
  AddRowProducts({.values = part.values,
                  .words = part.words,
                  .weights = args.weights + static_cast<intptr_t>(part.first) * args.depth + 4 * part.begin,
                  .depth = args.depth},
                 channels, sums);
}

// Adds the part's products with packed weights: four channels or more, with rows of whole words.
void AddWords(const FullyConnectedPackedArgs& args, const Part& part, int32_t channels, uint32_t* sums) {
  constexpr int32_t kBlockWords = 8;
  const int32_t row_bytes = args.depth / 2;
  const uint32_t* const values = part.values;
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
  // The last four channels; the first of these may have their products already.
  uint32_t last[4] = {};
  job.sums = last;
  job.fours = 1;
  job.stream = stream + static_cast<intptr_t>(channels - 4) * row_bytes;
  LutraPackedRowsArmdsp(&job);
  for (int32_t i = 0; i < rest; ++i) sums[channels - rest + i] += last[4 - rest + i];
}

// Adds the products of the values behind the last whole word.
void AddRest(const FullyConnectedArgs& args, const int8_t* input, int32_t first, int32_t channels,
             uint32_t* sums) {
  if (args.depth % 4 == 0) return;
  const int32_t begin = args.depth / 4 * 4;
  AddRowRest(input + begin, args.depth - begin, args.quantization.input_offset,
             {.values = nullptr,
              .words = 0,
              .weights = args.weights + static_cast<intptr_t>(first) * args.depth + begin,
              .depth = args.depth},
             channels, sums);
}

LUTRA_OFTEN void StoreCodes(const FullyConnectedArgs& args, const uint32_t* sums, int32_t first,
                            int32_t channels, int8_t* output) {
  const ConvQuantization& q = args.quantization;
  HighWordStep step;
  if (!args.one_multiplier || !ComputeHighWordStep(*args.multipliers, q.output_offset, &step)) {
    if (!args.one_multiplier) return StoreSums(sums, args.multipliers + first, channels, q, output + first);
    for (int32_t i = 0; i < channels; ++i) StoreSums(sums + i, args.multipliers, 1, q, output + first + i);
    return;
  }
  const int32_t min = q.activation_min;
  const int32_t max = q.activation_max;
  output += first;
  for (const uint32_t* const end = sums + channels; sums != end; ++sums) {
    *output++ = static_cast<int8_t>(ClampToInt8(Requantise(static_cast<int32_t>(*sums), step), min, max));
  }
}

// Channels that are computed together; a layer has at least as many.
constexpr int32_t LeastChannels(const FullyConnectedPackedArgs*) { return 4; }
constexpr int32_t LeastChannels(const FullyConnectedArgs*) { return 2; }
void ExpandPart(const FullyConnectedPackedArgs&, const int8_t* from, const Part& part, uint32_t offset) {
  LutraExpandPairsArmdsp(from, part.values, part.words, offset);
}
void ExpandPart(const FullyConnectedArgs&, const int8_t* from, const Part& part, uint32_t offset) {
  LutraExpandRowArmdsp(from, part.values, part.words, offset);
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
  const RowMemory memory(args.scratch, args.scratch_bytes);
  const int32_t all_words = args.depth / 4;
  const int32_t part_words = memory.words < all_words ? memory.words : all_words;
  uint32_t sums[kChannelBlock];
  bool expanded = false;
  for (int32_t first = 0; first < args.channels; first += kChannelBlock) {
    int32_t channels = args.channels - first;
    if (channels > kChannelBlock) channels = kChannelBlock;
    if (channels < kLeastChannels) {
      first = args.channels - kLeastChannels;
      channels = kLeastChannels;
    }
    StartSumsOf(args, first, channels, sums);
    for (int32_t begin = 0; begin < all_words; begin += part_words) {
      const int32_t words = all_words - begin < part_words ? all_words - begin : part_words;
      const Part part = {memory.values, first, begin, words};
      // If the row is one part, it serves all channels.
      if (!expanded) ExpandPart(args, input + 4 * begin, part, offset);
      expanded = part_words == all_words;
      AddWords(args, part, channels, sums);
    }
    AddRest(args, input, first, channels, sums);
    StoreCodes(args, sums, first, channels, output);
  }
}

// A layer of one channel: the row is not expanded, as it would be read only once.
LUTRA_OFTEN void ComputeSingle(const FullyConnectedArgs& args, const int8_t* input, int8_t* output) {
  const uint32_t offset = static_cast<uint32_t>(args.quantization.input_offset & 0xFFFF) * 0x10001u;
  uint32_t sum = args.bias != nullptr ? static_cast<uint32_t>(*args.bias) : 0;
  const int8_t* weights = args.weights;
  const int8_t* const end = weights + args.depth / 4 * 4;
  for (const int8_t* values = input; weights != end; values += 4, weights += 4) {
    sum = AddFourProducts(LoadWord(values), offset, LoadWord(weights), sum);
  }
  uint32_t sums[1] = {sum};
  AddRest(args, input, 0, 1, sums);
  StoreCodes(args, sums, 0, 1, output);
}

}  // namespace

LUTRA_RARE void FullyConnectedArmdsp(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                                     int32_t first_row, int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* const in = reinterpret_cast<const int8_t*>(input.Row(row));
    auto* const out = reinterpret_cast<int8_t*>(output.Row(row));
    args.channels == 1 ? ComputeSingle(args, in, out) : ComputeRow(args, in, out);
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
