// SPDX-License-Identifier: Apache-2.0
// Operators of one or two codes are run with every code, or every pair, under the rules of each profile: the
// disagreement of runtimes is counted, not estimated.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "conformance/linter/site.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::linter {
namespace {

constexpr int kCodes = 256;

edit::TensorT TensorOf(const Operand& operand, oracle::Shape shape) {
  edit::TensorT tensor = *operand.tensor;
  tensor.shape = std::move(shape);
  return tensor;
}

// The operator on its own, its inputs so shaped that they broadcast to all pairs.
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
    const oracle::Node node(*model_, graph_, op_, &values_);
    const oracle::Operator& found = oracle::OperatorOf(*model_, node);
    found.evaluate(node, oracle::RuleOf(profile, found));
    return values_.back();
  }

 private:
  const oracle::ModelObjects* model_;
  edit::OperatorT op_;
  edit::SubGraphT graph_;
  std::vector<oracle::Bytes> values_;
};

void CheckEveryCode(const Site& site) {
  for (const Operand& operand : site.Activations()) {
    if (!operand.is(oracle::kInt8) || !(operand.scale() > 0)) return;
  }
  EveryCode run(site);
  const oracle::Bytes expected = run.Run(*oracle::FindProfile("tflm"));
  std::string found;
  for (const oracle::Profile& profile : oracle::Profiles()) {
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
       "counted with the oracle over all codes; coarse scales of LOGISTIC and TANH make the most of it",
       CheckEveryCode},
  };
  return rules;
}

}  // namespace lutra::linter
