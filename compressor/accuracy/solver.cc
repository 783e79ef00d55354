// SPDX-License-Identifier: Apache-2.0
// Uses sensitivities to find an exchange rate between error and bytes, then moves.

#include "compressor/accuracy/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "host/progress.h"
#include "host/sha256.h"

namespace lutra::compressor {

Solver::Solver(const Choices& choices, const Evaluator& evaluator, const LabelledData& fit,
               const SolverGoal& goal, const SolverOptions& options, Runs* runs)
    : choices_(choices),
      goal_(goal),
      options_(options),
      runs_(*runs),
      deciding_(choices.base(), *fit.metric),
      trials_(choices, evaluator, fit, deciding_, goal_, options_, runs),
      sensitivities_(choices, evaluator, fit, deciding_, goal_, options_, runs),
      allocation_(choices, options.target, goal.decode_us),
      random_(options.seed) {
  const host::AlignedBytes& bytes = choices.base().bytes;
  const std::vector<uint8_t>& samples = evaluator.data().samples;
  const std::vector<double>& labels = fit.data.labels;
  runs_.Open(fmt::format("7 {} {} {} {} {} {} {} {} {} {} {}", fit.metric->name, options.spare,
                         options.sensitivity_samples, choices.fingerprint(),
                         host::Sha256(bytes.data(), bytes.size()),
                         host::Sha256(samples.data(), samples.size()),
                         host::Sha256(labels.data(), labels.size() * sizeof(double)),
                         static_cast<int>(goal.kind), goal.limit, goal.bytes, options.seed));
}

Solution Solver::Solve() {
  sensitivities_.Measure();
  if (LimitsCodecs()) allocation_.Take(FastCodecsOf(options_.target));
  Solution best;
  best.chosen.assign(tensors(), 0);
  best.bytes = choices_.BytesOf(best.chosen);
  // The model as it is may have any number of wrong answers.
  best.reaches_goal = trials_.Reaches(best.chosen, trials_.answers());
  const bool is_for_bytes = goal_.kind == SolverGoal::kMaxBytes;
  if (is_for_bytes || best.reaches_goal) {
    Search(&best);
    const bool is_fast = choices_.AreOf(FastCodecsOf(options_.target), best.chosen);
    if (LimitsCodecs() && is_fast && allocation_.ChooseCodecsFor(best.chosen)) {
      // The codecs changed, so the same values take other bytes.
      if (!is_for_bytes) {
        best.chosen = allocation_.CodedNearly(choices_.ValuesOf(best.chosen));
        best.bytes = choices_.BytesOf(best.chosen);
      }
      Search(&best);
    }
  }
  best.loss = trials_.LossOf(best.chosen);
  best.evaluations = evaluations();
  best.codecs = allocation_.codecs();
  return best;
}

void Solver::Search(Solution* best) {
  most_evaluations_ = evaluations() + options_.evaluations;
  if (goal_.kind == SolverGoal::kMaxBytes) return SearchForBytes(best);
  const auto take = [&](const Chosen& chosen) { TryToTake(chosen, best); };
  TakeStart(take);
  TakeKnown(take);
  HalveIn(std::vector<double>(tensors(), 1), best);
  MoveSingles(best);
  MovePairs(best);
  Restart(best);
}

// Takes for each tensor an option that is no worse than the other search's.
void Solver::TakeStart(const std::function<void(const Chosen&)>& take) {
  if (options_.start.empty()) return;
  take(allocation_.Best([&](size_t t, size_t o) {
    const std::optional<Runs::Sensitivity> start = runs_.SensitivityOf(t, options_.start[t]);
    return start && sensitivities_.ErrorOf(t, o) <= start->error ? 0
                                                                 : std::numeric_limits<double>::infinity();
  }));
}

// Takes the best choice that an earlier search has run.
void Solver::TakeKnown(const std::function<void(const Chosen&)>& take) {
  const std::map<Runs::Values, Runs::Verdict> known = runs_.verdicts();
  for (const auto& [values, verdict] : known) {
    const Chosen chosen = allocation_.Coded(values);
    if (!chosen.empty()) take(chosen);
  }
}

bool Solver::TryToTake(const Chosen& chosen, Solution* best) {
  const int64_t bytes = choices_.BytesOf(chosen);
  if (bytes >= best->bytes || !allocation_.IsFast(chosen) || !trials_.Reaches(chosen)) return false;
  best->chosen = chosen;
  best->bytes = bytes;
  return true;
}

Solver::Chosen Solver::BestFor(double bytes_per_error) const {
  return allocation_.Best([&](size_t t, size_t o) { return bytes_per_error * sensitivities_.ErrorOf(t, o); });
}

// Finds the least exchange rate that still reaches the goal. `counts`: a weight of each tensor's error.
void Solver::HalveIn(const std::vector<double>& counts, Solution* best) {
  HalveRates(0, [&](double rate) {
    const Chosen chosen =
        allocation_.Best([&](size_t t, size_t o) { return rate * counts[t] * sensitivities_.ErrorOf(t, o); });
    const bool reaches = trials_.Reaches(chosen);
    if (reaches) TryToTake(chosen, best);
    return reaches;
  });
}

// Moves one tensor to a smaller option, the largest saving for its error first, as long as a move succeeds.
void Solver::MoveSingles(Solution* best) {
  struct Move {
    size_t tensor;
    int option;
    double gain;
  };
  for (bool any = true; any && MayRunMore();) {
    any = false;
    std::vector<Move> moves;
    for (size_t t = 0; t < tensors(); ++t) {
      const std::vector<TensorOption>& options = OptionsOf(t);
      const auto from = static_cast<size_t>(best->chosen[t]);
      for (size_t o = 0; o < options.size(); ++o) {
        const int64_t saved = options[from].stored_bytes - options[o].stored_bytes;
        if (saved <= 0) continue;
        const double worse = std::max(sensitivities_.ErrorOf(t, o) - sensitivities_.ErrorOf(t, from), 1e-9);
        moves.push_back({t, static_cast<int>(o), static_cast<double>(saved) / worse});
      }
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [](const Move& a, const Move& b) { return a.gain > b.gain; });
    for (const Move& move : moves) {
      if (!MayRunMore()) break;
      Chosen chosen = best->chosen;
      chosen[move.tensor] = move.option;
      any = TryToTake(chosen, best) || any;
    }
  }
}

Solver::Chosen Solver::Moved(Chosen chosen, size_t moves) {
  for (size_t i = 0; i < moves; ++i) {
    const size_t t = random_() % tensors();
    chosen[t] = static_cast<int>(random_() % OptionsOf(t).size());
  }
  return chosen;
}

// Moves one tensor to more bytes and one or two others to fewer, so that the model becomes smaller and, by
// the sensitivities, hardly worse.
void Solver::MovePairs(Solution* best) {
  if (tensors() < 2) return;
  host::Progress progress(choices_.base().path + ": moving");
  constexpr int kMostMisses = 30000, kMostFailures = 400;
  for (int misses = 0, failures = 0; MayRunMore() && misses < kMostMisses && failures < kMostFailures;) {
    progress.Update(evaluations(), most_evaluations_);
    const Chosen chosen = Moved(best->chosen, 2 + random_() % 3);
    const double allowed =
        sensitivities_.ErrorOf(best->chosen) * (1 + 0.25 * static_cast<double>(random_() % 5));
    if (choices_.BytesOf(chosen) >= best->bytes || !allocation_.IsFast(chosen) ||
        sensitivities_.ErrorOf(chosen) > allowed || trials_.IsKnown(chosen)) {
      ++misses;
      continue;
    }
    ++failures;
    if (TryToTake(chosen, best)) {
      misses = failures = 0;
      MoveSingles(best);
    }
  }
}

// The moves end when none of them gains. From another start they may end elsewhere, so the search restarts
// while evaluations are left: in turns from the best choice when errors of tensors count up to four times
// more or less, and from the best choice so far, with a few tensors of more bytes.
void Solver::Restart(Solution* best) {
  constexpr int kMostIdle = 20;  // Restarts in a row that needed no new evaluation.
  for (int idle = 0; MayRunMore() && idle < kMostIdle;) {
    const int before = evaluations();
    Solution other;
    other.chosen.assign(tensors(), 0);
    other.bytes = choices_.BytesOf(other.chosen);
    if (best->restarts % 2 == 0) {
      std::vector<double> counts;
      for (size_t t = 0; t < tensors(); ++t) {
        counts.push_back(std::exp2(static_cast<double>(random_() % 401) / 100 - 2));
      }
      HalveIn(counts, &other);
    } else {
      Chosen chosen = best->chosen;
      const size_t moved = 1 + random_() % 3;
      for (size_t i = 0; i < moved; ++i) {
        int& option = chosen[random_() % chosen.size()];
        option = static_cast<int>(random_() % static_cast<uint64_t>(option + 1));
      }
      TryToTake(chosen, &other);
    }
    MoveSingles(&other);
    MovePairs(&other);
    TryToTake(other.chosen, best);
    idle = evaluations() == before ? idle + 1 : 0;
    best->restarts += 1;
  }
}

// Finds the least error within the bytes, then moves within them to fewer wrong answers, or to as many with
// smaller shortfalls.
void Solver::SearchForBytes(Solution* found) {
  Solution& best = *found;
  best = {};
  // These belong to the best choice so far.
  int64_t most_wrong = trials_.answers();
  double least_shortfall = 0;
  int64_t besides = 0;  // Bytes of the last file that Choices::BytesOf did not count.
  const auto fits_file = [&](const Chosen& chosen) {
    if (!options_.file_bytes) return true;
    const int64_t bytes = options_.file_bytes(chosen);
    besides = bytes - choices_.BytesOf(chosen);
    return bytes <= goal_.bytes;
  };
  const auto fits = [&](const Chosen& chosen) { return choices_.BytesOf(chosen) + besides <= goal_.bytes; };
  const auto take = [&](const Chosen& chosen) {
    if (!fits(chosen) || !allocation_.IsFast(chosen) || !trials_.Reaches(chosen, most_wrong)) return;
    const Runs::Verdict& verdict = trials_.VerdictOf(chosen);
    if (!verdict.whole) return;
    if (!best.chosen.empty() && verdict.wrong == most_wrong && verdict.shortfall >= least_shortfall) return;
    if (!fits_file(chosen)) return;
    most_wrong = verdict.wrong;
    least_shortfall = verdict.shortfall;
    best.chosen = chosen;
    best.bytes = choices_.BytesOf(chosen);
  };
  Chosen smallest = BestFor(0);
  // If only slower codecs keep the bytes, which are the goal, decoding may take longer.
  if (!fits_file(smallest)) {
    allocation_.Take(AllCodecsOf(options_.target));
    smallest = BestFor(0);
    fits_file(smallest);
  }
  take(smallest);
  best.reaches_goal = !best.chosen.empty();
  if (!best.reaches_goal) {
    best.chosen = smallest;
    best.bytes = choices_.BytesOf(smallest);
    trials_.Reaches(smallest, most_wrong);
    return;
  }
  TakeStart(take);
  TakeKnown(take);
  HalveRates(0, [&](double rate) {
    const Chosen chosen = BestFor(rate);
    take(chosen);
    return !fits(chosen);
  });
  host::Progress progress(choices_.base().path + ": moving");
  constexpr int kMostMisses = 100000;
  for (int misses = 0; MayRunMore() && misses < kMostMisses; ++misses) {
    progress.Update(evaluations(), most_evaluations_);
    const Chosen chosen = Moved(best.chosen, 1 + random_() % 3);
    const bool is_near = sensitivities_.ErrorOf(chosen) < 1.5 * sensitivities_.ErrorOf(best.chosen);
    if (is_near && !trials_.IsKnown(chosen)) take(chosen);
  }
}

std::vector<ParetoChoice> Solver::Pareto(const Solution& solution) {
  constexpr double kFirst = 0, kLast = 40, kStep = 1;  // Exponents of two.
  const Chosen whole(tensors());
  std::set<Chosen> tried = {solution.chosen, whole};
  for (double rate = kFirst; rate <= kLast; rate += kStep) tried.insert(BestFor(std::exp2(rate)));
  std::vector<ParetoChoice> all;
  for (const Chosen& chosen : tried) {
    all.push_back({chosen, choices_.BytesOf(chosen), trials_.MeasureLoss(chosen)});
  }
  std::stable_sort(all.begin(), all.end(), [](const ParetoChoice& a, const ParetoChoice& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.loss < b.loss;
  });
  std::vector<ParetoChoice> kept;
  for (ParetoChoice& choice : all) {
    const bool is_asked_for = choice.chosen == whole || choice.chosen == solution.chosen;
    if (kept.empty() || choice.loss < kept.back().loss || is_asked_for) kept.push_back(std::move(choice));
  }
  return kept;
}

}  // namespace lutra::compressor
