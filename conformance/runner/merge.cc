// SPDX-License-Identifier: Apache-2.0
// Compares each file with the first, collects shards and cases, and names those that are missing.

#include "conformance/runner/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "host/conformance_result.h"
#include "host/environment.h"
#include "host/failures.h"
#include "host/glob.h"
#include "host/printable.h"
#include "host/result_json.h"
#include "host/sha256.h"
#include "host/shard.h"

namespace lutra::conformance {
namespace {

// Returns how many shards the run has: "2/16" or "1,2/16".
int CountOf(const host::Selection& selection, const std::string& path) {
  const size_t slash = selection.shard.find('/');
  const std::string count = slash == std::string::npos ? "" : selection.shard.substr(slash);
  return host::ParseShard(selection.parts.empty() ? selection.shard : "1" + count, path + ": shard").count;
}

// Returns the text that is the same for all shards of a run.
std::string RunOf(const ShardFile& file) {
  const host::ConformanceResult& result = *file.file.conformance;
  const host::Selection& selection = *result.selection;
  const std::string bound =
      result.bounds ? fmt::format("bounds {}", *result.bounds) : fmt::format("bound {}", result.bound);
  return fmt::format(
      "profile {}, {}, backend {}, filter '{}', golden {}, {} cases in {} shards, "
      "version {} (commit {}), `{}`",
      result.profile, bound, result.backend, selection.filter, selection.golden, selection.all_cases,
      CountOf(selection, file.path), file.file.environment.version, file.file.environment.commit,
      result.command);
}

void RequireShard(const ShardFile& file) {
  const host::ConformanceResult& part = *file.file.conformance;
  if (!part.selection) {
    throw host::BadInput(
        fmt::format("{}: found no word of which cases were asked for, required: results of version 0.2.0 or "
                    "later; run it again",
                    file.path));
  }
  if (const std::string missing = WhatIsMissingOfShard(part); !missing.empty()) {
    throw host::BadInput(fmt::format("{}: {}", file.path, missing));
  }
}

std::string IdsHash(const host::ConformanceResult& result) {
  std::vector<std::string> ids;
  for (const host::CaseResult& one : result.cases) ids.push_back(one.id);
  return host::HashOfIds(std::move(ids));
}

// Throws BadInput unless the cases are those of the file's selection.
void RequireSelected(const ShardFile& file, const Manifest& manifest) {
  const host::ConformanceResult& part = *file.file.conformance;
  const host::Selection& selection = *part.selection;
  for (const host::CaseResult& one : part.cases) {
    if (!host::Matches(selection.filter, one.id)) {
      throw host::BadInput(fmt::format("{}: cases: found {}, required: ids of the filter '{}'", file.path,
                                       one.id, selection.filter));
    }
    if (manifest.empty() || manifest.Has(one.id) == one.is_frozen) continue;
    throw host::BadInput(
        fmt::format("{}: cases: found {}, which golden/manifest.jsonl {}, required: the cases "
                    "that were selected from it; run the shard again",
                    file.path, one.id, one.is_frozen ? "does not have" : "has, as one that is not frozen"));
  }
  if (selection.ids.empty() && !manifest.empty()) return;
  if (selection.ids == IdsHash(part)) return;
  throw host::BadInput(
      fmt::format("{}: cases: found other ids than the shard was asked for, required: those of its "
                  "selection, SHA-256 {:.12}; run the shard again",
                  file.path, selection.ids.empty() ? "unknown" : selection.ids));
}

// Returns the shards that the file has.
std::vector<host::SelectedShard> ShardsOf(const ShardFile& file) {
  const host::ConformanceResult& part = *file.file.conformance;
  if (!part.selection->parts.empty()) return part.selection->parts;
  // The hash leaves out the context and the order of cases.
  host::ResultFile alone = {.conformance = part};
  std::sort(alone.conformance->cases.begin(), alone.conformance->cases.end(),
            [](const host::CaseResult& a, const host::CaseResult& b) { return a.id < b.id; });
  const std::string text = host::WriteResultJson(alone, 0);
  return {{host::ParseShard(part.selection->shard, file.path + ": shard").index, part.selection->cases,
           host::Sha256(text.data(), text.size())}};
}

// Collects the shards and cases of the files.
class Collected {
 public:
  void Add(const ShardFile& file) {
    bool has_known = false;
    for (const host::SelectedShard& shard : ShardsOf(file)) {
      const auto [known, is_new] = shards_.try_emplace(shard.index, shard, file.path);
      has_known = has_known || !is_new;
      if (is_new || known->second.first == shard) continue;
      throw host::BadInput(
          fmt::format("{}: found shard {} with other results than {} has, required: one result of each shard",
                      file.path, shard.index, known->second.second));
    }
    for (const host::CaseResult& result : file.file.conformance->cases) {
      const auto [known, is_new] = cases_.try_emplace(result.id, result);
      if (is_new || (has_known && known->second == result)) continue;
      throw host::BadInput(fmt::format("{}: found {}, which another shard has, too; required: each case once",
                                       file.path, result.id));
    }
  }

  host::ShardSet Set(int count) const {
    host::ShardSet set = {.count = count};
    for (const auto& [index, shard] : shards_) set.indices.push_back(index);
    return set;
  }
  std::vector<host::SelectedShard> Parts() const {
    std::vector<host::SelectedShard> parts;
    for (const auto& [index, shard] : shards_) parts.push_back(shard.first);
    return parts;
  }
  // Returns the number of cases that the shards say they have.
  int64_t CasesOfShards() const {
    int64_t sum = 0;
    for (const auto& [index, shard] : shards_) sum += shard.first.cases;
    return sum;
  }
  const std::map<std::string, host::CaseResult>& cases() const { return cases_; }

 private:
  std::map<int, std::pair<host::SelectedShard, std::string>> shards_;  // With the file that has the shard.
  std::map<std::string, host::CaseResult> cases_;
};

// Returns the time of a date. Throws BadInput if it is no date.
std::time_t SecondsOf(const std::string& date, const std::string& name) {
  std::tm fields = {};
  const char* const end = strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  if (end != nullptr && *end == '\0') return timegm(&fields);
  throw host::BadInput(fmt::format("{}: found \"{}\", required: a time such as 2026-11-27T10:40:40Z", name,
                                   host::Printable(date, 40)));
}

// Returns a key of the first shard and then of the context, so that the context of the merged file does not
// depend on the order of the files.
std::tuple<int, std::string> OrderOf(const ShardFile& file) {
  const host::Selection& selection = *file.file.conformance->selection;
  const int index =
      selection.parts.empty() ? host::ParseShard(selection.shard).index : selection.parts[0].index;
  return {index, host::JsonText(host::EnvironmentJson(file.file.environment))};
}

}  // namespace

void RequireDate(const std::string& path, const std::string& date, const MergeOptions& options) {
  constexpr std::time_t kSlack = 60;
  const std::time_t then = SecondsOf(date, path + ": context: date"), now = std::time(nullptr);
  const char* const clock = "is the clock of the machine that ran it right?";
  if (then > now + kSlack) {
    throw host::BadInput(fmt::format("{}: context: date: found {}, required: no later than now, {}; {}", path,
                                     date, host::UtcText(now), clock));
  }
  if (!options.since.empty() && then < SecondsOf(options.since, "--since") - kSlack) {
    throw host::BadInput(fmt::format("{}: context: date: found {}, required: no earlier than {}; {}", path,
                                     date, options.since, clock));
  }
}

host::ResultFile Merge(std::vector<ShardFile> files, const Manifest& manifest, const MergeOptions& options) {
  Collected collected;
  bool has_manifest = true;
  for (const ShardFile& file : files) {
    RequireShard(file);
    RequireDate(file.path, file.file.environment.date, options);
    if (const std::string mine = RunOf(file), whole = RunOf(files.front()); mine != whole) {
      throw host::BadInput(
          fmt::format("{}: found another run: {}; required: shards of one run: {}", file.path, mine, whole));
    }
    RequireSelected(file, manifest);
    collected.Add(file);
    has_manifest = has_manifest && file.file.conformance->has_manifest;
  }
  const auto first = std::min_element(files.begin(), files.end(), [](const ShardFile& a, const ShardFile& b) {
    return OrderOf(a) < OrderOf(b);
  });
  host::ResultFile merged = std::move(first->file);
  host::Selection& selection = *merged.conformance->selection;
  const int count = CountOf(selection, first->path);
  const auto found = static_cast<int64_t>(collected.cases().size());
  const int64_t required = options.is_partial ? collected.CasesOfShards() : selection.all_cases;
  const host::ShardSet shards = collected.Set(count);
  const std::vector<int> missing = options.is_partial ? std::vector<int>() : shards.Missing();
  if (found != required || !missing.empty()) {
    throw host::BadInput(fmt::format("merge: found {} cases, required: {}; shards that are missing: {}",
                                     found, required, host::RangesText(missing)));
  }
  selection.shard = options.is_partial ? ToString(shards) : "1/1";
  selection.parts = options.is_partial ? collected.Parts() : std::vector<host::SelectedShard>();
  selection.cases = found;
  merged.conformance->has_manifest = has_manifest;
  merged.conformance->cases.clear();
  for (const auto& [id, result] : collected.cases()) merged.conformance->cases.push_back(result);
  selection.ids = IdsHash(*merged.conformance);
  return merged;
}

}  // namespace lutra::conformance
