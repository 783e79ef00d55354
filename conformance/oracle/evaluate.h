// SPDX-License-Identifier: Apache-2.0
// Computes a model under a profile, or under any choice of rules.
//
//   const Profile& profile = *FindProfile("tflm");
//   Evaluation run(*ReadModel(bytes), Following(profile));
//   std::vector<Bytes> outputs = run.Invoke({input});

#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "conformance/oracle/model.h"
#include "conformance/oracle/operators.h"
#include "conformance/oracle/traits.h"

namespace lutra::conformance::oracle {

// The rule that a profile has for an operator: one, or two by what the operator is applied to.
struct RuleNames {
  // Not explicit: rows are written as {"ADD", "X-ADD"}.
  constexpr RuleNames(const char* name) : rule(name) {}
  constexpr RuleNames(std::string_view here, std::string_view trait, std::string_view elsewhere)
      : rule(here), where(trait), otherwise(elsewhere) {}

  std::string_view rule;
  std::string_view where;      // A Trait; empty: everywhere.
  std::string_view otherwise;  // The rule where it does not hold.
};

// A rule for each operator, tolerance 0.
struct Profile {
  const char* name;
  const char* description;  // One line.
  // Operator and rule where it is not the operator's first. An operator's `SR...` rules come from
  // `single_rounding`.
  std::map<std::string_view, RuleNames> rules;
  bool single_rounding = false;
  // If true, an operator with a defect has the rule of that defect; else it has no rule.
  bool with_defects = false;
  // Says whether golden/ has its outputs; if not, only the oracle has them.
  bool is_frozen = true;
  // Names the profile that judges uint8 if this one has no rule for it; empty: none does.
  std::string_view judge_of_uint8 = {};
};

// Returns whether the profile has a rule for the operator. Only one profile has rules for uint8.
bool HasRule(const Profile& profile, const Operator& op);
// The profile whose rule the operator is held to when a runtime is held to `profile`: this one, or its
// judge_of_uint8.
const Profile& JudgeOf(const Profile& profile, const Operator& op);

const std::vector<Profile>& Profiles();
// Null if there is none of that name.
const Profile* FindProfile(std::string_view name);
const ArithmeticRule& RuleOf(const Profile& profile, const Operator& op, const Node& node);
// Returns all rules that the profile has for the operator: one or two.
std::vector<const ArithmeticRule*> RulesOf(const Profile& profile, const Operator& op);
// "DR", "FP32 where the second operand's zero point is 0, else DR".
std::string DescribeRule(const Profile& profile, const Operator& op);

using RuleChoice = std::function<const ArithmeticRule&(const Operator&, const Node&)>;
// The profile's rule for each node, or its judge's.
RuleChoice Judging(const Profile& profile);
// The profile's rule for each node.
RuleChoice Following(const Profile& profile);

// State and control flow: these move bytes and have no rule, so that AllOperators() lacks them.
std::span<const BuiltinOperator> StateOperators();

// A loaded model with its state.
class Evaluation {
 public:
  // Throws Unspecified, as Invoke does. `model` is not copied.
  Evaluation(const ModelObjects& model, RuleChoice rules);
  // Bytes of each graph input, in the model's order; those of each graph output.
  std::vector<Bytes> Invoke(const std::vector<Bytes>& inputs);
  // The last values of each tensor of subgraph 0, after Invoke. They may be changed before RunOperator.
  const std::vector<Bytes>& values() const { return values_[0]; }
  std::vector<Bytes>& values() { return values_[0]; }
  // Only the i-th operator of subgraph 0, on the values that are there.
  void RunOperator(size_t i) { RunNode(0, *model_.subgraphs[0]->operators[i]); }

  // Called for the `node`-th operator of subgraph 0 if it is not specified. It may give values to the
  // outputs, which are empty, or throw.
  using Skip = std::function<void(size_t node, const Unspecified& why)>;
  // From now on such an operator does not end Invoke.
  void set_skip(Skip skip) { skip_ = std::move(skip); }

 private:
  void RunSubgraph(size_t index);
  // Runs a node of subgraph 0.
  void RunOrSkip(size_t node);
  void RunNode(size_t subgraph, const edit::OperatorT& op);
  void CallOnce(const edit::OperatorT& op);
  void RunIf(size_t subgraph, const edit::OperatorT& op);
  void RunWhile(size_t subgraph, const edit::OperatorT& op);
  // Returns the value of the i-th of `tensors` where all of it is needed. Throws Unspecified if a constant's
  // buffer is longer or shorter than its tensor. A value that is not known is empty.
  const Bytes& WholeValue(size_t subgraph, const std::vector<int32_t>& tensors, size_t i);
  // Runs another subgraph on values of this one; its outputs.
  std::vector<Bytes> Call(int32_t target, const std::vector<Bytes>& inputs);
  // Returns the value of the i-th of an operator's operands. Throws Unspecified if the operator lacks it.
  Bytes& ValueOf(size_t subgraph, const std::vector<int32_t>& tensors, size_t i);
  std::vector<Bytes> ValuesOf(size_t subgraph, const std::vector<int32_t>& tensors, size_t first);
  // A handle's value is the variable's name.
  void NameVariable(size_t subgraph, const edit::OperatorT& op);
  void ReadVariable(size_t subgraph, const edit::OperatorT& op);
  // The name of the variable that the operator's first input is a handle of.
  std::string NameIn(size_t subgraph, const edit::OperatorT& op);

  const ModelObjects& model_;
  RuleChoice rules_;
  Skip skip_;
  std::vector<std::vector<Bytes>> values_;  // For each subgraph, its tensors.
  std::map<const edit::OperatorT*, std::vector<Codes>> memory_;
  std::map<std::string, Bytes> variables_;
  std::map<const edit::OperatorT*, bool> called_;
  int depth_ = 0;  // Of calls.
  int loops_ = 0;  // Bodies that this inference has run.
};

}  // namespace lutra::conformance::oracle
