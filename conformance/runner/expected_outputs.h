// SPDX-License-Identifier: Apache-2.0
// What a case should give, by the oracle.
//
//   const auto expected = ExpectedOutputs(test, *oracle::FindProfile("litert-reference"));

#pragma once

#include <optional>
#include <vector>

#include "conformance/generator/case.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance {

// What a case gives under a profile; nothing where the profile has no rule for its operator, or the
// oracle does not know it.
std::optional<std::vector<oracle::Bytes>> ExpectedOutputs(const Case& test, const oracle::Profile& profile);

}  // namespace lutra::conformance
