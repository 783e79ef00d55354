// SPDX-License-Identifier: Apache-2.0
// Adapters that lie and die, to test that the runner believes and waits for nothing; faults.h has what is
// wrong with their arithmetic.

#pragma once

#include <vector>

#include "conformance/adapters/mock/faults.h"

namespace lutra::conformance::mock {

// Applied before the adapter says anything; the path is empty.
const std::vector<Fault>& Greetings();
// Applied to the outputs of a case, before its answer.
const std::vector<Fault>& Lies();

}  // namespace lutra::conformance::mock
