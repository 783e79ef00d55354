// SPDX-License-Identifier: Apache-2.0
// Runs the model with a choice for its tensors on the data, and judges its outputs by the goal.
//
//   Trials trials(choices, evaluator, fit, deciding, goal, options, &runs);
//   if (trials.Reaches(chosen)) loss = trials.LossOf(chosen);
//
// A choice is run once: its verdict is in `runs` from then on. An answer counts as right if it is right and
// keeps the spare share of its margin. A loss is the number of wrong answers or, with other metrics,
// MetricFacts::Loss with the spare; the less, the better.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compressor/accuracy/choices.h"
#include "compressor/accuracy/deciding_model.h"
#include "compressor/accuracy/evaluate.h"
#include "compressor/accuracy/labelled_data.h"
#include "compressor/accuracy/runs.h"
#include "compressor/accuracy/scoring.h"
#include "compressor/accuracy/solver_options.h"

namespace lutra::compressor {

class Trials {
 public:
  // `evaluator` has the data of `fit`, `deciding` is of the choices' base. All arguments outlive it.
  Trials(const Choices& choices, const Evaluator& evaluator, const LabelledData& fit,
         const DecidingModel& deciding, const SolverGoal& goal, const SolverOptions& options, Runs* runs);
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  // Returns whether the goal is reached. Runs the network unless the choice is known. With kMaxBytes the goal
  // is that at most `most_wrong` answers are wrong, whatever the bytes.
  bool Reaches(const std::vector<int>& chosen, int64_t most_wrong = 0);
  bool IsKnown(const std::vector<int>& chosen) const {
    return runs_.verdicts().contains(choices_.ValuesOf(chosen));
  }
  // These are of a choice that is known.
  const Runs::Verdict& VerdictOf(const std::vector<int>& chosen) const {
    return runs_.verdicts().at(choices_.ValuesOf(chosen));
  }
  double LossOf(const std::vector<int>& chosen) const { return LossOf(VerdictOf(chosen)); }
  // Runs the network on all samples, whatever is known; `runs` do not change.
  double MeasureLoss(const std::vector<int>& chosen);

  // Returns how many answers there are to be right: 0 with other metrics.
  int64_t answers() const { return static_cast<int64_t>(labels_.size()); }
  // Returns how often the network was run over the data.
  int evaluations() const { return evaluations_; }

 private:
  Runs::Verdict Run(const std::vector<int>& chosen, int64_t allowed_wrong, int64_t allowed_lost);
  // With other metrics than answers. It may end as soon as it is clear that the loss is larger.
  Runs::Verdict RunByMetric(const std::vector<int>& chosen, double most_loss);
  // Returns the metric's, with the spare.
  double LossOf(const SampleErrors& samples) const;
  double LossOf(const Runs::Verdict& verdict) const {
    return by_answers_ ? static_cast<double>(verdict.wrong) : verdict.shortfall;
  }
  double MostLoss() const;
  // Returns the least margin that each right answer has to keep.
  std::vector<double> LeastMargins() const;

  const Choices& choices_;
  const Evaluator& evaluator_;
  const LabelledData& fit_;
  const DecidingModel& deciding_;
  const SolverGoal& goal_;
  const double spare_;
  Runs& runs_;
  const bool by_answers_;
  const std::vector<int64_t> labels_;  // With answers.
  const size_t arena_bytes_;           // Of the choices' base.
  const Bytes no_reference_;
  std::optional<Scoring> scoring_;  // With other metrics than answers.
  std::vector<bool> base_is_right_;
  std::vector<double> least_margins_;  // With spare.
  int evaluations_ = 0;
};

}  // namespace lutra::compressor
