// SPDX-License-Identifier: Apache-2.0
// Runs an old and a new program in turns, so that other load on the machine slows both alike.
//
//   const OldRun old = RunInTurns("./old/generic_benchmark", arguments, 20, 600);   // throws BadInput
//   Judge(old.against.times, 2);

#pragma once

#include <string>
#include <vector>

#include "host/result.h"

namespace lutra::bench {

struct OldRun {
  host::ModelResult result;  // What the old program measured before the turns: arena, outputs.
  host::AgainstResult against;
};

// `program` and this one run `turns` times each, as processes of their own with `arguments`, which name the
// one model. Throws BadInput if a program fails, takes longer than `timeout_seconds`, or tells no times.
OldRun RunInTurns(const std::string& program, const std::vector<std::string>& arguments, int turns,
                  double timeout_seconds);

// Returns the result of a run that must print a file of one model; throws BadInput, with the output,
// otherwise.
host::ResultFile RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                            double timeout_seconds);

}  // namespace lutra::bench
