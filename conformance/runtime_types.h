// SPDX-License-Identifier: Apache-2.0
// Asks the runtime itself which types it runs: it prepares a model of each or refuses it.

#pragma once

#include <cstdint>
#include <vector>

#include "conformance/oracle/operators.h"

namespace lutra::conformance {

// The types of the first activation (where there is none, of the first input), in the order of the list of
// types. INT4 stands for weights of that type beside activations of INT8.
std::vector<int8_t> TypesThatTheRuntimeRuns(const oracle::Operator& op);

}  // namespace lutra::conformance
