// SPDX-License-Identifier: Apache-2.0
// Finds what was lost, got worse, got better or changed otherwise from one set of results to another.

#include "reports/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/views.h"

namespace lutra::reports {
namespace {

// Times differ by themselves: a change is more than this part, and more than this many median deviations.
constexpr double kTimeTolerance = 0.05;
constexpr double kDeviations = 3;
// The clock's, where a file does not say it.
constexpr int64_t kUsualStepNs = 10;

class Comparison {
 public:
  void Lose(const std::string& where, const std::string& what, const std::string& before,
            const std::string& after) {
    Add(&lost_, where, what, before, after, Tone::kBad);
  }
  // A figure of which less is better.
  void Figures(const std::string& where, const std::string& what, Figure before, Figure after,
               double noise = 0) {
    if (!before || !after || *before == *after) return;
    const double change = static_cast<double>(*after) - static_cast<double>(*before);
    if (std::abs(change) <= noise) return;
    Table* table = change > 0 ? &worse_ : &better_;
    Add(table, where, what, Grouped(*before), Grouped(*after), change > 0 ? Tone::kWarning : Tone::kGood);
    table->rows.back().push_back(
        TextCell(*before == 0 ? "-" : fmt::format("{:+.1f} %", change * 100 / static_cast<double>(*before))));
  }
  void Win(const std::string& where, const std::string& what, const std::string& before,
           const std::string& after) {
    Add(&better_, where, what, before, after, Tone::kGood);
  }
  void Note(const std::string& where, const std::string& what, const std::string& before,
            const std::string& after) {
    Add(&other_, where, what, before, after, Tone::kPlain);
  }

  int lost() const { return static_cast<int>(lost_.rows.size()); }

  Report Finish() && {
    Report report = {.title = "Lutra: what changed", .comparison = true};
    report.summary = fmt::format("{} lost, {} worse, {} better, {} otherwise changed", lost_.rows.size(),
                                 worse_.rows.size(), better_.rows.size(), other_.rows.size());
    AddSection("lost", "Lost", "What was there or right, and is not now.", lost_, &report);
    AddSection("worse", "Worse", "More bytes, instructions or time.", worse_, &report);
    AddSection("better", "Better", "Less of them, and what passes or runs now.", better_, &report);
    AddSection("other", "Other changes", "Neither better nor worse.", other_, &report);
    return report;
  }

 private:
  static void Add(Table* table, const std::string& where, const std::string& what, const std::string& before,
                  const std::string& after, Tone tone) {
    table->rows.push_back({TextCell(where), TextCell(what), TextCell(before), TextCell(after, tone)});
  }

  static void AddSection(const char* id, const char* title, const char* text, Table table, Report* report) {
    if (table.rows.empty()) return;
    table.title = title;
    table.columns = {"Where", "What", "Old", "New", "Change"};
    for (auto& row : table.rows) row.resize(table.columns.size());
    report->sections.push_back({.id = id, .title = title, .text = text, .tables = {std::move(table)}});
  }

  Table lost_, worse_, better_, other_;
};

// ---- Conformance. The version of a backend is what changes between the two, so it is no part of its name.

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
                  const std::map<std::string, const host::CaseResult*>& after, Comparison* changes) {
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
                        Comparison* changes) {
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
    // Files of one name in several folders are told apart by their order.
    std::string place = where;
    for (int number = 2; runs.contains(place); ++number) place = fmt::format("{} ({})", where, number);
    runs[place] = placed;
  }
  return runs;
}

// Platform and name of each model that was refused, with the reason.
std::map<std::string, std::string> Refusals(const std::vector<ResultFile>& files) {
  std::map<std::string, std::string> refusals;
  for (const ResultFile& file : files) {
    for (const host::ModelResult& run : file.models()) {
      if (run.refused()) refusals[file.platform + ", " + NameOf(run) + ", "] = run.error;
    }
  }
  return refusals;
}

// How far the times of two equal runs may be apart.
double NoiseOf(const PlacedRun& before, const PlacedRun& after) {
  double noise = kTimeTolerance * static_cast<double>(before.run->inference.median_ns.value_or(0));
  for (const PlacedRun& placed : {before, after}) {
    const host::InferenceResult& inference = placed.run->inference;
    noise = std::max(noise, kDeviations * static_cast<double>(inference.mad_ns.value_or(0)));
    // Single times fall on the clock's steps, and deviate by nothing there.
    if (inference.runs_per_time > 1) continue;
    const int64_t step_ns = placed.file->results.environment.clock_resolution_ns;
    noise = std::max(noise, static_cast<double>(step_ns > 0 ? step_ns : kUsualStepNs));
  }
  return noise;
}

void CompareRuns(const std::string& where, const PlacedRun& before, const PlacedRun& after,
                 Comparison* changes) {
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
  if (was.evaluation && !is.evaluation) {
    changes->Lose(where, "evaluation", was.evaluation->metric, "not evaluated");
  }
  changes->Figures(where, "model bytes", was.bytes, is.bytes);
  if (was.arena && is.arena) {
    changes->Figures(where, "arena bytes", was.arena->used_bytes, is.arena->used_bytes);
    changes->Figures(where, "smallest arena bytes", was.arena->smallest_working_bytes,
                     is.arena->smallest_working_bytes);
  }
  if (was.flash && is.flash) {
    changes->Figures(where, ".text bytes", was.flash->text_bytes, is.flash->text_bytes);
    changes->Figures(where, ".rodata bytes", was.flash->rodata_bytes, is.flash->rodata_bytes);
    changes->Figures(where, ".data bytes", was.flash->data_bytes, is.flash->data_bytes);
    changes->Figures(where, ".bss bytes", was.flash->bss_bytes, is.flash->bss_bytes);
  }
  if (was.stack && is.stack) {
    changes->Figures(where, "stack bytes", was.stack->used_bytes, is.stack->used_bytes);
  }
  changes->Figures(where, "instructions", Instructions(was), Instructions(is));
  changes->Figures(where, "time (ns)", was.inference.median_ns, is.inference.median_ns,
                   NoiseOf(before, after));
}

void CompareModels(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after,
                   Comparison* changes) {
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
    } else {
      changes->Lose(where, "model", "ran", "not run");
    }
  }
  for (const auto& [where, run] : new_runs) {
    if (old_runs.contains(where)) continue;
    if (const auto refusal = refused(old_refusals, run); refusal != old_refusals.end()) {
      changes->Win(where, "model", "refused: " + refusal->second, "runs");
    } else {
      changes->Note(where, "model", "not run", "runs");
    }
  }
}

void CompareKernels(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after,
                    Comparison* changes) {
  std::map<std::string, Figure> was;
  const auto name = [](const ResultFile& file, const host::KernelResult& kernel) {
    return fmt::format("{}, kernel {} {}", file.platform, kernel.table, kernel.variant);
  };
  for (const ResultFile& file : before) {
    for (const host::KernelResult& kernel : file.kernels())
      was[name(file, kernel)] = kernel.counts.instructions;
  }
  for (const ResultFile& file : after) {
    for (const host::KernelResult& kernel : file.kernels()) {
      const auto place = was.find(name(file, kernel));
      if (place == was.end()) continue;
      changes->Figures(place->first, "instructions", place->second, kernel.counts.instructions);
      was.erase(place);
    }
  }
  for (const auto& [where, instructions] : was) changes->Lose(where, "kernel", "counted", "not counted");
}

// ---- What CTest ran.

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
                  Comparison* changes) {
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
                    Comparison* changes) {
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

// ---- Platforms, of which nothing is left where a whole file is gone.

void ComparePlatforms(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after,
                      Comparison* changes) {
  const std::vector<std::string> left = Platforms(after);
  for (const std::string& platform : Platforms(before)) {
    if (std::find(left.begin(), left.end(), platform) == left.end()) {
      changes->Lose(platform, "platform", "has results", "has none");
    }
  }
}

}  // namespace

Report Compare(const std::vector<ResultFile>& before, const std::vector<ResultFile>& after, int* lost) {
  Comparison changes;
  ComparePlatforms(before, after, &changes);
  CompareConformance(before, after, &changes);
  CompareModels(before, after, &changes);
  CompareKernels(before, after, &changes);
  CompareTests(before, after, &changes);
  CompareReports(before, after, &changes);
  *lost = changes.lost();
  Report report = std::move(changes).Finish();
  HidePaths(&report);
  return report;
}

}  // namespace lutra::reports
