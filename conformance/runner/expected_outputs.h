// SPDX-License-Identifier: Apache-2.0
// Computes by the oracle what a case should give.
//
//   const auto expected = ExpectedOutputs(test, *oracle::FindProfile("litert-reference"));

#pragma once

#include <optional>
#include <vector>

#include "conformance/generator/case.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance {

// The outputs of a case under a profile; empty where the profile has no rule for its operator, or the oracle
// does not know it.
std::optional<std::vector<oracle::Bytes>> ExpectedOutputs(const Case& test, const oracle::Profile& profile);

}  // namespace lutra::conformance
