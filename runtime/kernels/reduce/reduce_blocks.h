// SPDX-License-Identifier: Apache-2.0
// Walks through the elements for variants with small vectors: runs of the innermost reduced dimension, for
// some outputs at a time. The unnamed namespace lets each variant keep its own copy.

#pragma once

#include "runtime/kernels/reduce/reduce_walk.h"

namespace lutra {
namespace {

// Codes whose sum fits int16.
constexpr int32_t kMostInt16 = 256;

// Elements along a walk's innermost dimension, `stride` apart.
struct Run {
  int32_t count;
  int32_t stride;
};

Run InnermostOf(const ReduceShape& shape) {
  if (shape.reduced_rank == 0) return {1, 0};
  const ReduceDim& dim = shape.reduced[shape.reduced_rank - 1];
  return {dim.count, dim.stride};
}

// Calls visit(elements) for each run of `args`, whose outputs begin at `offset`.
template <typename Visit>
[[gnu::always_inline]] inline void ForEachRun(const ReduceArgs& args, intptr_t offset, const Visit& visit) {
  const ReduceShape& shape = args.shape;
  Walk outer(shape.reduced, shape.reduced_rank > 0 ? shape.reduced_rank - 1 : 0);
  const int8_t* const input = static_cast<const int8_t*>(args.input) + offset;
  do {
    visit(input + outer.offset());
  } while (outer.Next());
}

// Computes all outputs. If the innermost dimension is kept, operation.Make(offset, count, output) computes
// `count` neighbours, at most kOutputs; otherwise operation.MakeOne(offset, output) computes one output,
// whose elements form contiguous runs. `offset` is that of the outputs' first elements.
template <typename Operation>
void ReduceBlocks(const Operation& operation) {
  const ReduceArgs& args = operation.args;
  const ReduceShape& shape = args.shape;
  auto* output = static_cast<int8_t*>(args.output);
  const bool innermost_is_kept = shape.kept_rank > 0 && shape.kept[shape.kept_rank - 1].stride == 1;
  if (!innermost_is_kept) {
    Walk kept(shape.kept, shape.kept_rank);
    do {
      operation.MakeOne(kept.offset(), output++);
    } while (kept.Next());
    return;
  }
  const int32_t count = shape.kept[shape.kept_rank - 1].count;
  Walk kept(shape.kept, shape.kept_rank - 1);
  do {
    for (int32_t first = 0; first < count; first += Operation::kOutputs) {
      const int32_t some = count - first < Operation::kOutputs ? count - first : Operation::kOutputs;
      operation.Make(kept.offset() + first, some, output);
      output += some;
    }
  } while (kept.Next());
}

}  // namespace
}  // namespace lutra
