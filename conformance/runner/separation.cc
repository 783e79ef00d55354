// SPDX-License-Identifier: Apache-2.0
// Counts the cases that distinguish two rules.

#include "conformance/runner/separation.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/generator/separate.h"

namespace lutra::conformance {
namespace {

struct Equivalent {
  const char *op, *first, *second, *why;
};

// These pairs were shown to be equal by exhaustion or by argument.
constexpr Equivalent kEquivalent[] = {
    {"LOGISTIC", "FIXED", "SR",
     "the multiplier of s_in * 2^27 only shifts to the left; below 2^-27 all is 0.5"},
    {"TANH", "FIXED", "SR", "the multiplier of s_in * 2^27 only shifts to the left; below 2^-27 all is 0"},
};

}  // namespace

bool AreEquivalent(std::string_view op, std::string_view rule, std::string_view other) {
  return std::any_of(std::begin(kEquivalent), std::end(kEquivalent), [&](const Equivalent& known) {
    return op == known.op &&
           ((rule == known.first && other == known.second) || (rule == known.second && other == known.first));
  });
}

std::vector<RulePair> Separate(const std::vector<Case>& cases) {
  std::vector<RulePair> pairs;
  for (const oracle::Operator* op : oracle::AllOperators()) {
    if (op->rules.size() < 2) continue;
    std::vector<std::vector<int>> counts(op->rules.size(), std::vector<int>(op->rules.size()));
    for (const Case& test : cases) {
      if (test.op != op->name() || !test.must_refuse.empty()) continue;
      std::vector<oracle::Bytes> outputs;
      for (const oracle::ArithmeticRule& rule : op->rules) outputs.push_back(OutputsUnder(test, *op, rule));
      for (size_t a = 0; a < outputs.size(); ++a) {
        for (size_t b = a + 1; b < outputs.size(); ++b) {
          if (!outputs[a].empty() && !outputs[b].empty() && outputs[a] != outputs[b]) ++counts[a][b];
        }
      }
    }
    for (size_t a = 0; a < op->rules.size(); ++a) {
      for (size_t b = a + 1; b < op->rules.size(); ++b) {
        RulePair pair = {op->name(), op->rules[a].name, op->rules[b].name, counts[a][b], ""};
        for (const Equivalent& known : kEquivalent) {
          if (pair.op == known.op && pair.first == known.first && pair.second == known.second) {
            pair.equivalent = known.why;
          }
        }
        pairs.push_back(std::move(pair));
      }
    }
  }
  return pairs;
}

std::string SeparationTable(const std::vector<RulePair>& pairs) {
  std::string text = fmt::format("{:<26}{:<10}{:<10}{:>7}\n", "operator", "rule", "rule", "cases");
  for (const RulePair& pair : pairs) {
    text += fmt::format("{:<26}{:<10}{:<10}{:>7}  {}\n", pair.op, pair.first, pair.second, pair.cases,
                        pair.cases > 0            ? ""
                        : pair.equivalent.empty() ? "NOT SEPARATED"
                                                  : "equivalent: " + pair.equivalent);
  }
  return text;
}

}  // namespace lutra::conformance
