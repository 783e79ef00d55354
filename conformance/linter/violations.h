// SPDX-License-Identifier: Apache-2.0
// For each rule, one change that breaks it.
//
//   Net net(op);
//   (*FindViolation(rule, op))(&net);

#pragma once

#include <functional>

#include "conformance/linter/correct_models.h"

namespace lutra::conformance::linter {

using Violation = std::function<void(Net*)>;

// Finds a change by the rule's id, else by its topic. Null if there is none.
const Violation* FindViolation(const LintRule& rule, const std::string& op);

}  // namespace lutra::conformance::linter
