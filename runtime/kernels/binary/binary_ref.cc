// SPDX-License-Identifier: Apache-2.0
// Int8: the functions in fixed point, element by element.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/binary/binary.h"
#include "runtime/fixed_point/reciprocal.h"

namespace lutra {
namespace {

// The input is shifted left by these bits before it is multiplied.
constexpr int kSumShift = 20;
constexpr int kSquareShift = 7;

int32_t Scaled(int32_t x, int shift, Multiplier multiplier) {
  return MultiplyByQuantizedMultiplier(x << shift, multiplier);
}

// Returns x_a / x_b in fixed point: the reciprocal of the divisor is multiplied with the dividend, which is
// shifted left as far as possible.
int32_t Quotient(int32_t a, int32_t b, Multiplier multiplier) {
  if (b < 0) {
    a = -a;
    b = -b;
  }
  const Reciprocal inverse = GetReciprocal(b, 31);
  const int32_t headroom = CountLeadingSignBits(a);
  const int32_t quotient = SaturatingRoundingDoublingHighMul(WrappingShiftLeft(a, headroom), inverse.value);
  return MultiplyByQuantizedMultiplier(quotient,
                                       {multiplier.value, multiplier.shift - inverse.bits - headroom});
}

template <typename Function>
void ForEach(const BinaryArgs& args, int32_t first, int32_t count, Function function) {
  const BinaryQuantization q = *args.quantization;
  const auto* const a = static_cast<const int8_t*>(args.a);
  const auto* const b = static_cast<const int8_t*>(args.b);
  auto* const output = static_cast<int8_t*>(args.output);
  for (int32_t i = first; i < first + count; ++i) {
    const int32_t x = a[i * args.a_step] - q.a_zero_point;
    const int32_t y = b[i * args.b_step] - q.b_zero_point;
    const int32_t code = WrappingAdd(function(q, x, y), q.out_zero_point);
    output[i] = static_cast<int8_t>(ClampToInt8(code, q.min, q.max));
  }
}

}  // namespace

void AddRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](const BinaryQuantization& q, int32_t a, int32_t b) {
    return MultiplyByQuantizedMultiplier(
        Scaled(a, kSumShift, q.a_multiplier) + Scaled(b, kSumShift, q.b_multiplier), q.out_multiplier);
  });
}

void SubRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](const BinaryQuantization& q, int32_t a, int32_t b) {
    return MultiplyByQuantizedMultiplier(
        Scaled(a, kSumShift, q.a_multiplier) - Scaled(b, kSumShift, q.b_multiplier), q.out_multiplier);
  });
}

void MulRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](const BinaryQuantization& q, int32_t a, int32_t b) {
    return MultiplyByQuantizedMultiplier(a * b, q.out_multiplier);
  });
}

void SquaredDifferenceRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](const BinaryQuantization& q, int32_t a, int32_t b) {
    const int32_t difference =
        Scaled(a, kSquareShift, q.a_multiplier) - Scaled(b, kSquareShift, q.b_multiplier);
    return MultiplyByQuantizedMultiplier(difference * difference, q.out_multiplier);
  });
}

void DivRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count,
          [](const BinaryQuantization& q, int32_t a, int32_t b) { return Quotient(a, b, q.out_multiplier); });
}

}  // namespace lutra
