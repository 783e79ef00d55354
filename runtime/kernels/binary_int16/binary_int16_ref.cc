// SPDX-License-Identifier: Apache-2.0
// The functions in fixed point, element by element.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/binary_int16/binary_int16.h"

namespace lutra {
namespace {

// The input is shifted left by these bits before it is multiplied.
constexpr int kSumShift = 15;

template <typename Function>
void ForEach(const BinaryInt16Args& args, int32_t first, int32_t count, Function function) {
  const BinaryInt16Quantization q = *args.quantization;
  const auto* const a = static_cast<const int16_t*>(args.a);
  const auto* const b = static_cast<const int16_t*>(args.b);
  auto* const output = static_cast<int16_t*>(args.output);
  for (int32_t i = first; i < first + count; ++i) {
    const int32_t x = a[i * args.a_step] - q.a_zero_point;
    const int32_t y = b[i * args.b_step] - q.b_zero_point;
    const int32_t scaled = MultiplyByQuantizedMultiplier(function(q, x, y), q.out_multiplier);
    const int32_t code = WrappingAdd(scaled, q.out_zero_point);
    output[i] = static_cast<int16_t>(code < q.min ? q.min : code > q.max ? q.max : code);
  }
}

int32_t Scaled(int32_t x, Multiplier multiplier) {
  return MultiplyByQuantizedMultiplier(x << kSumShift, multiplier);
}

}  // namespace

void BinaryInt16Ref(const BinaryInt16Args& args, int32_t first, int32_t count) {
  using Q = BinaryInt16Quantization;
  switch (args.function) {
    case BinaryInt16Function::kAdd:
      return ForEach(args, first, count, [](const Q& q, int32_t a, int32_t b) {
        return Scaled(a, q.a_multiplier) + Scaled(b, q.b_multiplier);
      });
    case BinaryInt16Function::kSub:
      return ForEach(args, first, count, [](const Q& q, int32_t a, int32_t b) {
        return Scaled(a, q.a_multiplier) - Scaled(b, q.b_multiplier);
      });
    case BinaryInt16Function::kMul:
      return ForEach(args, first, count, [](const Q&, int32_t a, int32_t b) { return a * b; });
    case BinaryInt16Function::kSquaredDifference:
      return ForEach(args, first, count, [](const Q& q, int32_t a, int32_t b) {
        const int32_t difference = MultiplyByQuantizedMultiplier(a, q.a_multiplier) -
                                   MultiplyByQuantizedMultiplier(b, q.b_multiplier);
        return difference * difference;
      });
  }
}

}  // namespace lutra
