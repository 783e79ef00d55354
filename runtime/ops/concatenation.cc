// SPDX-License-Identifier: Apache-2.0
// CONCATENATION, PACK.

#include "lutra/kernels/lookup/lookup.h"
#include "lutra/ops/ops.h"
#include "runtime/fixed_point/rounding.h"
#include "runtime/ops/copy.h"
#include "runtime/ops/uint8.h"

namespace lutra {
namespace {

// Checks and prepares everything but the type of the output.
[[gnu::always_inline]] inline Status PrepareRuns(PrepareContext& context, RunsData** result) {
  const int inputs = context.input_count();
  AxisOptions options;
  LUTRA_TRY(ReadOptions(context, ReadAxisOptions, &options));
  if (options.activation != Activation::kNone) {
    return context.Refuse(Rule::kActivation, kNoOperand, static_cast<int32_t>(options.activation), 0);
  }
  const TensorInfo output = context.Output(0);
  int32_t axis = 0;
  LUTRA_TRY(RequireAxis(context, kNoOperand, options.axis, output.shape.rank, &axis));
  RunsData* data = nullptr;
  LUTRA_TRY(StoreRuns(context, output, axis, inputs, &data));
  *result = data;
  int32_t room = output.shape.dims[axis];
  for (int i = 0; i < inputs; ++i) {
    LUTRA_TRY(RequireSameType(context, OutputOperand(0), i));
    const TensorInfo input = context.Input(i);
    if (input.type == TensorType::kInt8 && (input.is_quantized() || output.is_quantized())) {
      LUTRA_TRY(RequireSameQuantization(context, OutputOperand(0), i));
    }
    Shape shape = output.shape;
    if (input.shape.rank == shape.rank) shape.dims[axis] = input.shape.dims[axis];
    LUTRA_TRY(RequireShape(context, i, shape));
    room -= shape.dims[axis];
    if (room < 0) break;
    data->run_bytes[i] = shape.Count(axis, shape.rank) * ElementBytes(input.type);
  }
  if (room != 0) {
    return context.Refuse(Rule::kOperandShape, OutputOperand(0), output.shape.dims[axis]);
  }
  return Status::kOk;
}

[[gnu::always_inline]] inline Status CheckCounts(PrepareContext& context) {
  const int inputs = context.input_count();
  return context.CheckOperandCounts(inputs > 1 ? inputs : 1, inputs, 1);
}

}  // namespace

Status PrepareConcatenation(PrepareContext& context) {
  LUTRA_TRY(CheckCounts(context));
  LUTRA_TRY(RequireMovable(context, OutputOperand(0)));
  RunsData* data = nullptr;
  return PrepareRuns(context, &data);
}

#if LUTRA_HAVE_UINT8
namespace {

constexpr int32_t kCodes = 256;

struct Uint8Runs {
  static constexpr BoardRecord kBoardRecord = {12, 12};

  const RunsData* runs;
  LookupFn run;
  uint8_t** tables;  // A table for each input; null if its codes are the output's.
};

// Fills the table from one quantisation to another as LiteRT's reference kernel rounds: all in float32.
void FillTable(const TensorInfo& from, const TensorInfo& to, uint8_t* table) {
  const float scale = from.scale * (1.0f / to.scale);
  const float bias = static_cast<float>(-from.zero_point) * scale;
  constexpr float kFar = 1 << 20;  // Farther from 0 than any code.
  for (int32_t u = 0; u < kCodes; ++u) {
    const float product = static_cast<float>(u) * scale;
    const float value = product + bias;
    // The conditions are written so that NaN, the sum of two infinities, has a code, too.
    const float near = value < kFar ? value > -kFar ? value : -kFar : kFar;
    const int32_t code = RoundHalfAwayFloat(near) + to.zero_point;
    table[u] = static_cast<uint8_t>(code < 0 ? 0 : code > UINT8_MAX ? UINT8_MAX : code);
  }
}

}  // namespace

Status PrepareConcatenationUint8(PrepareContext& context) {
  LUTRA_TRY(CheckCounts(context));
  LUTRA_TRY(RequireUint8(context, OutputOperand(0)));
  RunsData* runs = nullptr;
  LUTRA_TRY(PrepareRuns(context, &runs));
  Uint8Runs* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->runs = runs;
  data->run = context.Choose(kLookup);
  const int inputs = context.input_count();
  LUTRA_TRY(context.AllocateArray(inputs, RecordKind::kOperatorData, &data->tables));
  const TensorInfo output = context.Output(0);
  for (int i = 0; i < inputs; ++i) {
    LUTRA_TRY(RequireUint8(context, i));
    const TensorInfo input = context.Input(i);
    if (input.scale == output.scale && input.zero_point == output.zero_point) continue;
    LUTRA_TRY(context.AllocateArray(kCodes, RecordKind::kOperatorData, &data->tables[i]));
    FillTable(input, output, data->tables[i]);
  }
  return Status::kOk;
}

Status EvalConcatenationUint8(EvalContext& context) {
  const auto& data = context.Data<Uint8Runs>();
  const RunsData& runs = *data.runs;
  uint8_t* output = context.OutputData<uint8_t>(0);
  for (int i = 0; i < context.input_count(); ++i) {
    const auto* input = context.InputData<uint8_t>(i);
    const int32_t bytes = runs.run_bytes[i];
    if (data.tables[i] == nullptr) {
      JoinPiece(runs, i, input, output);
    } else {
      for (int32_t outer = 0; outer < runs.outer; ++outer) {
        data.run({data.tables[i], input + outer * bytes, output + outer * runs.whole_bytes, nullptr}, 0,
                 bytes);
      }
    }
    output += bytes;
  }
  return Status::kOk;
}
#endif

}  // namespace lutra
