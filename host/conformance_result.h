// SPDX-License-Identifier: Apache-2.0
// What became of the cases that a runtime was given: the part of a result file that `conformance run` fills.

#pragma once

#include <cstddef>
#include <cstdint>
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
  kWaived,  // Fails, and a waiver says why that is known.
};
inline constexpr int kVerdictCount = 7;

const char* ToString(Verdict verdict);
// Throws BadInput for another word.
Verdict VerdictOf(const std::string& word);
// Whether the runtime did what it must not: it failed, crashed or hung.
bool IsBad(Verdict verdict);

// The first element that differs, and what else there is to say of the rest.
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
  friend bool operator==(const CaseResult&, const CaseResult&) = default;
};

struct ConformanceResult {
  std::string profile, backend;  // Backend: "<name> <version>" of the adapter.
  std::string command;           // That makes this run again.
  int bound = 0;
  bool has_manifest = false;      // Cases were compared with what was frozen.
  std::vector<CaseResult> cases;  // Sorted by id.
  friend bool operator==(const ConformanceResult&, const ConformanceResult&) = default;
};

// How many cases the manifest lacks; nothing if there was none to compare with.
std::optional<size_t> CountNotFrozen(const ConformanceResult& result);

}  // namespace lutra::host
