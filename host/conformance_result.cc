// SPDX-License-Identifier: Apache-2.0
// Has the words for verdicts in result files and summaries, and counts cases.

#include "host/conformance_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/failures.h"
#include "host/sha256.h"

namespace lutra::host {
namespace {

constexpr const char* kWords[kVerdictCount] = {"pass",  "fail",    "unsupported", "skip",
                                               "crash", "timeout", "waived"};

}  // namespace

const char* ToString(Verdict verdict) { return kWords[static_cast<int>(verdict)]; }

Verdict VerdictOf(const std::string& word) {
  for (int i = 0; i < kVerdictCount; ++i) {
    if (word == kWords[i]) return static_cast<Verdict>(i);
  }
  throw BadInput(fmt::format("verdict: found \"{}\", required: one of {}", word, fmt::join(kWords, " ")));
}

bool IsBad(Verdict verdict) {
  return verdict == Verdict::kFail || verdict == Verdict::kCrash || verdict == Verdict::kTimeout;
}

std::string WhatIsMissingOfShard(const ConformanceResult& result) {
  const auto cases = static_cast<int64_t>(result.cases.size());
  if (cases == 0) return "found no case";
  if (!result.selection || cases == result.selection->cases) return "";
  return fmt::format("found {} cases, required: {}, which were asked for; was the run interrupted?", cases,
                     result.selection->cases);
}

std::string WhatIsMissing(const ConformanceResult& result) {
  const std::string missing = WhatIsMissingOfShard(result);
  if (!missing.empty() || !result.selection || result.selection->cases == result.selection->all_cases) {
    return missing;
  }
  return fmt::format(
      "found shard {} alone, required: all of them; put them together with `conformance merge`",
      result.selection->shard);
}

bool HasRun(const CaseResult& result) {
  return !result.must_refuse && (result.verdict == Verdict::kPass || result.verdict == Verdict::kSkip ||
                                 result.mismatch.has_value());
}

std::vector<std::string> OperatorsThatNeverRan(const ConformanceResult& result) {
  std::map<std::string, bool> has_run;
  for (const CaseResult& c : result.cases) {
    if (!c.must_refuse) has_run[c.op] |= HasRun(c);
  }
  std::vector<std::string> names;
  for (const auto& [name, has] : has_run) {
    if (!has) names.push_back(name);
  }
  return names;
}

std::string HashOfIds(std::vector<std::string> ids) {
  std::sort(ids.begin(), ids.end());
  std::string text;
  for (const std::string& id : ids) text += id + "\n";
  return Sha256(text.data(), text.size());
}

std::optional<size_t> CountNotFrozen(const ConformanceResult& result) {
  if (!result.has_manifest) return std::nullopt;
  return static_cast<size_t>(std::count_if(result.cases.begin(), result.cases.end(),
                                           [](const CaseResult& c) { return !c.is_frozen; }));
}

}  // namespace lutra::host
