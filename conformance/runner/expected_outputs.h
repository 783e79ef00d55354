// SPDX-License-Identifier: Apache-2.0
// Computes by the oracle the outputs that a case should give.
//
//   const auto expected = ExpectedOutputs(test, *oracle::FindProfile("litert-reference"));

#pragma once

#include <optional>
#include <vector>

#include "conformance/generator/case.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance {

// Returns the outputs of a case under a profile; empty if the profile has no rule for its operator, or if the
// oracle does not know the operator.
std::optional<std::vector<oracle::Bytes>> ExpectedOutputs(const Case& test, const oracle::Profile& profile);

}  // namespace lutra::conformance
