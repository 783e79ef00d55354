// SPDX-License-Identifier: Apache-2.0
// The part of a result file that `conformance run` fills: the verdicts on the cases that a runtime was given.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lutra::host {

enum class Verdict : uint8_t {
  kPass,
  kFail,
  kUnsupported,  // The runtime says that it has no such operator.
  kSkip,         // The profile says nothing of this case.
  kCrash,
  kTimeout,
  kWaived,  // Fails, and is in the list of known failures.
};
inline constexpr int kVerdictCount = 7;

const char* ToString(Verdict verdict);
// Throws BadInput for another word.
Verdict VerdictOf(const std::string& word);
// Returns whether the runtime did what it must not: it failed, crashed or hung.
bool IsBad(Verdict verdict);

// The first element that differs, and figures of all that differ.
struct Mismatch {
  int output = 0;
  int64_t index = 0;  // The element's, in the output.
  double expected = 0, actual = 0;
  int64_t different = 0, elements = 0;
  double largest = 0;              // Magnitude of a difference; not a number if one element is none.
  std::vector<std::string> rules;  // Other rules of the operator that give exactly these bytes.
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

struct CaseResult {
  std::string id, op;
  Verdict verdict = Verdict::kPass;
  std::string why;  // One line; empty for most passes.
  std::optional<Mismatch> mismatch;
  bool is_frozen = true;  // False: the manifest lacks it, and the oracle alone judged it.
  // The linter's finding about the model of a failure, if the specification does not cover that model; else
  // empty.
  std::string outside;
  bool must_refuse = false;  // Every runtime must refuse its model: it passes if nothing is computed.
  std::string profile;       // The profile that judged it, if that is not the run's.
  friend bool operator==(const CaseResult&, const CaseResult&) = default;
};

// A shard that is part of a partial result.
struct SelectedShard {
  int index = 1;
  int64_t cases = 0;
  std::string sha256;  // Of its result without its context: two files of one shard must agree.
  friend bool operator==(const SelectedShard&, const SelectedShard&) = default;
};

// The cases that were asked for. Those that a file lacks count as missing, not as passed.
struct Selection {
  std::string filter, shard;  // Shard: "2/3"; of a partial result "1,3/7".
  std::string ids;            // HashOfIds of this shard; empty in files of earlier versions.
  std::string golden;         // SHA-256 of the manifest; of the ids and models of a corpus of one's own.
  int64_t cases = 0;          // Of this shard.
  int64_t all_cases = 0;      // Of all shards together.
  // Lists the shards that a partial result of `merge --partial` consists of, by index; else empty.
  std::vector<SelectedShard> parts;
  friend bool operator==(const Selection&, const Selection&) = default;
};

// The most that elements of each operator's outputs may differ by; an operator without a line has 0.
using Bounds = std::map<std::string, int>;

struct ConformanceResult {
  std::string profile, backend;  // Backend: "<name> <version>" of the adapter.
  std::string command;           // The command line that repeats the run.
  int bound = 0;
  std::optional<Bounds> bounds;        // Instead of `bound`, where a file of them was given.
  std::optional<Selection> selection;  // Nothing in files of versions before 0.2.0.
  bool has_manifest = false;           // Cases were compared with what was frozen.
  std::vector<CaseResult> cases;       // Sorted by id.
  friend bool operator==(const ConformanceResult&, const ConformanceResult&) = default;
};

// Says how many of the selected cases the result lacks, as "found 12 cases, required: 100"; empty if none. A
// shard alone lacks those of the others.
std::string WhatIsMissing(const ConformanceResult& result);
// Says the same of a shard by itself.
std::string WhatIsMissingOfShard(const ConformanceResult& result);

// Returns whether the runtime computed the case's model.
bool HasRun(const CaseResult& result);
// Sorted names of operators with models that must run, none of which did.
std::vector<std::string> OperatorsThatNeverRan(const ConformanceResult& result);

// SHA-256 of the cases' ids, sorted, a line each.
std::string HashOfIds(std::vector<std::string> ids);

// Counts the cases that the manifest lacks; nothing if there was none to compare with.
std::optional<size_t> CountNotFrozen(const ConformanceResult& result);

}  // namespace lutra::host
