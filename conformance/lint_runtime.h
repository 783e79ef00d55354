// SPDX-License-Identifier: Apache-2.0
// lint: says which operators of a model were not checked, because they have no activations of 8 bits, and why
// this runtime refuses the model or its row plan, if it does.
//
//   AddLintCommand(app, &exit_code, {RuntimeLint()});

#pragma once

#include "conformance/linter/lint_command.h"

namespace lutra::conformance {

LintExtension RuntimeLint();

}  // namespace lutra::conformance
