// SPDX-License-Identifier: Apache-2.0
// Finds figures that are worse than a baseline's.

#include "bench/baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/failures.h"
#include "host/printable.h"
#include "host/scores.h"
#include "host/time_ratio.h"
#include "host/wrap.h"

namespace lutra::bench {
namespace {

std::string NameOf(const host::ModelResult& result) {
  return std::filesystem::path(result.path).filename().string();
}

bool IsDecodedAlike(const host::ModelResult& a, const host::ModelResult& b) {
  if (!a.decompression || !b.decompression) return a.decompression.has_value() == b.decompression.has_value();
  return a.decompression->policy == b.decompression->policy &&
         a.decompression->outside_bytes == b.decompression->outside_bytes;
}

class Lines {
 public:
  void Add(const std::string& what, const std::string& text, bool is_worse = false) {
    verdict_.text += host::Wrapped(fmt::format("  {:<15} {}\n", what, text), 18);
    verdict_.is_worse = verdict_.is_worse || is_worse;
  }
  // Returns whether both sides have the figure; if only one has it, adds a line that says so.
  template <typename T>
  bool BothHave(const std::string& what, const std::optional<T>& old, const std::optional<T>& now) {
    if (old && !now) Add(what, fmt::format("{} -> none: gone", *old), true);
    if (!old && now) Add(what, fmt::format("none -> {}: new", *now));
    return old && now;
  }
  void Bytes(const std::string& what, host::Figure old, host::Figure now) {
    if (!BothHave(what, old, now)) return;
    const char* const trend = *now > *old ? "worse" : *now < *old ? "better" : "equal";
    Add(what, fmt::format("{} -> {}: {}", *old, *now, trend), *now > *old);
  }
  BaselineVerdict Finish() && { return std::move(verdict_); }

 private:
  BaselineVerdict verdict_;
};

void HoldOutputs(const host::ModelResult& old, const host::ModelResult& result, Lines* lines) {
  const auto crcs = [](const std::vector<host::TensorResult>& tensors) {
    std::string text;
    for (const host::TensorResult& tensor : tensors) text += (text.empty() ? "" : " ") + tensor.crc32;
    return text;
  };
  const std::string before = crcs(old.outputs), after = crcs(result.outputs);
  if (crcs(old.inputs) != crcs(result.inputs)) {
    lines->Add("outputs", "not compared: the inputs are others");
  } else if (before == after) {
    lines->Add("outputs", "equal");
  } else {
    lines->Add("outputs", fmt::format("{} -> {}: lost", host::Printable(before), after), true);
  }
}

void HoldTimes(const host::ModelResult& old, const host::ModelResult& result, double max_increase_percent,
               int64_t step_ns, Lines* lines) {
  const std::string limit = fmt::format("at most +{} %", max_increase_percent);
  if (result.against) {
    constexpr const char* kPaces[] = {"within", "slower", "undecided"};
    const host::TimeRatio& times = result.against->times;
    const host::Pace pace = host::Judge(times, max_increase_percent);
    lines->Add("time (ns)",
               fmt::format("{} -> {}, {}; {}: {}", times.old_median_ns, times.new_median_ns, ToString(times),
                           limit, kPaces[static_cast<int>(pace)]),
               pace == host::Pace::kSlower);
    return;
  }
  const host::InferenceResult &before = old.inference, &after = result.inference;
  if (!before.median_ns && !after.median_ns) {
    lines->Add("time (ns)", "not compared: there is none");
    return;
  }
  if (!lines->BothHave("time (ns)", before.median_ns, after.median_ns)) return;
  const auto change = static_cast<double>(*after.median_ns - *before.median_ns);
  const double deviation = std::max({host::DifferenceOfEqualRuns(before), host::DifferenceOfEqualRuns(after),
                                     static_cast<double>(step_ns)});
  const bool is_over = change > static_cast<double>(*before.median_ns) * max_increase_percent / 100;
  const bool is_told = change > deviation && std::min(before.runs, after.runs) >= host::kLeastRunsOfDeviation;
  lines->Add("time (ns)",
             fmt::format("{} -> {}, {}, equal runs differ by {:.0f}: {}", *before.median_ns, *after.median_ns,
                         limit, deviation,
                         !is_over  ? "within"
                         : is_told ? "slower"
                                   : "undecided"),
             is_over && is_told);
}

// An old program that ran in turns was not given the data.
void HoldEvaluation(const host::ModelResult& old, const host::ModelResult& result, Lines* lines) {
  if (result.against) return;
  const auto value_of = [](const host::ModelResult& one, const std::string& metric) {
    return one.evaluation && one.evaluation->metric == metric ? one.evaluation->value : std::nullopt;
  };
  std::set<std::string> metrics;
  for (const host::ModelResult* one : {&old, &result}) {
    if (one->evaluation) metrics.insert(one->evaluation->metric);
  }
  for (const std::string& metric : metrics) {
    const std::string what = host::Printable(metric);
    const std::optional<double> before = value_of(old, metric), after = value_of(result, metric);
    if ((!before && !after) || !lines->BothHave(what, before, after)) continue;
    if (old.evaluation->count != result.evaluation->count) {
      lines->Add(what, "not compared: the samples are others");
      continue;
    }
    const bool is_worse = host::MoreIsBetter(metric) ? *after < *before : *after > *before;
    lines->Add(what,
               fmt::format("{} -> {}: {}", *before, *after,
                           is_worse            ? "worse"
                           : *before == *after ? "equal"
                                               : "better"),
               is_worse);
  }
}

std::vector<std::string> DelegatesOf(const host::ModelResult& result) {
  std::vector<std::string> names;
  for (const host::DelegateResult& delegate : result.delegates) names.push_back(delegate.name);
  return names;
}

bool IsSetLike(const host::ModelResult& a, const host::ModelResult& b) {
  return a.kernels == b.kernels && a.memory == b.memory && a.repack == b.repack && IsDecodedAlike(a, b) &&
         DelegatesOf(a) == DelegatesOf(b);
}

}  // namespace

BaselineVerdict HoldAgainst(const host::ModelResult& old, const host::ModelResult& result,
                            double max_increase_percent, int64_t step_ns) {
  Lines lines;
  const auto used_bytes = [](const host::ModelResult& one) {
    return one.arena ? host::Figure(one.arena->used_bytes) : std::nullopt;
  };
  const auto smallest_bytes = [](const host::ModelResult& one) {
    return one.arena ? one.arena->smallest_working_bytes : std::nullopt;
  };
  // A file that does not tell the model's bytes is read as 0.
  const host::Figure old_bytes = old.bytes > 0 ? host::Figure(old.bytes) : std::nullopt;
  lines.Bytes("model bytes", old_bytes, result.bytes);
  lines.Bytes("arena bytes", used_bytes(old), used_bytes(result));
  lines.Bytes("smallest arena", smallest_bytes(old), smallest_bytes(result));
  HoldOutputs(old, result, &lines);
  HoldEvaluation(old, result, &lines);
  HoldTimes(old, result, max_increase_percent, step_ns, &lines);
  BaselineVerdict verdict = std::move(lines).Finish();
  verdict.text = host::Wrapped(fmt::format("{} and the baseline:{}\n", host::Printable(NameOf(result)),
                                           verdict.is_worse ? " WORSE" : "")) +
                 verdict.text;
  return verdict;
}

const host::ModelResult& RunLike(const host::ModelResult& result, const host::ResultFile& baseline,
                                 const std::string& path) {
  const host::ModelResult* found = nullptr;
  int count = 0;
  if (baseline.models) {
    for (const host::ModelResult& old : *baseline.models) {
      if (old.refused() || NameOf(old) != NameOf(result) || !IsSetLike(old, result)) continue;
      found = &old;
      ++count;
    }
  }
  if (count == 1) return *found;
  throw host::BadInput(fmt::format(
      "{}: baseline: found {} results of {} with kernels {}, memory {}, repack {} and {}, required: 1; make "
      "the file with the same options",
      path, count, NameOf(result), result.kernels, result.memory, result.repack,
      result.delegates.empty() ? "no delegate"
                               : fmt::format("delegate {}", fmt::join(DelegatesOf(result), ","))));
}

}  // namespace lutra::bench
