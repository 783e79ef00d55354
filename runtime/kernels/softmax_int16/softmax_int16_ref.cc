// SPDX-License-Identifier: Apache-2.0
// Computes the sum of each row's exponentials, then the inverse of the sum times each of them.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/softmax_int16/softmax_int16.h"
#include "runtime/kernels/softmax_int16/softmax_int16_tables.h"
#include "runtime/kernels/wide_sums.h"

namespace lutra {
namespace {

// Returns exp of an element by its `difference` from the largest, in units of 2^-15.
int32_t Exponential(int32_t difference, Multiplier multiplier) {
  const int32_t scaled = MultiplyByQuantizedMultiplier(difference, multiplier);
  return LookUp(kSoftmaxExp, ClampToInt16(WrappingAdd(scaled, INT16_MAX), INT16_MIN, INT16_MAX));
}

}  // namespace

void SoftmaxInt16Ref(const SoftmaxInt16Args& args, const Rows& input, const Rows& output, int32_t first_row,
                     int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* const in = reinterpret_cast<const int16_t*>(input.Row(row));
    auto* const out = reinterpret_cast<int16_t*>(output.Row(row));
    int32_t max = in[0];
    for (int32_t i = 1; i < args.depth; ++i) max = in[i] > max ? in[i] : max;
    int32_t sum = 0;
    for (int32_t i = 0; i < args.depth; ++i) sum += Exponential(in[i] - max, args.multiplier);
    // sum * 2^headroom is a number from 1 to 2 in Q1.30; the table is indexed by its part beyond 1.
    const int32_t headroom = CountLeadingZeros(static_cast<uint32_t>(sum)) - 1;
    const int64_t rounded = ((int64_t{sum} << headroom) + (1 << 13)) >> 14;
    const int32_t above_one = static_cast<int32_t>(rounded) - 3 * (1 << 15);
    const int32_t inverse = LookUp(kSoftmaxInverse, ClampToInt16(above_one, INT16_MIN, INT16_MAX));
    const int32_t shift = 30 - headroom;
    const int64_t half = int64_t{1} << (shift - 1);
    for (int32_t i = 0; i < args.depth; ++i) {
      const int64_t product = int64_t{Exponential(in[i] - max, args.multiplier)} * inverse;
      out[i] = ClampToInt16(static_cast<int32_t>((product + half) >> shift), 0, INT16_MAX);
    }
  }
}

}  // namespace lutra
