// SPDX-License-Identifier: Apache-2.0
// EMBEDDING_LOOKUP: rows of a table by ids, which are int32. float32, int8, and int8 to float32: then a value
// is the code times the table's scale; the zero point is 0.

#include <string.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

constexpr int kIds = 0;
constexpr int kTable = 1;
constexpr int kOutput = OutputOperand(0);

}  // namespace

Status PrepareEmbeddingLookup(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireType(context, kIds, TensorType::kInt32));
  LUTRA_TRY(RequireRank(context, kIds, 1, 1));
  LUTRA_TRY(RequireRank(context, kTable, 2, kMaxRank));
  const TensorInfo table = context.Input(kTable);
  if (table.type != TensorType::kInt8) LUTRA_TRY(RequireType(context, kTable, TensorType::kFloat32));
  if (table.type == TensorType::kInt8 && context.Output(0).type == TensorType::kFloat32) {
    LUTRA_TRY(RequirePerTensor(context, kTable));
    if (table.zero_point != 0) return context.Refuse(Rule::kZeroPointZero, kTable, table.zero_point, 0);
  } else {
    LUTRA_TRY(RequireSameType(context, kTable, kOutput));
  }
  Shape shape = table.shape;
  shape.dims[0] = context.Input(kIds).shape.dims[0];
  return RequireShape(context, kOutput, shape);
}

Status EvalEmbeddingLookup(EvalContext& context) {
  const TensorInfo table = context.Input(kTable);
  const int32_t rows = table.shape.dims[0];
  const int32_t row = table.shape.Count() / rows;  // Elements.
  const int32_t bytes = ElementBytes(table.type);
  const auto* const ids = context.InputData<int32_t>(kIds);
  const auto* const from = context.InputData<uint8_t>(kTable);
  auto* const to = context.OutputData<uint8_t>(0);
  const bool is_converted = table.type != context.Output(0).type;
  for (int32_t i = 0; i < context.Input(kIds).shape.Count(); ++i) {
    if (ids[i] < 0 || ids[i] >= rows) return context.Refuse(Rule::kRuntimeIndex, kIds, ids[i], rows);
    const uint8_t* const values = from + ids[i] * row * bytes;
    if (!is_converted) {
      memcpy(to + i * row * bytes, values, static_cast<size_t>(row * bytes));
      continue;
    }
    auto* const reals = context.OutputData<float>(0) + i * row;
    for (int32_t k = 0; k < row; ++k)
      reals[k] = static_cast<float>(static_cast<int8_t>(values[k])) * table.scale;
  }
  return Status::kOk;
}

}  // namespace lutra
