// SPDX-License-Identifier: Apache-2.0
// int16: sums of 64 bits.

#include "runtime/kernels/lstm/lstm_codes.h"
#include "runtime/kernels/wide_sums.h"

namespace lutra {

void LstmInt16Ref(const LstmInt16Args& args) {
  RunLstmOfCodes(args, [](const int8_t* weights, const int16_t* values, int32_t zero_point, int32_t count,
                          int64_t bias, Multiplier multiplier) {
    // A hostile model may have any biases: sums wrap.
    const auto sum = static_cast<uint64_t>(bias) +
                     static_cast<uint64_t>(WideDotProduct(values, weights, count, -zero_point));
    return MultiplyWideAccumulator(static_cast<int64_t>(sum), multiplier);
  });
}

}  // namespace lutra
