// SPDX-License-Identifier: Apache-2.0
// Orders samples by their margins, and shares them out.

#include "compressor/accuracy/labelled_data.h"

#include <fmt/format.h>

#include <map>
#include <numeric>
#include <random>

#include "host/scores.h"

namespace lutra::compressor {
namespace {

// Returns the samples that `wanted` names.
LabelledData Select(const LabelledData& all, const std::vector<size_t>& wanted) {
  LabelledData some = {.data = all.data, .labels = {}, .right = {}};
  some.data.samples.clear();
  some.data.names.clear();
  some.data.labels.clear();
  for (const size_t i : wanted) {
    const uint8_t* sample = all.data.sample(static_cast<int64_t>(i));
    some.data.samples.insert(some.data.samples.end(), sample, sample + all.data.sample_bytes);
    some.labels.push_back(all.labels[i]);
    some.data.labels.push_back(static_cast<double>(all.labels[i]));
    some.right.push_back(all.right[i]);
  }
  return some;
}

}  // namespace

std::pair<LabelledData, LabelledData> Halves(const LabelledData& all, uint64_t split) {
  struct Class {
    bool is_second = false;
    size_t half = 0;  // Where the last sample went.
  };
  std::map<int64_t, Class> classes;
  std::mt19937_64 random(split);
  std::vector<size_t> halves[2];
  for (size_t i = 0; i < all.labels.size(); ++i) {
    Class& c = classes[all.labels[i]];
    const size_t first = split == 0 ? 0 : random() % 2;
    c.half = c.is_second ? 1 - c.half : first;
    c.is_second = !c.is_second;
    halves[c.half].push_back(i);
  }
  return {Select(all, halves[0]), Select(all, halves[1])};
}

LabelledData InOrderOfMargins(const host::ModelFile& file, const Dataset& data, int jobs) {
  const TensorInfo input = file.model.tensor(0, file.model.inputs(0)[0]);
  const TensorInfo output = file.model.tensor(0, file.model.outputs(0)[0]);
  const TensorType labels = data.labels.empty() ? TensorType::kInt32 : data.label_type;
  const std::string metric = host::DefaultMetric(labels, input, output);
  if (metric != "accuracy" || output.shape.Count() < 2) {
    throw host::BadInput(fmt::format(
        "{}: metric: found a model and labels for {}, required: classes; choose widths with compress "
        "evaluate",
        file.path, output.shape.Count() < 2 ? "one output" : metric));
  }
  const Evaluator evaluator(data, jobs);
  const Bytes answers = data.labels.empty() ? evaluator.Outputs(file) : Bytes();
  const Evaluation base = evaluator.Evaluate(file, "accuracy", answers);
  std::vector<size_t> order(base.inputs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return base.inputs[a].margin < base.inputs[b].margin; });
  LabelledData all = {.data = data, .labels = {}, .right = {}};
  for (const InputResult& input : base.inputs) {
    all.labels.push_back(input.label);
    all.right.push_back(input.answer == input.label ? 1 : 0);
  }
  return Select(all, order);
}

host::AnswerChange Evaluate(const LabelledData& samples, const host::ModelFile& file, int jobs) {
  const Evaluation after = Evaluator(samples.data, jobs, true).Evaluate(file, "accuracy", {});
  host::AnswerChange result = {
      .count = after.count, .value_before = samples.Accuracy(), .value_after = after.value};
  for (size_t i = 0; i < samples.labels.size(); ++i) {
    if (samples.right[i] != 0 && after.inputs[i].answer != samples.labels[i]) ++result.lost;
  }
  return result;
}

}  // namespace lutra::compressor
