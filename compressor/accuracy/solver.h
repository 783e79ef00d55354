// SPDX-License-Identifier: Apache-2.0
// The smallest choice for which a network still answers as it should.
//
//   Solver solver(choices, evaluator, reference, goal, {});
//   const Solution solution = solver.Solve();
//
// Each tensor is compressed alone at each of its widths, and what that does to the values that the network
// decides by is its sensitivity. Errors of different tensors hardly correlate, so their energies add up; the
// choice that has the least sum for its bytes is found for any exchange rate between the two (Everett 1963,
// generalised Lagrange multipliers), and the rate is halved in on by running the network. Then single tensors
// and pairs are moved as long as that gains. Only what was run counts. The same seed gives the same choice.

#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "compressor/accuracy/choices.h"
#include "compressor/accuracy/evaluate.h"

namespace lutra::compressor {

struct SolverGoal {
  enum Kind : uint8_t {
    kKeepLabels,   // Every input that the uncompressed model answers rightly stays right.
    kMinAccuracy,  // At least `accuracy` of the inputs are answered rightly.
    kMaxBytes,     // Not more than `bytes`, and as many right answers as that allows.
  };
  Kind kind = kKeepLabels;
  double accuracy = 0;
  int64_t bytes = 0;
  std::optional<double> decode_us;  // Besides: decoding takes no longer, by Choices::DecodeUsOf.
};

struct SolverOptions {
  uint64_t seed = 1;
  int evaluations = 4000;  // Runs over the data, after the sensitivities; those that end early count as well.
  int sensitivity_samples = 0;  // Spread over all; 0: all of them.
  // Answers count as right that keep this share of their margin, too, in whole codes. Without, what is
  // small on the samples of the search loses answers on others (README.md has what was measured). And answers
  // that the model gave wrongly stay so: what is won by chance does not make up for what is lost.
  double spare = 0.4;
  // For kMaxBytes: what a choice takes, exactly. Empty: as Choices::BytesOf has it, which files do nearly.
  std::function<int64_t(const std::vector<int>& chosen)> file_bytes;
  std::string log;  // A file of what was run, which a later call goes on from. Empty: none.
};

struct Solution {
  std::vector<int> chosen;  // Of each of Choices::tensors() the option.
  int64_t bytes = 0;        // Choices::BytesOf.
  bool reaches_goal = false;
  int64_t right = 0;    // Inputs answered rightly,
  int64_t lost = 0;     // and those that were before and are not now.
  int evaluations = 0;  // Runs over the data, sensitivities included.
};

// A choice that nothing smaller that was tried equals in right answers.
struct ParetoChoice {
  std::vector<int> chosen;
  int64_t bytes = 0;
  int64_t right = 0;
};

class Solver {
 public:
  // `labels`: the right answer of each sample. All arguments outlive it. Throws BadInput for a log of another
  // search.
  Solver(const Choices& choices, const Evaluator& evaluator, std::vector<int64_t> labels,
         const SolverGoal& goal, const SolverOptions& options);
  ~Solver();
  Solution Solve();
  // What bytes buy, the fewest bytes first, up to the model as it is: the best choices by the sensitivities,
  // and `solution`. After Solve.
  std::vector<ParetoChoice> Pareto(const Solution& solution);

 private:
  using Chosen = std::vector<int>;
  struct Verdict {
    int64_t wrong = 0;  // Of the samples that were run.
    int64_t lost = 0;
    bool whole = true;     // False: it was clear before all were run.
    double shortfall = 0;  // For kMaxBytes: what the margins of wrong answers lack, together.
  };
  class Log;

  Verdict Run(const Chosen& chosen, int64_t allowed_wrong, int64_t allowed_lost);
  // Whether the goal is reached. Runs the network unless it has been.
  bool Reaches(const Chosen& chosen);
  // By what the sample's right value exceeds the others, in the values that the network decides by.
  double MarginOf(const TensorInfo& info, const uint8_t* values, int64_t label) const;
  void MeasureSensitivities();
  Chosen BestFor(double bytes_per_error) const;
  Chosen BestFor(double bytes_per_error, double bytes_per_us) const;
  bool IsFast(const Chosen& chosen) const {
    return !goal_.decode_us || choices_.DecodeUsOf(chosen) <= *goal_.decode_us;
  }
  double ErrorOf(const Chosen& chosen) const;
  void TakeKnown(Solution* best);
  void HalveIn(Solution* best);
  void MoveSingles(Solution* best);
  void MovePairs(Solution* best);
  bool TryToTake(const Chosen& chosen, Solution* best);
  bool IsOfThese(const Chosen& chosen) const;
  Solution SolveForBytes();

  const Choices& choices_;
  const Evaluator& evaluator_;
  const std::vector<int64_t> labels_;
  const SolverGoal goal_;
  const SolverOptions options_;
  size_t arena_bytes_;
  host::ModelFile deciding_;  // The model, with the values that it decides by as its output.
  size_t deciding_arena_bytes_;
  std::vector<double> least_margins_;  // With options_.spare.
  int64_t most_wrong_ = 0;             // Of kMaxBytes: of the best so far.
  std::vector<bool> base_is_right_;
  std::vector<std::vector<double>> errors_;  // Of each tensor's each option.
  std::map<Chosen, Verdict> known_;
  std::map<size_t, std::vector<double>> known_errors_;  // From the log.
  int evaluations_ = 0;
  int most_evaluations_ = 0;  // Sensitivities included.
  std::unique_ptr<Log> log_;
  std::mt19937_64 random_;
};

}  // namespace lutra::compressor
