// SPDX-License-Identifier: Apache-2.0
// A part of the input row is widened to int16 once and then multiplied with the same part of many rows of
// weights.

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/kernels/conv_sums.h"

namespace lutra {
namespace {

constexpr int32_t kPartLength = 256;
constexpr int32_t kChannelBlock = 32;

void ComputeRow(const FullyConnectedArgs& args, const int8_t* input, int8_t* output) {
  int16_t part[kPartLength];
  uint32_t sums[kChannelBlock];
  Multiplier same[kChannelBlock];
  if (args.one_multiplier) {
    // A layer of few outputs takes less time than 32 copies.
    for (int32_t i = 0; i < kChannelBlock && i < args.channels; ++i) same[i] = *args.multipliers;
  }
  bool widened = false;
  for (int32_t first = 0; first < args.channels; first += kChannelBlock) {
    const int32_t rest = args.channels - first;
    const int32_t channels = rest < kChannelBlock ? rest : kChannelBlock;
    const int8_t* weights = args.weights + static_cast<intptr_t>(first) * args.depth;
    StartSums(args.bias, first, channels, sums);
    for (int32_t begin = 0; begin < args.depth;) {
      const int32_t count = args.depth - begin < kPartLength ? args.depth - begin : kPartLength;
      // If the row is one part, it serves all channels.
      if (!widened) {
        Widen(input + begin, count, args.quantization.input_offset, part);
        widened = args.depth <= kPartLength;
      }
      AddDotProducts(part, count, weights + begin, args.depth, channels, sums);
      begin += count;
    }
    StoreSums(sums, args.one_multiplier ? same : args.multipliers + first, channels, args.quantization,
              output + first);
  }
}

}  // namespace

void FullyConnectedRef(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                       int32_t first_row, int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    ComputeRow(args, reinterpret_cast<const int8_t*>(input.Row(row)),
               reinterpret_cast<int8_t*>(output.Row(row)));
  }
}

}  // namespace lutra
