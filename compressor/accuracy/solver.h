// SPDX-License-Identifier: Apache-2.0
// The smallest choice for which a network still answers as it should.
//
//   Runs runs;
//   Solver solver(choices, evaluator, reference, goal, {}, &runs);
//   const Solution solution = solver.Solve();
//
// Each tensor is compressed alone at each of its widths, and what that does to the values that the network
// decides by is its sensitivity. Errors of different tensors hardly correlate, so their energies add up; the
// choice that has the least sum for its bytes is found for any exchange rate between the two (Everett 1963,
// generalised Lagrange multipliers), and the rate is halved in on by running the network. Then single tensors
// and pairs are moved as long as that gains. Only what was run counts. The same seed gives the same choice.
// It begins with codecs that are decoded fast; where slower ones are worth their time (codec_choice.h) for
// what was chosen, it goes on with these.

#pragma once

#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compressor/accuracy/choices.h"
#include "compressor/accuracy/codec_choice.h"
#include "compressor/accuracy/evaluate.h"
#include "compressor/accuracy/labelled_data.h"
#include "host/compression_result.h"

namespace lutra::compressor {

struct SolverGoal {
  enum Kind : uint8_t {
    kKeepLabels,  // Every input that the uncompressed model answers rightly stays right. For answers alone.
    kLimit,       // The metric's value is no worse than `limit`.
    kMaxBytes,    // Not more than `bytes`, and as good a value as that allows.
  };
  Kind kind = kKeepLabels;
  double limit = 0;
  int64_t bytes = 0;
  std::optional<double> decode_us;  // Besides: decoding takes no longer, by Choices::DecodeUsOf.
};

struct SolverOptions {
  uint64_t seed = 1;
  int evaluations = 4000;  // Runs over the data, after the sensitivities; those that end early count as well.
  int sensitivity_samples = 0;  // Spread over all; 0: all of them.
  // Answers count as right that keep this share of their margin, too, in whole codes. Without, what is
  // small on the samples of the search loses answers on others (README.md has what was measured). And answers
  // that the model gave wrongly stay so: what is won by chance does not make up for what is lost. With other
  // metrics the value counts as worse by five times so many standard errors of its change (ErrorOfChange).
  double spare = 0.4;
  // For kMaxBytes: what a choice takes, exactly. Empty: as Choices::BytesOf has it, which files do nearly.
  std::function<int64_t(const std::vector<int>& chosen)> file_bytes;
  Target target = Target::kTflm;  // Of the choices.
  bool any_codec = false;         // However long it takes to decode.
  // The result of another search, by Choices::ValuesOf, from where this one begins. Empty: everything as it
  // is.
  std::vector<int> start = {};
};

struct Solution {
  std::vector<int> chosen;  // The option of each of Choices::tensors().
  int64_t bytes = 0;        // Choices::BytesOf.
  bool reaches_goal = false;
  double loss = 0;      // Inputs answered wrongly, or MetricFacts::Loss; the less, the better.
  int evaluations = 0;  // Runs over the data, sensitivities included.
  int restarts = 0;     // How often the moves began again elsewhere.
  CodecChoice codecs;   // That it was chosen with.
  std::vector<host::SearchStep> steps = {};
};

// A choice on the Pareto front: every smaller choice that was tried was worse.
struct ParetoChoice {
  std::vector<int> chosen;
  int64_t bytes = 0;
  double loss = 0;  // As Solution has it.
};

// The runs so far, by the values of each tensor, whatever stores them. Searches of one model, data and goal
// share them: those for several targets and those of a log.
class Runs {
 public:
  using Values = std::vector<int>;
  struct Verdict {
    int64_t wrong = 0;  // Of the samples that were run.
    int64_t lost = 0;
    bool whole = true;  // False: it was clear before all were run.
    // With answers what the margins of wrong ones lack, together; else MetricFacts::Loss, with the spare.
    double shortfall = 0;
  };

  // `log`: a file of lines of JSON, which is gone on from. Empty: none.
  explicit Runs(std::string log = "") : path_(std::move(log)) {}
  // Reads the log. Throws BadInput if it is that of another search than `what`.
  void Open(const std::string& what);

  const std::map<Values, Verdict>& verdicts() const { return verdicts_; }
  void Add(const Values& values, const Verdict& verdict);
  // Describes a model with these values of one tensor alone.
  struct Sensitivity {
    double error = 0;             // Of what the network decides by, relative to the margins; less is better.
    int64_t answers_changed = 0;  // With answers.
  };
  // Empty: not measured.
  std::optional<Sensitivity> SensitivityOf(size_t tensor, int values) const;
  void Add(size_t tensor, int values, const Sensitivity& sensitivity);

 private:
  void Write(const std::string& line);
  void TakeLine(const std::string& line);
  [[noreturn]] void CannotBeWritten() const;

  const std::string path_;
  std::string what_;
  std::ofstream file_;
  std::map<Values, Verdict> verdicts_;
  std::map<std::pair<size_t, int>, Sensitivity> sensitivities_;
};

class Solver {
 public:
  // `evaluator` has the data of `fit`. All arguments outlive it. Throws BadInput for a log of another search.
  Solver(const Choices& choices, const Evaluator& evaluator, const LabelledData& fit, const SolverGoal& goal,
         const SolverOptions& options, Runs* runs);
  Solution Solve();
  // The best choices by the sensitivities, and `solution`: the fewest bytes first, up to the model as it is.
  // Call it after Solve.
  std::vector<ParetoChoice> Pareto(const Solution& solution);
  // Returns what was measured of each tensor alone at each of its widths. Call it after Solve.
  std::vector<host::TensorSensitivity> Sensitivities() const;

 private:
  using Chosen = std::vector<int>;
  using Verdict = Runs::Verdict;
  // The cost of an option besides its bytes.
  using Penalty = std::function<double(size_t tensor, size_t option)>;

  Verdict Run(const Chosen& chosen, int64_t allowed_wrong, int64_t allowed_lost);
  // With other metrics than answers. It may end as soon as it is clear that the loss is larger.
  Verdict RunByMetric(const Chosen& chosen, double most_loss);
  // The metric's, with the spare.
  double LossOf(const SampleErrors& samples) const;
  double MostLoss() const;
  double LossOf(const Verdict& verdict) const {
    return by_answers_ ? static_cast<double>(verdict.wrong) : verdict.shortfall;
  }
  // Returns whether the goal is reached. Runs the network unless it has been.
  bool Reaches(const Chosen& chosen);
  // Says by what the sample's right value exceeds the others, in the values that the network decides by.
  double MarginOf(const TensorInfo& info, const uint8_t* values, int64_t label) const;
  void MeasureSensitivities();
  // Measures the model with one changed tensor, on the samples of `evaluator`.
  Runs::Sensitivity Measure(const Evaluator& evaluator, const Bytes& wanted, const std::vector<double>& units,
                            const Chosen& chosen);
  // Returns the units in which the energies of changed outputs are counted, sample by sample.
  std::vector<double> EnergyUnits(const Evaluator& evaluator, const Bytes& wanted) const;
  // The least bytes and penalties among choices whose decoding is fast enough.
  Chosen Best(const Penalty& penalty) const;
  Chosen Best(const Penalty& penalty, double bytes_per_us) const;
  Chosen BestFor(double bytes_per_error) const;
  bool IsFast(const Chosen& chosen) const {
    return goal_.decode_us ? choices_.DecodeUsOf(chosen) <= *goal_.decode_us
                           : choices_.AreOf(codecs_.taken, chosen);
  }
  void Search(Solution* best);
  // Returns whether more codecs are worth it for what was chosen.
  bool ChooseCodecs(const Chosen& chosen);
  double ErrorOf(const Chosen& chosen) const;
  bool LimitsCodecs() const { return !options_.any_codec && !goal_.decode_us; }
  void TakeKnown(const std::function<void(const Chosen&)>& take);
  void TakeStart(const std::function<void(const Chosen&)>& take);
  void HalveIn(const std::vector<double>& counts, Solution* best);
  void MoveSingles(Solution* best);
  void MovePairs(Solution* best);
  void Restart(Solution* best);
  bool TryToTake(const Chosen& chosen, Solution* best);
  // These values in the codecs that are taken; empty: some tensor has no such option.
  Chosen Coded(const Runs::Values& values) const;
  // The same, but tensors that have no such option stay as they are.
  Chosen CodedNearly(const Runs::Values& values) const;
  bool IsKnown(const Chosen& chosen) const { return runs_.verdicts().contains(choices_.ValuesOf(chosen)); }
  void SearchForBytes(Solution* best);

  const Choices& choices_;
  const Evaluator& evaluator_;
  const LabelledData& fit_;
  const bool by_answers_;
  const std::vector<int64_t> labels_;  // With answers.
  const SolverGoal goal_;
  const SolverOptions options_;
  size_t arena_bytes_;
  host::ModelFile deciding_;  // The model, with the values that it decides by as its output.
  size_t deciding_arena_bytes_;
  const Bytes no_reference_;
  std::optional<Scoring> scoring_;     // With other metrics than answers.
  std::vector<double> least_margins_;  // With options_.spare.
  int64_t most_wrong_ = 0;             // Of kMaxBytes: of the best so far.
  std::vector<bool> base_is_right_;
  std::vector<std::vector<double>> errors_;  // One for each option of each tensor.
  CodecChoice codecs_;
  Runs& runs_;
  int evaluations_ = 0;
  int most_evaluations_ = 0;  // Sensitivities included.
  std::mt19937_64 random_;
};

}  // namespace lutra::compressor
