// SPDX-License-Identifier: Apache-2.0
// Asks the runtime which types it runs, by preparing a model of each.

#pragma once

#include <cstdint>
#include <vector>

#include "conformance/oracle/operators.h"

namespace lutra::conformance {

// Returns the types of the first activation (or, if there is none, of the first input) in the order of the
// list of types. INT4 stands for weights of that type with INT8 activations.
std::vector<int8_t> TypesThatTheRuntimeRuns(const oracle::Operator& op);

}  // namespace lutra::conformance
