// SPDX-License-Identifier: Apache-2.0
// Sensitivities, an exchange rate between error and bytes, then moves.

#include "compressor/accuracy/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "host/prepared_model.h"
#include "host/progress.h"
#include "host/scores.h"
#include "host/sha256.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kHalvings = 24;
// The search chooses among thousands: the best change is lucky by more than one of its standard errors.
constexpr double kErrorsPerSpare = 5;
// A sample whose values change by more than its margin is lost; more than that is not worse.
constexpr double kMostError = 4;

TensorInfo OutputOf(const host::ModelFile& file) { return file.model.tensor(0, file.model.outputs(0)[0]); }

host::ModelFile WithOutput(const host::ModelFile& file, int tensor) {
  ModelEditor editor(file);
  editor.subgraph(0).outputs = {tensor};
  return LoadModel(editor.Write(), file.path);
}

}  // namespace

// Lines of JSON: first what is searched, then what was run.
void Runs::Open(const std::string& what) {
  if (path_.empty() || what_ == what) return;
  what_ = what;
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) CannotBeWritten();  // A device may have no end.
  const std::string before = fs::exists(status) ? host::ReadFileText(path_) : "";
  std::istringstream lines(before);
  bool is_first = true;
  for (std::string line; std::getline(lines, line);) {
    if (is_first && Json::parse(line, nullptr, false) != Json{{"search", what}}) {
      throw host::BadInput(
          fmt::format("{}: log: found the log of another search, required: one of this model, data and goal; "
                      "give another "
                      "--log",
                      path_));
    }
    if (!is_first) TakeLine(line);
    is_first = false;
  }
  file_.open(path_, std::ios::app);
  if (is_first) {
    Write(Json{{"search", what}}.dump());
  } else if (before.back() != '\n') {
    file_ << "\n";
  }
  if (!file_) CannotBeWritten();
}

void Runs::Add(const Values& values, const Verdict& verdict) {
  verdicts_[values] = verdict;
  Write(Json{{"values", values},
             {"wrong", verdict.wrong},
             {"lost", verdict.lost},
             {"whole", verdict.whole},
             {"shortfall", verdict.shortfall}}
            .dump());
}

std::optional<Runs::Sensitivity> Runs::SensitivityOf(size_t tensor, int values) const {
  if (values == 0) return Sensitivity();  // As it is.
  const auto found = sensitivities_.find({tensor, values});
  return found == sensitivities_.end() ? std::nullopt : std::optional<Sensitivity>(found->second);
}

void Runs::Add(size_t tensor, int values, const Sensitivity& sensitivity) {
  sensitivities_[{tensor, values}] = sensitivity;
  Write(Json{{"tensor", tensor},
             {"values", values},
             {"error", sensitivity.error},
             {"changed", sensitivity.answers_changed}}
            .dump());
}

// Lines that were written before stay: a search with the same log goes on from there.
void Runs::Write(const std::string& line) {
  if (path_.empty()) return;
  file_ << line << "\n" << std::flush;
  if (!file_) CannotBeWritten();
}

void Runs::CannotBeWritten() const {
  throw host::BadInput(
      fmt::format("{}: log: cannot be written; give a file on a disk with space as --log", path_));
}

// A run whose line is not ours, or was cut short, is run again.
void Runs::TakeLine(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    if (json.contains("error")) {
      sensitivities_[{json.at("tensor").get<size_t>(), json.at("values").get<int>()}] = {json.at("error"),
                                                                                         json.at("changed")};
      return;
    }
    verdicts_[json.at("values").get<Values>()] = {json.at("wrong"), json.at("lost"), json.at("whole"),
                                                  json.at("shortfall")};
  } catch (const Json::exception&) {
  }
}

Solver::Solver(const Choices& choices, const Evaluator& evaluator, const LabelledData& fit,
               const SolverGoal& goal, const SolverOptions& options, Runs* runs)
    : choices_(choices),
      evaluator_(evaluator),
      fit_(fit),
      by_answers_(fit.metric->is_of_answers()),
      labels_(fit.Answers()),
      goal_(goal),
      options_(options),
      arena_bytes_(host::SmallestArena(choices.base(), {})),
      deciding_(WithOutput(
          choices.base(), by_answers_ ? DecidingTensor(choices.base()) : choices.base().model.outputs(0)[0])),
      deciding_arena_bytes_(host::SmallestArena(deciding_, {})),
      codecs_{.taken = AllCodecsOf(options.target), .left_out = {}},
      runs_(*runs),
      random_(options.seed) {
  if (!by_answers_) scoring_.emplace(evaluator_.data(), choices_.base(), no_reference_, fit_.metric->name);
  for (size_t i = 0; i < labels_.size(); ++i) base_is_right_.push_back(fit_.before.errors[i] == 0);
  if (by_answers_ && options_.spare > 0) {
    const Bytes values = evaluator_.Outputs(deciding_);
    const TensorInfo deciding = OutputOf(deciding_);
    for (size_t i = 0; i < labels_.size(); ++i) {
      const uint8_t* sample = values.data() + i * static_cast<size_t>(deciding.bytes);
      const double least = options_.spare * MarginOf(deciding, sample, labels_[i]);
      // Whole codes: a margin of one or two would bear no change at all. Half a code is for the doubles'
      // sake.
      const double code = deciding.is_quantized() ? double{deciding.scale} : 0;
      least_margins_.push_back(code > 0 ? (std::floor(least / code) - 0.5) * code : least);
    }
  }
  const host::AlignedBytes& bytes = choices_.base().bytes;
  const std::vector<double>& labels = fit_.data.labels;
  runs_.Open(fmt::format("7 {} {} {} {} {} {} {} {} {} {} {}", fit_.metric->name, options_.spare,
                         options_.sensitivity_samples, choices.fingerprint(),
                         host::Sha256(bytes.data(), bytes.size()),
                         host::Sha256(evaluator_.data().samples.data(), evaluator_.data().samples.size()),
                         host::Sha256(labels.data(), labels.size() * sizeof(double)),
                         static_cast<int>(goal.kind), goal.limit, goal.bytes, options.seed));
}

double Solver::MarginOf(const TensorInfo& info, const uint8_t* values, int64_t label) const {
  double other = -std::numeric_limits<double>::infinity();
  for (int64_t k = 0; k < info.shape.Count(); ++k) {
    if (k != label) other = std::max(other, host::RealValue(info, values, k));
  }
  return host::RealValue(info, values, label) - other;
}

double Solver::LossOf(const SampleErrors& samples) const {
  const double error = ErrorOfChange(*fit_.metric, fit_.before, samples).value_or(0);
  return fit_.metric->Loss(ValueOf(*fit_.metric, samples)) + kErrorsPerSpare * options_.spare * error;
}

// A little more than the limit: sums of the same numbers may differ in their last digits.
double Solver::MostLoss() const {
  if (goal_.kind != SolverGoal::kLimit) return std::numeric_limits<double>::infinity();
  constexpr double kOfRounding = 1e-9;
  return fit_.metric->Loss(goal_.limit) + kOfRounding * std::fabs(goal_.limit);
}

Solver::Verdict Solver::RunByMetric(const Chosen& chosen, double most_loss) {
  const host::ModelFile file = choices_.ApplyTo(deciding_, chosen);
  SampleErrors samples = {.errors = std::vector<double>(fit_.before.errors.size()),
                          .positive = fit_.before.positive};
  const auto count = static_cast<double>(samples.errors.size());
  const MetricFacts::Kind kind = fit_.metric->kind;
  std::atomic<double> sum = 0;
  std::atomic<bool> whole = true;
  evaluator_.ForEachOutput(file, deciding_arena_bytes_, [&](int64_t sample, const uint8_t* output) {
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

Solver::Verdict Solver::Run(const Chosen& chosen, int64_t allowed_wrong, int64_t allowed_lost) {
  const bool spares = !least_margins_.empty();
  const bool by_margins = spares || goal_.kind == SolverGoal::kMaxBytes;
  const host::ModelFile file = choices_.ApplyTo(by_margins ? deciding_ : choices_.base(), chosen);
  const TensorInfo info = OutputOf(file);
  std::atomic<int64_t> wrong = 0, lost = 0;
  std::atomic<bool> whole = true;
  const size_t arena_bytes = by_margins ? deciding_arena_bytes_ : arena_bytes_;
  std::vector<double> shortfalls(labels_.size());  // Summed in their order, whatever the threads.
  evaluator_.ForEachOutput(file, arena_bytes, [&](int64_t sample, const uint8_t* output) {
    const auto at = static_cast<size_t>(sample);
    // With spare, an answer that is won by chance does not make up for one that is lost: on other data both
    // are rarer than on these, where the search chose among thousands.
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

bool Solver::Reaches(const Chosen& chosen) {
  const Runs::Values values = choices_.ValuesOf(chosen);
  if (!by_answers_) {
    if (!runs_.verdicts().contains(values)) runs_.Add(values, RunByMetric(chosen, MostLoss()));
    const Verdict& verdict = runs_.verdicts().at(values);
    return verdict.whole && verdict.shortfall <= MostLoss();
  }
  const auto count = static_cast<int64_t>(labels_.size());
  const int64_t allowed_wrong =
      goal_.kind == SolverGoal::kLimit
          ? count - static_cast<int64_t>(std::ceil(goal_.limit * static_cast<double>(count) - 1e-9))
      : goal_.kind == SolverGoal::kMaxBytes ? most_wrong_
                                            : count;
  const int64_t allowed_lost = goal_.kind == SolverGoal::kKeepLabels ? 0 : count;
  if (!runs_.verdicts().contains(values)) runs_.Add(values, Run(chosen, allowed_wrong, allowed_lost));
  const Verdict& verdict = runs_.verdicts().at(values);
  return verdict.wrong <= allowed_wrong && verdict.lost <= allowed_lost;
}

// With answers the square of each sample's margin, at least of one code. With other metrics the same for all:
// the variance of the scores for auc, what differs anyhow for rmse, the limit of a difference.
std::vector<double> Solver::EnergyUnits(const Evaluator& evaluator, const Bytes& wanted) const {
  const TensorInfo info = OutputOf(deciding_);
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

Runs::Sensitivity Solver::Measure(const Evaluator& evaluator, const Bytes& wanted,
                                  const std::vector<double>& units, const Chosen& chosen) {
  const TensorInfo info = OutputOf(deciding_);
  const TensorInfo input = deciding_.model.tensor(0, deciding_.model.inputs(0)[0]);
  const int64_t values = info.shape.Count();
  const auto score = [&](int64_t sample, const uint8_t* output) {
    return host::MeanSquaredDifference(info, output, input, evaluator.data().sample(sample));
  };
  // Measures the change of the outputs, or that of the score.
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
  evaluator.ForEachOutput(choices_.ApplyTo(deciding_, chosen), deciding_arena_bytes_,
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

void Solver::MeasureSensitivities() {
  const Evaluator evaluator(Spread(evaluator_.data(), options_.sensitivity_samples), evaluator_.jobs(), true);
  const Bytes wanted = evaluator.Outputs(deciding_);
  const std::vector<double> units = EnergyUnits(evaluator, wanted);
  const auto& tensors = choices_.tensors();
  host::Progress progress(deciding_.path + ": sensitivities");
  errors_.resize(tensors.size());
  for (size_t t = 0; t < tensors.size(); ++t) {
    progress.Update(static_cast<int64_t>(t), static_cast<int64_t>(tensors.size()));
    errors_[t].assign(tensors[t].options.size(), 0);
    for (size_t o = 1; o < tensors[t].options.size(); ++o) {
      const int number = tensors[t].options[o].values;
      if (!runs_.SensitivityOf(t, number)) {
        Chosen chosen(tensors.size());
        chosen[t] = static_cast<int>(o);
        runs_.Add(t, number, Measure(evaluator, wanted, units, chosen));
      }
      errors_[t][o] = runs_.SensitivityOf(t, number)->error;
    }
  }
}

std::vector<host::TensorSensitivity> Solver::Sensitivities() const {
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

// At the least price of time for which decoding is fast enough, where it is limited.
Solver::Chosen Solver::Best(const Penalty& penalty) const {
  Chosen chosen = Best(penalty, 0);
  if (!goal_.decode_us || IsFast(chosen)) return chosen;
  double low = -10, high = 40;  // Powers of two.
  chosen = Best(penalty, std::exp2(high));
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    Chosen tried = Best(penalty, std::exp2(middle));
    const bool fast = IsFast(tried);
    if (fast) chosen = std::move(tried);
    (fast ? high : low) = middle;
  }
  return chosen;
}

Solver::Chosen Solver::Best(const Penalty& penalty, double bytes_per_us) const {
  Chosen chosen;
  for (size_t t = 0; t < errors_.size(); ++t) {
    const auto cost = [&](size_t o) {
      const TensorOption& option = choices_.tensors()[t].options[o];
      const bool is_taken = !option.entry || codecs_.taken.Contains(option.entry->codec);
      return is_taken
                 ? static_cast<double>(option.stored_bytes) + penalty(t, o) + bytes_per_us * option.decode_us
                 : std::numeric_limits<double>::infinity();
    };
    size_t best = 0;
    for (size_t o = 1; o < errors_[t].size(); ++o) {
      if (cost(o) < cost(best)) best = o;
    }
    chosen.push_back(static_cast<int>(best));
  }
  return chosen;
}

Solver::Chosen Solver::BestFor(double bytes_per_error) const {
  return Best([&](size_t t, size_t o) { return bytes_per_error * errors_[t][o]; });
}

Solver::Chosen Solver::CodedNearly(const Runs::Values& values) const {
  return Best([&](size_t t, size_t o) {
    const bool is_wanted = choices_.tensors()[t].options[o].values == values[t];
    return is_wanted ? 0 : std::numeric_limits<double>::infinity();
  });
}

Solver::Chosen Solver::Coded(const Runs::Values& values) const {
  if (values.size() != choices_.tensors().size()) return {};  // Of a log, which may have been edited.
  Chosen chosen = CodedNearly(values);
  return choices_.ValuesOf(chosen) == values ? chosen : Chosen();
}

bool Solver::ChooseCodecs(const Chosen& chosen) {
  const Runs::Values values = choices_.ValuesOf(chosen);
  const CodecSet before = codecs_.taken;
  codecs_ = compressor::ChooseCodecs(choices_, options_.target, [&](const CodecSet& codecs) {
    codecs_.taken = codecs;
    // Without the codecs that hold them the tensors stay as they are.
    const Chosen stored = CodedNearly(values);
    return CodecCost{choices_.BytesOf(stored), choices_.DecodeUsOf(stored), choices_.MostDecodeUs(codecs)};
  });
  for (const CodecFacts& codec : AllCodecs()) {
    if (codecs_.taken.Contains(codec.type) != before.Contains(codec.type)) return true;
  }
  return false;
}

double Solver::ErrorOf(const Chosen& chosen) const {
  double error = 0;
  for (size_t t = 0; t < chosen.size(); ++t) error += errors_[t][static_cast<size_t>(chosen[t])];
  return error;
}

bool Solver::TryToTake(const Chosen& chosen, Solution* best) {
  const int64_t bytes = choices_.BytesOf(chosen);
  if (bytes >= best->bytes || !IsFast(chosen) || !Reaches(chosen)) return false;
  best->chosen = chosen;
  best->bytes = bytes;
  return true;
}

// The best of what an earlier search has run.
void Solver::TakeKnown(const std::function<void(const Chosen&)>& take) {
  const std::map<Runs::Values, Verdict> known = runs_.verdicts();
  for (const auto& [values, verdict] : known) {
    const Chosen chosen = Coded(values);
    if (!chosen.empty()) take(chosen);
  }
}

// Takes for each tensor an option that is no worse than the other search's.
void Solver::TakeStart(const std::function<void(const Chosen&)>& take) {
  if (options_.start.empty()) return;
  take(Best([&](size_t t, size_t o) {
    const std::optional<Runs::Sensitivity> start = runs_.SensitivityOf(t, options_.start[t]);
    return start && errors_[t][o] <= start->error ? 0 : std::numeric_limits<double>::infinity();
  }));
}

// The least exchange rate that still reaches the goal. `counts`: what each tensor's error counts.
void Solver::HalveIn(const std::vector<double>& counts, Solution* best) {
  double low = 0, high = 40;  // Powers of two.
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2, rate = std::exp2(middle);
    const Chosen chosen = Best([&](size_t t, size_t o) { return rate * counts[t] * errors_[t][o]; });
    const bool reaches = Reaches(chosen);
    if (reaches) TryToTake(chosen, best);
    (reaches ? high : low) = middle;
  }
}

// Moves one tensor to any smaller option, the largest saving for its error first, as long as one succeeds.
void Solver::MoveSingles(Solution* best) {
  struct Move {
    size_t tensor;
    int option;
    double gain;
  };
  for (bool any = true; any && evaluations_ < most_evaluations_;) {
    any = false;
    std::vector<Move> moves;
    for (size_t t = 0; t < errors_.size(); ++t) {
      const auto& options = choices_.tensors()[t].options;
      const auto from = static_cast<size_t>(best->chosen[t]);
      for (size_t o = 0; o < options.size(); ++o) {
        const int64_t saved = options[from].stored_bytes - options[o].stored_bytes;
        if (saved <= 0) continue;
        const double worse = std::max(errors_[t][o] - errors_[t][from], 1e-9);
        moves.push_back({t, static_cast<int>(o), static_cast<double>(saved) / worse});
      }
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [](const Move& a, const Move& b) { return a.gain > b.gain; });
    for (const Move& move : moves) {
      if (evaluations_ >= most_evaluations_) break;
      Chosen chosen = best->chosen;
      chosen[move.tensor] = move.option;
      any = TryToTake(chosen, best) || any;
    }
  }
}

// One tensor takes more, one or two others less, so that it becomes smaller and by the sensitivities hardly
// worse.
void Solver::MovePairs(Solution* best) {
  const size_t tensors = errors_.size();
  if (tensors < 2) return;
  host::Progress progress(choices_.base().path + ": moving");
  constexpr int kMostMisses = 30000, kMostFailures = 400;
  for (int misses = 0, failures = 0;
       evaluations_ < most_evaluations_ && misses < kMostMisses && failures < kMostFailures;) {
    progress.Update(evaluations_, most_evaluations_);
    Chosen chosen = best->chosen;
    const size_t moved = 2 + random_() % 3;
    for (size_t i = 0; i < moved; ++i) {
      const size_t t = random_() % tensors;
      chosen[t] = static_cast<int>(random_() % errors_[t].size());
    }
    const double allowed = ErrorOf(best->chosen) * (1 + 0.25 * static_cast<double>(random_() % 5));
    if (choices_.BytesOf(chosen) >= best->bytes || !IsFast(chosen) || ErrorOf(chosen) > allowed ||
        IsKnown(chosen)) {
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

// The least error within the bytes, then moves that keep them: to fewer wrong answers, or as many that lack
// less.
void Solver::SearchForBytes(Solution* found) {
  Solution& best = *found;
  best = {};
  double least_shortfall = 0;
  most_wrong_ = static_cast<int64_t>(labels_.size());
  int64_t besides = 0;  // What the last file that was made had, and Choices::BytesOf had not.
  const auto fits_file = [&](const Chosen& chosen) {
    if (!options_.file_bytes) return true;
    const int64_t bytes = options_.file_bytes(chosen);
    besides = bytes - choices_.BytesOf(chosen);
    return bytes <= goal_.bytes;
  };
  const auto take = [&](const Chosen& chosen) {
    if (choices_.BytesOf(chosen) + besides > goal_.bytes || !IsFast(chosen) || !Reaches(chosen)) return;
    const Verdict& verdict = runs_.verdicts().at(choices_.ValuesOf(chosen));
    if (!verdict.whole) return;
    if (!best.chosen.empty() && verdict.wrong == most_wrong_ && verdict.shortfall >= least_shortfall) return;
    if (!fits_file(chosen)) return;
    most_wrong_ = verdict.wrong;
    least_shortfall = verdict.shortfall;
    best.chosen = chosen;
    best.bytes = choices_.BytesOf(chosen);
  };
  Chosen smallest = BestFor(0);
  // The bytes are the goal: where they cannot be kept without, decoding may take its time.
  if (!fits_file(smallest)) {
    codecs_ = {.taken = AllCodecsOf(options_.target), .left_out = {}};
    smallest = BestFor(0);
    fits_file(smallest);
  }
  take(smallest);
  best.reaches_goal = !best.chosen.empty();
  if (!best.reaches_goal) {
    best.chosen = smallest;
    best.bytes = choices_.BytesOf(smallest);
    Reaches(smallest);
    return;
  }
  TakeStart([&](const Chosen& chosen) { take(chosen); });
  TakeKnown([&](const Chosen& chosen) { take(chosen); });
  double low = 0, high = 40;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    const Chosen chosen = BestFor(std::exp2(middle));
    take(chosen);
    (choices_.BytesOf(chosen) + besides <= goal_.bytes ? low : high) = middle;
  }
  host::Progress progress(choices_.base().path + ": moving");
  constexpr int kMostMisses = 100000;
  for (int misses = 0; evaluations_ < most_evaluations_ && misses < kMostMisses; ++misses) {
    progress.Update(evaluations_, most_evaluations_);
    Chosen chosen = best.chosen;
    const size_t moved = 1 + random_() % 3;
    for (size_t i = 0; i < moved; ++i) {
      const size_t t = random_() % errors_.size();
      chosen[t] = static_cast<int>(random_() % errors_[t].size());
    }
    if (!IsKnown(chosen) && ErrorOf(chosen) < 1.5 * ErrorOf(best.chosen)) take(chosen);
  }
}

std::vector<ParetoChoice> Solver::Pareto(const Solution& solution) {
  constexpr double kFirst = 0, kLast = 40, kStep = 1;  // Powers of two.
  std::set<Chosen> tried = {solution.chosen, Chosen(errors_.size())};
  for (double rate = kFirst; rate <= kLast; rate += kStep) tried.insert(BestFor(std::exp2(rate)));
  std::vector<ParetoChoice> all;
  const auto count = static_cast<int64_t>(labels_.size());
  for (const Chosen& chosen : tried) {
    const Verdict verdict = by_answers_ ? Run(chosen, count, count)
                                        : RunByMetric(chosen, std::numeric_limits<double>::infinity());
    all.push_back({chosen, choices_.BytesOf(chosen), LossOf(verdict)});
  }
  std::stable_sort(all.begin(), all.end(), [](const ParetoChoice& a, const ParetoChoice& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.loss < b.loss;
  });
  std::vector<ParetoChoice> kept;
  for (ParetoChoice& choice : all) {
    const bool is_whole = choice.chosen == Chosen(errors_.size());
    if (kept.empty() || choice.loss < kept.back().loss || is_whole || choice.chosen == solution.chosen) {
      kept.push_back(std::move(choice));
    }
  }
  return kept;
}

void Solver::Search(Solution* best) {
  most_evaluations_ = evaluations_ + options_.evaluations;
  if (goal_.kind == SolverGoal::kMaxBytes) return SearchForBytes(best);
  const auto take = [&](const Chosen& chosen) { TryToTake(chosen, best); };
  TakeStart(take);
  TakeKnown(take);
  HalveIn(std::vector<double>(errors_.size(), 1), best);
  MoveSingles(best);
  MovePairs(best);
  Restart(best);
}

// Moves end where none of them gains. From elsewhere they end elsewhere, so as long as evaluations are left
// they begin again: with the choice that is the best if the errors of tensors count up to four times more or
// less, and in turns with the best so far, of which a few tensors take more.
void Solver::Restart(Solution* best) {
  constexpr int kMostIdle = 20;  // Restarts in a row that met nothing but what had been run.
  for (int idle = 0; evaluations_ < most_evaluations_ && idle < kMostIdle;) {
    const int before = evaluations_;
    Solution other;
    other.chosen.assign(errors_.size(), 0);
    other.bytes = choices_.BytesOf(other.chosen);
    if (best->restarts % 2 == 0) {
      std::vector<double> counts;
      for (size_t t = 0; t < errors_.size(); ++t) {
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
    idle = evaluations_ == before ? idle + 1 : 0;
    best->restarts += 1;
  }
}

Solution Solver::Solve() {
  MeasureSensitivities();
  if (LimitsCodecs()) codecs_.taken = FastCodecsOf(options_.target);
  Solution best;
  best.chosen.assign(choices_.tensors().size(), 0);
  best.bytes = choices_.BytesOf(best.chosen);
  best.reaches_goal = Reaches(best.chosen);
  const bool is_for_bytes = goal_.kind == SolverGoal::kMaxBytes;
  if (is_for_bytes || best.reaches_goal) {
    Search(&best);
    const bool is_fast = choices_.AreOf(FastCodecsOf(options_.target), best.chosen);
    if (LimitsCodecs() && is_fast && ChooseCodecs(best.chosen)) {
      // The same values cost other bytes now.
      if (!is_for_bytes) {
        best.chosen = CodedNearly(choices_.ValuesOf(best.chosen));
        best.bytes = choices_.BytesOf(best.chosen);
      }
      Search(&best);
    }
  }
  const Verdict verdict = runs_.verdicts().at(choices_.ValuesOf(best.chosen));
  best.loss = LossOf(verdict);
  best.evaluations = evaluations_;
  best.codecs = codecs_;
  return best;
}

}  // namespace lutra::compressor
