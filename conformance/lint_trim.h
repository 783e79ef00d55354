// SPDX-License-Identifier: Apache-2.0
// lint: how many channels of a model cannot change, and what compress trim would make of it.
//
//   AddLintCommand(app, &exit_code, {TrimLint()});

#pragma once

#include "conformance/linter/lint_command.h"

namespace lutra::conformance {

LintExtension TrimLint();

}  // namespace lutra::conformance
