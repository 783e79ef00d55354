// SPDX-License-Identifier: Apache-2.0
// One dot product after the other.

#include "lutra/kernels/fully_connected_int16/fully_connected_int16.h"
#include "runtime/kernels/wide_sums.h"

namespace lutra {

void FullyConnectedInt16Ref(const FullyConnectedInt16Args& args, const Rows& input, const Rows& output,
                            int32_t first_row, int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* const values = reinterpret_cast<const int16_t*>(input.Row(row));
    auto* const out = reinterpret_cast<int16_t*>(output.Row(row));
    for (int32_t o = 0; o < args.channels; ++o) {
      const int8_t* const weights = args.weights + static_cast<intptr_t>(o) * args.depth;
      // A hostile model may have any biases: sums wrap.
      const auto sum = static_cast<uint64_t>(BiasOf(args.bias, o)) +
                       static_cast<uint64_t>(WideDotProduct(values, weights, args.depth, args.input_offset));
      const Multiplier multiplier = args.multipliers[args.one_multiplier ? 0 : o];
      const int32_t scaled = ScaledSum(static_cast<int64_t>(sum), multiplier, args.wide);
      out[o] =
          ClampToInt16(WrappingAdd(scaled, args.output_offset), args.activation_min, args.activation_max);
    }
  }
}

}  // namespace lutra
