// SPDX-License-Identifier: Apache-2.0
// Finds the smallest choice with which a network still answers as the goal requires.
//
//   Runs runs;
//   Solver solver(choices, evaluator, reference, goal, {}, &runs);
//   const Solution solution = solver.Solve();
//
// Each tensor is compressed alone at each of its widths; the change of the values that the network decides by
// is its sensitivity (sensitivities.h). For any exchange rate between these errors and bytes, the choice with
// the least sum is found (bit_allocation.h); the rate is found by bisection, running the network (trials.h).
// Then single tensors and pairs change their options as long as that gains. Only choices that were run count.
// The same seed gives the same choice. The search begins with codecs that are decoded fast; if slower ones
// are worth their time for its choice (codec_choice.h), it goes on with these.

#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "compressor/accuracy/bit_allocation.h"
#include "compressor/accuracy/choices.h"
#include "compressor/accuracy/codec_choice.h"
#include "compressor/accuracy/deciding_model.h"
#include "compressor/accuracy/evaluate.h"
#include "compressor/accuracy/labelled_data.h"
#include "compressor/accuracy/runs.h"
#include "compressor/accuracy/sensitivities.h"
#include "compressor/accuracy/solver_options.h"
#include "compressor/accuracy/trials.h"
#include "host/compression_result.h"

namespace lutra::compressor {

struct Solution {
  std::vector<int> chosen;  // The option of each of Choices::tensors().
  int64_t bytes = 0;        // Choices::BytesOf.
  bool reaches_goal = false;
  double loss = 0;      // Inputs answered wrongly, or MetricFacts::Loss; the less, the better.
  int evaluations = 0;  // Runs over the data, sensitivities included.
  int restarts = 0;     // How often the moves began again elsewhere.
  CodecChoice codecs;   // The codecs among which it was chosen.
  std::vector<host::SearchStep> steps = {};
};

// A choice on the Pareto front: every smaller choice that was tried was worse.
struct ParetoChoice {
  std::vector<int> chosen;
  int64_t bytes = 0;
  double loss = 0;  // As Solution has it.
};

class Solver {
 public:
  // `evaluator` has the data of `fit`. All arguments but `goal` and `options` outlive it. Throws BadInput for
  // a log of another search.
  Solver(const Choices& choices, const Evaluator& evaluator, const LabelledData& fit, const SolverGoal& goal,
         const SolverOptions& options, Runs* runs);
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  Solution Solve();
  // The best choices by the sensitivities, and `solution`, ordered from the fewest bytes to the unchanged
  // model. Call it after Solve.
  std::vector<ParetoChoice> Pareto(const Solution& solution);
  // Returns what was measured of each tensor alone at each of its widths. Call it after Solve.
  std::vector<host::TensorSensitivity> Sensitivities() const { return sensitivities_.Table(); }

 private:
  using Chosen = std::vector<int>;

  void Search(Solution* best);
  void SearchForBytes(Solution* best);
  void TakeStart(const std::function<void(const Chosen&)>& take);
  void TakeKnown(const std::function<void(const Chosen&)>& take);
  void HalveIn(const std::vector<double>& counts, Solution* best);
  void MoveSingles(Solution* best);
  void MovePairs(Solution* best);
  void Restart(Solution* best);
  bool TryToTake(const Chosen& chosen, Solution* best);
  // Gives `moves` tensors any of their options, by chance; a tensor may be met more than once.
  Chosen Moved(Chosen chosen, size_t moves);
  // Returns the least bytes and errors together.
  Chosen BestFor(double bytes_per_error) const;
  const std::vector<TensorOption>& OptionsOf(size_t tensor) const {
    return choices_.tensors()[tensor].options;
  }
  size_t tensors() const { return choices_.tensors().size(); }
  bool LimitsCodecs() const { return !options_.any_codec && !goal_.decode_us; }
  int evaluations() const { return trials_.evaluations() + sensitivities_.evaluations(); }
  bool MayRunMore() const { return evaluations() < most_evaluations_; }

  const Choices& choices_;
  const SolverGoal goal_;
  const SolverOptions options_;
  Runs& runs_;
  const DecidingModel deciding_;
  Trials trials_;
  compressor::Sensitivities sensitivities_;
  BitAllocation allocation_;
  int most_evaluations_ = 0;  // Sensitivities included.
  std::mt19937_64 random_;
};

}  // namespace lutra::compressor
