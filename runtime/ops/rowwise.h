// SPDX-License-Identifier: Apache-2.0
// What operators share that compute each row (the last dimension) of the output from the same row of the
// input.

#pragma once

#include "runtime/ops/common.h"

namespace lutra {

// One input and one output of the same shape, of rank 1 at least.
inline Status RequireRowwise(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireRank(context, 0, 1, kMaxRank));
  return RequireShape(context, OutputOperand(0), context.Input(0).shape);
}

inline Status DeclareRowwise(PrepareContext& context) {
  const TensorInfo input = context.Input(0);
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.in_rows = map.out_rows = input.shape.OuterCount();
  map.in_row_bytes = input.bytes / map.in_rows;
  map.out_row_bytes = context.Output(0).bytes / map.out_rows;
  return context.DeclareRows(0, 0, map);
}

// The arguments of a function of rows of float32.
struct FloatRowArgs {
  int32_t depth;
};

// Rows of args.depth elements.
template <typename Args>
Status EvalRowwise(const EvalContext& context,
                   void (*run)(const Args&, const Rows&, const Rows&, int32_t, int32_t), const Args& args,
                   int32_t rows, int32_t input_element_bytes = 1, int32_t output_element_bytes = 1) {
  const Rows input = context.InputRows(0, args.depth * input_element_bytes);
  const Rows output = context.OutputRows(0, args.depth * output_element_bytes);
  context.ForEachRows(
      rows, [&](int32_t first_row, int32_t row_count) { run(args, input, output, first_row, row_count); });
  return Status::kOk;
}

}  // namespace lutra
