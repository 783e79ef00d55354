// SPDX-License-Identifier: Apache-2.0
// LOGISTIC, TANH, RELU, RELU6, LEAKY_RELU, ABS of int16. As in int8, RELU and RELU6 rescale where input and
// output parameters differ.

#include "lutra/kernels/unary_int16/unary_int16.h"

#include "runtime/ops/int16.h"

#if LUTRA_HAVE_INT16

namespace lutra {
namespace {

struct PiecewiseData {
  static constexpr BoardRecord kBoardRecord = {48, 48};

  PiecewiseInt16Fn run;
  int32_t count;
  PiecewiseInt16Args args;
};

struct SigmoidData {
  static constexpr BoardRecord kBoardRecord = {28, 28};

  SigmoidInt16Fn run;
  int32_t count;
  SigmoidInt16Args args;
};

// Starts to prepare an operator with one int16 input, and an output of its type and shape.
template <typename Data>
Status Start(PrepareContext& context, Data** data) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  LUTRA_TRY(RequireShape(context, OutputOperand(0), context.Input(0).shape));
  LUTRA_TRY(context.AllocateData(data));
  (*data)->count = context.Output(0).shape.Count();
  return DeclareElementwise(context, 0, 0);
}

// Sets the args except multipliers; clamps are the ends of int16.
Status StartPiecewise(PrepareContext& context, bool is_symmetric, PiecewiseInt16Args** args) {
  PiecewiseData* data = nullptr;
  LUTRA_TRY(Start(context, &data));
  constexpr int kOperands[] = {0, OutputOperand(0)};
  for (const int operand : kOperands) {
    LUTRA_TRY(is_symmetric ? RequireSymmetricInt16(context, operand) : RequireInt16(context, operand));
  }
  data->run = context.Choose(kPiecewiseInt16);
  *args = &data->args;
  data->args.in_zero_point = static_cast<int16_t>(context.Input(0).zero_point);
  data->args.out_zero_point = static_cast<int16_t>(context.Output(0).zero_point);
  data->args.min = INT16_MIN;
  data->args.max = INT16_MAX;
  return Status::kOk;
}

// Newer TFLite Micro divides scales in double.
Status SetRescale(PrepareContext& context, PiecewiseInt16Args* args) {
  const ScaleRatio ratio(1.0f, context.Output(0).scale);
  LUTRA_TRY(RequireMultiplier(context, 0, ratio, context.Input(0).scale, &args->positive));
  args->negative = args->positive;
  return Status::kOk;
}

Status PrepareReluOf(PrepareContext& context, Activation activation, bool is_symmetric) {
  PiecewiseInt16Args* args = nullptr;
  LUTRA_TRY(StartPiecewise(context, is_symmetric, &args));
  LUTRA_TRY(SetRescale(context, args));
  ActivationRange range;
  LUTRA_TRY(Int16ActivationRange(context, activation, &range));
  args->min = range.min;
  args->max = range.max;
  return Status::kOk;
}

// Sets x * scale as a multiple of 1/12288. If the scale is a power of two, to a thousandth of its logarithm
// to base 2, and shifts by at most `largest_shift`, there is no multiplier.
Status SetSigmoidScale(PrepareContext& context, int32_t largest_shift, SigmoidInt16Args* args) {
  const FloatParts parts = PartsOf(context.Input(0).scale);
  constexpr uint32_t kJustAbove = 8394424;   // 2^0.001 in units of 2^-23
  constexpr uint32_t kJustBelow = 16765591;  // 2^0.999
  constexpr int32_t kFractionBits = 12;
  const bool rounds_up = parts.fraction >= kJustBelow;
  if (parts.fraction <= kJustAbove || rounds_up) {
    const int32_t shift = kFractionBits + parts.exponent + 23 + (rounds_up ? 1 : 0);
    if (shift >= 0 && shift <= largest_shift) {
      args->multiplier = 0;
      args->shift = shift;
      return Status::kOk;
    }
  }
  double multiplier = static_cast<double>(context.Input(0).scale) * (3 << kFractionBits);
  int32_t shift = 0;
  for (; multiplier <= 16383.5 && shift <= 30; ++shift) multiplier *= 2;
  // Products with all codes fit int32.
  if (!(multiplier < 65536)) return context.Refuse(Rule::kMultiplierRange, 0);
  args->multiplier = static_cast<int32_t>(multiplier);
  args->shift = shift;
  return Status::kOk;
}

Status PrepareSigmoid(PrepareContext& context, bool is_tanh) {
  SigmoidData* data = nullptr;
  LUTRA_TRY(Start(context, &data));
  LUTRA_TRY(RequireSymmetricInt16(context, 0));
  LUTRA_TRY(RequireOutputOfUnitRange(context));
  data->run = context.Choose(kSigmoidInt16);
  data->args.is_tanh = is_tanh;
  return SetSigmoidScale(context, is_tanh ? 1 : 0, &data->args);
}

// Calls the kernel on all elements.
template <typename Data>
Status Eval(EvalContext& context) {
  const auto& data = context.Data<Data>();
  auto args = data.args;
  args.input = context.InputData<int16_t>(0);
  args.output = context.OutputData<int16_t>(0);
  context.ForEachRows(data.count, [&](int32_t first, int32_t count) { data.run(args, first, count); });
  return Status::kOk;
}

}  // namespace

Status PrepareLogisticInt16(PrepareContext& context) { return PrepareSigmoid(context, false); }
Status PrepareTanhInt16(PrepareContext& context) { return PrepareSigmoid(context, true); }

Status PrepareReluInt16(PrepareContext& context) { return PrepareReluOf(context, Activation::kRelu, true); }
Status PrepareRelu6Int16(PrepareContext& context) {
  return PrepareReluOf(context, Activation::kRelu6, false);
}

Status PrepareLeakyReluInt16(PrepareContext& context) {
  float alpha = 0;
  LUTRA_TRY(ReadOptions(context, ReadLeakyReluAlpha, &alpha));
  PiecewiseInt16Args* args = nullptr;
  LUTRA_TRY(StartPiecewise(context, false, &args));
  LUTRA_TRY(SetRescale(context, args));
  // With a negative slope, negative x have a positive product, which is that of their magnitudes.
  args->mirrors_negative = alpha < 0.0f;
  const ScaleRatio ratio(context.Input(0).scale, context.Output(0).scale);
  return RequireMultiplier(context, 0, ratio, alpha < 0.0f ? -alpha : alpha, &args->negative);
}

Status PrepareAbsInt16(PrepareContext& context) {
  // Without quantisation, codes are numbers, as in TFLite; the lowest is its own magnitude.
  if (context.CheckOperandCounts(1, 1, 1) == Status::kOk && !context.Input(0).is_quantized() &&
      !context.Output(0).is_quantized()) {
    PiecewiseData* data = nullptr;
    LUTRA_TRY(Start(context, &data));
    data->run = context.Choose(kPiecewiseInt16);
    const Multiplier one = QuantizeMultiplier(1.0);
    data->args.positive = data->args.negative = one;
    data->args.mirrors_negative = true;
    data->args.min = INT16_MIN;
    data->args.max = -INT16_MIN;
    return Status::kOk;
  }
  PiecewiseInt16Args* args = nullptr;
  LUTRA_TRY(StartPiecewise(context, true, &args));
  args->mirrors_negative = true;
  return SetRescale(context, args);
}

Status EvalPiecewiseInt16(EvalContext& context) { return Eval<PiecewiseData>(context); }
Status EvalSigmoidInt16(EvalContext& context) { return Eval<SigmoidData>(context); }

}  // namespace lutra

#endif
