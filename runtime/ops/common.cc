// SPDX-License-Identifier: Apache-2.0
// The checks and small computations that operators share.

#include "runtime/ops/common.h"

#include <float.h>
#include <limits.h>

namespace lutra {

TensorInfo OperandInfo(const MicroContext& context, int operand) {
  return operand >= OutputOperand(0) ? context.Output(operand - OutputOperand(0)) : context.Input(operand);
}

Status RequireType(PrepareContext& context, int operand, TensorType type) {
  const TensorType found = OperandInfo(context, operand).type;
  if (found == type) return Status::kOk;
  if (found == TensorType::kUInt8) return context.Refuse(Rule::kUint8, operand);
  return context.Refuse(Rule::kOperandType, operand, static_cast<int32_t>(found), static_cast<int32_t>(type));
}

Status RequireSameType(PrepareContext& context, int operand_a, int operand_b) {
  const TensorType a = OperandInfo(context, operand_a).type;
  const TensorType b = OperandInfo(context, operand_b).type;
  if (a == b) return Status::kOk;
  return context.Refuse(Rule::kTypesDiffer, operand_b, static_cast<int32_t>(b), static_cast<int32_t>(a));
}

Status RequireShape(PrepareContext& context, int operand, const Shape& shape) {
  const Shape found = OperandInfo(context, operand).shape;
  if (found == shape) return Status::kOk;
  if (found.rank != shape.rank) {
    return context.Refuse(Rule::kOperandRank, operand, found.rank, shape.rank);
  }
  int axis = 0;
  while (found.dims[axis] == shape.dims[axis]) ++axis;
  return context.Refuse(Rule::kOperandShape, operand, found.dims[axis], shape.dims[axis]);
}

Status RequireRank(PrepareContext& context, int operand, int min_rank, int max_rank) {
  const int32_t rank = OperandInfo(context, operand).shape.rank;
  if (rank < min_rank) return context.Refuse(Rule::kOperandRank, operand, rank, min_rank);
  if (rank > max_rank) return context.Refuse(Rule::kOperandRank, operand, rank, max_rank);
  return Status::kOk;
}

Status RequireConstant(PrepareContext& context, int input) {
  return context.Input(input).is_constant() ? Status::kOk : context.Refuse(Rule::kConstantRequired, input);
}

namespace {

// Checks that scale c is finite and above 0, and its zero point in the type's range.
Status RequireScaleInRange(PrepareContext& context, int operand, const TensorInfo& info, int32_t c) {
  const float scale = info.scales[c];
  // The condition is written so that NaN fails, too.
  if (!(scale > 0 && scale <= FLT_MAX)) return context.Refuse(Rule::kScaleValue, operand);
  int64_t low = INT32_MIN;
  int64_t high = INT32_MAX;
  switch (info.type) {
    case TensorType::kInt8:
      low = INT8_MIN, high = INT8_MAX;
      break;
    case TensorType::kUInt8:
      low = 0, high = UINT8_MAX;
      break;
    case TensorType::kInt16:
      low = INT16_MIN, high = INT16_MAX;
      break;
    default:
      break;
  }
  const int64_t zero_point = info.zero_points[info.zero_points.count > 1 ? c : 0];
  if (zero_point < low || zero_point > high) return context.Refuse(Rule::kZeroPointValue, operand);
  return Status::kOk;
}

}  // namespace

Status RequirePerTensor(PrepareContext& context, int operand) {
  const TensorInfo info = OperandInfo(context, operand);
  if (!info.is_quantized()) return context.Refuse(Rule::kQuantizationMissing, operand);
  if (info.scales.count != 1) {
    return context.Refuse(Rule::kPerTensorRequired, operand, info.scales.count, 1);
  }
  return RequireScaleInRange(context, operand, info, 0);
}

Status RequirePerTensorOrAxis(PrepareContext& context, int operand, bool* per_axis) {
  const TensorInfo info = OperandInfo(context, operand);
  *per_axis = info.scales.count > 1;
  if (!*per_axis) return RequirePerTensor(context, operand);
  const int32_t axis = info.quantized_dimension;
  if (axis < 0 || axis >= info.shape.rank) {
    return context.Refuse(Rule::kAxis, operand, axis, info.shape.rank);
  }
  if (info.scales.count != info.shape[axis]) {
    return context.Refuse(Rule::kScaleCount, operand, info.scales.count, info.shape[axis]);
  }
  if (info.zero_points.count != 1 && info.zero_points.count != info.scales.count) {
    return context.Refuse(Rule::kScaleCount, operand, info.zero_points.count, info.scales.count);
  }
  for (int32_t c = 0; c < info.scales.count; ++c) {
    LUTRA_TRY(RequireScaleInRange(context, operand, info, c));
  }
  return Status::kOk;
}

Status RequireSameQuantization(PrepareContext& context, int operand_a, int operand_b) {
  LUTRA_TRY(RequirePerTensor(context, operand_a));
  LUTRA_TRY(RequirePerTensor(context, operand_b));
  const TensorInfo a = OperandInfo(context, operand_a);
  const TensorInfo b = OperandInfo(context, operand_b);
  if (a.scale != b.scale) return context.Refuse(Rule::kSameQuantization, operand_b);
  if (a.zero_point != b.zero_point) {
    return context.Refuse(Rule::kSameQuantization, operand_b, b.zero_point, a.zero_point);
  }
  return Status::kOk;
}

Status RequireQuantization(PrepareContext& context, int operand, float scale, int32_t zero_point) {
  LUTRA_TRY(RequirePerTensor(context, operand));
  const TensorInfo info = OperandInfo(context, operand);
  if (info.scale != scale) return context.Refuse(Rule::kFixedOutputQuantization, operand);
  if (info.zero_point != zero_point) {
    return context.Refuse(Rule::kFixedOutputQuantization, operand, info.zero_point, zero_point);
  }
  return Status::kOk;
}

Status RequireMultiplier(PrepareContext& context, int operand, double real, Multiplier* multiplier) {
  // From half below 2^31 on, values round up to 2^31. The condition is written so that NaN fails, too.
  if (!(real >= 0 && real < 2147483647.5)) return context.Refuse(Rule::kMultiplierRange, operand);
  *multiplier = QuantizeMultiplier(real);
  return Status::kOk;
}

Status RequireMultiplier(PrepareContext& context, int operand, const ScaleRatio& ratio, float factor,
                         Multiplier* multiplier) {
  // A product of scales may be too large for float32.
  if (!(factor >= 0 && factor <= FLT_MAX)) return context.Refuse(Rule::kMultiplierRange, operand);
  const Multiplier exact = ratio.FractionAndShiftTimes(factor);
  if (exact.shift > 31) return context.Refuse(Rule::kMultiplierRange, operand);
  *multiplier = StopAtLargestShift(exact);
  return Status::kOk;
}

Status Int8ActivationRange(PrepareContext& context, Activation activation, const TensorInfo& output,
                           ActivationRange* range) {
  if (!QuantizedActivationRange(activation, output.scale, output.zero_point, range)) {
    return context.Refuse(Rule::kActivation, kNoOperand, static_cast<int32_t>(activation));
  }
  return Status::kOk;
}

Status FloatActivationRange(PrepareContext& context, Activation activation, FloatRange* range) {
  switch (activation) {
    case Activation::kNone:
      *range = {-FLT_MAX, FLT_MAX};
      return Status::kOk;
    case Activation::kRelu:
      *range = {0.0f, FLT_MAX};
      return Status::kOk;
    case Activation::kReluN1To1:
      *range = {-1.0f, 1.0f};
      return Status::kOk;
    case Activation::kRelu6:
      *range = {0.0f, 6.0f};
      return Status::kOk;
    default:
      break;
  }
  return context.Refuse(Rule::kActivation, kNoOperand, static_cast<int32_t>(activation));
}

bool BroadcastShape(const Shape& a, const Shape& b, Shape* result) {
  const int rank = a.rank > b.rank ? a.rank : b.rank;
  const Shape x = ExtendedShape(a, rank);
  const Shape y = ExtendedShape(b, rank);
  result->rank = rank;
  for (int i = 0; i < rank; ++i) {
    if (x.dims[i] != y.dims[i] && x.dims[i] != 1 && y.dims[i] != 1) return false;
    result->dims[i] = x.dims[i] == 1 ? y.dims[i] : x.dims[i];
  }
  return true;
}

Status DeclareElementwise(PrepareContext& context, int input, int output) {
  RowMap map;
  map.access = RowMap::Access::kElementwise;
  return context.DeclareRows(input, output, map);
}

Status PrepareBroadcast(PrepareContext& context, Pairing* pairing) {
  const Shape shapes[] = {context.Input(0).shape, context.Input(1).shape};
  Shape expected;
  if (!BroadcastShape(shapes[0], shapes[1], &expected)) return context.Refuse(Rule::kBroadcast, 1);
  LUTRA_TRY(RequireShape(context, OutputOperand(0), expected));
  const int32_t count = expected.Count();
  int repeated = 0;  // A bit for each input with fewer elements than the output.
  for (int i = 0; i < 2; ++i) {
    const int32_t own = shapes[i].Count();
    if (own == count) continue;
    repeated |= own == 1 ? 1 << i : static_cast<int>(Pairing::kBroadcast);
  }
  for (int i = 0; i < 2; ++i) {
    if ((repeated >> i & 1) == 0) LUTRA_TRY(DeclareElementwise(context, i, 0));
  }
  *pairing = static_cast<Pairing>(repeated);
  return Status::kOk;
}

Status RequireCustomOptions(PrepareContext& context, Span<const CustomOption> options) {
  return ReadCustomOptions(context.node_info(), options) ? Status::kOk
                                                         : context.Refuse(Rule::kOptionsMissing);
}

Status RequireOption(PrepareContext& context, int32_t value, int32_t min, int32_t max) {
  if (value < min) return context.Refuse(Rule::kOptionValue, kNoOperand, value, min);
  return value > max ? context.Refuse(Rule::kOptionValue, kNoOperand, value, max) : Status::kOk;
}

bool NormalizeAxis(int32_t axis, int32_t rank, int32_t* normalized) {
  if (axis < -rank || axis >= rank) return false;
  *normalized = axis < 0 ? axis + rank : axis;
  return true;
}

Status RequireAxis(PrepareContext& context, int operand, int32_t axis, int32_t rank, int32_t* normalized) {
  if (NormalizeAxis(axis, rank, normalized)) return Status::kOk;
  return context.Refuse(Rule::kAxis, operand, axis, rank);
}

bool ComputeWindow(Padding padding, int32_t in, int32_t window, int32_t stride, int32_t dilation,
                   WindowSize* size) {
  if (in < 1 || window < 1 || stride < 1 || dilation < 1) return false;
  const int64_t reach = static_cast<int64_t>(window - 1) * dilation + 1;
  const int64_t last = padding == Padding::kSame ? int64_t{in} - 1 : in - reach;
  if (reach > INT32_MAX / 2 || last < 0) return false;
  const int64_t out = static_cast<int32_t>(last) / stride + 1;
  if ((out - 1) * stride > INT32_MAX / 2) return false;
  const int64_t total = (out - 1) * stride + reach - in;
  size->out = static_cast<int32_t>(out);
  size->pad_before = total > 0 ? static_cast<int32_t>(total / 2) : 0;
  return true;
}

Status ReadConstantInts(PrepareContext& context, int input, int32_t capacity, int32_t* values,
                        int32_t* count) {
  LUTRA_TRY(RequireConstant(context, input));
  const TensorInfo info = context.Input(input);
  *count = info.shape.Count();
  if (*count > capacity) return context.Refuse(Rule::kElementCount, input, *count, capacity);
  if (info.type == TensorType::kInt32) {
    const PackedList<int32_t> list = {info.data.data(), *count};
    for (int32_t i = 0; i < *count; ++i) values[i] = list[i];
    return Status::kOk;
  }
  LUTRA_TRY(RequireType(context, input, TensorType::kInt64));
  const PackedList<int64_t> list = {info.data.data(), *count};
  for (int32_t i = 0; i < *count; ++i) {
    if (list[i] < INT32_MIN || list[i] > INT32_MAX) return context.Refuse(Rule::kOptionValue, input);
    values[i] = static_cast<int32_t>(list[i]);
  }
  return Status::kOk;
}

Status ReadConstantList(PrepareContext& context, int input, int32_t count, int32_t* values) {
  int32_t found = 0;
  LUTRA_TRY(ReadConstantInts(context, input, count, values, &found));
  return found == count ? Status::kOk : context.Refuse(Rule::kElementCount, input, found, count);
}

Status ReadConstantAxis(PrepareContext& context, int input, int32_t rank, int32_t* axis) {
  int32_t value = 0;
  LUTRA_TRY(ReadConstantList(context, input, 1, &value));
  return RequireAxis(context, input, value, rank, axis);
}

int64_t IntegerInput(const EvalContext& context, int input, int32_t i) {
  return context.Input(input).type == TensorType::kInt64 ? context.InputData<int64_t>(input)[i]
                                                         : context.InputData<int32_t>(input)[i];
}

Status PrepareConvQuantization(PrepareContext& context, int input, Activation activation,
                               ConvQuantization* quantization) {
  const TensorInfo output = context.Output(0);
  ActivationRange range;
  LUTRA_TRY(Int8ActivationRange(context, activation, output, &range));
  quantization->input_offset = static_cast<int16_t>(-context.Input(input).zero_point);
  quantization->output_offset = static_cast<int16_t>(output.zero_point);
  quantization->activation_min = static_cast<int8_t>(range.min);
  quantization->activation_max = static_cast<int8_t>(range.max);
  return Status::kOk;
}

}  // namespace lutra
