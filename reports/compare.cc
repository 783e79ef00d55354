// SPDX-License-Identifier: Apache-2.0
// Finds what was lost, got worse, got better or changed otherwise between two sets of results.

#include "reports/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/scores.h"
#include "reports/views.h"

namespace lutra::reports {
namespace {

// The step of a clock, if a file does not have it.
constexpr int64_t kUsualStepNs = 10;

// Collects differences.
class Changes {
 public:
  void Lose(const std::string& where, const std::string& what, const std::string& before,
            const std::string& after) {
    found_.lost.push_back({where, what, before, after});
  }
  void Win(const std::string& where, const std::string& what, const std::string& before,
           const std::string& after) {
    found_.better.push_back({where, what, before, after});
  }
  void Note(const std::string& where, const std::string& what, const std::string& before,
            const std::string& after) {
    found_.other.push_back({where, what, before, after});
  }
  // A figure that neither set has is left out.
  void Add(ComparedFigure figure) {
    if (figure.before || figure.after) found_.figures.push_back(std::move(figure));
  }

  Comparison Finish() && { return std::move(found_); }

 private:
  Comparison found_;
};

// ---- Conformance. The version of a backend may change between the sets, so it is no part of its name.

std::map<std::string, std::map<std::string, const host::CaseResult*>> CasesByBackend(
    const std::vector<Backend>& backends) {
  std::map<std::string, std::map<std::string, const host::CaseResult*>> all;
  for (const Backend& b : backends) {
    std::string name = b.platform + ", " + b.name.substr(0, b.name.find(' ')) + ", " + b.profile;
    if (!b.kernels.empty()) name += ", kernels " + b.kernels;
    for (const auto& [op, cases] : b.by_operator) {
      for (const host::CaseResult* c : cases) all[name][c->id] = c;
    }
  }
  return all;
}

void CompareCases(const std::string& where, const std::map<std::string, const host::CaseResult*>& before,
                  const std::map<std::string, const host::CaseResult*>& after, Changes* changes) {
  int added = 0;
  for (const auto& [id, old_case] : before) {
    const auto place = after.find(id);
    if (place == after.end()) {
      if (old_case->verdict == host::Verdict::kPass) changes->Lose(where, id, "pass", "not run");
      continue;
    }
    const host::CaseResult& new_case = *place->second;
    if (old_case->verdict == new_case.verdict) continue;
    if (old_case->verdict == host::Verdict::kPass) {
      changes->Lose(where, id, "pass", Said(new_case));
    } else if (new_case.verdict == host::Verdict::kPass) {
      changes->Win(where, id, Said(*old_case), "pass");
    } else {
      changes->Note(where, id, Said(*old_case), Said(new_case));
    }
  }
  for (const auto& [id, new_case] : after) {
    if (before.contains(id)) continue;
    ++added;
    if (host::IsBad(new_case->verdict)) changes->Note(where, id, "no such case", Said(*new_case));
  }
  if (added > 0) changes->Note(where, "new cases", "-", Grouped(added));
}

void CompareConformance(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after,
                        Changes* changes) {
  const auto old_backends = CasesByBackend(Backends(before)), new_backends = CasesByBackend(Backends(after));
  for (const auto& [where, cases] : old_backends) {
    const auto place = new_backends.find(where);
    if (place != new_backends.end()) {
      CompareCases(where, cases, place->second, changes);
    } else {
      changes->Lose(where, "conformance", Counted(static_cast<int64_t>(cases.size()), "case"), "not run");
    }
  }
  for (const auto& [where, cases] : new_backends) {
    if (!old_backends.contains(where)) {
      changes->Note(where, "conformance", "not run", Counted(static_cast<int64_t>(cases.size()), "case"));
    }
  }
}

// ---- Models.

std::map<std::string, PlacedRun> RunsByPlace(const std::vector<ResultFile>& files) {
  std::map<std::string, PlacedRun> runs;
  for (const PlacedRun& placed : AllRuns(files)) {
    const std::string where =
        placed.file->platform + ", " + NameOf(*placed.run) + ", " + SettingOf(*placed.run);
    // If several folders have a file of the same name, they are distinguished by their order.
    std::string place = where;
    for (int number = 2; runs.contains(place); ++number) place = fmt::format("{} ({})", where, number);
    runs[place] = placed;
  }
  return runs;
}

// Returns platform and name of each model that was refused, with the reason.
std::map<std::string, std::string> Refusals(const std::vector<ResultFile>& files) {
  std::map<std::string, std::string> refusals;
  for (const ResultFile& file : files) {
    for (const host::ModelResult& run : file.models()) {
      if (run.refused()) refusals[file.platform + ", " + NameOf(run) + ", "] = run.error;
    }
  }
  return refusals;
}

// Returns how much the times of two equal runs may differ.
double DeviationOf(const std::vector<const PlacedRun*>& runs) {
  double deviation = 0;
  for (const PlacedRun* placed : runs) {
    const host::InferenceResult& inference = placed->run->inference;
    deviation = std::max(deviation, host::DifferenceOfEqualRuns(inference));
    // Single times are multiples of the clock's step, so their deviation may be 0.
    if (inference.runs_per_time > 1) continue;
    const int64_t step_ns = placed->file->results.environment.clock_resolution_ns;
    deviation = std::max(deviation, static_cast<double>(step_ns > 0 ? step_ns : kUsualStepNs));
  }
  return deviation;
}

// The runs of one model in one setting; one of the two may be null.
class RunFigures {
 public:
  RunFigures(const std::string& where, const PlacedRun* before, const PlacedRun* after, Changes* changes)
      : before_(before), after_(after), changes_(*changes) {
    const PlacedRun& any = after != nullptr ? *after : *before;
    common_ = {.where = where,
               .platform = any.file->platform,
               .model = NameOf(*any.run),
               .setting = SettingOf(*any.run)};
  }

  // `of(run)` returns the figure of a run, if it has one.
  template <typename Of>
  void Add(const char* name, const char* what, const Of& of, bool is_listed = true) {
    Add(Compared(name, what, of, is_listed));
  }
  template <typename Of>
  void AddTime(const char* name, const char* what, const Of& of) {
    ComparedFigure figure = Compared(name, what, of, true);
    figure.is_time = true;
    std::vector<const PlacedRun*> runs;
    for (const PlacedRun* run : {before_, after_}) {
      if (run != nullptr) runs.push_back(run);
    }
    figure.deviation = DeviationOf(runs);
    figure.few_runs = std::any_of(runs.begin(), runs.end(), [](const PlacedRun* placed) {
      return placed->run->inference.runs < host::kLeastRunsOfDeviation;
    });
    if (after_ != nullptr && after_->run->against) figure.in_turns = after_->run->against->times;
    Add(std::move(figure));
  }
  // Compares the scores of evaluations.
  void AddEvaluation() {
    const host::ModelResult& any = after_ != nullptr ? *after_->run : *before_->run;
    if (!any.evaluation) return;
    const std::string metric = any.evaluation->metric;
    ComparedFigure figure = Compared(
        metric.c_str(), metric.c_str(),
        [&](const host::ModelResult& run) {
          return run.evaluation && run.evaluation->metric == metric ? run.evaluation->value : std::nullopt;
        },
        true);
    figure.more_is_better = host::MoreIsBetter(metric);
    Add(std::move(figure));
  }

 private:
  // Also notes a figure that a run no longer has, though it ran.
  void Add(ComparedFigure figure) {
    const bool ran_twice = before_ != nullptr && after_ != nullptr;
    if (ran_twice && figure.is_listed && figure.before && !figure.after) {
      const double was = *figure.before;
      const std::string text =
          was == std::floor(was) ? Grouped(static_cast<int64_t>(was)) : fmt::format("{:.4f}", was);
      changes_.Note(figure.where, figure.what, text, "gone");
    }
    changes_.Add(std::move(figure));
  }
  template <typename Of>
  ComparedFigure Compared(const char* name, const char* what, const Of& of, bool is_listed) {
    ComparedFigure figure = common_;
    figure.figure = name;
    figure.what = what;
    figure.is_listed = is_listed;
    if (before_ != nullptr) figure.before = AsNumber(of(*before_->run));
    if (after_ != nullptr) figure.after = AsNumber(of(*after_->run));
    return figure;
  }
  template <typename T>
  static std::optional<double> AsNumber(const std::optional<T>& value) {
    return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
  }

  const PlacedRun *before_, *after_;
  Changes& changes_;
  ComparedFigure common_;
};

void CompareFigures(const std::string& where, const PlacedRun* before, const PlacedRun* after,
                    Changes* changes) {
  RunFigures figures(where, before, after, changes);
  using Run = const host::ModelResult&;
  figures.Add("model_bytes", "model bytes", [](Run run) { return Figure(run.bytes); });
  figures.Add("arena_bytes", "arena bytes",
              [](Run run) { return run.arena ? Figure(run.arena->used_bytes) : std::nullopt; });
  figures.Add("smallest_arena_bytes", "smallest arena bytes",
              [](Run run) { return run.arena ? run.arena->smallest_working_bytes : std::nullopt; });
  const auto section = [](int64_t host::FlashResult::*bytes) {
    return [bytes](Run run) { return run.flash ? Figure((*run.flash).*bytes) : std::nullopt; };
  };
  // A sum is judged, and its parts are only listed.
  figures.Add(
      "flash_bytes", "flash bytes",
      [](Run run) {
        return run.flash ? Figure(run.flash->text_bytes + run.flash->rodata_bytes + run.flash->data_bytes)
                         : std::nullopt;
      },
      false);
  figures.Add("text_bytes", ".text bytes", section(&host::FlashResult::text_bytes));
  figures.Add("rodata_bytes", ".rodata bytes", section(&host::FlashResult::rodata_bytes));
  figures.Add("data_bytes", ".data bytes", section(&host::FlashResult::data_bytes));
  figures.Add("bss_bytes", ".bss bytes", section(&host::FlashResult::bss_bytes));
  figures.Add("stack_bytes", "stack bytes",
              [](Run run) { return run.stack ? Figure(run.stack->used_bytes) : std::nullopt; });
  figures.Add("instructions", "instructions", [](Run run) { return Instructions(run); });
  figures.AddTime("median_ns", "time (ns)", [](Run run) { return run.inference.median_ns; });
  figures.AddEvaluation();
}

void CompareRuns(const std::string& where, const PlacedRun& before, const PlacedRun& after,
                 Changes* changes) {
  const host::ModelResult &was = *before.run, &is = *after.run;
  const bool same_model = was.sha256 == is.sha256;
  if (!same_model) changes->Note(where, "model", was.sha256.substr(0, 12), is.sha256.substr(0, 12));
  const std::string old_outputs = CrcsOf(was.outputs), new_outputs = CrcsOf(is.outputs);
  const std::string &old_rounding = before.file->results.environment.rounding,
                    &new_rounding = after.file->results.environment.rounding;
  if (CrcsOf(was.inputs) != CrcsOf(is.inputs)) {
    changes->Note(where, "inputs (CRC-32)", CrcsOf(was.inputs), CrcsOf(is.inputs));
  } else if (old_outputs != new_outputs) {
    const std::string rounding = old_rounding == new_rounding ? "" : ", rounding " + new_rounding;
    changes->Lose(where, "outputs (CRC-32)" + rounding, old_outputs, new_outputs);
  }
  if (was.evaluation && (!is.evaluation || is.evaluation->metric != was.evaluation->metric)) {
    changes->Lose(where, "evaluation", was.evaluation->metric,
                  is.evaluation ? is.evaluation->metric : "not evaluated");
  }
  CompareFigures(where, &before, &after, changes);
}

void CompareModels(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after,
                   Changes* changes) {
  const auto old_runs = RunsByPlace(before), new_runs = RunsByPlace(after);
  const auto old_refusals = Refusals(before), new_refusals = Refusals(after);
  const auto refused = [](const std::map<std::string, std::string>& refusals, const PlacedRun& placed) {
    return refusals.find(placed.file->platform + ", " + NameOf(*placed.run) + ", ");
  };
  for (const auto& [where, run] : old_runs) {
    const auto place = new_runs.find(where);
    if (place != new_runs.end()) {
      CompareRuns(where, run, place->second, changes);
    } else if (const auto refusal = refused(new_refusals, run); refusal != new_refusals.end()) {
      changes->Lose(where, "model", "ran", "refused: " + refusal->second);
      CompareFigures(where, &run, nullptr, changes);
    } else {
      changes->Lose(where, "model", "ran", "not run");
      CompareFigures(where, &run, nullptr, changes);
    }
  }
  for (const auto& [where, run] : new_runs) {
    if (old_runs.contains(where)) continue;
    CompareFigures(where, nullptr, &run, changes);
    if (const auto refusal = refused(old_refusals, run); refusal != old_refusals.end()) {
      changes->Win(where, "model", "refused: " + refusal->second, "runs");
    } else {
      changes->Note(where, "model", "not run", "runs");
    }
  }
}

void CompareKernels(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after,
                    Changes* changes) {
  // Maps platform and kernel to the figure.
  using Kernels = std::map<std::pair<std::string, std::string>, Figure>;
  const auto kernels_of = [](const std::vector<ResultFile>& files) {
    Kernels kernels;
    for (const ResultFile& file : files) {
      for (const host::KernelResult& kernel : file.kernels()) {
        kernels[{file.platform, kernel.table + " " + kernel.variant}] = kernel.counts.instructions;
      }
    }
    return kernels;
  };
  const auto number = [](Figure figure) {
    return figure ? std::optional<double>(static_cast<double>(*figure)) : std::nullopt;
  };
  const Kernels was = kernels_of(before), is = kernels_of(after);
  Kernels all = is;
  all.insert(was.begin(), was.end());
  for (const auto& [name, unused] : all) {
    const auto old_place = was.find(name), new_place = is.find(name);
    const auto& [platform, kernel] = name;
    const std::string where = platform + ", kernel " + kernel;
    if (new_place == is.end()) {
      changes->Lose(where, "kernel", "counted", "not counted");
    }
    changes->Add({.where = where,
                  .platform = platform,
                  .model = "kernel " + kernel,
                  .figure = "kernel_instructions",
                  .what = "instructions",
                  .before = old_place == was.end() ? std::nullopt : number(old_place->second),
                  .after = new_place == is.end() ? std::nullopt : number(new_place->second)});
  }
}

// ---- Results of CTest.

std::map<std::string, const host::TestsResult*> TestsByPlatform(const std::vector<ResultFile>& files) {
  std::map<std::string, const host::TestsResult*> tests;
  for (const ResultFile& file : files) {
    if (file.results.tests) tests[file.platform] = &*file.results.tests;
  }
  return tests;
}

std::string TestsText(const host::TestsResult& tests) {
  return fmt::format("{} of {} pass, {} skipped", Grouped(tests.passed), Grouped(tests.run),
                     Grouped(tests.skipped));
}

void CompareTests(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after,
                  Changes* changes) {
  const auto old_tests = TestsByPlatform(before), new_tests = TestsByPlatform(after);
  for (const auto& [platform, was] : old_tests) {
    const auto place = new_tests.find(platform);
    if (place == new_tests.end()) {
      changes->Lose(platform, "tests", TestsText(*was), "not told");
    } else if (place->second->failed > was->failed || place->second->passed < was->passed) {
      changes->Lose(platform, "tests", TestsText(*was), TestsText(*place->second));
    } else if (place->second->failed < was->failed) {
      changes->Win(platform, "tests", TestsText(*was), TestsText(*place->second));
    } else if (TestsText(*was) != TestsText(*place->second)) {
      changes->Note(platform, "tests", TestsText(*was), TestsText(*place->second));
    }
  }
}

// ---- Reports of compress and vta, which have no platform.

void CompareReports(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after,
                    Changes* changes) {
  const auto names_of = [](const std::vector<ResultFile>& files) {
    std::map<std::string, std::string> names;
    for (const ResultFile& file : files) {
      if (file.compression) names[file.compression->model] = "compression";
      if (file.accelerated) {
        const host::AcceleratedRun& run = *file.accelerated;
        names[fmt::format("{}, {}, {}, {}", run.model, run.config, run.mode,
                          Counted(run.threads, "thread"))] = run.accelerator;
      }
    }
    return names;
  };
  const auto old_names = names_of(before), new_names = names_of(after);
  for (const auto& [where, what] : old_names) {
    if (!new_names.contains(where)) changes->Lose(where, what, "reported", "not reported");
  }
}

// ---- Platforms that have lost all of their files.

void ComparePlatforms(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after,
                      Changes* changes) {
  const std::vector<std::string> left = Platforms(after);
  for (const std::string& platform : Platforms(before)) {
    if (std::find(left.begin(), left.end(), platform) == left.end()) {
      changes->Lose(platform, "platform", "has results", "has none");
    }
  }
}

}  // namespace

bool HasResults(const std::vector<ResultFile>& files) {
  return std::any_of(files.begin(), files.end(), [](const ResultFile& file) {
    return !file.models().empty() || !file.kernels().empty() || file.results.tests || file.compression ||
           file.accelerated || (file.results.conformance && !file.results.conformance->cases.empty());
  });
}

Trend TrendOf(const ComparedFigure& figure) {
  if (!figure.before || !figure.after || *figure.before == *figure.after) return Trend::kNone;
  const double change = *figure.after - *figure.before;
  if (figure.is_time) {
    if (std::abs(change) <= std::max(figure.deviation, host::kUsualDifference * *figure.before))
      return Trend::kNone;
  }
  return (change > 0) == figure.more_is_better ? Trend::kBetter : Trend::kWorse;
}

Comparison Compare(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after) {
  Changes changes;
  ComparePlatforms(before, after, &changes);
  CompareConformance(before, after, &changes);
  CompareModels(before, after, &changes);
  CompareKernels(before, after, &changes);
  CompareTests(before, after, &changes);
  CompareReports(before, after, &changes);
  return std::move(changes).Finish();
}

}  // namespace lutra::reports
