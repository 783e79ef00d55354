// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM: input [batches, times, depth] or, time-major, [times, batches, depth];
// weights [units, depth] and [units, units] of the input, forget, cell and output gate; a bias for each;
// hidden and cell state [batches, units], variable tensors; output like the input, of `units` values. All
// float32; or all int8 with biases of int32 and a cell state of int16; or all int16 with weights of int8 and
// biases of int64. Coupled gates, peepholes, a projection and layer normalisation are refused.

#include "lutra/kernels/lstm/lstm.h"

#include <stdint.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"
#include "runtime/ops/int16.h"

namespace lutra {
namespace {

constexpr int kInput = 0;
constexpr int kInputWeights = 1;      // The first of four.
constexpr int kRecurrentWeights = 5;  // The first of four.
constexpr int kPeephole = 9;
constexpr int kBias = 12;  // The first of four.
constexpr int kProjection = 16;
constexpr int kHidden = 18;
constexpr int kCell = 19;
constexpr int kLayerNorm = 20;
constexpr int kInputs = 24;
constexpr int kOutput = OutputOperand(0);

template <typename Args>
struct LstmCodesData {
  static constexpr BoardRecord kBoardRecord = {192, 192};

  void (*run)(const Args& args);
  Args args;
};

struct LstmFloatData {
  static constexpr BoardRecord kBoardRecord = {92, 92};

  LstmFloatFn run;
  LstmFloatArgs args;
};

Status RequireOperands(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, kInputs, 1));
  for (int i = kInputWeights; i < kInputs; ++i) {
    const bool is_optional =
        (i >= kPeephole && i < kBias) || (i >= kProjection && i < kHidden) || i >= kLayerNorm;
    if (is_optional && context.HasInput(i)) return context.Refuse(Rule::kInputNotTaken, i);
    if (!is_optional && !context.HasInput(i)) return context.Refuse(Rule::kInputMissing, i, i);
  }
  constexpr int kStates[] = {kHidden, kCell};
  for (const int state : kStates) {
    if (!context.Input(state).is_variable) return context.Refuse(Rule::kStateVariable, state);
  }
  return Status::kOk;
}

Status ReadLstm(PrepareContext& context, LstmOptions* options) {
  LUTRA_TRY(RequireOperands(context));
  LUTRA_TRY(ReadOptions(context, ReadLstmOptions, options));
  // The cell gate has this activation. TFLite Micro accepts others, but applies none of them.
  if (options->activation == Activation::kTanh) return Status::kOk;
  return context.Refuse(Rule::kActivation, kNoOperand, static_cast<int32_t>(options->activation));
}

Status RequireTypes(PrepareContext& context, TensorType weights, TensorType bias, TensorType cell) {
  if (weights == TensorType::kFloat32 && context.Input(kInputWeights).type == TensorType::kInt8) {
    return context.Refuse(Rule::kHybrid, kInputWeights);
  }
  for (int i = kInputWeights; i < kPeephole; ++i) LUTRA_TRY(RequireType(context, i, weights));
  for (int i = kBias; i < kProjection; ++i) LUTRA_TRY(RequireType(context, i, bias));
  LUTRA_TRY(RequireType(context, kCell, cell));
  LUTRA_TRY(RequireSameType(context, kInput, kHidden));
  return RequireSameType(context, kInput, kOutput);
}

Shape ShapeOf(int32_t rank, int32_t first, int32_t second, int32_t third = 1) {
  Shape shape;
  shape.rank = rank;
  shape.dims[0] = first;
  shape.dims[1] = second;
  shape.dims[2] = third;
  return shape;
}

// A state may have further dimensions of 1.
Status RequireStateSize(PrepareContext& context, int operand, int32_t count) {
  const int32_t found = context.Input(operand).shape.Count();
  return found == count ? Status::kOk : context.Refuse(Rule::kElementCount, operand, found, count);
}

Status PrepareShape(PrepareContext& context, bool time_major, LstmShape* shape) {
  LUTRA_TRY(RequireRank(context, kInput, 3, 3));
  LUTRA_TRY(RequireRank(context, kInputWeights, 2, 2));
  const Shape input = context.Input(kInput).shape;
  const int32_t units = context.Input(kInputWeights).shape[0];
  *shape = {input[time_major ? 1 : 0], input[time_major ? 0 : 1], input[2], units, time_major};
  for (int gate = 0; gate < kLstmGates; ++gate) {
    LUTRA_TRY(RequireShape(context, kInputWeights + gate, ShapeOf(2, units, shape->depth)));
    LUTRA_TRY(RequireShape(context, kRecurrentWeights + gate, ShapeOf(2, units, units)));
    LUTRA_TRY(RequireStateSize(context, kBias + gate, units));
  }
  LUTRA_TRY(RequireShape(context, kOutput, ShapeOf(3, input[0], input[1], units)));
  // The output is not larger than a tensor may be, so the state is not, either.
  LUTRA_TRY(RequireStateSize(context, kHidden, shape->batches * units));
  return RequireStateSize(context, kCell, shape->batches * units);
}

// Returns the exponent of the power of two that is nearest to the scale.
int32_t NearestPowerOfTwo(float scale) {
  int32_t exponent = 0;
  auto mantissa = static_cast<double>(scale);
  for (; mantissa >= 2; mantissa /= 2) ++exponent;
  for (; mantissa < 1; mantissa *= 2) --exponent;
  return mantissa * mantissa >= 2 ? exponent + 1 : exponent;
}

template <typename Args>
Status PrepareGates(PrepareContext& context, Args* args) {
  constexpr int kMatrices[] = {kInputWeights, kRecurrentWeights};
  for (const int first : kMatrices) {
    const bool of_input = first == kInputWeights;
    const float scale = context.Input(of_input ? kInput : kHidden).scale;
    for (int gate = 0; gate < kLstmGates; ++gate) {
      const int weights = first + gate;
      LUTRA_TRY(RequirePerTensor(context, weights));
      const TensorInfo info = context.Input(weights);
      if (info.zero_point != 0) return context.Refuse(Rule::kZeroPointZero, weights, info.zero_point, 0);
      // The product of scales is rounded to float32; gates have the scale 2^-12.
      const float product = scale * info.scale;
      LUTRA_TRY(RequireMultiplier(context, weights, static_cast<double>(product) * 4096,
                                  of_input ? &args->input[gate] : &args->recurrent[gate]));
    }
  }
  return Status::kOk;
}

template <typename Args>
Status PrepareQuantization(PrepareContext& context, float cell_clip, Args* args) {
  LUTRA_TRY(RequirePerTensor(context, kInput));
  // The output has the codes of the hidden state.
  LUTRA_TRY(RequireSameQuantization(context, kHidden, kOutput));
  LUTRA_TRY(RequirePerTensor(context, kCell));
  const TensorInfo cell = context.Input(kCell);
  if (cell.zero_point != 0) return context.Refuse(Rule::kZeroPointZero, kCell, cell.zero_point, 0);
  args->input_zero_point = context.Input(kInput).zero_point;
  args->hidden_zero_point = context.Input(kHidden).zero_point;
  LUTRA_TRY(PrepareGates(context, args));
  constexpr double kProduct = 0x1p-30;  // The scale of a product of two outputs of LOGISTIC or TANH.
  const auto cell_scale = static_cast<double>(cell.scale);
  args->forget = QuantizeMultiplier(0x1p-15);
  LUTRA_TRY(RequireMultiplier(context, kCell, kProduct / cell_scale, &args->update));
  LUTRA_TRY(RequireMultiplier(context, kHidden, kProduct / static_cast<double>(context.Input(kHidden).scale),
                              &args->hidden));
  // With these exponents the argument of the cell's tanh fits int32.
  constexpr int32_t kLeast = -30;
  constexpr int32_t kMost = 14;
  args->cell_shift = 12 + NearestPowerOfTwo(cell.scale);
  if (args->cell_shift < kLeast || args->cell_shift > kMost) {
    return context.Refuse(Rule::kScaleValue, kCell);
  }
  args->cell_clip = -1;
  if (cell_clip > 0.0f) {
    const double clip = static_cast<double>(cell_clip) / cell_scale;
    args->cell_clip = clip > INT16_MAX ? INT16_MAX : static_cast<int16_t>(clip);
  }
  return Status::kOk;
}

template <typename Value, typename Weight, typename Bias, typename Cell>
LstmTensors<Value, Weight, Bias, Cell> TensorsOf(const EvalContext& context,
                                                 const LstmTensors<Value, Weight, Bias, Cell>&) {
  LstmTensors<Value, Weight, Bias, Cell> tensors = {};
  tensors.input = context.InputData<Value>(kInput);
  for (int gate = 0; gate < kLstmGates; ++gate) {
    tensors.input_weights[gate] = context.InputData<Weight>(kInputWeights + gate);
    tensors.recurrent_weights[gate] = context.InputData<Weight>(kRecurrentWeights + gate);
    tensors.bias[gate] = context.InputData<Bias>(kBias + gate);
  }
  tensors.hidden = context.VariableData<Value>(kHidden);
  tensors.cell = context.VariableData<Cell>(kCell);
  tensors.output = context.OutputData<Value>(0);
  return tensors;
}

template <typename Data>
Status EvalLstm(EvalContext& context) {
  const auto& data = context.Data<Data>();
  auto args = data.args;
  args.tensors = TensorsOf(context, args.tensors);
  data.run(args);
  return Status::kOk;
}

Status PrepareFloat(PrepareContext& context, const LstmOptions& options) {
  static constexpr Op kFloat = {BuiltinOperator::kUnidirectionalSequenceLstm,
                                PrepareUnidirectionalSequenceLstm, EvalLstm<LstmFloatData>};
  LUTRA_TRY(RequireTypes(context, TensorType::kFloat32, TensorType::kFloat32, TensorType::kFloat32));
  LstmFloatData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  LUTRA_TRY(PrepareShape(context, options.time_major, &data->args.shape));
  data->args.cell_clip = options.cell_clip;
  data->run = context.Choose(kLstmFloat);
  context.RunBy(kFloat);
  return Status::kOk;
}

// Input, hidden state and output are codes; the caller gives the types of bias and cell state.
template <typename Args>
Status PrepareCodes(PrepareContext& context, const LstmOptions& options, const auto& kernels, TensorType bias,
                    Args** args) {
  LUTRA_TRY(RequireTypes(context, TensorType::kInt8, bias, TensorType::kInt16));
  LstmCodesData<Args>* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kernels);
  *args = &data->args;
  LUTRA_TRY(PrepareShape(context, options.time_major, &data->args.shape));
  return PrepareQuantization(context, options.cell_clip, &data->args);
}

}  // namespace

Status PrepareUnidirectionalSequenceLstm(PrepareContext& context) {
  LstmOptions options;
  LUTRA_TRY(ReadLstm(context, &options));
  if (context.Input(kInput).type == TensorType::kFloat32) return PrepareFloat(context, options);
  LUTRA_TRY(RequireType(context, kInput, TensorType::kInt8));
  LstmInt8Args* args = nullptr;
  return PrepareCodes(context, options, kLstmInt8, TensorType::kInt32, &args);
}

Status EvalUnidirectionalSequenceLstm(EvalContext& context) {
  return EvalLstm<LstmCodesData<LstmInt8Args>>(context);
}

#if LUTRA_HAVE_INT16
namespace {

Status RequireWideGate(PrepareContext& context, int weights, int32_t products, Multiplier multiplier) {
  constexpr int kProductBits = 23;  // |x - zero point| < 2^16; |weight| <= 2^7.
  LUTRA_TRY(RequireWideProducts(context, weights, products, kProductBits));
  if (multiplier.shift <= kLargestWideShift) return Status::kOk;
  return context.Refuse(Rule::kMultiplierRange, weights, multiplier.shift, kLargestWideShift);
}

}  // namespace

Status PrepareLstmInt16(PrepareContext& context) {
  LstmOptions options;
  LUTRA_TRY(ReadLstm(context, &options));
  LUTRA_TRY(RequireInt16(context, kInput));
  LstmInt16Args* args = nullptr;
  LUTRA_TRY(PrepareCodes(context, options, kLstmInt16, TensorType::kInt64, &args));
  for (int gate = 0; gate < kLstmGates; ++gate) {
    LUTRA_TRY(RequireWideBias(context, kBias + gate));
    LUTRA_TRY(RequireWideGate(context, kInputWeights + gate, args->shape.depth, args->input[gate]));
    LUTRA_TRY(RequireWideGate(context, kRecurrentWeights + gate, args->shape.units, args->recurrent[gate]));
  }
  return Status::kOk;
}

Status EvalLstmInt16(EvalContext& context) { return EvalLstm<LstmCodesData<LstmInt16Args>>(context); }
#endif

}  // namespace lutra
