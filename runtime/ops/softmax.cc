// SPDX-License-Identifier: Apache-2.0
// SOFTMAX, LOG_SOFTMAX.

#include "lutra/kernels/softmax/softmax.h"

#include <float.h>
#include <math.h>

#include "lutra/kernels/log_softmax/log_softmax.h"
#include "lutra/kernels/softmax_int16/softmax_int16.h"
#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/fixed_point/scale_ratio.h"
#include "runtime/ops/int16.h"
#include "runtime/ops/rowwise.h"
#include "runtime/ops/uint8.h"

namespace lutra {
namespace {

constexpr int32_t kIntegerBits = 5;  // The exponents are in Q5.26.
// The multiplier of the largest factor, 2^31 - 1 or with single rounding 2^30 - 1.
#ifdef LUTRA_SINGLE_ROUNDING
constexpr Multiplier kMaxInputMultiplier = {INT32_MAX - 1, 30};
#else
constexpr Multiplier kMaxInputMultiplier = {INT32_MAX, 31};
#endif

struct SoftmaxData {
  static constexpr BoardRecord kBoardRecord = {28, 28};

  union {
    SoftmaxFn run;
    SoftmaxFloatFn run_float;
  };
  union {
    Multiplier multiplier;
    float beta;
  };
  int32_t rows;
  int32_t depth;
  int32_t diff_min;
  bool is_float;
  uint8_t output_element_bytes;
};

struct LogSoftmaxData {
  static constexpr BoardRecord kBoardRecord = {32, 32};

  LogSoftmaxFn run;  // Null for float32.
  Multiplier multiplier;
  Multiplier reverse;
  int32_t rows;
  int32_t depth;
  int32_t diff_min;
};

// Returns whether a * b * 2^exponent > 1, exactly. Both are finite and above 0.
bool IsProductAboveOne(float a, float b, int32_t exponent) {
  const FloatParts x = PartsOf(a);
  const FloatParts y = PartsOf(b);
  exponent += x.exponent + y.exponent;
  // The product of the fractions is in [2^46, 2^48).
  if (exponent > -46 || exponent < -47) return exponent > -46;
  return uint64_t{x.fraction} * y.fraction > uint64_t{1} << -exponent;
}

// Computes the multiplier that turns input codes into exponents.
Status InputMultiplier(PrepareContext& context, float beta, Multiplier* multiplier, int32_t* diff_min) {
  LUTRA_TRY(RequirePerTensor(context, 0));
  const float scale = context.Input(0).scale;
  constexpr int32_t kFractionBits = 31 - kIntegerBits;
  *multiplier = kMaxInputMultiplier;
  if (!(beta > FLT_MAX)) {
    // The condition is written so that NaN fails, too.
    if (!(beta > 0 && IsProductAboveOne(beta, scale, kFractionBits))) {
      return context.Refuse(Rule::kMultiplierRange, 0);
    }
    const Multiplier exact = ScaleRatio(beta, 1.0f, kFractionBits).FractionAndShiftTimes(scale);
    const bool is_less = exact.shift != kMaxInputMultiplier.shift ? exact.shift < kMaxInputMultiplier.shift
                                                                  : exact.value < kMaxInputMultiplier.value;
    if (is_less) *multiplier = exact;
  }
  *diff_min = -CalculateInputRadius(kIntegerBits, multiplier->shift);
  return Status::kOk;
}

// A scale within a thousandth of the right one is valid, as in TFLite.
Status RequireInt16Output(PrepareContext& context) {
  LUTRA_TRY(RequirePerTensor(context, OutputOperand(0)));
  const TensorInfo output = context.Output(0);
  constexpr float kScale = 1.0f / 65536;
  if (!(output.scale >= kScale * 0.999f && output.scale <= kScale * 1.001f)) {
    return context.Refuse(Rule::kFixedOutputQuantization, OutputOperand(0));
  }
  if (output.zero_point != INT16_MIN) {
    return context.Refuse(Rule::kFixedOutputQuantization, OutputOperand(0), output.zero_point, INT16_MIN);
  }
  return Status::kOk;
}

// kAllTypes: allows float32, too, and outputs of int16.
template <bool kAllTypes>
Status Prepare(PrepareContext& context) {
  LUTRA_TRY(RequireRowwise(context));
  float beta = 0;
  LUTRA_TRY(ReadOptions(context, ReadSoftmaxBeta, &beta));
  const TensorInfo input = context.Input(0);
  const TensorType output_type = context.Output(0).type;
  SoftmaxData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->rows = input.shape.OuterCount();
  data->depth = input.shape.Depth();
  data->output_element_bytes = static_cast<uint8_t>(ElementBytes(output_type));
  if (kAllTypes && input.type == TensorType::kFloat32) {
    LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
    data->is_float = true;
    data->run_float = context.Choose(kSoftmaxFloat);
    data->beta = beta;
    return DeclareRowwise(context);
  }
  LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  LUTRA_TRY(InputMultiplier(context, beta, &data->multiplier, &data->diff_min));
  if (kAllTypes && output_type == TensorType::kInt16) {
    LUTRA_TRY(RequireInt16Output(context));
    data->run = context.Choose(kSoftmaxOf<int16_t>);
  } else {
    LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kInt8));
    LUTRA_TRY(RequireQuantization(context, OutputOperand(0), 1.0f / 256, INT8_MIN));
    data->run = context.Choose(kSoftmaxOf<int8_t>);
  }
  return DeclareRowwise(context);
}

Status EvalInt8(EvalContext& context) {
  const auto& data = context.Data<SoftmaxData>();
  const SoftmaxArgs args = {data.depth, data.multiplier, data.diff_min};
  return EvalRowwise(context, data.run, args, data.rows, 1, data.output_element_bytes);
}

}  // namespace

Status PrepareSoftmax(PrepareContext& context) { return Prepare<true>(context); }
Status PrepareSoftmaxInt8Only(PrepareContext& context) { return Prepare<false>(context); }

Status EvalSoftmax(EvalContext& context) {
  const auto& data = context.Data<SoftmaxData>();
  if (data.is_float) {
    const SoftmaxFloatArgs args = {data.depth, data.beta};
    return EvalRowwise(context, data.run_float, args, data.rows, sizeof(float), sizeof(float));
  }
  return EvalInt8(context);
}
Status EvalSoftmaxInt8Only(EvalContext& context) { return EvalInt8(context); }

#if LUTRA_HAVE_UINT8
namespace {

struct Uint8Softmax {
  static constexpr BoardRecord kBoardRecord = {32, 32};

  SoftmaxData softmax;
  int input;  // Scratch: the input as int8.
};

}  // namespace

Status PrepareSoftmaxUint8(PrepareContext& context) {
  LUTRA_TRY(RequireRowwise(context));
  float beta = 0;
  LUTRA_TRY(ReadOptions(context, ReadSoftmaxBeta, &beta));
  LUTRA_TRY(RequireUint8(context, 0));
  LUTRA_TRY(RequireUint8(context, OutputOperand(0)));
  LUTRA_TRY(RequireQuantization(context, OutputOperand(0), 1.0f / 256, 0));
  const TensorInfo input = context.Input(0);
  Uint8Softmax* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  SoftmaxData& softmax = data->softmax;
  softmax.rows = input.shape.OuterCount();
  softmax.depth = input.shape.Depth();
  softmax.output_element_bytes = 1;
  LUTRA_TRY(InputMultiplier(context, beta, &softmax.multiplier, &softmax.diff_min));
  softmax.run = context.Choose(kSoftmaxOf<int8_t>);
  LUTRA_TRY(context.RequestScratch(input.bytes, &data->input));
  return DeclareRowwise(context);
}

Status EvalSoftmaxUint8(EvalContext& context) {
  const auto& data = context.Data<Uint8Softmax>();
  const int32_t count = data.softmax.rows * data.softmax.depth;
  auto* const input = context.ScratchData<uint8_t>(data.input);
  SwitchSign(context.InputData<uint8_t>(0), count, input);
  LUTRA_TRY(context.EvalWithInput(0, input, EvalSoftmax));
  auto* const output = context.OutputData<uint8_t>(0);
  SwitchSign(output, count, output);
  return Status::kOk;
}
#endif

#if LUTRA_HAVE_INT16
namespace {

struct SoftmaxInt16Data {
  static constexpr BoardRecord kBoardRecord = {20, 20};

  SoftmaxInt16Fn run;
  SoftmaxInt16Args args;
  int32_t rows;
};

}  // namespace

Status PrepareSoftmaxInt16(PrepareContext& context) {
  LUTRA_TRY(RequireRowwise(context));
  float beta = 0;
  LUTRA_TRY(ReadOptions(context, ReadSoftmaxBeta, &beta));
  LUTRA_TRY(RequireSymmetricInt16(context, 0));
  LUTRA_TRY(RequireOutputOfUnitRange(context));
  SoftmaxInt16Data* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  const TensorInfo input = context.Input(0);
  data->rows = input.shape.OuterCount();
  data->args.depth = input.shape.Depth();
  constexpr int32_t kMostElements = 65547;  // The sum of this many exponentials of up to 32762 fits int32.
  if (data->args.depth > kMostElements) {
    return context.Refuse(Rule::kAccumulator, 0, data->args.depth, kMostElements);
  }
  const double exponent = static_cast<double>(input.scale) * static_cast<double>(beta) / (10.0 / 65535.0);
  LUTRA_TRY(RequireMultiplier(context, 0, exponent, &data->args.multiplier));
  // A difference of codes has 16 bits.
  constexpr int32_t kLargestShift = 15;
  if (data->args.multiplier.shift > kLargestShift) {
    return context.Refuse(Rule::kMultiplierRange, 0, data->args.multiplier.shift, kLargestShift);
  }
  data->run = context.Choose(kSoftmaxInt16);
  return DeclareRowwise(context);
}

Status EvalSoftmaxInt16(EvalContext& context) {
  const auto& data = context.Data<SoftmaxInt16Data>();
  return EvalRowwise(context, data.run, data.args, data.rows, sizeof(int16_t), sizeof(int16_t));
}
#endif

namespace {

void LogSoftmaxFloat(const FloatRowArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                     int32_t row_count) {
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const auto* in = reinterpret_cast<const float*>(input.Row(row));
    auto* out = reinterpret_cast<float*>(output.Row(row));
    float max = -FLT_MAX;
    for (int32_t i = 0; i < args.depth; ++i) max = max < in[i] ? in[i] : max;
    float sum = 0;
    for (int32_t i = 0; i < args.depth; ++i) sum += expf(in[i] - max);
    const float log_sum = logf(sum);
    for (int32_t i = 0; i < args.depth; ++i) out[i] = in[i] - max - log_sum;
  }
}

template <bool kAllTypes>
Status PrepareLog(PrepareContext& context) {
  LUTRA_TRY(RequireRowwise(context));
  if (kAllTypes && context.Input(0).type == TensorType::kFloat32) {
    LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
    LogSoftmaxData* data = nullptr;
    LUTRA_TRY(context.AllocateData(&data));
    data->run = nullptr;
    data->rows = context.Input(0).shape.OuterCount();
    data->depth = context.Input(0).shape.Depth();
    return DeclareRowwise(context);
  }
  LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  LUTRA_TRY(RequireType(context, OutputOperand(0), TensorType::kInt8));
  LUTRA_TRY(RequireQuantization(context, OutputOperand(0), 16.0f / 256, INT8_MAX));
  const Shape shape = context.Input(0).shape;
  LogSoftmaxData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  LUTRA_TRY(InputMultiplier(context, 1.0f, &data->multiplier, &data->diff_min));
  data->reverse = QuantizeMultiplier(static_cast<double>(int64_t{1} << (31 - data->multiplier.shift)) /
                                     static_cast<double>(data->multiplier.value));
  data->run = context.Choose(kLogSoftmaxInt8);
  data->rows = shape.OuterCount();
  data->depth = shape.Depth();
  return DeclareRowwise(context);
}

Status EvalLogInt8(const EvalContext& context, const LogSoftmaxData& data) {
  const LogSoftmaxArgs args = {data.depth, data.multiplier, data.reverse, data.diff_min};
  return EvalRowwise(context, data.run, args, data.rows);
}

}  // namespace

Status PrepareLogSoftmax(PrepareContext& context) { return PrepareLog<true>(context); }
Status PrepareLogSoftmaxInt8Only(PrepareContext& context) { return PrepareLog<false>(context); }

Status EvalLogSoftmax(EvalContext& context) {
  const auto& data = context.Data<LogSoftmaxData>();
  if (data.run != nullptr) return EvalLogInt8(context, data);
  return EvalRowwise(context, LogSoftmaxFloat, FloatRowArgs{data.depth}, data.rows, sizeof(float),
                     sizeof(float));
}
Status EvalLogSoftmaxInt8Only(EvalContext& context) {
  return EvalLogInt8(context, context.Data<LogSoftmaxData>());
}

}  // namespace lutra
