// SPDX-License-Identifier: Apache-2.0
// lint --delegate: names the nodes that a delegate would take if their constants had another codec, or none.
//
//   AddLintCommand(app, &exit_code, {DelegateLint()});

#pragma once

#include "conformance/linter/lint_command.h"

namespace lutra::conformance {

LintExtension DelegateLint();

}  // namespace lutra::conformance
