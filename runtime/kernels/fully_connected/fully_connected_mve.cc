// SPDX-License-Identifier: Apache-2.0
// The input row is multiplied with three rows of weights at a time, and what its zero point adds is made of
// the sums of the same weights: 10 instructions for 48 products.

#include <arm_mve.h>

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "runtime/kernels/codes_mve.h"

namespace lutra {
namespace {

constexpr int32_t kRows = 3;
// Whole groups of three rows, and of eight codes.
constexpr int32_t kBlockChannels = 24;

// Sums of a row with a row of weights.
struct RowSums {
  int32_t products = 0;
  int32_t weights = 0;

  [[gnu::always_inline]] void Add(int8x16_t x, int8x16_t w) {
    products = vmladavaq_s8(products, x, w);
    weights = vaddvaq_s8(weights, w);
  }
};

// The sums of output channels [first, first + channels), of which three are made at a time, the last ones
// again where none is left.
[[gnu::noinline]] void ComputeSums(const FullyConnectedArgs& args, const int8_t* input, int32_t first,
                                   int32_t channels, int32_t* sums) {
  const int32_t depth = args.depth;
  const mve_pred16_t last = vctp8q(static_cast<uint32_t>(depth % 16));
  const auto offset = static_cast<uint32_t>(static_cast<int32_t>(args.quantization.input_offset));
  for (int32_t i = 0; i < channels; i += kRows) {
    const int8_t* rows[kRows];
    for (int32_t k = 0; k < kRows; ++k) {
      const int32_t channel = i + k < channels ? i + k : channels - 1;
      rows[k] = args.weights + static_cast<intptr_t>(first + channel) * depth;
    }
    const int8_t* x = input;
    const int8_t* u = rows[0];
    const int8_t* v = rows[1];
    const int8_t* w = rows[2];
    RowSums a;
    RowSums b;
    RowSums c;
    for (int32_t left = depth / 16; left > 0; --left, x += 16, u += 16, v += 16, w += 16) {
      const int8x16_t values = vldrbq_s8(x);
      a.Add(values, vldrbq_s8(u));
      b.Add(values, vldrbq_s8(v));
      c.Add(values, vldrbq_s8(w));
    }
    if (depth % 16 != 0) {
      const int8x16_t values = vldrbq_z_s8(x, last);
      a.Add(values, vldrbq_z_s8(u, last));
      b.Add(values, vldrbq_z_s8(v, last));
      c.Add(values, vldrbq_z_s8(w, last));
    }
    const RowSums made[kRows] = {a, b, c};
    for (int32_t k = 0; k < kRows && i + k < channels; ++k) {
      const int32_t channel = i + k;
      const uint32_t bias = args.bias != nullptr ? static_cast<uint32_t>(args.bias[first + channel]) : 0;
      sums[PlaceOf(channel)] = static_cast<int32_t>(bias + static_cast<uint32_t>(made[k].products) +
                                                    static_cast<uint32_t>(made[k].weights) * offset);
    }
  }
}

}  // namespace

void FullyConnectedMve(const FullyConnectedArgs& args, const Rows& input, const Rows& output,
                       int32_t first_row, int32_t row_count) {
  const int32_t zeros[kBlockChannels] = {};
  Multiplier same[kBlockChannels];
  if (args.one_multiplier) {
    for (Multiplier& multiplier : same) multiplier = *args.multipliers;
  }
  const CodeSteps steps =
      CodeStepsOf(args.quantization, args.multipliers, args.one_multiplier ? 1 : args.channels);
  int32_t sums[kBlockChannels] = {};
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* const values = reinterpret_cast<const int8_t*>(input.Row(row));
    auto* const codes = reinterpret_cast<int8_t*>(output.Row(row));
    for (int32_t first = 0; first < args.channels; first += kBlockChannels) {
      const int32_t left = args.channels - first;
      const int32_t channels = left < kBlockChannels ? left : kBlockChannels;
      ComputeSums(args, values, first, channels, sums);
      StoreCodes(steps, {.sums = sums,
                         .pitch = 8,
                         .pixels = 1,
                         .first_sums = zeros,
                         .multipliers = args.one_multiplier ? same : args.multipliers + first,
                         .channels = channels,
                         .zero_point = args.quantization.output_offset,
                         .output = codes + first,
                         .step = 0});
    }
    ClampCodes(args.quantization, args.channels, codes);
  }
}

}  // namespace lutra
