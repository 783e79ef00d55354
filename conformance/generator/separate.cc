// SPDX-License-Identifier: Apache-2.0
// Tries candidates until each two rules of an operator give different outputs.

#include "conformance/generator/separate.h"

#include <cctype>

#include "conformance/generator/model_maker.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance {

oracle::Bytes OutputsUnder(const Case& test, const oracle::Operator& op, const oracle::ArithmeticRule& rule,
                           const std::function<void(const oracle::Node&)>& look) {
  const auto model = oracle::ReadModel(test.plain_model.empty() ? test.model : test.plain_model);
  oracle::Evaluation run(
      *model, [&](const oracle::Operator& other, const oracle::Node& node) -> const oracle::ArithmeticRule& {
        if (&other != &op) return other.rules[0];
        if (look) look(node);
        return rule;
      });
  oracle::Bytes all;
  try {
    std::vector<oracle::Bytes> outputs;
    for (int i = 0; i < test.invokes; ++i) outputs = run.Invoke(test.inputs);
    for (const oracle::Bytes& output : outputs) all.insert(all.end(), output.begin(), output.end());
  } catch (const oracle::Unspecified&) {
    return {};
  }
  return all;
}

void AddSeparators(const CaseSink& sink, const char* op, int wanted, int tries,
                   const std::function<Case(Random&)>& candidate, const Separation& separation) {
  const oracle::Operator& found = *oracle::FindOperator(op);
  const size_t rules = separation.rules == 0 ? found.rules.size() : separation.rules;
  std::map<std::pair<size_t, size_t>, int> separated;
  Random random(PrefixOf(op) + separation.what);
  NumberedIds ids(PrefixOf(op));
  size_t missing = rules * (rules - 1) / 2;
  for (int i = 0; i < tries && missing > 0; ++i) {
    Case test = candidate(random);
    std::vector<oracle::Bytes> outputs;
    for (size_t rule = 0; rule < rules; ++rule)
      outputs.push_back(OutputsUnder(test, found, found.rules[rule]));
    bool useful = false, is_first = false;
    for (size_t a = 0; a < rules; ++a) {
      for (size_t b = a + 1; b < rules; ++b) {
        if (outputs[a].empty() || outputs[b].empty() || outputs[a] == outputs[b]) continue;
        int& count = separated[{a, b}];
        useful = useful || count < wanted;
        is_first = is_first || count == 0;
        if (++count == wanted) --missing;
      }
    }
    if (!useful) continue;
    test.id = ids(separation.what);
    test.op = op;
    test.tags.push_back("separates");
    if (is_first && test.smoke != Smoke::kNever) test.smoke = Smoke::kAlways;
    sink(std::move(test));
  }
}

std::string PrefixOf(std::string_view op) {
  std::string prefix = "int8.";
  bool was_lower = false;
  for (const char c : op) {
    // The name SignalRfft becomes signal_rfft.
    if (was_lower && std::isupper(c) != 0) prefix += '_';
    was_lower = std::islower(c) != 0;
    prefix += c == '.' ? '_' : static_cast<char>(std::tolower(c));
  }
  return prefix + ".";
}

}  // namespace lutra::conformance
