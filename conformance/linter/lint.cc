// SPDX-License-Identifier: Apache-2.0
// Joins the families of rules into one table, and applies it to every operator of a model.

#include "conformance/linter/lint.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/linter/site.h"

namespace lutra::conformance::linter {
namespace {

bool IsFor(const LintRule& rule, const std::string& name) {
  return std::find(rule.operators.begin(), rule.operators.end(), name) != rule.operators.end();
}

void Check(const LintRule& rule, Site* site) {
  site->set_rule(&rule);
  try {
    rule.check(*site);
  } catch (const oracle::Unspecified&) {
    // The oracle cannot compute the model; another rule reports why.
  }
}

void LintNode(Site* site, std::vector<Finding>* findings) {
  const size_t before = findings->size();
  for (const LintRule& rule : AllRules()) {
    const bool is_for_any = rule.operators.size() == 1 && rule.operators[0] == "ANY";
    if (!is_for_any && !IsFor(rule, site->name())) continue;
    Check(rule, site);
    // Without its operands an operator cannot be checked further: the rule about them comes first.
    if (site->signature() != nullptr && findings->size() > before && !site->complete()) return;
  }
}

}  // namespace

const char* NameOf(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

std::string RuleId(const LintRule& rule, const std::string& op) {
  return fmt::format("{}-{}-{}", rule.kind, op, rule.topic);
}

const std::vector<LintRule>& AllRules() {
  static const std::vector<LintRule> all = [] {
    std::vector<LintRule> rules;
    for (const auto* family :
         {&TensorRules(), &WeightRules(), &FixedOutputRules(), &EqualScaleRules(), &MultiplierRules(),
          &ShapeRules(), &LimitRules(), &DisagreementRules(), &EveryCodeRules()}) {
      rules.insert(rules.end(), family->begin(), family->end());
    }
    return rules;
  }();
  return all;
}

std::vector<Finding> Lint(const oracle::ModelObjects& model) {
  std::vector<Finding> findings;
  for (size_t subgraph = 0; subgraph < model.subgraphs.size(); ++subgraph) {
    const auto& operators = model.subgraphs[subgraph]->operators;
    for (size_t node = 0; node < operators.size(); ++node) {
      Site site(model, static_cast<int>(subgraph), static_cast<int>(node),
                oracle::NameOf(model, *operators[node]), &findings);
      LintNode(&site, &findings);
    }
  }
  return findings;
}

std::vector<NotChecked> OperatorsNotChecked(const oracle::ModelObjects& model) {
  std::vector<NotChecked> found;
  for (size_t subgraph = 0; subgraph < model.subgraphs.size(); ++subgraph) {
    const auto& operators = model.subgraphs[subgraph]->operators;
    for (size_t node = 0; node < operators.size(); ++node) {
      const Site site(model, static_cast<int>(subgraph), static_cast<int>(node),
                      oracle::NameOf(model, *operators[node]), nullptr);
      // A finding reports each operator that no rule covers.
      if (site.signature() == nullptr) continue;
      const std::vector<Operand> activations = site.Activations();
      const bool has_8_bits = std::any_of(activations.begin(), activations.end(), [](const Operand& operand) {
        return operand.is(oracle::kInt8) || operand.is(oracle::kUint8);
      });
      if (activations.empty() || has_8_bits) continue;
      found.push_back({static_cast<int>(subgraph), static_cast<int>(node), site.name(),
                       TypeName(activations[0].tensor->type)});
    }
  }
  return found;
}

}  // namespace lutra::conformance::linter
