// SPDX-License-Identifier: Apache-2.0

#include "runtime/fixed_point/fixed_point.h"
#include "runtime/fixed_point/reciprocal.h"
#include "runtime/kernels/binary/binary.h"

namespace lutra {
namespace {

// Bits of headroom in front of the input's multiplier.
constexpr int kSumShift = 20;
constexpr int kSquareShift = 7;

int32_t Scaled(int32_t x, int shift, Multiplier multiplier) {
  return MultiplyByQuantizedMultiplier(x << shift, multiplier);
}

// x_a / x_b in fixed point: a reciprocal of the divisor, the dividend shifted up as far as it goes.
int32_t Quotient(int32_t a, int32_t b, Multiplier multiplier) {
  if (b < 0) {
    a = -a;
    b = -b;
  }
  const Reciprocal inverse = GetReciprocal(b, 31);
  const int32_t headroom = CountLeadingSignBits(a);
  const int32_t quotient =
      SaturatingRoundingDoublingHighMul(WrappingShiftLeft(a, headroom), inverse.value);
  return MultiplyByQuantizedMultiplier(
      quotient, {multiplier.value, multiplier.shift - inverse.bits - headroom});
}

template <typename Function>
void ForEach(const BinaryArgs<int8_t>& args, int32_t first, int32_t count, Function function) {
  const BinaryQuantization& q = *args.quantization;
  for (int32_t i = first; i < first + count; ++i) {
    const int32_t a = args.a[i * args.a_step] - q.a_zero_point;
    const int32_t b = args.b[i * args.b_step] - q.b_zero_point;
    const int32_t code = WrappingAdd(function(q, a, b), q.out_zero_point);
    args.output[i] = static_cast<int8_t>(ClampToInt8(code, args.min, args.max));
  }
}

}  // namespace

void BinaryRef(const BinaryArgs<int8_t>& args, int32_t first, int32_t count) {
  switch (args.function) {
    case BinaryFunction::kAdd:
      return ForEach(args, first, count, [](const BinaryQuantization& q, int32_t a, int32_t b) {
        return MultiplyByQuantizedMultiplier(
            Scaled(a, kSumShift, q.a_multiplier) + Scaled(b, kSumShift, q.b_multiplier), q.out_multiplier);
      });
    case BinaryFunction::kSub:
      return ForEach(args, first, count, [](const BinaryQuantization& q, int32_t a, int32_t b) {
        return MultiplyByQuantizedMultiplier(
            Scaled(a, kSumShift, q.a_multiplier) - Scaled(b, kSumShift, q.b_multiplier), q.out_multiplier);
      });
    case BinaryFunction::kMul:
      return ForEach(args, first, count, [](const BinaryQuantization& q, int32_t a, int32_t b) {
        return MultiplyByQuantizedMultiplier(a * b, q.out_multiplier);
      });
    case BinaryFunction::kSquaredDifference:
      return ForEach(args, first, count, [](const BinaryQuantization& q, int32_t a, int32_t b) {
        const int32_t difference =
            Scaled(a, kSquareShift, q.a_multiplier) - Scaled(b, kSquareShift, q.b_multiplier);
        return MultiplyByQuantizedMultiplier(difference * difference, q.out_multiplier);
      });
    case BinaryFunction::kDiv:
      return ForEach(args, first, count, [](const BinaryQuantization& q, int32_t a, int32_t b) {
        return Quotient(a, b, q.out_multiplier);
      });
  }
}

}  // namespace lutra
