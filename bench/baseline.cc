// SPDX-License-Identifier: Apache-2.0
// Finds figures that are worse than a baseline's.

#include "bench/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "host/failures.h"
#include "host/printable.h"
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
  void Bytes(const std::string& what, host::Figure old, host::Figure now) {
    if (!old || !now) return;
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
  if (!before.median_ns || !after.median_ns) {
    lines->Add("time (ns)", "not compared: there is none");
    return;
  }
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

}  // namespace

BaselineVerdict HoldAgainst(const host::ModelResult& old, const host::ModelResult& result,
                            double max_increase_percent, int64_t step_ns) {
  Lines lines;
  lines.Bytes("model bytes", old.bytes, result.bytes);
  if (old.arena && result.arena) {
    lines.Bytes("arena bytes", old.arena->used_bytes, result.arena->used_bytes);
    lines.Bytes("smallest arena", old.arena->smallest_working_bytes, result.arena->smallest_working_bytes);
  }
  HoldOutputs(old, result, &lines);
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
      if (old.refused() || NameOf(old) != NameOf(result) || old.kernels != result.kernels ||
          old.memory != result.memory || !IsDecodedAlike(old, result)) {
        continue;
      }
      found = &old;
      ++count;
    }
  }
  if (count == 1) return *found;
  throw host::BadInput(fmt::format(
      "{}: baseline: found {} results of {} with kernels {} and memory {}, required: 1; make the file with "
      "the same options",
      path, count, NameOf(result), result.kernels, result.memory));
}

}  // namespace lutra::bench
