// SPDX-License-Identifier: Apache-2.0
// lint: which operators of a model were not checked, because they have no activations of 8 bits, and whether
// this runtime runs the model; and a row plan that it refuses.
//
//   AddLintCommand(app, &exit_code, {RuntimeLint()});

#pragma once

#include "conformance/linter/lint_command.h"

namespace lutra::conformance {

LintExtension RuntimeLint();

}  // namespace lutra::conformance
