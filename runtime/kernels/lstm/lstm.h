// SPDX-License-Identifier: Apache-2.0
// A long short-term memory over a sequence: at each step, for each unit,
//
//   gate = W x + b + R h       for the input, forget, cell and output gate, with h of the step before
//   c = sigmoid(forget) * c + sigmoid(input) * tanh(cell), clipped
//   h = output[step] = sigmoid(output) * tanh(c)
//
// Hidden state h and cell state c are kept for the next call. Rules: TFLite Micro's kernel.
//
// int8: activations and weights of int8, a cell state of int16. W x + b and R h are each scaled to units of
// 2^-12 and clamped to int16, as is their sum; the functions are those of fixed_point/sigmoid_int16.h. Both
// products of the cell are clamped to int16 before they are added, as is their sum. Sums of products wrap in
// int32.
//
// int16: activations of int16, weights of int8. W x + b and R h are sums of 64 bits, with biases of int64,
// and their multipliers have 15 bits.
//
// float32: each sum is added up in order, then the bias. The sigmoid is 1 above 16.62 and exp(x) below -9.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"

namespace lutra {

struct LstmShape {
  int32_t batches;
  int32_t times;
  int32_t depth;    // Values of an input row.
  int32_t units;    // Values of a state's row, and of an output's.
  bool time_major;  // Inputs and outputs are [times, batches, ...], else [batches, times, ...].
};

enum LstmGate { kLstmInputGate, kLstmForgetGate, kLstmCellGate, kLstmOutputGate, kLstmGates };

template <typename Value, typename Weight, typename Bias, typename Cell>
struct LstmTensors {
  const Value* input;
  const Weight* input_weights[kLstmGates];      // [units, depth]
  const Weight* recurrent_weights[kLstmGates];  // [units, units]
  const Bias* bias[kLstmGates];                 // [units]
  Value* hidden;                                // [batches, units]
  Cell* cell;                                   // [batches, units]
  Value* output;                                // Does not overlap the others.
};

template <typename Value, typename Bias>
struct LstmCodesArgs {
  LstmShape shape;
  LstmTensors<Value, int8_t, Bias, int16_t> tensors;
  int32_t input_zero_point;
  int32_t hidden_zero_point;
  Multiplier input[kLstmGates];      // Of W x + b.
  Multiplier recurrent[kLstmGates];  // Of R h.
  Multiplier forget;                 // sigmoid * c, to the cell's scale.
  Multiplier update;                 // sigmoid * tanh, to the cell's scale.
  Multiplier hidden;                 // sigmoid * tanh, to the hidden state's scale.
  int32_t cell_shift;                // The cell's scale is 2^(cell_shift - 12); -30 to 14.
  int16_t cell_clip;                 // Negative: no clip; 0: the cell stays 0.
};

using LstmInt8Args = LstmCodesArgs<int8_t, int32_t>;
using LstmInt16Args = LstmCodesArgs<int16_t, int64_t>;

struct LstmFloatArgs {
  LstmShape shape;
  LstmTensors<float, float, float, float> tensors;
  float cell_clip;  // 0: no clip.
};

using LstmInt8Fn = void (*)(const LstmInt8Args& args);
using LstmInt16Fn = void (*)(const LstmInt16Args& args);
using LstmFloatFn = void (*)(const LstmFloatArgs& args);

Kernel<LstmInt8Fn> LstmInt8Ref;
Kernel<LstmInt8Fn> LstmInt8Armdsp;
Kernel<LstmInt8Fn> LstmInt8Mve;
Kernel<LstmInt16Fn> LstmInt16Ref;
Kernel<LstmFloatFn> LstmFloatRef;

inline constexpr Variant<LstmInt8Fn> kLstmInt8[] = {
#if LUTRA_HAS_VARIANTS(lstm, MVE)
    {"mve", kCpuMve, LstmInt8Mve},
#elif LUTRA_HAS_VARIANTS(lstm, ARMDSP)
    {"armdsp", kCpuArmDsp, LstmInt8Armdsp},
#endif
    {"ref", kCpuAny, LstmInt8Ref},
};
inline constexpr Variant<LstmInt16Fn> kLstmInt16[] = {
    {"ref", kCpuAny, LstmInt16Ref},
};
inline constexpr Variant<LstmFloatFn> kLstmFloat[] = {
    {"ref", kCpuAny, LstmFloatRef},
};

}  // namespace lutra
