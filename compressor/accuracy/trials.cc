// SPDX-License-Identifier: Apache-2.0
// Ends a run as soon as it is clear that the choice does not reach the goal.

#include "compressor/accuracy/trials.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "host/prepared_model.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

// The best of thousands of choices is better by chance, by more than one of its standard errors.
constexpr double kErrorsPerSpare = 5;

}  // namespace

Trials::Trials(const Choices& choices, const Evaluator& evaluator, const LabelledData& fit,
               const DecidingModel& deciding, const SolverGoal& goal, const SolverOptions& options,
               Runs* runs)
    : choices_(choices),
      evaluator_(evaluator),
      fit_(fit),
      deciding_(deciding),
      goal_(goal),
      spare_(options.spare),
      runs_(*runs),
      by_answers_(fit.metric->is_of_answers()),
      labels_(fit.Answers()),
      arena_bytes_(host::SmallestArena(choices.base(), {})) {
  if (!by_answers_) scoring_.emplace(evaluator_.data(), choices_.base(), no_reference_, fit_.metric->name);
  for (size_t i = 0; i < labels_.size(); ++i) base_is_right_.push_back(fit_.before.errors[i] == 0);
  if (by_answers_ && spare_ > 0) least_margins_ = LeastMargins();
}

std::vector<double> Trials::LeastMargins() const {
  std::vector<double> least_margins;
  const Bytes values = evaluator_.Outputs(deciding_.file());
  const TensorInfo info = deciding_.output();
  for (size_t i = 0; i < labels_.size(); ++i) {
    const uint8_t* sample = values.data() + i * static_cast<size_t>(info.bytes);
    const double least = spare_ * MarginOf(info, sample, labels_[i]);
    // Margins are whole codes: a margin of one or two allows no change at all. Half a code is for rounding
    // errors.
    const double code = info.is_quantized() ? double{info.scale} : 0;
    least_margins.push_back(code > 0 ? (std::floor(least / code) - 0.5) * code : least);
  }
  return least_margins;
}

double Trials::LossOf(const SampleErrors& samples) const {
  const double error = ErrorOfChange(*fit_.metric, fit_.before, samples).value_or(0);
  return fit_.metric->Loss(ValueOf(*fit_.metric, samples)) + kErrorsPerSpare * spare_ * error;
}

// The limit is a little larger: sums of the same numbers may differ in their last digits.
double Trials::MostLoss() const {
  if (goal_.kind != SolverGoal::kLimit) return std::numeric_limits<double>::infinity();
  constexpr double kOfRounding = 1e-9;
  return fit_.metric->Loss(goal_.limit) + kOfRounding * std::fabs(goal_.limit);
}

Runs::Verdict Trials::RunByMetric(const std::vector<int>& chosen, double most_loss) {
  const host::ModelFile file = choices_.ApplyTo(deciding_.file(), chosen);
  SampleErrors samples = {.errors = std::vector<double>(fit_.before.errors.size()),
                          .positive = fit_.before.positive};
  const auto count = static_cast<double>(samples.errors.size());
  const MetricFacts::Kind kind = fit_.metric->kind;
  std::atomic<double> sum = 0;
  std::atomic<bool> whole = true;
  evaluator_.ForEachOutput(file, deciding_.arena_bytes(), [&](int64_t sample, const uint8_t* output) {
    const double error = scoring_->ErrorOf(sample, output);
    samples.errors[static_cast<size_t>(sample)] = error;
    const double so_far = sum += error;
    const bool is_clear = kind == MetricFacts::kLargest ? error > most_loss
                          : kind == MetricFacts::kRmse  ? std::sqrt(so_far / count) > most_loss * (1 + 1e-9)
                                                        : false;
    if (is_clear) whole = false;
    return !is_clear;
  });
  ++evaluations_;
  return {.wrong = 0, .lost = 0, .whole = whole, .shortfall = whole ? LossOf(samples) : 0};
}

Runs::Verdict Trials::Run(const std::vector<int>& chosen, int64_t allowed_wrong, int64_t allowed_lost) {
  const bool spares = !least_margins_.empty();
  const bool by_margins = spares || goal_.kind == SolverGoal::kMaxBytes;
  const host::ModelFile file = choices_.ApplyTo(by_margins ? deciding_.file() : choices_.base(), chosen);
  const TensorInfo info = file.model.tensor(0, file.model.outputs(0)[0]);
  std::atomic<int64_t> wrong = 0, lost = 0;
  std::atomic<bool> whole = true;
  const size_t arena_bytes = by_margins ? deciding_.arena_bytes() : arena_bytes_;
  std::vector<double> shortfalls(labels_.size());  // Summed in their order, whatever the threads.
  evaluator_.ForEachOutput(file, arena_bytes, [&](int64_t sample, const uint8_t* output) {
    const auto at = static_cast<size_t>(sample);
    // If margins are spared, an answer won by chance does not make up for a lost one: on other data both are
    // rarer than on these, for which the search chose among thousands.
    const double margin = by_margins ? MarginOf(info, output, labels_[at]) : 0;
    const double least = spares ? least_margins_[at] : 0;
    const bool is_wrong =
        host::ArgMax(info, output) != labels_[at] || (spares && (!base_is_right_[at] || margin < least));
    if (is_wrong) shortfalls[at] = std::max(0.0, least - margin);
    if (is_wrong) ++wrong;
    if (is_wrong && base_is_right_[at]) ++lost;
    if (wrong <= allowed_wrong && lost <= allowed_lost) return true;
    whole = false;
    return false;
  });
  ++evaluations_;
  return {wrong, lost, whole, std::accumulate(shortfalls.begin(), shortfalls.end(), 0.0)};
}

bool Trials::Reaches(const std::vector<int>& chosen, int64_t most_wrong) {
  const Runs::Values values = choices_.ValuesOf(chosen);
  if (!by_answers_) {
    if (!runs_.verdicts().contains(values)) runs_.Add(values, RunByMetric(chosen, MostLoss()));
    const Runs::Verdict& verdict = runs_.verdicts().at(values);
    return verdict.whole && verdict.shortfall <= MostLoss();
  }
  const int64_t count = answers();
  const int64_t allowed_wrong =
      goal_.kind == SolverGoal::kLimit
          ? count - static_cast<int64_t>(std::ceil(goal_.limit * static_cast<double>(count) - 1e-9))
      : goal_.kind == SolverGoal::kMaxBytes ? most_wrong
                                            : count;
  const int64_t allowed_lost = goal_.kind == SolverGoal::kKeepLabels ? 0 : count;
  if (!runs_.verdicts().contains(values)) runs_.Add(values, Run(chosen, allowed_wrong, allowed_lost));
  const Runs::Verdict& verdict = runs_.verdicts().at(values);
  return verdict.wrong <= allowed_wrong && verdict.lost <= allowed_lost;
}

double Trials::MeasureLoss(const std::vector<int>& chosen) {
  return LossOf(by_answers_ ? Run(chosen, answers(), answers())
                            : RunByMetric(chosen, std::numeric_limits<double>::infinity()));
}

}  // namespace lutra::compressor
