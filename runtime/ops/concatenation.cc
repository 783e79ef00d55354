// SPDX-License-Identifier: Apache-2.0
// CONCATENATION, PACK.

#include "lutra/ops/ops.h"
#include "runtime/ops/copy.h"

namespace lutra {
Status PrepareConcatenation(PrepareContext& context) {
  const int inputs = context.input_count();
  LUTRA_TRY(context.CheckOperandCounts(inputs > 1 ? inputs : 1, inputs, 1));
  LUTRA_TRY(RequireMovable(context, OutputOperand(0)));
  AxisOptions options;
  if (!ReadAxisOptions(context.node_info(), &options)) return context.Refuse(Rule::kOptionsMissing);
  if (options.activation != Activation::kNone) {
    return context.Refuse(Rule::kActivation, kNoOperand, static_cast<int32_t>(options.activation), 0);
  }
  const TensorInfo output = context.Output(0);
  int32_t axis = 0;
  if (!NormalizeAxis(options.axis, output.shape.rank, &axis)) {
    return context.Refuse(Rule::kAxis, kNoOperand, options.axis, output.shape.rank);
  }
  RunsData* data = nullptr;
  LUTRA_TRY(StoreRuns(context, output, axis, inputs, &data));
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

}  // namespace lutra
