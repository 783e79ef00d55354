// SPDX-License-Identifier: Apache-2.0
// Says how much of the arena is in use while each operator runs.
//
//   const std::vector<int64_t> bytes = LiveBytes(result);   // One for each of op_results.

#pragma once

#include <vector>

#include "host/result.h"

namespace lutra::host {

// Returns the bytes of the plan's buffers that each operator's step needs; bytes that two buffers share count
// once. Empty if the result has no plan.
std::vector<int64_t> LiveBytes(const ModelResult& result);

}  // namespace lutra::host
