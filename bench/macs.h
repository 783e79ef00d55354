// SPDX-License-Identifier: Apache-2.0
// Multiply-accumulates of an operator, from the shapes alone.

#pragma once

#include <cstdint>

#include "lutra/model.h"

namespace lutra::bench {

// Returns the multiply-accumulates of CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED,
// BATCH_MATMUL, SVDF; 0 for other operators. Taps in the padding are counted. `subgraph` and `node` must
// exist in the model.
int64_t CountMacs(const Model& model, int subgraph, int node);

}  // namespace lutra::bench
