// SPDX-License-Identifier: Apache-2.0
// lint: says how many channels of a model cannot change, and how small compress trim would make the model.
//
//   AddLintCommand(app, &exit_code, {TrimLint()});

#pragma once

#include "conformance/linter/lint_command.h"

namespace lutra::conformance {

LintExtension TrimLint();

}  // namespace lutra::conformance
