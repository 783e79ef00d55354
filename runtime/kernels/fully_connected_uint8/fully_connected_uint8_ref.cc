// SPDX-License-Identifier: Apache-2.0
// One dot product after the other.

#include "lutra/kernels/fully_connected_uint8/fully_connected_uint8.h"

namespace lutra {
namespace {

// Rounds to nearest, halves away from zero; clamps values far beyond all codes first.
int32_t RoundToCodes(double value) {
  constexpr double kFar = 1 << 20;
  if (value > kFar) value = kFar;
  if (value < -kFar) value = -kFar;
  const auto whole = static_cast<int32_t>(value);
  const double rest = value - whole;  // Exact.
  return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole;
}

}  // namespace

void FullyConnectedUint8Ref(const FullyConnectedUint8Args& args, const Rows& input, const Rows& output,
                            int32_t first_row, int32_t row_count) {
  const Uint8Quantization& q = args.quantization;
  const int32_t a = q.input_offset;
  const int32_t b = q.filter_offset;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const uint8_t* const values = input.Row(row);
    uint8_t* const out = output.Row(row);
    for (int32_t o = 0; o < args.channels; ++o) {
      const uint8_t* const weights = args.weights + static_cast<intptr_t>(o) * args.depth;
      uint32_t sum = args.bias != nullptr ? static_cast<uint32_t>(args.bias[o]) : 0;
      for (int32_t d = 0; d < args.depth; ++d) {
        sum += static_cast<uint32_t>((values[d] + a) * (weights[d] + b));
      }
      const int32_t code = RoundToCodes(static_cast<int32_t>(sum) * args.factor) + q.output_offset;
      out[o] = code < q.activation_min   ? q.activation_min
               : code > q.activation_max ? q.activation_max
                                         : static_cast<uint8_t>(code);
    }
  }
}

}  // namespace lutra
