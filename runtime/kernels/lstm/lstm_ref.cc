// SPDX-License-Identifier: Apache-2.0
// int8, a unit of a step at a time.

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/fixed_point/int16.h"
#include "runtime/fixed_point/sigmoid_int16.h"
#include "runtime/kernels/lstm/lstm_steps.h"

namespace lutra {
namespace {

// Arguments of the int16 functions count in units of 1/12288, gates in those of 1/4096.
constexpr int32_t kFunctionUnits = 3;

int32_t ProductSum(const int8_t* weights, const int8_t* values, int32_t zero_point, int32_t count,
                   int32_t bias) {
  auto sum = static_cast<uint32_t>(bias);
  for (int32_t i = 0; i < count; ++i) sum += static_cast<uint32_t>(weights[i] * (values[i] - zero_point));
  return static_cast<int32_t>(sum);
}

int32_t Gate(const LstmInt8Args& args, int gate, const int8_t* x, const int8_t* h, int32_t unit) {
  const auto& tensors = args.tensors;
  const int32_t depth = args.shape.depth;
  const int32_t units = args.shape.units;
  const int32_t of_input = ProductSum(tensors.input_weights[gate] + unit * depth, x, args.input_zero_point,
                                      depth, tensors.bias[gate][unit]);
  const int32_t of_hidden =
      ProductSum(tensors.recurrent_weights[gate] + unit * units, h, args.hidden_zero_point, units, 0);
  const int32_t a = SaturateToInt16(MultiplyByQuantizedMultiplier(of_input, args.input[gate]));
  const int32_t b = SaturateToInt16(MultiplyByQuantizedMultiplier(of_hidden, args.recurrent[gate]));
  return SaturateToInt16(a + b) * kFunctionUnits;
}

int16_t TanhOfCell(int32_t c, int32_t shift) {
  if (shift >= 0) return TanhInt16(c * (kFunctionUnits << shift));
  return TanhInt16((c * kFunctionUnits + (1 << (-shift - 1))) >> -shift);
}

int16_t Clipped(int32_t c, int32_t clip) {
  if (clip < 0) return static_cast<int16_t>(c);
  return static_cast<int16_t>(c > clip ? clip : c < -clip ? -clip : c);
}

}  // namespace

void LstmInt8Ref(const LstmInt8Args& args) {
  ForEachLstmStep(args.shape, args.tensors, [&](const int8_t* x, const int8_t* h, int16_t* c, int32_t unit) {
    const int32_t forget = LogisticInt16(Gate(args, kLstmForgetGate, x, h, unit));
    const int32_t input = LogisticInt16(Gate(args, kLstmInputGate, x, h, unit));
    const int32_t update = TanhInt16(Gate(args, kLstmCellGate, x, h, unit));
    const int32_t output = LogisticInt16(Gate(args, kLstmOutputGate, x, h, unit));
    const int32_t kept = SaturateToInt16(MultiplyByQuantizedMultiplier(forget * *c, args.forget));
    const int32_t added = SaturateToInt16(MultiplyByQuantizedMultiplier(input * update, args.update));
    *c = Clipped(SaturateToInt16(kept + added), args.cell_clip);
    const int32_t code = MultiplyByQuantizedMultiplier(TanhOfCell(*c, args.cell_shift) * output, args.hidden);
    return static_cast<int8_t>(ClampToInt8(WrappingAdd(code, args.hidden_zero_point), INT8_MIN, INT8_MAX));
  });
}

}  // namespace lutra
