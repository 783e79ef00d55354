// SPDX-License-Identifier: Apache-2.0
// Finds out what kernels get for a case: the runtime's own prepare computes it.
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

// The first inference's. None for a case that the runtime refuses.
KernelArguments ArgumentsOf(const Case& test);

}  // namespace lutra::conformance
