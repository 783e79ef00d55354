// SPDX-License-Identifier: Apache-2.0
// Runs operators of one or two codes with every code, or every pair, under the rules of each profile:
// disagreements of runtimes are counted, not estimated.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "conformance/linter/site.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance::linter {
namespace {

constexpr int kCodes = 256;

edit::TensorT TensorOf(const Operand& operand, oracle::Shape shape) {
  edit::TensorT tensor = *operand.tensor;
  tensor.shape = std::move(shape);
  return tensor;
}

// The operator alone, with inputs whose shapes broadcast to all pairs.
class EveryCode {
 public:
  explicit EveryCode(const Site& site) : op_(site.op()) {
    const int inputs = static_cast<int>(site.signature()->inputs.size());
    oracle::Bytes codes(kCodes);
    for (int i = 0; i < kCodes; ++i) codes[static_cast<size_t>(i)] = static_cast<uint8_t>(i);
    op_.inputs.clear();
    op_.outputs = {inputs};
    oracle::Shape out(static_cast<size_t>(inputs), kCodes);
    for (int i = 0; i < inputs; ++i) {
      oracle::Shape shape(static_cast<size_t>(inputs), 1);
      shape[static_cast<size_t>(i)] = kCodes;
      graph_.tensors.push_back(std::make_unique<edit::TensorT>(TensorOf(site.input(i), shape)));
      values_.push_back(codes);
      op_.inputs.push_back(i);
    }
    graph_.tensors.push_back(std::make_unique<edit::TensorT>(TensorOf(site.output(0), out)));
    values_.emplace_back();
    model_ = &site.model();
  }

  oracle::Bytes Run(const oracle::Profile& profile) {
    const oracle::Node node(graph_, op_, &values_);
    const oracle::Operator& found = oracle::OperatorOf(*model_, node);
    found.evaluate(node, oracle::RuleOf(profile, found, node));
    return values_.back();
  }

 private:
  const oracle::ModelObjects* model_;
  edit::OperatorT op_;
  edit::SubGraphT graph_;
  std::vector<oracle::Bytes> values_;
};

// Returns whether every rule is defined for the scales; others break rules of the specification.
bool IsOrdinary(const Site& site) {
  const double out = double{site.output(0).scale()};
  double product = 1 / out;
  for (const Operand& operand : site.Activations()) {
    const double scale = double{operand.scale()};
    const int64_t zero_point = operand.zero_point();
    if (!operand.is(oracle::kInt8) || zero_point < -128 || zero_point > 127) return false;
    if (!(scale > 0x1p-20 && scale < 0x1p8 && scale / out < 0x1p14)) return false;
  }
  for (const Operand& operand : site.Inputs(kActivation)) product *= double{operand.scale()};
  const float alpha = oracle::OptionsOf(site.op().builtin_options.AsLeakyReluOptions()).alpha;
  return product < 0x1p14 && std::abs(alpha) < 0x1p6f;
}

void CheckEveryCode(const Site& site) {
  if (!IsOrdinary(site)) return;
  EveryCode run(site);
  const oracle::Bytes expected = run.Run(*oracle::FindProfile("tflm"));
  std::string found;
  for (const oracle::Profile& profile : oracle::Profiles()) {
    if (!profile.is_frozen) continue;  // golden/ has only the frozen profiles.
    const oracle::Bytes codes = run.Run(profile);
    int count = 0;
    int most = 0;
    for (size_t i = 0; i < codes.size(); ++i) {
      const int difference = std::abs(static_cast<int8_t>(codes[i]) - static_cast<int8_t>(expected[i]));
      count += difference != 0;
      most = std::max(most, difference);
    }
    if (count == 0) continue;
    found += fmt::format("{}{}: {} of {} by up to {}", found.empty() ? "" : "; ", profile.name, count,
                         codes.size(), most);
  }
  if (!found.empty()) site.Report(site.output(0), found, "the codes of TFLM");
}

}  // namespace

const std::vector<LintRule>& EveryCodeRules() {
  static const std::vector<LintRule> rules = {
      {'D',
       "every-code",
       Severity::kNote,
       {"ADD", "SUB", "MUL", "LOGISTIC", "TANH", "LEAKY_RELU", "QUANTIZE"},
       "all profiles give the same output for every code, or pair of codes",
       "each runtime's own rule (conformance/oracle)",
       "each runtime has a rule of its own; counted with the oracle",
       CheckEveryCode},
  };
  return rules;
}

}  // namespace lutra::conformance::linter
