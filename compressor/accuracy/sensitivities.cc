// SPDX-License-Identifier: Apache-2.0
// Runs the network with one changed tensor at a time, and sums the changes of its outputs.

#include "compressor/accuracy/sensitivities.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>

#include "compressor/accuracy/scoring.h"
#include "host/progress.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

// A sample that changes by more than its margin is lost, and cannot be worse than that: errors are limited.
constexpr double kMostError = 4;

}  // namespace

Sensitivities::Sensitivities(const Choices& choices, const Evaluator& evaluator, const LabelledData& fit,
                             const DecidingModel& deciding, const SolverGoal& goal,
                             const SolverOptions& options, Runs* runs)
    : choices_(choices),
      evaluator_(evaluator),
      fit_(fit),
      deciding_(deciding),
      goal_(goal),
      samples_(options.sensitivity_samples),
      runs_(*runs),
      by_answers_(fit.metric->is_of_answers()) {}

// Returns the unit of each sample's error: with answers the square of its margin, of at least one code. Other
// metrics have one unit for all: the variance of the scores for auc, the present error for rmse, the limit of
// a difference.
std::vector<double> Sensitivities::EnergyUnits(const Evaluator& evaluator, const Bytes& wanted) const {
  const TensorInfo info = deciding_.output();
  const auto bytes = static_cast<size_t>(info.bytes);
  const auto samples = static_cast<size_t>(evaluator.data().count());
  const double code = info.is_quantized() ? double{info.scale} : 1e-6;
  if (!by_answers_) {
    const std::vector<double>& errors = fit_.before.errors;
    const auto count = static_cast<double>(errors.size());
    const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
    double variance = 0;
    for (const double error : errors) variance += (error - mean) * (error - mean) / count;
    const double unit = fit_.metric->kind == MetricFacts::kAuc    ? std::max(variance, 1e-12)
                        : fit_.metric->kind == MetricFacts::kRmse ? std::max(mean, code * code)
                                                                  : std::max(goal_.limit, code) * code;
    return std::vector<double>(samples, unit);
  }
  std::vector<double> units;
  for (size_t i = 0; i < samples; ++i) {
    const uint8_t* output = wanted.data() + i * bytes;
    const int64_t answer = host::ArgMax(info, output);
    const double margin = std::max(MarginOf(info, output, answer), code);
    units.push_back(margin * margin);
  }
  return units;
}

Runs::Sensitivity Sensitivities::MeasureOne(const Evaluator& evaluator, const Bytes& wanted,
                                            const std::vector<double>& units,
                                            const std::vector<int>& chosen) {
  const TensorInfo info = deciding_.output();
  const TensorInfo input = deciding_.input();
  const int64_t values = info.shape.Count();
  const auto score = [&](int64_t sample, const uint8_t* output) {
    return host::MeanSquaredDifference(info, output, input, evaluator.data().sample(sample));
  };
  // Measures the change of the outputs, or of the score.
  const auto energy_of = [&](int64_t sample, const uint8_t* output, const uint8_t* before) {
    if (fit_.metric->kind == MetricFacts::kAuc) {
      return std::pow(score(sample, output) - score(sample, before), 2);
    }
    double energy = 0;
    for (int64_t k = 0; k < values; ++k) {
      energy += std::pow(host::RealValue(info, output, k) - host::RealValue(info, before, k), 2);
    }
    return by_answers_ ? energy : energy / static_cast<double>(values);
  };
  std::vector<double> errors(units.size());
  std::atomic<int64_t> changed = 0;
  evaluator.ForEachOutput(choices_.ApplyTo(deciding_.file(), chosen), deciding_.arena_bytes(),
                          [&](int64_t sample, const uint8_t* output) {
                            const auto at = static_cast<size_t>(sample);
                            const uint8_t* before = wanted.data() + at * static_cast<size_t>(info.bytes);
                            errors[at] = std::min(energy_of(sample, output, before) / units[at], kMostError);
                            if (by_answers_ && host::ArgMax(info, output) != host::ArgMax(info, before))
                              ++changed;
                            return true;
                          });
  ++evaluations_;
  return {std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size()), changed};
}

void Sensitivities::Measure() {
  const Evaluator evaluator(Spread(evaluator_.data(), samples_), evaluator_.jobs(), true);
  const Bytes wanted = evaluator.Outputs(deciding_.file());
  const std::vector<double> units = EnergyUnits(evaluator, wanted);
  const auto& tensors = choices_.tensors();
  host::Progress progress(deciding_.file().path + ": sensitivities");
  errors_.resize(tensors.size());
  for (size_t t = 0; t < tensors.size(); ++t) {
    progress.Update(static_cast<int64_t>(t), static_cast<int64_t>(tensors.size()));
    errors_[t].assign(tensors[t].options.size(), 0);
    for (size_t o = 1; o < tensors[t].options.size(); ++o) {
      const int number = tensors[t].options[o].values;
      if (!runs_.SensitivityOf(t, number)) {
        std::vector<int> chosen(tensors.size());
        chosen[t] = static_cast<int>(o);
        runs_.Add(t, number, MeasureOne(evaluator, wanted, units, chosen));
      }
      errors_[t][o] = runs_.SensitivityOf(t, number)->error;
    }
  }
}

double Sensitivities::ErrorOf(const std::vector<int>& chosen) const {
  double error = 0;
  for (size_t t = 0; t < chosen.size(); ++t) error += errors_[t][static_cast<size_t>(chosen[t])];
  return error;
}

std::vector<host::TensorSensitivity> Sensitivities::Table() const {
  std::vector<host::TensorSensitivity> all;
  const host::ModelFile& base = choices_.base();
  for (size_t t = 0; t < errors_.size(); ++t) {
    const TensorChoice& tensor = choices_.tensors()[t];
    const TensorId id = tensor.ids[0];
    host::TensorSensitivity& row = all.emplace_back();
    row.subgraph = id.subgraph;
    row.index = id.tensor;
    row.name = base.model.tensor(id.subgraph, id.tensor).name;
    row.original_bytes = tensor.original_bytes;
    for (const TensorOption& option : tensor.options) {
      const Runs::Sensitivity measured = runs_.SensitivityOf(t, option.values).value_or(Runs::Sensitivity());
      row.widths.push_back(
          {.bits = option.bits,
           .codec = option.codec,
           .error = measured.error,
           .answers_changed = by_answers_ ? host::Figure(measured.answers_changed) : host::Figure(),
           .bytes = option.stored_bytes,
           .decode_us = option.decode_us});
    }
  }
  return all;
}

}  // namespace lutra::compressor
