// SPDX-License-Identifier: Apache-2.0
// An operator of a model as a rule sees it: operands by their role, constants as integers, a place to
// report to.
//
//   void CheckWeightZeroPoints(const Site& site) {
//     for (const Operand& weights : site.Inputs(kWeights)) {
//       if (ZeroPointOf(weights) != 0) site.Report(weights, "zero point 3", "zero point 0");
//     }
//   }

#pragma once

#include <optional>

#include "conformance/linter/lint_rule.h"
#include "conformance/oracle/model.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::linter {

using enum oracle::Role;
using oracle::Role;

// The operands of an operator, a letter of Role for each; the last one repeats where `variadic`.
struct Signature {
  std::string name;
  std::string inputs;
  std::string outputs;
  bool variadic_inputs = false;
  bool variadic_outputs = false;
};

// Null if no rule covers that operator.
const Signature* FindSignature(const std::string& op);
// Names all operators that have such an operand; in the inputs only, for a role other than kActivation.
std::vector<std::string> OperatorsWith(Role role);
std::vector<std::string> AllSignatureNames();

struct Operand {
  int index = -1;  // In the subgraph. -1: absent.
  Role role = kOther;
  const edit::TensorT* tensor = nullptr;

  explicit operator bool() const { return tensor != nullptr; }
  bool is(int8_t type) const { return tensor != nullptr && tensor->type == type; }
  int rank() const { return static_cast<int>(tensor->shape.size()); }
  // 0 beyond the rank.
  int64_t dim(int i) const { return i >= 0 && i < rank() ? tensor->shape[static_cast<size_t>(i)] : 0; }
  int64_t count() const { return oracle::ElementCount(tensor->shape); }
  const std::vector<float>& scales() const;
  const std::vector<int64_t>& zero_points() const;
  // The scale and the zero point of a tensor that has one of each; 0 for a tensor without scales.
  float scale() const { return oracle::QuantizationOf(*tensor).scale; }
  int64_t zero_point() const { return oracle::QuantizationOf(*tensor).zero_point; }
};

// "FLOAT32", "INT8", ...; "type 99" for others.
std::string TypeName(int8_t type);
std::string Describe(const oracle::Quantization& quantization);

class Site {
 public:
  Site(const oracle::ModelObjects& model, int subgraph, int node, std::string name,
       std::vector<Finding>* findings);

  const edit::OperatorT& op() const { return op_; }
  const oracle::ModelObjects& model() const { return model_; }
  const std::string& name() const { return name_; }
  // Null: an operator that no rule covers.
  const Signature* signature() const { return signature_; }

  // Returns the operand at position i; it converts to false if it is absent.
  Operand input(int i) const;
  Operand output(int i) const;
  int input_count() const { return static_cast<int>(op_.inputs.size()); }
  int output_count() const { return static_cast<int>(op_.outputs.size()); }
  std::vector<Operand> Inputs(Role role) const;
  std::vector<Operand> Outputs(Role role) const;
  // Inputs, then outputs.
  std::vector<Operand> Activations() const;
  // The first with that role, or an absent one.
  Operand FirstInput(Role role) const;

  // All operands that the signature names are there.
  bool complete() const;
  // Returns whether the first activation is int8: what the specification is about.
  bool is_int8() const;
  // Empty if computed, or not as long as its shape says.
  const oracle::Bytes& Constant(const Operand& operand) const;
  // The elements of a constant of type INT32 or INT64.
  std::optional<std::vector<int64_t>> Integers(const Operand& operand) const;
  // Returns the fused activation; 0 if the operator has none.
  int8_t activation() const;

  // Reports a finding of the rule that is being checked; an absent `operand`: the finding is the operator's.
  void Report(const Operand& operand, std::string found, std::string required) const;
  void set_rule(const LintRule* rule) { rule_ = rule; }

 private:
  const oracle::ModelObjects& model_;
  const edit::SubGraphT& graph_;
  const edit::OperatorT& op_;
  int subgraph_;
  int node_;
  std::string name_;
  const Signature* signature_;
  const LintRule* rule_ = nullptr;
  std::vector<Finding>* findings_;
};

// Reports a fused activation, for operators that compute none.
void CheckNoActivation(const Site& site);

}  // namespace lutra::conformance::linter
