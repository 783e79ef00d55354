// SPDX-License-Identifier: Apache-2.0
// Computes the steps of channels for which the usual ones do not suffice.

#include "runtime/fixed_point/scaled_sum.h"

namespace lutra {

__attribute__((cold, noinline)) int32_t ClampedCode(const ScaledSumLayer& layer, Multiplier m, int32_t x) {
  const int32_t code = WrappingAdd(MultiplyByQuantizedMultiplier(x, m), layer.zero_point);
  return ClampToInt8(code, layer.min, layer.max);
}

__attribute__((cold, noinline)) bool ComputeRareScaledSumStep(const ScaledSumLayer& layer, Multiplier m,
                                                              int32_t bias, int32_t reach,
                                                              ScaledSumStep* step) {
  const int64_t least = int64_t{bias} - reach;
  const int64_t most = int64_t{bias} + reach;
  const int64_t magnitude = most > -least ? most : -least;
  if (m.shift < -16 && m.shift >= -24 && magnitude < 1 << 23) {
    const int32_t shift = 7 - m.shift;
    const int64_t addend = (int64_t{layer.zero_point} << shift) + (1 << (shift - 1)) + kScaledSumNudge;
    // The high word is at most 128 * |x| in magnitude.
    const int64_t room = INT32_MAX - 128 - magnitude * 128;
    if (addend <= room && addend >= -room) {
      *step = {m.value, static_cast<int32_t>(addend), shift};
      return true;
    }
  }
  // All sums of the channel have one code. In the middle between two steps the sign changes nothing.
  const int32_t left = m.shift > 0 ? m.shift : 0;
  if (left > 7 || least < (INT32_MIN >> left) || most > (INT32_MAX >> left)) return false;
  const int32_t code = ClampedCode(layer, m, static_cast<int32_t>(least));
  if (code != ClampedCode(layer, m, static_cast<int32_t>(most))) return false;
  *step = {0, code * (1 << 15) + (1 << 14), 15};
  return true;
}

}  // namespace lutra
