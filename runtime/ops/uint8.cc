// SPDX-License-Identifier: Apache-2.0
// Operators of the older scheme: their list, and their layers' quantisation.

#include "runtime/ops/uint8.h"

#include "lutra/uint8.h"
#include "runtime/ops/second_entry.h"

#if LUTRA_HAVE_UINT8

namespace lutra {
namespace {

constexpr SecondEntry kEntries[] = {
    {{BuiltinOperator::kAdd, PrepareAddUint8, EvalAddUint8}, PrepareAdd},
    {{BuiltinOperator::kArgMax, PrepareArgMaxUint8, EvalArgMaxUint8}, PrepareArgMax},
    {{BuiltinOperator::kArgMin, PrepareArgMaxUint8, EvalArgMaxUint8}, PrepareArgMax},
    {{BuiltinOperator::kAveragePool2D, PrepareAveragePool2DUint8, EvalPool}, PrepareAveragePool2D},
    {{BuiltinOperator::kConcatenation, PrepareConcatenationUint8, EvalConcatenationUint8, kAllInputs},
     PrepareConcatenation},
    {{BuiltinOperator::kConv2D, PrepareConv2DUint8, EvalConvolutionUint8, Inputs(1, 2)}, PrepareConv2D},
    {{BuiltinOperator::kDepthwiseConv2D, PrepareDepthwiseConv2DUint8, EvalConvolutionUint8, Inputs(1, 2)},
     PrepareDepthwiseConv2D},
    {{BuiltinOperator::kFullyConnected, PrepareFullyConnectedUint8, EvalFullyConnectedUint8, Inputs(1, 2)},
     PrepareFullyConnected},
    {{BuiltinOperator::kLogistic, PrepareLogisticUint8, EvalUnary}, PrepareLogistic},
    {{BuiltinOperator::kMaxPool2D, PrepareMaxPool2DUint8, EvalPool}, PrepareMaxPool2D},
    {{BuiltinOperator::kPad, PreparePadUint8, EvalCopy}, PreparePad},
    {{BuiltinOperator::kResizeBilinear, PrepareResizeBilinearUint8, EvalResizeBilinearUint8},
     PrepareResizeBilinear},
    {{BuiltinOperator::kSoftmax, PrepareSoftmaxUint8, EvalSoftmaxUint8}, PrepareSoftmax},
};

const Op* Find(const Graph& graph, const Op& op, int subgraph, int index) {
  return FindSecondEntry(kEntries, TensorType::kUInt8, graph, op, subgraph, index);
}

constexpr int kInput = 0;
constexpr int kWeights = 1;
constexpr int kBias = 2;
constexpr int kOutput = OutputOperand(0);

}  // namespace

constexpr Uint8Operators kUint8Operators = {Find};

Status RequireUint8(PrepareContext& context, int operand) {
  const TensorType found = OperandInfo(context, operand).type;
  if (found != TensorType::kUInt8) {
    return context.Refuse(Rule::kOperandType, operand, static_cast<int32_t>(found),
                          static_cast<int32_t>(TensorType::kUInt8));
  }
  return RequirePerTensor(context, operand);
}

Status Uint8ActivationRange(PrepareContext& context, Activation activation, ActivationRange* range) {
  TensorInfo output = context.Output(0);
  output.zero_point -= kUint8Shift;
  LUTRA_TRY(Int8ActivationRange(context, activation, output, range));
  range->min += kUint8Shift;
  range->max += kUint8Shift;
  return Status::kOk;
}

Status PrepareUint8Layer(PrepareContext& context, Activation activation, bool wide,
                         Uint8Quantization* quantization, double* factor) {
  constexpr int kOperands[] = {kInput, kWeights, kOutput};
  for (const int operand : kOperands) LUTRA_TRY(RequireUint8(context, operand));
  const TensorInfo input = context.Input(kInput);
  const TensorInfo weights = context.Input(kWeights);
  const TensorInfo output = context.Output(0);
  const auto out_scale = static_cast<double>(output.scale);
  const auto product = static_cast<double>(input.scale * weights.scale);
  if (context.HasInput(kBias)) {
    LUTRA_TRY(RequireType(context, kBias, TensorType::kInt32));
    // The difference is compared in units of the output's scale.
    constexpr double kTolerance = 0.02;
    const double difference = product - static_cast<double>(context.Input(kBias).scale);
    if (!((difference < 0 ? -difference : difference) / out_scale <= kTolerance)) {
      return context.Refuse(Rule::kBiasScale, kBias);
    }
  }
  *factor =
      (wide ? static_cast<double>(input.scale) * static_cast<double>(weights.scale) : product) / out_scale;
  Multiplier multiplier;
  LUTRA_TRY(RequireMultiplier(context, kWeights, *factor, &multiplier));
  ActivationRange range;
  LUTRA_TRY(Uint8ActivationRange(context, activation, &range));
  quantization->input_offset = static_cast<int16_t>(-input.zero_point);
  quantization->filter_offset = static_cast<int16_t>(-weights.zero_point);
  quantization->output_offset = static_cast<int16_t>(output.zero_point);
  quantization->activation_min = static_cast<uint8_t>(range.min);
  quantization->activation_max = static_cast<uint8_t>(range.max);
  return Status::kOk;
}

}  // namespace lutra

#endif
