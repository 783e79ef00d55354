// SPDX-License-Identifier: Apache-2.0
// Operators that only move data describe the move in prepare, as a CopyPlan, and make it in eval.
//
//   CopyPlan plan;                                   // on the stack of prepare
//   plan.dims[0] = {rows, in_stride, out_stride, 0, 0}; ...
//   return StoreCopy(context, plan);
//   ...
//   return EvalCopy(context);

#pragma once

#include "lutra/kernels/copy/copy.h"
#include "runtime/ops/common.h"

namespace lutra {

struct CopyPlan {
  CopyDim dims[kMaxCopyRank] = {};
  int32_t rank = 0;
  int32_t element_bytes = 0;
  int32_t input_offset = 0;  // Where the first element of the box is, in bytes.
  bool by_rows = false;      // The outermost dimension has the rows of DeclareRows.
  uint8_t fill[8] = {};
};

// The plan as eval finds it.
struct CopyData {
  static constexpr BoardRecord kBoardRecord = {24, 24};

  CopyFn run;
  const CopyDim* dims;
  int32_t input_offset;
  uint8_t input;  // The operand that is copied.
  uint8_t rank;
  uint8_t element_bytes;
  uint8_t fill[8];
};

// The operand's type has elements of 1, 2, 4 or 8 bytes.
Status RequireMovable(PrepareContext& context, int operand);
// One input and one output of one movable type; the input may be followed by parameters.
Status RequireMove(PrepareContext& context, int inputs, int input);

// strides[i]: bytes from one index of dimension i to the next, for a dense tensor of this shape.
void DenseStrides(const Shape& shape, int32_t element_bytes, int32_t* strides);

// Fills `plan` with the whole output, of the rank of `shape`, read with the input's own strides.
void PlanDense(const Shape& input, const Shape& output, int32_t element_bytes, CopyPlan* plan);

// Says that the copy of a box makes its output row by row, where that helps the planner: `begin`
// and `step` are the box's first element and step along each dimension of the input, negative
// begins counting fill. Sets plan->by_rows and drops the dimensions above the rows.
Status DeclareBoxRows(PrepareContext& context, const Shape& input, const Shape& output, const int32_t* begin,
                      const int32_t* step, CopyPlan* plan);

// Keeps the plan of a copy from operand `input` to output 0 as this node's data.
Status StoreCopy(PrepareContext& context, CopyPlan& plan, int input = 0);
// EvalCopy (ops.h) makes it.

// Operators that join tensors along an axis, or take one apart: the whole tensor is `outer` times
// the runs of all pieces.
struct RunsData {
  static constexpr BoardRecord kBoardRecord = {16, 16};

  CopyFn run;
  int32_t outer;
  int32_t whole_bytes;  // All runs together.
  int32_t* run_bytes;   // One for each piece.
};
// Keeps room for `pieces` runs of a whole tensor that is cut along `axis`.
Status StoreRuns(PrepareContext& context, const TensorInfo& whole, int32_t axis, int32_t pieces,
                 RunsData** data);
// In eval: copies piece `piece`, which begins at `output` in the whole tensor.
void JoinPiece(const RunsData& data, int piece, const uint8_t* input, uint8_t* output);
// Input `input` becomes outputs 0, 1, ...
Status EvalTakeApart(EvalContext& context, int input);

// Makes the copy of a plan that eval has on its stack.
void RunCopy(CopyFn run, CopyPlan& plan, const uint8_t* input, uint8_t* output);

}  // namespace lutra
