// SPDX-License-Identifier: Apache-2.0
// The input row is expanded to int16 once, and multiplied with four rows of weights at a time.

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/kernels/conv_sums.h"
#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/scratch_armdsp.h"

namespace lutra {
namespace {

constexpr int32_t kRowsAtOnce = 4;
constexpr int32_t kChannelBlock = 32;

// Adds the products of a part of the input row, which is expanded, with `channels` rows of weights, four or
// more.
void AddWords(const FullyConnectedArgs& args, const int8_t* weights, int32_t words, int32_t channels,
              uint32_t* sums) {
  const auto* const values = static_cast<const uint32_t*>(args.scratch);
  int32_t c = 0;
  for (; c + kRowsAtOnce <= channels;
       c += kRowsAtOnce, weights += kRowsAtOnce * static_cast<intptr_t>(args.depth)) {
    LutraFourRowsArmdsp(values, words, weights, args.depth, reinterpret_cast<int32_t*>(sums + c));
  }
  if (c == channels) return;
  // The last four, of which some have their products already.
  const int32_t first = channels - kRowsAtOnce;
  int32_t last[kRowsAtOnce] = {};
  weights -= static_cast<intptr_t>(c - first) * args.depth;
  LutraFourRowsArmdsp(values, words, weights, args.depth, last);
  for (; c < channels; ++c) sums[c] += static_cast<uint32_t>(last[c - first]);
}

// The values behind the last whole word.
void AddRest(const FullyConnectedArgs& args, const int8_t* input, int32_t first, int32_t channels,
             uint32_t* sums) {
  for (int32_t i = args.depth / 4 * 4; i < args.depth; ++i) {
    const int32_t value = input[i] + args.quantization.input_offset;
    const int8_t* weight = args.weights + static_cast<intptr_t>(first) * args.depth + i;
    for (int32_t c = 0; c < channels; ++c, weight += args.depth)
      sums[c] += static_cast<uint32_t>(value * *weight);
  }
}

void ComputeRow(const FullyConnectedArgs& args, const int8_t* input, int8_t* output) {
  const uint32_t offset = static_cast<uint32_t>(args.quantization.input_offset & 0xFFFF) * 0x10001u;
  const int32_t all_words = args.depth / 4;
  const int32_t part_words = args.scratch_bytes / 8 < all_words ? args.scratch_bytes / 8 : all_words;
  uint32_t sums[kChannelBlock];
  Multiplier same[kChannelBlock];
  if (args.one_multiplier) {
    for (int32_t i = 0; i < kChannelBlock && i < args.channels; ++i) same[i] = *args.multipliers;
  }
  bool expanded = false;
  for (int32_t first = 0; first < args.channels; first += kChannelBlock) {
    int32_t channels = args.channels - first;
    if (channels > kChannelBlock) channels = kChannelBlock;
    if (channels < kRowsAtOnce) {
      first = args.channels - kRowsAtOnce;
      channels = kRowsAtOnce;
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
    StoreSums(sums, args.one_multiplier ? same : args.multipliers + first, channels, args.quantization,
              output + first);
  }
}

}  // namespace

void FullyConnectedArmdsp(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                          int32_t first_row, int32_t row_count) {
  if (args.scratch == nullptr || args.scratch_bytes < 8 || args.depth < 4 || args.channels < kRowsAtOnce) {
    return FullyConnectedRef(args, input, output, first_row, row_count);
  }
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    ComputeRow(args, reinterpret_cast<const int8_t*>(input.Row(row)),
               reinterpret_cast<int8_t*>(output.Row(row)));
  }
}

ScratchBytes FullyConnectedScratchArmdsp(const FullyConnectedArgs& args) {
  return ArmdspRowScratch(args.depth);
}

}  // namespace lutra
