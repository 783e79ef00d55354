// SPDX-License-Identifier: Apache-2.0
// Moves the outputs of one operator after the other, and compares the answers.

#include "conformance/runner/derive_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>

#include "conformance/generator/random.h"
#include "conformance/runner/verdict.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;

enum class Pattern : uint8_t { kUp, kDown, kInTurn, kReverse, kRandom };
constexpr Pattern kPatterns[] = {Pattern::kUp, Pattern::kDown, Pattern::kInTurn, Pattern::kReverse,
                                 Pattern::kRandom};

void Move(Pattern pattern, int most, Random* random, Bytes* codes) {
  for (size_t i = 0; i < codes->size(); ++i) {
    int64_t by = most;
    if (pattern == Pattern::kDown || (pattern == Pattern::kInTurn && i % 2 == 1) ||
        (pattern == Pattern::kReverse && i % 2 == 0)) {
      by = -most;
    }
    if (pattern == Pattern::kRandom) by = random->Between(-most, most);
    (*codes)[i] =
        static_cast<uint8_t>(oracle::Clamp(int64_t{static_cast<int8_t>((*codes)[i])} + by, -128, 127));
  }
}

// AVERAGE_POOL_2D has a single rule, but divides and so rounds.
bool Rounds(const oracle::Operator& op) {
  return op.rules.size() > 1 || op.code == oracle::BuiltinOperator::AVERAGE_POOL_2D ||
         std::string_view(op.rules[0].name) != oracle::kExact.name;
}

// A model with its undisturbed values.
class Bearing {
 public:
  Bearing(const BearingModel& model, const BearingOptions& options);
  const std::string& name() const { return name_; }
  // Returns the operators that round and give int8.
  std::set<std::string> operators() const { return {ops_.begin(), ops_.end()}; }
  // Returns the first sample whose answer changes if outputs of `op` are moved by up to `most`; -1: none.
  int FirstOtherAnswer(const std::string& op, int most) const;

 private:
  bool AnswersAlike(size_t sample, const std::string& op, size_t first, int most, Pattern pattern) const;
  bool IsSameAnswer(const Bytes& expected, const Bytes& actual) const;

  std::string name_;
  const oracle::ModelObjects& model_;
  const edit::SubGraphT& graph_;
  const Samples& samples_;
  int max_difference_;
  bool has_state_ = false;
  std::vector<std::string> ops_;            // By node; empty for nodes that are not moved.
  std::vector<std::vector<Bytes>> values_;  // All tensors of each sample.
};

Bearing::Bearing(const BearingModel& model, const BearingOptions& options)
    : name_(model.name),
      model_(model.model),
      graph_(*model.model.subgraphs[0]),
      samples_(model.samples),
      max_difference_(options.max_difference) {
  if (graph_.outputs.empty()) throw oracle::Unspecified("a model without outputs");
  std::vector<Bytes> none(graph_.tensors.size());
  const auto states = oracle::StateOperators();
  for (const auto& op : graph_.operators) {
    ops_.emplace_back();
    if (std::find(states.begin(), states.end(), oracle::CodeOf(model_, *op)) != states.end()) {
      has_state_ = true;
      continue;
    }
    const oracle::Node node(graph_, *op, &none);
    const oracle::Operator& row = oracle::OperatorOf(model_, node);
    if (Rounds(row) && node.output_count() > 0 && node.output(0).type == oracle::kInt8) {
      ops_.back() = row.name();
    }
  }
  for (const auto& tensor : graph_.tensors) has_state_ = has_state_ || tensor->is_variable;
  for (const auto& inputs : samples_) {
    oracle::Evaluation run(model_, oracle::Following(*oracle::FindProfile("tflm")));
    run.Invoke(inputs);
    values_.push_back(run.values());
  }
}

bool Bearing::IsSameAnswer(const Bytes& expected, const Bytes& actual) const {
  const edit::TensorT& output = *graph_.tensors[static_cast<size_t>(graph_.outputs[0])];
  const bool like_input =
      !graph_.inputs.empty() && graph_.tensors[static_cast<size_t>(graph_.inputs[0])]->shape == output.shape;
  const auto answer = AnswerOf(model_, expected);
  if (answer && !like_input) return answer == AnswerOf(model_, actual);
  const auto mismatch = CompareBytes(expected, actual, output.type);
  return !mismatch || mismatch->largest <= max_difference_;
}

bool Bearing::AnswersAlike(size_t sample, const std::string& op, size_t first, int most,
                           Pattern pattern) const {
  oracle::Evaluation run(model_, oracle::Following(*oracle::FindProfile("tflm")));
  // Values before the first node do not change, unless there is state, which a second run would change.
  if (has_state_) {
    first = 0;
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      run.values()[static_cast<size_t>(graph_.inputs[i])] = samples_[sample][i];
    }
  } else {
    run.values() = values_[sample];
  }
  Random random(op);
  for (size_t i = first; i < ops_.size(); ++i) {
    run.RunOperator(i);
    if (ops_[i] != op) continue;
    for (const int32_t output : graph_.operators[i]->outputs) {
      const auto tensor = static_cast<size_t>(output);
      if (graph_.tensors[tensor]->type == oracle::kInt8) Move(pattern, most, &random, &run.values()[tensor]);
    }
  }
  const auto output = static_cast<size_t>(graph_.outputs[0]);
  return IsSameAnswer(values_[sample][output], run.values()[output]);
}

int Bearing::FirstOtherAnswer(const std::string& op, int most) const {
  const auto found = std::find(ops_.begin(), ops_.end(), op);
  if (found == ops_.end()) return -1;
  const auto first = static_cast<size_t>(found - ops_.begin());
  for (size_t sample = 0; sample < samples_.size(); ++sample) {
    for (const Pattern pattern : kPatterns) {
      if (!AnswersAlike(sample, op, first, most, pattern)) return static_cast<int>(sample);
    }
  }
  return -1;
}

DerivedBound Derive(const std::vector<std::unique_ptr<Bearing>>& models, const std::string& op, int most) {
  DerivedBound derived;
  for (int e = 1; e <= most; ++e) {
    for (const auto& model : models) {
      const int sample = model->FirstOtherAnswer(op, e);
      if (sample < 0) continue;
      derived.limit = fmt::format("{}, sample {}", model->name(), sample);
      return derived;
    }
    derived.bound = e;
  }
  return derived;
}

}  // namespace

std::map<std::string, DerivedBound> DeriveBounds(const std::vector<BearingModel>& models,
                                                 const BearingOptions& options,
                                                 const std::function<void(const std::string&)>& tell) {
  std::vector<std::unique_ptr<Bearing>> bearings;
  std::set<std::string> operators;
  for (const BearingModel& model : models) {
    bearings.push_back(std::make_unique<Bearing>(model, options));
    for (const std::string& op : bearings.back()->operators()) operators.insert(op);
  }
  operators.erase("");
  std::map<std::string, DerivedBound> derived;
  for (const std::string& op : operators) {
    if (tell) tell(op);
    derived[op] = Derive(bearings, op, options.most);
  }
  return derived;
}

host::Bounds BoundsOf(const std::map<std::string, DerivedBound>& derived) {
  host::Bounds bounds;
  for (const auto& [op, entry] : derived) bounds[op] = entry.bound;
  return bounds;
}

}  // namespace lutra::conformance
