// SPDX-License-Identifier: Apache-2.0
// Judges the answers of adapters. It runs no adapter.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/generator/case.h"
#include "conformance/oracle/evaluate.h"
#include "conformance/runner/case_run.h"
#include "host/conformance_result.h"

namespace lutra::conformance {

// The begin of the message about a case that a runtime refused although it must run: no bytes were wrong.
inline constexpr char kRefusedWord[] = "refused: ";

// Differences of one tensor, in elements of its type; nothing if there are none.
std::optional<host::Mismatch> CompareBytes(const oracle::Bytes& expected, const oracle::Bytes& actual,
                                           int8_t type);
// Differences of all outputs, in elements of the model's types.
std::optional<host::Mismatch> CompareOutputs(const Case& test, const std::vector<oracle::Bytes>& expected,
                                             const std::vector<oracle::Bytes>& actual);
// Rules of the case's operator under which the oracle gives exactly `actual`.
std::vector<std::string> RulesThatGive(const Case& test, const std::vector<oracle::Bytes>& actual);

// `bound`: 0 or, with the profile `bounded`, by how much every element may differ.
host::CaseResult Judge(const Case& test, const oracle::Profile& profile, int bound,
                       const std::optional<std::vector<oracle::Bytes>>& expected, const CaseRun& run);

}  // namespace lutra::conformance
