// SPDX-License-Identifier: Apache-2.0
// Operators with activations of int16: their list, and the checks that they share.

#include "runtime/ops/int16.h"

#include "lutra/int16.h"
#include "runtime/ops/second_entry.h"

#if LUTRA_HAVE_INT16

namespace lutra {
namespace {

constexpr SecondEntry kEntries[] = {
    {{BuiltinOperator::kAbs, PrepareAbsInt16, EvalPiecewiseInt16}, PrepareAbs},
    {{BuiltinOperator::kAdd, PrepareAddInt16, EvalBinaryInt16}, PrepareAdd},
    {{BuiltinOperator::kAveragePool2D, PrepareAveragePool2DInt16, EvalPoolInt16}, PrepareAveragePool2D},
    {{BuiltinOperator::kBatchMatmul, PrepareBatchMatmulInt16, EvalBatchMatmulInt16}, PrepareBatchMatmul},
    {{BuiltinOperator::kConv2D, PrepareConv2DInt16, EvalConvolutionInt16, Inputs(1, 2)}, PrepareConv2D},
    {{BuiltinOperator::kDepthwiseConv2D, PrepareDepthwiseConv2DInt16, EvalConvolutionInt16, Inputs(1, 2)},
     PrepareDepthwiseConv2D},
    {{BuiltinOperator::kFullyConnected, PrepareFullyConnectedInt16, EvalFullyConnectedInt16, Inputs(1, 2)},
     PrepareFullyConnected},
    {{BuiltinOperator::kLeakyRelu, PrepareLeakyReluInt16, EvalPiecewiseInt16}, PrepareLeakyRelu},
    {{BuiltinOperator::kLogistic, PrepareLogisticInt16, EvalSigmoidInt16}, PrepareLogistic},
    {{BuiltinOperator::kMaxPool2D, PrepareMaxPool2DInt16, EvalPoolInt16}, PrepareMaxPool2D},
    {{BuiltinOperator::kMean, PrepareSumInt16, EvalReduce}, PrepareSum},
    {{BuiltinOperator::kMul, PrepareMulInt16, EvalBinaryInt16}, PrepareMul},
    {{BuiltinOperator::kPrelu, PreparePreluInt16, EvalPreluInt16}, PreparePrelu},
    {{BuiltinOperator::kRelu, PrepareReluInt16, EvalPiecewiseInt16}, PrepareRelu},
    {{BuiltinOperator::kRelu6, PrepareRelu6Int16, EvalPiecewiseInt16}, PrepareRelu6},
    {{BuiltinOperator::kSoftmax, PrepareSoftmaxInt16, EvalSoftmaxInt16}, PrepareSoftmax},
    {{BuiltinOperator::kSquaredDifference, PrepareSquaredDifferenceInt16, EvalBinaryInt16},
     PrepareSquaredDifference},
    {{BuiltinOperator::kSub, PrepareSubInt16, EvalBinaryInt16}, PrepareSub},
    {{BuiltinOperator::kSum, PrepareSumInt16, EvalReduce}, PrepareSum},
    {{BuiltinOperator::kTanh, PrepareTanhInt16, EvalSigmoidInt16}, PrepareTanh},
    {{BuiltinOperator::kTransposeConv, PrepareTransposeConvInt16, EvalTransposeConvInt16, Inputs(1, 3)},
     PrepareTransposeConv,
     2},
    {{BuiltinOperator::kUnidirectionalSequenceLstm, PrepareLstmInt16, EvalLstmInt16},
     PrepareUnidirectionalSequenceLstm},
};

const Op* Find(const Graph& graph, const Op& op, int subgraph, int index) {
  return FindSecondEntry(kEntries, TensorType::kInt16, graph, op, subgraph, index);
}

}  // namespace

constexpr Int16Operators kInt16Operators = {Find};

Status RequireInt16(PrepareContext& context, int operand) {
  LUTRA_TRY(RequireType(context, operand, TensorType::kInt16));
  return RequirePerTensor(context, operand);
}

Status RequireSymmetricInt16(PrepareContext& context, int operand) {
  LUTRA_TRY(RequireInt16(context, operand));
  const int32_t zero_point = OperandInfo(context, operand).zero_point;
  return zero_point == 0 ? Status::kOk : context.Refuse(Rule::kZeroPointZero, operand, zero_point, 0);
}

Status Int16ActivationRange(PrepareContext& context, Activation activation, ActivationRange* range) {
  const TensorInfo output = context.Output(0);
  if (!QuantizedActivationRangeInt16(activation, output.scale, output.zero_point, range)) {
    return context.Refuse(Rule::kActivation, kNoOperand, static_cast<int32_t>(activation));
  }
  return Status::kOk;
}

Status RequireOutputOfUnitRange(PrepareContext& context) {
  constexpr int kOutput = OutputOperand(0);
  LUTRA_TRY(RequireSymmetricInt16(context, kOutput));
  // The bounds are 2^(-15 -+ 0.001).
  constexpr float kLow = 0x1p-15f * 0.99930709f;
  constexpr float kHigh = 0x1p-15f * 1.0006934f;
  const float scale = context.Output(0).scale;
  if (scale >= kLow && scale <= kHigh) return Status::kOk;
  return context.Refuse(Rule::kFixedOutputQuantization, kOutput);
}

Status RequireWideProducts(PrepareContext& context, int operand, int64_t products, int bits) {
  const int64_t most = kLargestWideBias >> bits;
  if (products <= most) return Status::kOk;
  return context.Refuse(Rule::kAccumulator, operand,
                        products > INT32_MAX ? kNoValue : static_cast<int32_t>(products),
                        static_cast<int32_t>(most));
}

Status RequireWideBias(PrepareContext& context, int bias) {
  if (!context.HasInput(bias)) return Status::kOk;
  const TensorInfo info = context.Input(bias);
  if (info.type != TensorType::kInt64 || !info.is_constant() || context.GetTensorCompressionData(bias)) {
    return Status::kOk;
  }
  const PackedList<int64_t> values = {info.data.data(), info.shape.Count()};
  for (int32_t i = 0; i < values.count; ++i) {
    if (values[i] < -kLargestWideBias || values[i] > kLargestWideBias) {
      return context.Refuse(Rule::kAccumulator, bias, i);
    }
  }
  return Status::kOk;
}

Status RequireWideMultipliers(PrepareContext& context, int input, int filter) {
  const ScaleRatio ratio(context.Input(input).scale, context.Output(0).scale);
  const PackedList<float> scales = context.Input(filter).scales;
  for (int32_t i = 0; i < scales.count; ++i) {
    const int32_t shift = ratio.FractionAndShiftTimes(scales[i]).shift;
    if (shift > kLargestWideShift) {
      return context.Refuse(Rule::kMultiplierRange, filter, shift, kLargestWideShift);
    }
  }
  return Status::kOk;
}

}  // namespace lutra

#endif
