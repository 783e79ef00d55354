// SPDX-License-Identifier: Apache-2.0
// Faults in how an adapter talks or ends, to test that the runner checks every answer and every wait;
// faults.h has faults of arithmetic.

#pragma once

#include <vector>

#include "conformance/adapters/mock/faults.h"

namespace lutra::conformance::mock {

// Applied before the adapter says anything; the path is empty.
const std::vector<Fault>& Greetings();
// Applied to the outputs of a case, before its answer.
const std::vector<Fault>& Lies();

}  // namespace lutra::conformance::mock
