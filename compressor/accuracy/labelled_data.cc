// SPDX-License-Identifier: Apache-2.0
// Orders samples by their margins, and divides them into halves.

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
  LabelledData some = {.data = all.data, .metric = all.metric, .before = {}};
  some.data.samples.clear();
  some.data.names.clear();
  some.data.labels.clear();
  const size_t labels = all.data.labels.size() / static_cast<size_t>(all.data.count());
  for (const size_t i : wanted) {
    const uint8_t* sample = all.data.sample(static_cast<int64_t>(i));
    some.data.samples.insert(some.data.samples.end(), sample, sample + all.data.sample_bytes);
    const auto first = all.data.labels.begin() + static_cast<ptrdiff_t>(i * labels);
    some.data.labels.insert(some.data.labels.end(), first, first + static_cast<ptrdiff_t>(labels));
    some.before.errors.push_back(all.before.errors[i]);
    if (!all.before.positive.empty()) some.before.positive.push_back(all.before.positive[i]);
  }
  return some;
}

// Returns the metric that fits the labels; without labels, agreement of classes or the largest difference.
std::string MetricFor(const Dataset& data, const TensorInfo& input, const TensorInfo& output) {
  if (!data.labels.empty()) return host::DefaultMetric(data.label_type, input, output);
  return output.shape.Count() > 1 && output.shape != input.shape ? "accuracy" : "difference";
}

}  // namespace

std::pair<LabelledData, LabelledData> Halves(const LabelledData& all, uint64_t split) {
  struct Class {
    bool is_second = false;
    size_t half = 0;  // The half that has the last sample.
  };
  std::map<int64_t, Class> classes;
  std::mt19937_64 random(split);
  std::vector<size_t> halves[2];
  const bool has_classes = all.metric->is_of_answers() || all.metric->kind == MetricFacts::kAuc;
  for (size_t i = 0; i < all.before.errors.size(); ++i) {
    Class& c = classes[has_classes ? static_cast<int64_t>(all.data.labels[i]) : 0];
    const size_t first = split == 0 ? 0 : random() % 2;
    c.half = c.is_second ? 1 - c.half : first;
    c.is_second = !c.is_second;
    halves[c.half].push_back(i);
  }
  return {Select(all, halves[0]), Select(all, halves[1])};
}

std::vector<int64_t> LabelledData::Answers() const {
  return metric->is_of_answers() ? std::vector<int64_t>(data.labels.begin(), data.labels.end())
                                 : std::vector<int64_t>();
}

LabelledData LabelledFor(const host::ModelFile& file, const Dataset& data, const std::string& metric,
                         int jobs) {
  const TensorInfo input = file.model.tensor(0, file.model.inputs(0)[0]);
  const TensorInfo output = file.model.tensor(0, file.model.outputs(0)[0]);
  const std::string name = metric.empty() ? MetricFor(data, input, output) : metric;
  LabelledData all = {.data = data, .metric = FindMetric(name), .before = {}};
  const bool is_of_itself = data.labels.empty() || all.metric->is_of_change;
  if (is_of_itself && all.metric->is_of_answers()) {
    LabelByAnswers(file, data, jobs, &all.data);
  } else if (is_of_itself && all.metric->kind != MetricFacts::kAuc) {
    LabelByValues(file, Evaluator(data, jobs).Outputs(file), &all.data);
  }
  const Evaluation base = Evaluator(all.data, jobs).Evaluate(file, name, {});
  all.before = base.samples;
  if (!all.metric->is_of_answers()) return all;
  std::vector<size_t> order(base.inputs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return base.inputs[a].margin < base.inputs[b].margin; });
  return Select(all, order);
}

host::AnswerChange Evaluate(const LabelledData& samples, const host::ModelFile& file, int jobs) {
  const MetricFacts& metric = *samples.metric;
  const Evaluation after = Evaluator(samples.data, jobs, true).Evaluate(file, metric.name, {});
  host::AnswerChange result = {.count = after.count,
                               .value_before = samples.Value(),
                               .value_after = after.value,
                               .interval_before = IntervalOf(metric, samples.before),
                               .interval_after = after.interval,
                               .interval_of_change = IntervalOfChange(metric, samples.before, after.samples)};
  if (!metric.is_of_answers()) return result;
  result.lost = 0;
  for (size_t i = 0; i < after.samples.errors.size(); ++i) {
    if (samples.before.errors[i] == 0 && after.samples.errors[i] != 0) ++*result.lost;
  }
  return result;
}

}  // namespace lutra::compressor
