// SPDX-License-Identifier: Apache-2.0
// QUANTIZE, DEQUANTIZE, CAST. A quantised tensor beside float32 may have a scale and a zero point for each
// element of one dimension.

#include "lutra/kernels/convert/convert.h"

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

struct ConvertData {
  static constexpr BoardRecord kBoardRecord = {36, 36};

  ConvertFn run;
  Multiplier multiplier;
  float scale;
  int32_t in_zero_point;
  int32_t out_zero_point;
  int32_t units;  // What ForEachRows counts: elements, or rows if the sizes of elements differ.
  int32_t unit_elements;
  Conversion conversion;
  TensorType in_type;
  TensorType out_type;
  bool per_axis;
};

bool IsCode(TensorType type) {
  return type == TensorType::kInt8 || type == TensorType::kUInt8 || type == TensorType::kInt16 ||
         type == TensorType::kInt32;
}

bool IsNumber(TensorType type) {
  return IsCode(type) || type == TensorType::kUInt32 || type == TensorType::kInt64 ||
         type == TensorType::kBool || type == TensorType::kFloat32;
}

// Converts elements [first, end) with scales along a dimension: the kernel takes elements of one channel at a
// time.
void RunPerAxis(const ConvertData& data, const TensorInfo& codes, ConvertArgs args, int32_t first,
                int32_t end) {
  const int32_t inner = codes.shape.Count(codes.quantized_dimension + 1, codes.shape.rank);
  while (first < end) {
    const int32_t slice = first / inner;
    const int32_t channel = slice % codes.scales.count;
    const int32_t slice_end = (slice + 1) * inner;
    const int32_t next = slice_end < end ? slice_end : end;
    args.scale = codes.scales[channel];
    args.in_zero_point = args.out_zero_point =
        static_cast<int32_t>(codes.zero_points[codes.zero_points.count > 1 ? channel : 0]);
    data.run(args, first, next - first);
    first = next;
  }
}

// Checks one input and one output of its shape; says which output rows depend on which input rows.
Status Prepare(PrepareContext& context, Conversion conversion, ConvertData** result) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  const TensorInfo in = context.Input(0);
  const TensorInfo out = context.Output(0);
  LUTRA_TRY(RequireShape(context, OutputOperand(0), in.shape));
  ConvertData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kConvert);
  data->conversion = conversion;
  data->in_type = in.type;
  data->out_type = out.type;
  *result = data;
  if (in.bytes == out.bytes) {
    data->units = in.shape.Count();
    data->unit_elements = 1;
    return DeclareElementwise(context, 0, 0);
  }
  data->units = in.shape.OuterCount();
  data->unit_elements = in.shape.Depth();
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.in_rows = map.out_rows = data->units;
  map.in_row_bytes = in.bytes / data->units;
  map.out_row_bytes = out.bytes / data->units;
  return context.DeclareRows(0, 0, map);
}

}  // namespace

Status PrepareQuantize(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  const TensorInfo in = context.Input(0);
  const TensorInfo out = context.Output(0);
  const bool from_float = in.type == TensorType::kFloat32;
  ConvertData* data = nullptr;
  LUTRA_TRY(Prepare(context, from_float ? Conversion::kQuantize : Conversion::kRequantize, &data));
  if (!IsCode(out.type)) {
    return context.Refuse(Rule::kOperandType, OutputOperand(0), static_cast<int32_t>(out.type),
                          static_cast<int32_t>(TensorType::kInt8));
  }
  data->out_zero_point = out.zero_point;
  data->scale = out.scale;
  if (from_float) return RequirePerTensorOrAxis(context, OutputOperand(0), &data->per_axis);
  LUTRA_TRY(RequirePerTensor(context, OutputOperand(0)));
  if (!IsCode(in.type)) {
    return context.Refuse(Rule::kOperandType, 0, static_cast<int32_t>(in.type),
                          static_cast<int32_t>(TensorType::kInt8));
  }
  LUTRA_TRY(RequirePerTensor(context, 0));
  data->in_zero_point = in.zero_point;
  return RequireMultiplier(context, 0, ScaleRatio(1.0f, out.scale), in.scale, &data->multiplier);
}

Status PrepareDequantize(PrepareContext& context) {
  ConvertData* data = nullptr;
  LUTRA_TRY(Prepare(context, Conversion::kDequantize, &data));
  if (!IsCode(data->in_type)) {
    return context.Refuse(Rule::kOperandType, 0, static_cast<int32_t>(data->in_type),
                          static_cast<int32_t>(TensorType::kInt8));
  }
  LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kFloat32));
  LUTRA_TRY(RequirePerTensorOrAxis(context, 0, &data->per_axis));
  data->scale = context.Input(0).scale;
  data->in_zero_point = context.Input(0).zero_point;
  return Status::kOk;
}

Status PrepareCast(PrepareContext& context) {
  ConvertData* data = nullptr;
  LUTRA_TRY(Prepare(context, Conversion::kCast, &data));
  if (!IsNumber(data->in_type)) return RequireType(context, 0, TensorType::kInt8);
  if (!IsNumber(data->out_type)) return RequireType(context, OutputOperand(0), TensorType::kInt8);
  return Status::kOk;
}

Status EvalConvert(EvalContext& context) {
  const auto& data = context.Data<ConvertData>();
  const ConvertArgs args = {.conversion = data.conversion,
                            .in_type = data.in_type,
                            .out_type = data.out_type,
                            .scale = data.scale,
                            .in_zero_point = data.in_zero_point,
                            .out_zero_point = data.out_zero_point,
                            .multiplier = data.multiplier,
                            .input = context.InputData<void>(0),
                            .output = context.OutputData<void>(0)};
  const bool quantizes = data.conversion == Conversion::kQuantize;
  const TensorInfo codes = !data.per_axis ? TensorInfo() : quantizes ? context.Output(0) : context.Input(0);
  context.ForEachRows(data.units, [&](int32_t first, int32_t count) {
    const int32_t begin = first * data.unit_elements;
    count *= data.unit_elements;
    data.per_axis ? RunPerAxis(data, codes, args, begin, begin + count) : data.run(args, begin, count);
  });
  return Status::kOk;
}

}  // namespace lutra
