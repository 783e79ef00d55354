// SPDX-License-Identifier: Apache-2.0
// Runs threads that draw, run and judge cases, and shrink those that fail.

#include "conformance/fuzz/fuzz.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>

#include "conformance/fuzz/break_case.h"
#include "conformance/fuzz/reproducer.h"
#include "conformance/fuzz/shrink.h"
#include "conformance/runner/case_run.h"
#include "conformance/runner/corpus.h"
#include "conformance/runner/expected_outputs.h"
#include "conformance/runner/run.h"
#include "conformance/runner/verdict.h"
#include "host/interrupt.h"
#include "host/jobs.h"
#include "host/output_file.h"
#include "host/progress.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A case and its result.
struct Judged {
  std::optional<std::vector<oracle::Bytes>> expected;
  CaseRun run;
  host::CaseResult result;
};

// All threads share one object.
class Work {
 public:
  Work(const CaseDrawer& drawer, const FuzzOptions& options)
      : drawer_(drawer), options_(options), next_(options.first), begin_(Clock::now()) {}

  // Returns the number of the next case; nothing if there is none to run.
  std::optional<int64_t> Next() {
    if (ends_ || host::InterruptSignal() != 0) return std::nullopt;
    if (options_.limit && Clock::now() >= begin_ + *options_.limit) return std::nullopt;
    const int64_t index = next_++;
    if (options_.cases && index >= options_.first + *options_.cases) {
      --next_;
      return std::nullopt;
    }
    return index;
  }
  // Returns whether a runtime that has the operator may lack this case.
  bool MayLack(const Case& test) const {
    const bool is_packed = !test.plain_model.empty();
    return test.optional && !(is_packed && options_.reads_all_codecs);
  }
  void Count(const DrawnCase& drawn, const host::CaseResult& result) {
    const std::lock_guard lock(mutex_);
    OperatorCount& count = result_.operators[drawn.family];
    switch (result.verdict) {
      case host::Verdict::kUnsupported:
        ++count.unsupported;
        count.lacking += MayLack(drawn.test) ? 0 : 1;
        break;
      case host::Verdict::kSkip:
        ++result_.unspecified;
        break;
      case host::Verdict::kPass:
        ++count.run;
        break;
      default:
        ++count.run;
        ++count.failed;
        break;
    }
  }
  void CountCoverage(const Case& test) {
    if (!options_.with_coverage) return;
    Coverage mine;
    mine.Count(test);
    const std::lock_guard lock(mutex_);
    result_.coverage.Add(mine);
  }
  // Notes a case that a signal interrupted: a resumed run begins with it.
  void Interrupt(int64_t index) {
    const std::lock_guard lock(mutex_);
    interrupted_ = std::min(interrupted_.value_or(index), index);
  }
  void CountUnspecified() {
    const std::lock_guard lock(mutex_);
    ++result_.unspecified;
  }
  // Returns whether the failure is shrunk and kept: for each operator those of the lowest numbers are,
  // whichever thread finds them first.
  bool Keeps(const std::string& op, int64_t index) {
    const std::lock_guard lock(mutex_);
    if (options_.stop_at_first) {
      // Cases of lower numbers may still run in other threads.
      ends_ = true;
      first_failure_ = std::min(first_failure_.value_or(index), index);
      return first_failure_ == index;
    }
    std::set<int64_t>& kept = kept_[op];
    kept.insert(index);
    if (kept.size() > static_cast<size_t>(options_.most_per_op)) kept.erase(std::prev(kept.end()));
    return kept.count(index) > 0;
  }
  void Add(FuzzFailure failure) {
    const std::lock_guard lock(mutex_);
    result_.failures.push_back(std::move(failure));
  }
  void Stop() { ends_ = true; }
  // Returns how much of the work is done, in thousandths.
  int64_t Share() const {
    const double by_time =
        options_.limit ? std::chrono::duration<double>(Clock::now() - begin_) / *options_.limit : 0;
    const double by_cases =
        options_.cases ? static_cast<double>(next_ - options_.first) / static_cast<double>(*options_.cases)
                       : 0;
    return static_cast<int64_t>(1000 * std::min(1.0, std::max(by_time, by_cases)));
  }
  FuzzResult Finish() {
    result_.first = options_.first;
    result_.next = interrupted_.value_or(next_);
    result_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::sort(result_.failures.begin(), result_.failures.end(),
              [](const FuzzFailure& a, const FuzzFailure& b) { return a.index < b.index; });
    std::vector<FuzzFailure> dropped = KeepFirstFailures(&result_, options_.most_per_op);
    while (options_.stop_at_first && result_.failures.size() > 1) {
      dropped.push_back(std::move(result_.failures.back()));
      result_.failures.pop_back();
    }
    for (const FuzzFailure& failure : dropped) {
      if (!options_.reproducers.empty()) fs::remove_all(options_.reproducers / failure.result.id);
    }
    return std::move(result_);
  }

  const CaseDrawer& drawer() const { return drawer_; }
  const FuzzOptions& options() const { return options_; }

 private:
  const CaseDrawer& drawer_;
  const FuzzOptions& options_;
  std::atomic<int64_t> next_;
  std::atomic<bool> ends_ = false;
  const Clock::time_point begin_;
  std::mutex mutex_;
  std::map<std::string, std::set<int64_t>> kept_;  // Numbers of failures, by operator.
  std::optional<int64_t> interrupted_;
  std::optional<int64_t> first_failure_;
  FuzzResult result_;
};

// One thread, with an adapter process of its own for each command.
class Worker {
 public:
  Worker(Work* work, fs::path folder) : work_(*work), folder_(std::move(folder)) {
    for (const std::string& command : options().adapters) {
      adapters_.push_back(std::make_unique<AdapterProcess>(command, options().timeout));
    }
  }

  std::string Greeting() { return adapters_[0]->Greeting(); }

  void RunCase(int64_t index) {
    const std::optional<DrawnCase> drawn = work_.drawer().Draw(options().seed, index);
    if (!drawn) return work_.CountUnspecified();
    const size_t adapter = AdapterOf(index);
    const Judged judged = Judge(drawn->test, adapter);
    if (judged.run.answer.kind == AdapterAnswer::kInterrupted) return work_.Interrupt(index);
    work_.Count(*drawn, judged.result);
    work_.CountCoverage(drawn->test);
    if (host::IsBad(judged.result.verdict) && work_.Keeps(drawn->family, index)) Keep(index, adapter, judged);
  }

 private:
  const FuzzOptions& options() const { return work_.options(); }

  size_t AdapterOf(int64_t index) const {
    return static_cast<size_t>(Random(fmt::format("adapter {} {}", options().seed, index)).Next() %
                               adapters_.size());
  }

  Judged Judge(const Case& test, size_t adapter) {
    const oracle::Operator* const op = oracle::FindOperator(test.op);
    const oracle::Profile& profile = op == nullptr ? *options().profile : JudgeOf(*options().profile, *op);
    Judged judged;
    judged.expected = ExpectedOutputs(test, profile);
    if (!judged.expected && test.must_refuse.empty()) {
      judged.result = {.id = test.id, .op = test.op, .verdict = host::Verdict::kSkip};
      return judged;
    }
    judged.run = conformance::RunCase(test, SizesOf(judged.expected), adapters_[adapter].get(), folder_);
    judged.result = conformance::Judge(test, profile, 0, judged.expected, judged.run);
    return judged;
  }

  // Shrinks the case, and writes it to its folder.
  void Keep(int64_t index, size_t adapter, const Judged& first) {
    Draws draws;
    std::optional<DrawnCase> drawn = work_.drawer().Draw(options().seed, index, &draws);
    const std::string broken_rule(BrokenRule(drawn->test));
    const bool differed = first.result.mismatch.has_value();
    const auto fails = [&](const Case& test) {
      if (BrokenRule(test) != broken_rule) return false;
      const Judged judged = Judge(test, adapter);
      return judged.result.verdict == first.result.verdict && judged.result.mismatch.has_value() == differed;
    };
    const Shrunk shrunk = Shrink(work_.drawer(), std::move(*drawn), std::move(draws), fails,
                                 Clock::now() + options().shrink_time);
    const Judged judged = Judge(shrunk.drawn.test, adapter);
    const CaseSize size = SizeOf(shrunk.drawn.test);
    FuzzFailure failure = {.index = index,
                           .adapter = options().adapters[adapter],
                           .result = judged.result,
                           .op = shrunk.drawn.family,
                           .draws = shrunk.draws,
                           .nodes = size.nodes,
                           .elements = size.elements};
    // A failure that is not seen again is kept, too.
    if (!host::IsBad(judged.result.verdict)) {
      failure.result = first.result;
      failure.result.why += "; it did not fail again";
    }
    if (!options().reproducers.empty()) Write(shrunk, judged, failure);
    work_.Add(std::move(failure));
  }

  void Write(const Shrunk& shrunk, const Judged& judged, const FuzzFailure& failure) const {
    const std::string ops = options().ops.empty() ? "" : " --ops " + QuotedForShell(options().ops);
    const std::string text = fmt::format(
        R"({}: {}
profile {}, {} node{}, {} elements

conformance fuzz{} --seed {} --first {} --cases 1{} --profile {} --runner {}

{}
{} {}
)",
        host::ToString(failure.result.verdict), failure.result.why, options().profile->name, failure.nodes,
        failure.nodes == 1 ? "" : "s", failure.elements, options().is_broken ? " --invalid" : "",
        options().seed, failure.index, ops, options().profile->name, QuotedForShell(failure.adapter),
        kChoicesLine, failure.op, fmt::join(failure.draws, " "));
    WriteReproducer(options().reproducers / shrunk.drawn.test.id, shrunk.drawn.test, judged.expected,
                    judged.run.outputs, text);
  }

  Work& work_;
  fs::path folder_;
  std::vector<std::unique_ptr<AdapterProcess>> adapters_;
};

}  // namespace

std::vector<FuzzFailure> KeepFirstFailures(FuzzResult* result, int most_per_op) {
  std::map<std::string, int> counts;
  std::vector<FuzzFailure> kept, dropped;
  for (FuzzFailure& failure : result->failures) {
    (counts[failure.op]++ < most_per_op ? kept : dropped).push_back(std::move(failure));
  }
  result->failures = std::move(kept);
  return dropped;
}

OperatorCount FuzzResult::Total() const {
  OperatorCount total;
  for (const auto& [op, count] : operators) {
    total.run += count.run;
    total.unsupported += count.unsupported;
    total.failed += count.failed;
    total.lacking += count.lacking;
  }
  return total;
}

FuzzResult Fuzz(const CaseDrawer& drawer, const FuzzOptions& options) {
  const host::InterruptScope interruptible;
  const WorkFolder folder;
  host::Progress progress("running random cases");
  Work work(drawer, options);
  std::string greeting;
  const auto run = [&](int job) {
    Worker worker(&work, folder.path() / std::to_string(job));
    if (job == 0) greeting = worker.Greeting();
    while (const std::optional<int64_t> index = work.Next()) {
      worker.RunCase(*index);
      if (job == 0) progress.Update(work.Share(), 1000);
    }
  };
  host::RunJobs(options.jobs, run, [&] { work.Stop(); });
  FuzzResult result = work.Finish();
  result.backend = greeting;
  return result;
}

}  // namespace lutra::conformance
