// SPDX-License-Identifier: Apache-2.0
// Uint8Operators: the older scheme, activations and weights of uint8 with a zero point each, for
// InterpreterOptions::uint8. Hosts have it; a firmware links it only if it is built with
// -DLUTRA_UINT8=ON.
//
// CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, ADD, ARG_MAX, ARG_MIN, AVERAGE_POOL_2D, MAX_POOL_2D, LOGISTIC,
// RESIZE_BILINEAR, SOFTMAX, PAD and CONCATENATION have a second entry here, which runs nodes whose first
// input is of uint8. Operators that only move elements take uint8 without one. The rules are those of
// LiteRT's reference kernels: TensorFlow Lite Micro has none.

#pragma once

#include "lutra/graph.h"
#include "lutra/op.h"
#include "lutra/options.h"

namespace lutra {

#if LUTRA_HAVE_UINT8
struct Uint8Operators {
  // Returns the operator that runs a node in place of `op`, which the application's list has for it; null:
  // `op` itself.
  const Op* (*find)(const Graph& graph, const Op& op, int subgraph, int index);
};

extern const Uint8Operators kUint8Operators;
#endif

}  // namespace lutra
