// SPDX-License-Identifier: Apache-2.0
// What became of a case.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/generator/case.h"
#include "conformance/oracle/evaluate.h"
#include "conformance/runner/adapter_process.h"

namespace lutra::conformance {

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

// The first element that differs, and what else there is to say of the rest.
struct Mismatch {
  int output = 0;
  int64_t index = 0;  // Of the element.
  double expected = 0, actual = 0;
  int64_t different = 0, elements = 0;
  double largest = 0;              // Magnitude of a difference.
  std::vector<std::string> rules;  // Other rules of the operator that give exactly these bytes.
};

struct CaseResult {
  std::string id, op;
  Verdict verdict = Verdict::kPass;
  std::string why;  // One line; empty for most passes.
  std::optional<Mismatch> mismatch;
};

// The same for one tensor.
std::optional<Mismatch> CompareBytes(const oracle::Bytes& expected, const oracle::Bytes& actual, int8_t type);
// Differences of the outputs, in elements of the model's types; nothing if they are equal.
std::optional<Mismatch> CompareOutputs(const Case& test, const std::vector<oracle::Bytes>& expected,
                                       const std::vector<oracle::Bytes>& actual);
// Rules of the case's operator under which the oracle gives exactly `actual`.
std::vector<std::string> RulesThatGive(const Case& test, const std::vector<oracle::Bytes>& actual);

// Runs the case on the adapter in `folder`, which is emptied. Outputs only of an answer "ok".
struct CaseRun {
  AdapterAnswer answer;
  std::vector<oracle::Bytes> outputs;
};
CaseRun RunCase(const Case& test, AdapterProcess* adapter, const std::filesystem::path& folder);

// `bound`: 0, or what every element may differ by (profile `bounded`).
CaseResult Judge(const Case& test, const oracle::Profile& profile, int bound,
                 const std::optional<std::vector<oracle::Bytes>>& expected, const CaseRun& run);

}  // namespace lutra::conformance
