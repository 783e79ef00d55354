// SPDX-License-Identifier: Apache-2.0
// Every operator that the oracle knows: its operands, and the rules that it may follow. `conformance list
// --separation` prints how many cases tell each two rules apart.
//
// These rows are written for the suite alone. The linter and the generator read them and no row of the
// runtime; facts_test.cc compares them with the runtime's.

#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "conformance/oracle/node.h"

namespace lutra::conformance::oracle {

using edit::BuiltinOperator;

// The purpose of an operand, as a letter of `Operands`.
enum Role : char {
  kActivation = 'x',
  kWeights = 'w',
  kBias = 'b',      // May be absent.
  kState = 's',     // Kept from one inference to the next.
  kSteering = 'p',  // Shapes, axes, indices: integers that are not quantised.
  kOther = '-',     // Conditions, indices as outputs, shapes.
  kAbsent = '.',    // The operator does without it.
};

// A letter for each operand, "xwb"; "x+": one or more. An operand that may be left out stands here only if it
// is a bias.
struct Operands {
  std::string_view inputs, outputs;
};

// The rules of one operator.
class RuleList {
 public:
  // Not explicit: rows of operators are written as {kDr, kSr}.
  constexpr RuleList(std::initializer_list<ArithmeticRule> rules) {
    for (const ArithmeticRule& rule : rules) rules_[size_++] = rule;
  }
  constexpr size_t size() const { return size_; }
  constexpr const ArithmeticRule& operator[](size_t i) const { return rules_[i]; }
  constexpr const ArithmeticRule* begin() const { return rules_.data(); }
  constexpr const ArithmeticRule* end() const { return rules_.data() + size_; }

 private:
  static constexpr size_t kMost = 7;
  std::array<ArithmeticRule, kMost> rules_ = {};
  size_t size_ = 0;
};

// To add one, write a function and a row in the file of its family.
struct Operator {
  BuiltinOperator code;
  Operands operands;
  // The first is TensorFlow Lite Micro's, with the corrections of the specification; where it lacks the
  // operator, LiteRT's.
  RuleList rules;
  void (*evaluate)(const Node&, const ArithmeticRule&);
  // An operator whose rules depend on its operands has several rows. `variant` is the text behind the dot of
  // "QUANTIZE.float32"; is_for() returns whether the row is for a node.
  std::string_view variant = {};
  bool (*is_for)(const Node&) = nullptr;
  // A custom operator has a name; its code is CUSTOM.
  std::string_view custom_name = {};

  // Returns the name as in reports: "QUANTIZE", "QUANTIZE.float32", "SignalWindow".
  std::string name() const;
};

// The rows of one file.
using OperatorFamily = std::span<const Operator>;
extern const OperatorFamily kActivationOperators;
extern const OperatorFamily kComparisonOperators;
extern const OperatorFamily kConversionOperators;
extern const OperatorFamily kConvolutionOperators;
extern const OperatorFamily kFillOperators;
extern const OperatorFamily kInt16LayerOperators;
extern const OperatorFamily kInt16Operators;
extern const OperatorFamily kInt16TableOperators;
extern const OperatorFamily kLogicalOperators;
extern const OperatorFamily kLstmOperators;
extern const OperatorFamily kMatrixOperators;
extern const OperatorFamily kMoveOperators;
extern const OperatorFamily kPoolOperators;
extern const OperatorFamily kProductOperators;
extern const OperatorFamily kReductionOperators;
extern const OperatorFamily kResizeOperators;
extern const OperatorFamily kShapeOperators;
extern const OperatorFamily kSignalFftOperators;
extern const OperatorFamily kSignalFilterBankOperators;
extern const OperatorFamily kSignalSpectrumOperators;
extern const OperatorFamily kSignalStreamOperators;
extern const OperatorFamily kSoftmaxOperators;
extern const OperatorFamily kSpaceOperators;
extern const OperatorFamily kSumOperators;
extern const OperatorFamily kTableOperators;
extern const OperatorFamily kUint8Operators;

// The variant of the scheme before int8. Only the profile litert-reference has a rule for it.
inline constexpr std::string_view kUint8Variant = "uint8";
// The variant of activations of int16 beside weights of int8: profiles of TensorFlow Lite Micro have rules
// for it.
inline constexpr std::string_view kInt16Variant = "int16";

// A custom operator of TensorFlow Lite Micro, whose profiles alone have a rule for it. Its operands have no
// scale.
constexpr Operator Custom(std::string_view name, Operands operands,
                          void (*evaluate)(const Node&, const ArithmeticRule&)) {
  return {BuiltinOperator::CUSTOM, operands, {kExact}, evaluate, {}, nullptr, name};
}

// The letter of an operand in `Operands`; kOther for one that has none.
Role RoleAt(std::string_view letters, size_t i);

// Returns them sorted by name.
const std::vector<const Operator*>& AllOperators();
// Returns them without the custom ones, of which neither the linter nor the specification speaks.
const std::vector<const Operator*>& BuiltinOperators();
// Null if the oracle does not know it. `name`: as in reports.
const Operator* FindOperator(std::string_view name);
// The row for this node. Throws Unspecified.
const Operator& OperatorOf(const edit::ModelT& model, const Node& node);
// Null if the operator has no rule of that name.
const ArithmeticRule* FindRule(const Operator& op, std::string_view rule);

}  // namespace lutra::conformance::oracle
