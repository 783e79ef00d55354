// SPDX-License-Identifier: Apache-2.0
// Computes a unit of a step at a time, for int8 and int16. For the kernels' .cc files.

#pragma once

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/fixed_point/int16.h"
#include "runtime/fixed_point/sigmoid_int16.h"
#include "runtime/kernels/lstm/lstm_steps.h"

namespace lutra {

// Arguments of the int16 functions have units of 1/12288, gates units of 1/4096.
inline constexpr int32_t kFunctionUnits = 3;

static inline int16_t TanhOfCell(int32_t c, int32_t shift) {
  if (shift >= 0) return TanhInt16(c * (kFunctionUnits << shift));
  return TanhInt16((c * kFunctionUnits + (1 << (-shift - 1))) >> -shift);
}

static inline int16_t ClippedCell(int32_t c, int32_t clip) {
  if (clip < 0) return static_cast<int16_t>(c);
  return static_cast<int16_t>(c > clip ? clip : c < -clip ? -clip : c);
}

// Returns a unit of the new hidden state, and changes its cell state *c. gate(LstmGate) returns the gate's
// value, an int16 in units of 1/4096.
template <typename Value, typename Bias, typename Gate>
Value MakeUnit(const LstmCodesArgs<Value, Bias>& args, const Gate& gate, int16_t* c) {
  const int32_t forget = LogisticInt16(gate(kLstmForgetGate) * kFunctionUnits);
  const int32_t input = LogisticInt16(gate(kLstmInputGate) * kFunctionUnits);
  const int32_t update = TanhInt16(gate(kLstmCellGate) * kFunctionUnits);
  const int32_t output = LogisticInt16(gate(kLstmOutputGate) * kFunctionUnits);
  const int32_t kept = SaturateToInt16(MultiplyByQuantizedMultiplier(forget * *c, args.forget));
  const int32_t added = SaturateToInt16(MultiplyByQuantizedMultiplier(input * update, args.update));
  *c = ClippedCell(SaturateToInt16(kept + added), args.cell_clip);
  const int32_t scaled = MultiplyByQuantizedMultiplier(TanhOfCell(*c, args.cell_shift) * output, args.hidden);
  const int32_t code = WrappingAdd(scaled, args.hidden_zero_point);
  constexpr int32_t kMax = sizeof(Value) == 1 ? INT8_MAX : INT16_MAX;
  constexpr int32_t kMin = -kMax - 1;
  return static_cast<Value>(code < kMin ? kMin : code > kMax ? kMax : code);
}

// Computes all steps. scaled_sum(weights, values, zero_point, count, bias, multiplier) returns the scaled sum
// of the bias and the products.
template <typename Value, typename Bias, typename ScaledSum>
void RunLstmOfCodes(const LstmCodesArgs<Value, Bias>& args, const ScaledSum& scaled_sum) {
  const auto& tensors = args.tensors;
  const int32_t depth = args.shape.depth;
  const int32_t units = args.shape.units;
  ForEachLstmStep(args.shape, tensors, [&](const Value* x, const Value* h, int16_t* c, Value* output) {
    for (int32_t unit = 0; unit < units; ++unit) {
      const auto gate_of = [&](int gate) -> int32_t {
        const int32_t of_input =
            scaled_sum(tensors.input_weights[gate] + unit * depth, x, args.input_zero_point, depth,
                       tensors.bias[gate][unit], args.input[gate]);
        const int32_t of_hidden = scaled_sum(tensors.recurrent_weights[gate] + unit * units, h,
                                             args.hidden_zero_point, units, Bias{0}, args.recurrent[gate]);
        return SaturateToInt16(SaturateToInt16(of_input) + SaturateToInt16(of_hidden));
      };
      output[unit] = MakeUnit(args, gate_of, c + unit);
    }
  });
}

}  // namespace lutra
