// SPDX-License-Identifier: Apache-2.0
// Names and severities of findings.

#include "delegates/vta/simulator/findings.h"

#include <fmt/format.h>

namespace lutra::vta::sim {
namespace {

constexpr size_t kMostListed = 200;

}  // namespace

const char* ToString(Issue issue) {
  constexpr const char* kNames[] = {
      "instruction", "index",    "dram",     "finish",      "early finish", "deadlock", "token leak",
      "tokens",      "race",     "too long", "stale OUT",   "adjacent dst", "shift",    "empty loop",
      "MUL",         "ACC_8BIT", "padding",  "rows of UOP", "depth of UOP"};
  return kNames[static_cast<int>(issue)];
}

Severity SeverityOf(Issue issue, Profile profile) {
  if (issue < Issue::kStaleOut) return Severity::kError;
  const bool is_hls = profile == Profile::kHls, is_chisel = profile == Profile::kChisel;
  switch (issue) {
    case Issue::kStaleOut:
    case Issue::kShift:
      return Severity::kWarning;
    case Issue::kAdjacentDst:
    case Issue::kEmptyLoop:
      return is_chisel ? Severity::kError : Severity::kWarning;
    case Issue::kMul:
    case Issue::kAcc8:
      return profile == Profile::kReference ? Severity::kFine : Severity::kError;
    case Issue::kPadding:
    case Issue::kUopRows:
      return is_hls ? Severity::kError : Severity::kFine;
    default:
      return is_chisel ? Severity::kError : Severity::kFine;
  }
}

bool Findings::Add(Issue issue, uint32_t instruction, const std::string& text) {
  const Severity severity = SeverityOf(issue, profile_);
  if (severity == Severity::kFine) return true;
  const bool is_error = severity == Severity::kError;
  if (!is_error) ++warnings_;
  const bool is_again =
      !list_.empty() && list_.back().issue == issue && list_.back().instruction == instruction;
  if (is_error || (!is_again && list_.size() < kMostListed)) {
    const std::string where =
        instruction == kNoInstruction ? "stream" : fmt::format("instruction {}", instruction);
    list_.push_back({issue, severity, instruction, fmt::format("{}: {}: {}", where, ToString(issue), text)});
  }
  failed_ = failed_ || is_error;
  return !is_error;
}

}  // namespace lutra::vta::sim
