// SPDX-License-Identifier: Apache-2.0
// Looks for the fewest rules that explain a runtime: one rule; two, where a trait of nodes holds and
// elsewhere; or three, by a further trait.

#include "conformance/runner/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "conformance/generator/separate.h"
#include "conformance/linter/lint.h"
#include "conformance/runner/separation.h"
#include "conformance/runner/verdict.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;

constexpr size_t kMostNamed = 5;

// Cuts concatenated outputs into parts of the sizes of `like`.
std::vector<Bytes> Cut(const Bytes& all, const std::vector<Bytes>& like) {
  std::vector<Bytes> outputs;
  size_t at = 0;
  for (const Bytes& output : like) {
    outputs.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                         all.begin() + static_cast<std::ptrdiff_t>(at + output.size()));
    at += output.size();
  }
  return outputs;
}

CaseFit::ByRule Weigh(const Case& test, const Bytes& expected, const std::vector<Bytes>& actual) {
  size_t bytes = 0;
  for (const Bytes& output : actual) bytes += output.size();
  if (expected.size() != bytes || bytes == 0) return {.different = -1};
  const auto mismatch = CompareOutputs(test, Cut(expected, actual), actual);
  if (!mismatch) return {};
  return {.different = mismatch->different, .largest = mismatch->largest};
}

using Places = std::vector<const CaseFit*>;

// A rule, the trait of nodes for which it holds, and the cases with that trait.
struct Place {
  size_t rule;
  std::string where;
  Places cases;
};

// Counts how many of the cases the rule explains.
int64_t CountExplained(const Places& cases, size_t rule) {
  return std::count_if(cases.begin(), cases.end(),
                       [rule](const CaseFit* fit) { return fit->IsExplainedBy(rule); });
}

bool AreAllExplained(const Places& cases, size_t rule) {
  return CountExplained(cases, rule) == static_cast<int64_t>(cases.size());
}

std::optional<size_t> RuleForAll(const Places& cases, size_t rules) {
  for (size_t rule = 0; rule < rules; ++rule) {
    if (AreAllExplained(cases, rule)) return rule;
  }
  return std::nullopt;
}

std::string Not(std::string_view trait) { return fmt::format("not: {}", trait); }

// Rules that explain all cases, with at most `splits` traits between them; empty if there are none.
std::vector<Place> Search(const Places& cases, size_t rules, int splits) {
  if (const auto rule = RuleForAll(cases, rules)) return {{*rule, "", cases}};
  if (splits == 0) return {};
  const auto traits = oracle::AllTraits();
  for (size_t t = 0; t < traits.size(); ++t) {
    for (const bool holds : {true, false}) {
      Places here, elsewhere;
      for (const CaseFit* fit : cases) (fit->traits[t] == holds ? here : elsewhere).push_back(fit);
      if (here.empty() || elsewhere.empty()) continue;
      const auto rule = RuleForAll(here, rules);
      if (!rule) continue;
      std::vector<Place> rest = Search(elsewhere, rules, splits - 1);
      if (rest.empty()) continue;
      if (rest.size() == 1) rest[0].where = "else";
      rest.insert(rest.begin(), {*rule, holds ? std::string(traits[t].name) : Not(traits[t].name), here});
      return rest;
    }
  }
  return {};
}

std::vector<Place> SearchFewest(const Places& cases, size_t rules) {
  constexpr int kMostSplits = 2;
  for (int splits = 0; splits <= kMostSplits; ++splits) {
    std::vector<Place> found = Search(cases, rules, splits);
    if (!found.empty()) return found;
  }
  return {};
}

// The rule that explains most.
size_t Nearest(const Places& cases, size_t rules) {
  const auto different = [&cases](size_t rule) {
    return std::accumulate(cases.begin(), cases.end(), int64_t{0}, [rule](int64_t sum, const CaseFit* fit) {
      return sum + std::max<int64_t>(fit->rules[rule].different, 0);
    });
  };
  size_t best = 0;
  for (size_t rule = 1; rule < rules; ++rule) {
    const int64_t more = CountExplained(cases, rule) - CountExplained(cases, best);
    if (more > 0 || (more == 0 && different(rule) < different(best))) best = rule;
  }
  return best;
}

// The nearest rule, with what it explains.
std::vector<Place> NearestPlaces(const Places& cases, size_t rules) {
  const size_t rule = Nearest(cases, rules);
  Places explained;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(explained),
               [rule](const CaseFit* fit) { return fit->IsExplainedBy(rule); });
  return {{rule, "", explained}};
}

void FillIn(const oracle::Operator& op, const std::vector<Place>& places, OperatorFit* fit) {
  for (const Place& place : places) {
    RuleFit& rule = fit->rules.emplace_back(RuleFit{op.rules[place.rule].name, place.where, {}, {}});
    for (const CaseFit* one : place.cases) rule.cases.push_back(one->id);
    for (size_t other = 0; other < op.rules.size(); ++other) {
      if (other == place.rule || !AreAllExplained(place.cases, other)) continue;
      const bool same = AreEquivalent(fit->op, rule.rule, op.rules[other].name);
      (same && places.size() == 1 ? fit->equivalent : rule.alternatives).emplace_back(op.rules[other].name);
    }
  }
}

// The linter's findings in a model; or why it is none.
std::vector<linter::Finding> FindingsIn(const Bytes& model, std::string* none) {
  try {
    return linter::Lint(*oracle::ReadModel(model));
  } catch (const oracle::Unspecified& error) {
    *none = error.what();
    return {};
  }
}

// "rule: what it found" of the first finding that is meant.
template <typename IsMeant>
std::string FirstOf(const std::vector<linter::Finding>& findings, const IsMeant& is_meant) {
  const auto found = std::find_if(findings.begin(), findings.end(), is_meant);
  return found == findings.end() ? "" : found->rule + ": " + found->found;
}

// An error, or weights of -128: converters do not make them, and most runtimes compute them all the same.
bool IsOutside(const linter::Finding& finding) {
  return finding.severity == linter::Severity::kError || finding.rule.ends_with("-weights-range");
}

}  // namespace

CaseFit WeighCase(const Case& test, const oracle::Operator& op, const std::vector<Bytes>& actual) {
  CaseFit fit = {.id = test.id,
                 .traits = std::vector<bool>(oracle::AllTraits().size()),
                 .profiles = std::vector<bool>(oracle::Profiles().size())};
  std::vector<const oracle::ArithmeticRule*> by_profile;  // Empty if the node was never reached.
  const std::function<void(const oracle::Node&)> look = [&](const oracle::Node& node) {
    fit.traits.clear();
    for (const oracle::Trait& trait : oracle::AllTraits()) fit.traits.push_back(trait.holds(node));
    by_profile.clear();
    for (const oracle::Profile& profile : oracle::Profiles()) {
      by_profile.push_back(oracle::HasRule(profile, op) ? &oracle::RuleOf(profile, op, node) : nullptr);
    }
  };
  for (const oracle::ArithmeticRule& rule : op.rules) {
    const bool is_first = fit.rules.empty();
    fit.rules.push_back(Weigh(test, OutputsUnder(test, op, rule, is_first ? look : nullptr), actual));
  }
  for (size_t i = 0; i < by_profile.size(); ++i) {
    fit.profiles[i] =
        by_profile[i] != nullptr && fit.IsExplainedBy(static_cast<size_t>(by_profile[i] - op.rules.begin()));
  }
  return fit;
}

std::string OutsideSpecification(const Bytes& model) {
  std::string text;
  const std::vector<linter::Finding> findings = FindingsIn(model, &text);
  return text.empty() ? FirstOf(findings, IsOutside) : text;
}

std::string ReasonToSetApart(const Bytes& model) {
  std::string text;
  const std::vector<linter::Finding> findings = FindingsIn(model, &text);
  if (text.empty()) text = FirstOf(findings, IsOutside);
  if (!text.empty()) return text;
  return FirstOf(findings, [](const linter::Finding& finding) {
    // A finding that a runtime lacks an operator is no failure of the runtime.
    return finding.rule.starts_with("E-") && !finding.rule.ends_with("-operator");
  });
}

OperatorFit Explain(const oracle::Operator& op, std::vector<CaseFit> cases,
                    const std::function<std::string(const CaseFit&)>& lint) {
  OperatorFit fit = {.op = op.name()};
  const size_t rules = op.rules.size();
  std::sort(cases.begin(), cases.end(), [](const CaseFit& a, const CaseFit& b) { return a.id < b.id; });
  Places inside;
  for (const CaseFit& one : cases) inside.push_back(&one);
  std::vector<Place> places = SearchFewest(inside, rules);
  if (places.empty()) {
    // Outputs of a model outside the specification are no evidence.
    Places kept;
    const size_t nearest = Nearest(inside, rules);
    for (CaseFit& one : cases) {
      if (!one.IsExplainedBy(nearest)) one.lint = lint(one);
      if (one.lint.empty()) {
        kept.push_back(&one);
      } else {
        fit.set_apart.push_back(one);
      }
    }
    inside = std::move(kept);
    places = SearchFewest(inside, rules);
  }
  fit.cases = static_cast<int>(inside.size());
  if (inside.empty()) return fit;
  const bool known = !places.empty();
  if (!known) places = NearestPlaces(inside, rules);
  FillIn(op, places, &fit);
  if (known) return fit;
  const size_t rule = places[0].rule;
  for (const CaseFit* one : inside) {
    if (one->IsExplainedBy(rule)) continue;
    fit.unknown.push_back(*one);
    fit.different += std::max<int64_t>(one->rules[rule].different, 0);
    fit.largest = std::max(fit.largest, one->rules[rule].largest);
  }
  return fit;
}

std::string DescribeRules(const OperatorFit& fit) {
  if (fit.rules.empty()) return "";
  std::string text;
  if (!fit.unknown.empty()) {
    std::vector<std::string> against;
    for (const CaseFit& one : fit.unknown) against.push_back(one.id);
    if (against.size() > kMostNamed) against.resize(kMostNamed);
    return fmt::format("unknown; nearest {}: {} of {} cases equal, {} elements differ, by at most {}; {}",
                       fit.rules[0].rule, fit.rules[0].cases.size(), fit.cases, fit.different, fit.largest,
                       fmt::join(against, " "));
  }
  for (const RuleFit& rule : fit.rules) {
    std::string names = rule.rule;
    for (const std::string& other : fit.equivalent) names += " = " + other;
    for (const std::string& other : rule.alternatives) names += " or " + other;
    if (rule.where == "else") {
      text += fmt::format(", else {} ({})", names, rule.cases.size());
    } else if (!rule.where.empty()) {
      text +=
          fmt::format("{}{} where {} ({})", text.empty() ? "" : ", ", names, rule.where, rule.cases.size());
    } else {
      text += names;
    }
  }
  return text;
}

}  // namespace lutra::conformance
