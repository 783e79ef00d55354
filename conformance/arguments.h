// SPDX-License-Identifier: Apache-2.0
// Finds the arguments that kernels get in a case, which the runtime's own prepare computes.
//
//   const KernelArguments arguments = ArgumentsOf(test);
//   if (arguments.calls > 0) Write("arguments.json", arguments.json), Write("arguments.h", arguments.header);

#pragma once

#include <string>

#include "conformance/generator/case.h"

namespace lutra::conformance {

struct KernelArguments {
  int calls = 0;       // Of kernels that sdk/lutra_kernels.h has; 0: no arguments are known.
  std::string json;    // {"schema_version", "case", "calls": [{"kernel", "arguments"}]}
  std::string header;  // The same in C: case_arguments_0 and on.
};

// Returns the arguments of the first inference; none for a case that the runtime refuses.
KernelArguments ArgumentsOf(const Case& test);

}  // namespace lutra::conformance
