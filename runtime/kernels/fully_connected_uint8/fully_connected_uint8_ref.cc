// SPDX-License-Identifier: Apache-2.0
// As fully_connected_ref.cc: a part of the input row is widened once for many weight rows.

#include "lutra/kernels/fully_connected_uint8/fully_connected_uint8.h"
#include "runtime/kernels/conv_sums.h"

namespace lutra {
namespace {

constexpr int32_t kPartLength = 256;
constexpr int32_t kChannelBlock = 32;

// To nearest, halves away from zero. What is far beyond every code ends where it began to be.
int32_t RoundToCodes(double value) {
  constexpr double kFar = 1 << 20;
  if (value > kFar) value = kFar;
  if (value < -kFar) value = -kFar;
  const auto whole = static_cast<int32_t>(value);
  const double rest = value - whole;  // Exact.
  return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole;
}

void MakeRow(const FullyConnectedUint8Args& args, const uint8_t* values, uint8_t* output) {
  const Uint8Quantization& q = args.quantization;
  int16_t part[kPartLength];
  uint32_t sums[kChannelBlock];
  for (int32_t first = 0; first < args.channels; first += kChannelBlock) {
    const int32_t rest = args.channels - first;
    const int32_t channels = rest < kChannelBlock ? rest : kChannelBlock;
    const uint8_t* const weights = args.weights + static_cast<intptr_t>(first) * args.depth;
    StartSums(args.bias, first, channels, sums);
    for (int32_t begin = 0; begin < args.depth; begin += kPartLength) {
      const int32_t count = args.depth - begin < kPartLength ? args.depth - begin : kPartLength;
      Widen(values + begin, count, q.input_offset, part);
      AddDotProducts(part, count, weights + begin, args.depth, channels, OffsetWeights{q.filter_offset},
                     sums);
    }
    for (int32_t i = 0; i < channels; ++i) {
      const int32_t code = RoundToCodes(static_cast<int32_t>(sums[i]) * args.factor) + q.output_offset;
      output[first + i] = code < q.activation_min   ? q.activation_min
                          : code > q.activation_max ? q.activation_max
                                                    : static_cast<uint8_t>(code);
    }
  }
}

}  // namespace

void FullyConnectedUint8Ref(const FullyConnectedUint8Args& args, const Rows& input, const Rows& output,
                            int32_t first_row, int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    MakeRow(args, input.Row(row), output.Row(row));
  }
}

}  // namespace lutra
