// SPDX-License-Identifier: Apache-2.0
// Runs random cases on a runtime and judges them by the oracle.

#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/fuzz/coverage.h"
#include "conformance/fuzz/draw_case.h"
#include "conformance/oracle/evaluate.h"
#include "host/conformance_result.h"
#include "host/shard.h"

namespace lutra::conformance {

inline constexpr int kMostFailuresPerOp = 3;

// The cases that all shards together run.
struct Campaign {
  int64_t first = 0, cases = 0;
  std::vector<std::string> required;  // Operators that the runtime must have.
};

struct FuzzOptions {
  // Commands of adapters. Each case runs on one of them, which its number decides.
  std::vector<std::string> adapters;
  std::chrono::milliseconds timeout{10000};
  int jobs = 1;
  const oracle::Profile* profile = nullptr;
  // CaseDrawer has been given these; the command that runs a failure again names them.
  std::string ops;
  bool is_broken = false;
  uint64_t seed = 1;
  int64_t first = 0;                          // The number of the first case.
  std::optional<int64_t> cases;               // How many, or
  std::optional<std::chrono::seconds> limit;  // for how long; at least one of them.
  // The shard of `campaign` that this run is; `first` and `cases` are the shard's own.
  host::Shard shard;
  Campaign campaign;
  bool reads_all_codecs = false;  // As Lutra does: packed weights that the runtime refuses count as lacking.
  bool stop_at_first = false;
  bool with_coverage = false;
  std::chrono::seconds shrink_time{60};  // At most, for one failure.
  int most_per_op = kMostFailuresPerOp;  // Failures of one operator that are shrunk; the others are counted.
  std::filesystem::path reproducers;     // Folder for what was found; empty: none.
};

struct FuzzFailure {
  int64_t index = 0;
  std::string adapter;
  host::CaseResult result;  // Of the smallest case.
  std::string op;           // The operator that was drawn.
  Draws draws;
  int64_t nodes = 0, elements = 0;
};

struct OperatorCount {
  int64_t run = 0;          // Judged: the outputs were compared.
  int64_t unsupported = 0;  // The runtime has no such operator, type or size.
  int64_t lacking = 0;      // Of these, cases that every runtime with the operator should run.
  int64_t failed = 0;
};

struct FuzzResult {
  std::string backend;      // The greeting of the first adapter.
  int64_t first = 0;        // The number of the first case.
  int64_t next = 0;         // The number of the first case that was not run, for --first of a later run.
  int64_t unspecified = 0;  // The profile has no rule for the drawn case.
  std::map<std::string, OperatorCount> operators;
  std::vector<FuzzFailure> failures;  // By number.
  Coverage coverage;                  // If it was asked for.
  double seconds = 0;

  OperatorCount Total() const;
};

// Removes all failures from the result but the first `most_per_op` of each operator, and returns them.
std::vector<FuzzFailure> KeepFirstFailures(FuzzResult* result, int most_per_op);

// Throws BadInput if an adapter does not greet.
FuzzResult Fuzz(const CaseDrawer& drawer, const FuzzOptions& options);

}  // namespace lutra::conformance
