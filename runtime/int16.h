// SPDX-License-Identifier: Apache-2.0
// Int16Operators: activations of int16 beside weights of int8 (the converter's 16x8 mode), for
// InterpreterOptions::int16. Hosts have it; a firmware links it only if it is built with
// -DLUTRA_INT16=ON.
//
//   MicroInterpreter interpreter(model, kOps, arena, {.int16 = nullptr});  // Refuses such models.
//
// Operators that compute have a second entry here, which runs nodes whose activations are of int16; those
// that move elements need none. The rules are TensorFlow Lite Micro's.

#pragma once

#include "lutra/graph.h"
#include "lutra/op.h"
#include "lutra/options.h"

namespace lutra {

#if LUTRA_HAVE_INT16
struct Int16Operators {
  // Returns the operator that runs a node in place of `op`, which the application's list has for it; null:
  // `op` itself.
  const Op* (*find)(const Graph& graph, const Op& op, int subgraph, int index);
};

extern const Int16Operators kInt16Operators;
#endif

}  // namespace lutra
