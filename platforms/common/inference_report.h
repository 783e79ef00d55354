// SPDX-License-Identifier: Apache-2.0
// What the firmwares share: it runs one model once and reports its outputs.
//
//   int main(int argc, char** argv) {
//     return lutra::platforms::RunAndReport(argc, argv, {.ops = lutra::AllOps()});
//   }

#pragma once

#include <stdint.h>

#include "lutra/diagnosis.h"
#include "lutra/micro_interpreter.h"
#include "lutra/model.h"
#include "lutra/op.h"
#include "lutra/span.h"

namespace lutra::platforms {

// The exit codes of a firmware beside kExitFault (start.h), which are those of the host programs.
inline constexpr int kExitOk = 0;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitBadInput = 3;

struct RunAndReportOptions {
  Span<const Op> ops;
  InterpreterOptions interpreter = {};
  // Returns the name of a rule. May be null, to save flash: reports then have the rule's number alone.
  const char* (*rule_name)(Rule) = nullptr;
  // May be null. Called before AllocateTensors, of any interpreter.
  Status (*before_allocation)(MicroInterpreter&, const InterpreterOptions&) = nullptr;
  // May be null. Called after the model has run; its status is that of the program.
  Status (*then)(const Model&, const RunAndReportOptions&, uint64_t seed) = nullptr;
};

// Runs the model named by arguments[1], its inputs made from the seed in arguments[2] (default 1), and prints
// the lines that platforms/README.md lists. The inference lies between the marks of counter/marks.h. Returns
// the exit code.
int RunAndReport(int argument_count, char** arguments, const RunAndReportOptions& options);

void FillInputs(MicroInterpreter& interpreter, uint64_t seed);

// False unless `text` is a decimal number.
bool ParseNumber(const char* text, uint64_t* number);

}  // namespace lutra::platforms
