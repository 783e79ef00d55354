// SPDX-License-Identifier: Apache-2.0
// Functions of Streaming: they say which operators stream which of their inputs, and which TFLM_DECODE need
// not run because of that.

#pragma once

#include "lutra/graph.h"
#include "lutra/op.h"
#include "lutra/span.h"

namespace lutra {

// The operator that streams in place of this one, or null.
const Op* FindStreamingOp(const Op& op);

bool ReplacesDecoder(const Graph& graph, Span<const Op> ops, int subgraph, int index);
bool MakesStreamedTensor(const Graph& graph, Span<const Op> ops, int subgraph, int tensor);
const Op* FindStreaming(const Graph& graph, Span<const Op> ops, const Op& op, int subgraph, int index);

}  // namespace lutra
