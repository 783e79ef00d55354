// SPDX-License-Identifier: Apache-2.0
// Rules that the operators with activations of int16 share: those of TensorFlow Lite Micro, from which
// LiteRT's differ.

#pragma once

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {

inline constexpr Range kInt16Codes = {INT16_MIN, INT16_MAX};
// The multiplier has 15 bits, and the product is rounded once, ties up.
inline constexpr ArithmeticRule kW15 = {"W15"};

// Refuses another type, several scales or none, and a zero point that is no code or, if `is_symmetric`, not
// 0.
Quantization Int16QuantizationOf(const Node& node, const edit::TensorT& tensor, bool is_symmetric);
// Requires the same of the output of LOGISTIC, TANH and SOFTMAX, and that the logarithm of its scale is that
// of 2^-15 to within a thousandth.
void RequireUnitOutput(const Node& node);
// A sum of 64 bits times the multiplier, by W15.
int64_t ScaleWide(int64_t sum, Multiplier multiplier);

// Returns whether the row for int16 is meant, by input 0.
bool IsInt16(const Node& node);
constexpr Operator Int16Row(BuiltinOperator code, Operands operands, RuleList rules,
                            void (*evaluate)(const Node&, const ArithmeticRule&)) {
  return {code, operands, rules, evaluate, kInt16Variant, IsInt16};
}

}  // namespace lutra::conformance::oracle
