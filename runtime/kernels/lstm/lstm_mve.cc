// SPDX-License-Identifier: Apache-2.0
// An LSTM of int8 with vectors of MVE: sixteen products at a time. The number that the zero point adds to
// them is computed from the sum of the same weights.

#include <arm_mve.h>

#include "runtime/kernels/lstm/lstm_codes.h"

namespace lutra {

void LstmInt8Mve(const LstmInt8Args& args) {
  RunLstmOfCodes(args, [](const int8_t* weights, const int8_t* values, int32_t zero_point, int32_t count,
                          int32_t bias, Multiplier multiplier) {
    int32_t products = bias;
    int32_t weight_sum = 0;
    for (int32_t left = count; left > 0; left -= 16, weights += 16, values += 16) {
      const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(left));
      const int8x16_t w = vldrbq_z_s8(weights, lanes);
      products = vmladavaq_s8(products, w, vldrbq_z_s8(values, lanes));
      weight_sum = vaddvaq_s8(weight_sum, w);
    }
    const uint32_t sum = static_cast<uint32_t>(products) -
                         static_cast<uint32_t>(weight_sum) * static_cast<uint32_t>(zero_point);
    return MultiplyByQuantizedMultiplier(static_cast<int32_t>(sum), multiplier);
  });
}

}  // namespace lutra
