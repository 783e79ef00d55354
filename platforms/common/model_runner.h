// SPDX-License-Identifier: Apache-2.0
// What the firmwares have in common: run one model once and report what it gave.

#pragma once

#include "runtime/diagnosis.h"
#include "runtime/op.h"
#include "runtime/span.h"

namespace lutra {

// The exit codes of a firmware beside kExitFault (start.h), which are those of the host programs.
inline constexpr int kExitOk = 0;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitBadInput = 3;

// Runs the model named by arguments[1], its inputs made from the seed in arguments[2] (default 1), and prints
// the lines that platforms/README.md lists. `rule_name` may be null: names cost flash, and the number of the
// rule says the same. Returns the exit code.
int RunModel(int argument_count, char** arguments, Span<const Op> ops, const char* (*rule_name)(Rule));

}  // namespace lutra
