// SPDX-License-Identifier: Apache-2.0
// Runs each operator by itself, under each rule that has explained it so far.

#include "conformance/runner/layer_rules.h"

#include <algorithm>

#include "conformance/runner/separation.h"

namespace lutra::conformance {

using oracle::Bytes;

bool IsKnown(const oracle::ModelObjects& model, const std::vector<Bytes>& values, int32_t tensor) {
  if (tensor < 0) return true;
  const edit::TensorT& described = *model.subgraphs[0]->tensors[static_cast<size_t>(tensor)];
  return described.is_variable || !values[static_cast<size_t>(tensor)].empty() ||
         oracle::ElementCount(described.shape) == 0;
}

void LayerRules::Weigh(const std::vector<Bytes>& values) {
  const edit::SubGraphT& graph = *model_.subgraphs[0];
  const oracle::Operator* seen = nullptr;
  size_t rule = 0;
  oracle::Evaluation evaluation(
      model_, [&](const oracle::Operator& op, const oracle::Node&) -> const oracle::ArithmeticRule& {
        seen = &op;
        return op.rules[std::min(rule, op.rules.size() - 1)];
      });
  const std::vector<Bytes> fresh = evaluation.values();
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const edit::OperatorT& op = *graph.operators[i];
    const auto is_known = [&](int32_t tensor) { return IsKnown(model_, values, tensor); };
    if (!std::all_of(op.inputs.begin(), op.inputs.end(), is_known) ||
        !std::all_of(op.outputs.begin(), op.outputs.end(), is_known)) {
      continue;
    }
    const auto explains = [&](size_t candidate) {
      rule = candidate;
      for (const int32_t input : op.inputs) {
        if (input < 0) continue;
        const auto index = static_cast<size_t>(input);
        // State is as before the first inference.
        evaluation.values()[index] = graph.tensors[index]->is_variable ? fresh[index] : values[index];
      }
      try {
        evaluation.RunOperator(i);
      } catch (const oracle::Unspecified&) {
        return false;
      }
      return std::all_of(op.outputs.begin(), op.outputs.end(), [&](int32_t output) {
        return evaluation.values()[static_cast<size_t>(output)] == values[static_cast<size_t>(output)];
      });
    };
    seen = nullptr;
    const bool first = explains(0);
    // State and control flow have no rules.
    if (seen == nullptr) continue;
    Layer& layer = layers_[i];
    if (layer.op == nullptr) {
      layer.op = seen;
      for (size_t k = 0; k < seen->rules.size(); ++k) layer.possible.insert(k);
    }
    std::erase_if(layer.possible, [&](size_t k) { return k == 0 ? !first : !explains(k); });
  }
}

ExplainingRules LayerRules::RulesOf(int layer) const {
  const auto found = layers_.find(static_cast<size_t>(layer));
  if (found == layers_.end()) return {};
  const oracle::Operator& op = *found->second.op;
  ExplainingRules rules = {.op = std::string(op.name())};
  for (const size_t rule : found->second.possible) rules.names.emplace_back(op.rules[rule].name);
  return rules;
}

std::string Describe(const ExplainingRules& rules) {
  if (rules.op.empty()) return "";
  std::vector<std::string> told;
  for (const std::string& name : rules.names) {
    const bool is_told = std::any_of(told.begin(), told.end(), [&](const std::string& other) {
      return AreEquivalent(rules.op, other, name);
    });
    if (!is_told) told.push_back(name);
  }
  std::string text;
  for (const std::string& name : told) text += (text.empty() ? "" : " or ") + name;
  return text.empty() ? "unknown" : text;
}

void Intersect(const ExplainingRules& other, ExplainingRules* rules) {
  if (other.op.empty()) return;
  if (rules->op.empty()) {
    *rules = other;
    return;
  }
  std::erase_if(rules->names, [&](const std::string& name) {
    return std::find(other.names.begin(), other.names.end(), name) == other.names.end();
  });
}

}  // namespace lutra::conformance
