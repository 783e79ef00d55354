// SPDX-License-Identifier: Apache-2.0
// lint: says which operators of a model were not checked, because they have no activations of 8 bits, whether
// this runtime runs the model, and whether it refuses the model's row plan.
//
//   AddLintCommand(app, &exit_code, {RuntimeLint()});

#pragma once

#include "conformance/linter/lint_command.h"

namespace lutra::conformance {

LintExtension RuntimeLint();

}  // namespace lutra::conformance
