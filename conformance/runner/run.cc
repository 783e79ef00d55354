// SPDX-License-Identifier: Apache-2.0
// Distributes cases among threads with an adapter each, and keeps the files that are needed to repeat a
// failure.

#include "conformance/runner/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <random>

#include "conformance/runner/case_run.h"
#include "conformance/runner/expected_outputs.h"
#include "conformance/runner/explain.h"
#include "conformance/runner/verdict.h"
#include "host/failures.h"
#include "host/install_paths.h"
#include "host/interrupt.h"
#include "host/jobs.h"
#include "host/output_file.h"
#include "host/printable.h"
#include "host/progress.h"
#include "host/temporary_file.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

// Returns a text that says how the failure is repeated.
std::string ReproducerText(const Case& test, const RunOptions& options, const host::CaseResult& result) {
  return fmt::format(
      "{}\n{}: {}\nprofile {}, adapter {}\n\nconformance run --filter '{}' --profile {}{} --runner {}\n",
      test.id, host::ToString(result.verdict), result.why,
      result.profile.empty() ? options.profile_name : result.profile, options.adapter, test.id,
      options.profile_name, options.bounds ? " --bounds " + QuotedForShell(options.bounds_path) : "",
      QuotedForShell(options.adapter));
}

int BoundOf(const RunOptions& options, const std::string& op) {
  if (!options.bounds) return options.bound;
  const auto found = options.bounds->find(op);
  return found == options.bounds->end() ? 0 : found->second;
}

}  // namespace

namespace {

// Returns the name of a new folder: below TMPDIR if that is set, else in memory if the system has /dev/shm.
fs::path NewFolderName() {
  const bool has_memory = std::getenv("TMPDIR") == nullptr && access("/dev/shm", W_OK) == 0;
  std::random_device random;
  const uint64_t name = uint64_t{random()} << 32 | random();
  return (has_memory ? fs::path("/dev/shm") : host::TemporaryFolder()) /
         fmt::format("lutra_conformance_{:016x}", name);
}

}  // namespace

WorkFolder::WorkFolder() : path_(NewFolderName()), guarded_(host::Guarded::kFolder, path_.string()) {
  fs::create_directory(path_);
}

std::string ForEachCase(const std::vector<Case>& cases, const std::string& adapter,
                        std::chrono::milliseconds timeout, int jobs, const CaseWork& work) {
  const host::InterruptScope interruptible;
  const WorkFolder folder;
  host::Progress progress("running cases");
  AdapterProcess first(adapter, timeout);
  const std::string greeting = first.Greeting();
  std::atomic<size_t> next = 0;
  const auto run = [&](int job) {
    std::optional<AdapterProcess> further;
    AdapterProcess* const process = job == 0 ? &first : &further.emplace(adapter, timeout);
    for (size_t i = next++; i < cases.size() && host::InterruptSignal() == 0; i = next++) {
      work(cases[i], process, folder.path() / std::to_string(job));
      if (job == 0) progress.Update(static_cast<int64_t>(i), static_cast<int64_t>(cases.size()));
    }
  };
  host::RunJobs(jobs, run, [&] { next = cases.size(); });
  return greeting;
}

host::ConformanceResult RunCases(const std::vector<Case>& cases, const Manifest& manifest,
                                 const RunOptions& options) {
  host::ConformanceResult results = {.profile = options.profile_name,
                                     .bound = options.bound,
                                     .bounds = options.bounds,
                                     .has_manifest = !manifest.empty()};
  std::mutex mutex;
  int reproducers = 0;
  results.backend = ForEachCase(
      cases, options.adapter, options.timeout, options.jobs,
      [&](const Case& test, AdapterProcess* adapter, const fs::path& folder) {
        const auto began = std::chrono::steady_clock::now();
        const oracle::Operator* const op = oracle::FindOperator(test.op);
        const oracle::Profile& profile = op == nullptr ? *options.profile : JudgeOf(*options.profile, *op);
        const auto expected = ExpectedOutputs(test, profile);
        const bool is_live = !manifest.empty() && !options.only_frozen && !manifest.Has(test.id);
        if (!manifest.empty() && !is_live) {
          const std::string problem = manifest.Compare(test, profile, expected);
          if (!problem.empty()) {
            throw host::BadInput(
                fmt::format("{}: {}: required: what golden/manifest.jsonl holds; this build makes "
                            "other cases than those that were frozen",
                            test.id, problem));
          }
        }
        const CaseRun run = RunCase(test, SizesOf(expected), adapter, folder);
        if (run.answer.kind == AdapterAnswer::kInterrupted) return;
        host::CaseResult result = Judge(test, profile, BoundOf(options, test.op), expected, run);
        if (&profile != options.profile && test.must_refuse.empty()) result.profile = profile.name;
        result.is_frozen = !is_live;
        const auto took = std::chrono::steady_clock::now() - began;
        const std::lock_guard lock(mutex);
        if (options.times != nullptr) {
          (*options.times)[test.id] = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
        }
        if (host::IsBad(result.verdict) && !options.reproducers.empty() &&
            reproducers < options.most_reproducers) {
          ++reproducers;
          WriteReproducer(options.reproducers / test.id, test, expected, run.outputs,
                          ReproducerText(test, options, result));
        }
        results.cases.push_back(std::move(result));
      });
  std::sort(results.cases.begin(), results.cases.end(),
            [](const host::CaseResult& a, const host::CaseResult& b) { return a.id < b.id; });
  return results;
}

std::string QuotedForShell(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

void WriteReproducer(const fs::path& folder, const Case& test,
                     const std::optional<std::vector<oracle::Bytes>>& expected,
                     const std::vector<oracle::Bytes>& actual, const std::string& text) {
  WriteCase(folder, test);
  const auto write = [&](const char* name, const std::vector<oracle::Bytes>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      host::WriteFileBytes(folder / fmt::format("{}{}.bin", name, i), outputs[i].data(), outputs[i].size());
    }
  };
  if (expected) write("expected", *expected);
  write("actual", actual);
  host::WriteFileBytes(folder / "README.txt", text.data(), text.size());
}

std::string OwnAdapter(const std::string& options) {
  if (const auto found = host::FindAdapter("lutra_adapter"))
    return fmt::format("'{}'{}", found->string(), options);
  throw host::BadInput(
      fmt::format("{}: found no lutra_adapter, required: it stands beside this program; or name a "
                  "runtime with --runner",
                  host::ProgramFolder().string()));
}

}  // namespace lutra::conformance
