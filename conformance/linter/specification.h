// SPDX-License-Identifier: Apache-2.0
// The int8 specification as data: the linter's rules compare models with it, and `conformance spec` prints
// it. https://ai.google.dev/edge/litert/models/quantization_spec, read in TensorFlow's repository at
// commit dd3f9a136; earlier versions (021fd1b5f) differ in FULLY_CONNECTED, whose weights had one scale.
//
//   const Specification& conv = SpecificationOf("CONV_2D");
//   for (const SpecifiedOperand& operand : OperandsOf(*oracle::FindOperator("CONV_2D"))) puts(operand.range);

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/oracle/operators.h"

namespace lutra::conformance::linter {

struct CodeRange {
  int low, high;
};
inline constexpr CodeRange kActivationCodes = {-128, 127};
inline constexpr CodeRange kWeightCodes = {-127, 127};
// The zero points of activations.
inline constexpr CodeRange kZeroPoints = {-128, 127};

// Weights that have one scale for all.
inline constexpr int kOneScale = -1;

// The restrictions of an operator, beyond those of each operand by its role.
struct Specification {
  std::string_view op;
  // False: the specification lacks the operator, and this row follows from what kernels compute.
  bool listed = true;
  // The dimension of the weights along which each index may have its own scale.
  int weights_dimension = kOneScale;
  bool equal_quantization = false;  // All activations have one scale and zero point.
  // Not empty: the only scale of the output, as text and as a number.
  std::string_view output_scale_text = {};
  oracle::Quantization output = {};

  bool has_fixed_output() const { return !output_scale_text.empty(); }
};

// Without a row, an operator is not listed and has no restriction.
const Specification& SpecificationOf(std::string_view op);
const std::vector<Specification>& AllSpecifications();

// An operand in the specification's words.
struct SpecifiedOperand {
  std::string name;  // "Input 1 (Weight)"
  std::string type, range, granularity, restriction;
};
// Describes the operands that are quantised, by their roles in the oracle's row.
std::vector<SpecifiedOperand> OperandsOf(const oracle::Operator& op);

}  // namespace lutra::conformance::linter
