// SPDX-License-Identifier: Apache-2.0
// int8: sums of 32 bits.

#include "runtime/kernels/lstm/lstm_codes.h"

namespace lutra {

void LstmInt8Ref(const LstmInt8Args& args) {
  RunLstmOfCodes(args, [](const int8_t* weights, const int8_t* values, int32_t zero_point, int32_t count,
                          int32_t bias, Multiplier multiplier) {
    auto sum = static_cast<uint32_t>(bias);
    for (int32_t i = 0; i < count; ++i) sum += static_cast<uint32_t>(weights[i] * (values[i] - zero_point));
    return MultiplyByQuantizedMultiplier(static_cast<int32_t>(sum), multiplier);
  });
}

}  // namespace lutra
