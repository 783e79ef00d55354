// SPDX-License-Identifier: Apache-2.0
// LOGISTIC, TANH, HARD_SWISH, ELU, RELU, RELU6, LEAKY_RELU, ABS.
//
// int8: prepare fills a table of 256 codes by the operator's exact rule, one kernel serves them all.
// Rules: TFLite Micro's kernels; RELU and RELU6 rescale where input and output parameters differ.

#include <math.h>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/lookup/lookup.h"
#include "lutra/kernels/unary_float/unary_float.h"
#include "lutra/ops/ops.h"
#include "runtime/fixed_point/int16.h"
#include "runtime/fixed_point/logistic.h"
#include "runtime/fixed_point/rounding.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

constexpr int kCodes = 256;

struct UnaryData {
  union {
    LookupFn lookup;
    UnaryFloatFn run_float;
  };
  const uint8_t* table;  // Null for float32.
  union {
    float alpha;           // Of LEAKY_RELU; of no use once int8's table is filled.
    const void* prepared;  // By the variant of int8's lookup.
  };
  int32_t count;
  UnaryFunction function;
};

int32_t Clamped(int32_t code) { return ClampToInt8(code, INT8_MIN, INT8_MAX); }

// LOGISTIC and TANH by gemmlowp's functions of Q4.27. Their outputs' parameters are fixed, (1/256, -128)
// and (1/128, 0), whatever the tensor says; beyond the radius they saturate.
class Sigmoid {
 public:
  Sigmoid(float scale, bool tanh) : tanh_(tanh) {
    constexpr int kIntegerBits = 4;
    multiplier_ = FractionAndShift(static_cast<double>(scale) * (1 << (31 - kIntegerBits)));
    radius_ = CalculateInputRadius(kIntegerBits, multiplier_.shift);
  }
  int32_t operator()(int32_t x) const {
    if (x <= -radius_) return INT8_MIN;
    if (x >= radius_) return INT8_MAX;
    const int32_t y = MultiplyByQuantizedMultiplier(x, multiplier_);
    if (tanh_) return Clamped(RoundingDivideByPowerOfTwo(Tanh(y), 24));
    return Clamped(RoundingDivideByPowerOfTwo(Logistic(y), 23) - 128);
  }

 private:
  bool tanh_;
  Multiplier multiplier_;
  int32_t radius_;
};

// HARD_SWISH in 16 bits.
struct HardSwish {
  Multiplier output;
  Multiplier gate;  // To a scale where 3 is 32768.
  int16_t output_value;
  int16_t gate_value;

  HardSwish(float in_scale, float out_scale) {
    const float fine_scale = (1.0f / 128.0f) * in_scale;
    output = QuantizeMultiplier(static_cast<double>(fine_scale / out_scale));
    gate = QuantizeMultiplier(static_cast<double>(fine_scale / (3.0f / 32768.0f)));
    output_value = static_cast<int16_t>(ReduceMultiplierTo16Bits(output.value));
    gate_value = static_cast<int16_t>(ReduceMultiplierTo16Bits(gate.value));
  }
  int32_t operator()(int32_t x) const {
    const auto fine = static_cast<int16_t>(x * (1 << 7));
    const int16_t scaled = SaturatingRoundingDoublingHighMul(fine, output_value);
    int16_t g = fine;
    if (gate.shift > 0) g = SaturatingShiftLeft(g, gate.shift - 1);
    g = SaturatingRoundingDoublingHighMul(g, gate_value);
    if (gate.shift > 0) g = SaturatingShiftLeft(g, 1);
    if (gate.shift < 0) g = static_cast<int16_t>(RoundingDivideByPowerOfTwo(g, -gate.shift));
    const auto share = static_cast<int16_t>((g + (1 << 15)) >> 1);  // 0 to 1 in Q0.15.
    return RoundingDivideByPowerOfTwo(SaturatingDoublingHighMul(share, scaled), -output.shift);
  }
};

Status FillTable(MicroContext& context, const UnaryData& data, uint8_t* table) {
  const TensorInfo in = context.Input(0);
  const TensorInfo out = context.Output(0);
  const auto fill = [&](const auto& code_of) {
    for (int32_t code = INT8_MIN; code <= INT8_MAX; ++code) {
      table[static_cast<uint8_t>(code)] = static_cast<uint8_t>(code_of(code - in.zero_point));
    }
    return Status::kOk;
  };
  Multiplier rescale;
  LUTRA_TRY(RequireMultiplier(context, 0, static_cast<double>(in.scale / out.scale), &rescale));
  const int32_t zero_point = out.zero_point;
  switch (data.function) {
    case UnaryFunction::kLogistic:
      if (zero_point != INT8_MIN) {
        return context.Refuse(Rule::kFixedOutputQuantization, OutputOperand(0), zero_point, INT8_MIN);
      }
      return fill(Sigmoid(in.scale, false));
    case UnaryFunction::kTanh:
      return fill(Sigmoid(in.scale, true));
    case UnaryFunction::kHardSwish: {
      const HardSwish function(in.scale, out.scale);
      if (function.output.shift > 0 || function.gate.value == 0) {
        return context.Refuse(Rule::kMultiplierRange);
      }
      return fill([&](int32_t x) { return Clamped(function(x) + zero_point); });
    }
    case UnaryFunction::kElu:
      return fill([&](int32_t x) {
        const float real = in.scale * static_cast<float>(x);
        const float elu = real < 0.0f ? static_cast<float>(expm1(static_cast<double>(real))) : real;
        const float inverse = 1.0f / out.scale;
        return Clamped(WrappingAdd(RoundHalfAwayFloat(elu * inverse), zero_point));
      });
    case UnaryFunction::kRelu:
    case UnaryFunction::kRelu6: {
      ActivationRange range;
      const bool six = data.function == UnaryFunction::kRelu6;
      LUTRA_TRY(Int8ActivationRange(context, six ? Activation::kRelu6 : Activation::kRelu, out, &range));
      return fill([&](int32_t x) {
        return ClampToInt8(WrappingAdd(MultiplyByQuantizedMultiplier(x, rescale), zero_point), range.min,
                           range.max);
      });
    }
    case UnaryFunction::kLeakyRelu: {
      // A negative slope: the product of two negatives is the same product.
      const float slope = in.scale * data.alpha / out.scale;
      Multiplier negative;
      LUTRA_TRY(RequireMultiplier(context, 0, static_cast<double>(fabsf(slope)), &negative));
      return fill([&](int32_t x) {
        const int32_t scaled = x >= 0 ? MultiplyByQuantizedMultiplier(x, rescale)
                                      : MultiplyByQuantizedMultiplier(slope < 0.0f ? -x : x, negative);
        return Clamped(WrappingAdd(scaled, zero_point));
      });
    }
    case UnaryFunction::kAbs:
      return fill([&](int32_t x) {
        const int32_t magnitude = x < 0 ? -x : x;
        const bool same = in.scale == out.scale;
        return Clamped(
            WrappingAdd(same ? magnitude : MultiplyByQuantizedMultiplier(magnitude, rescale), zero_point));
      });
  }
  return Status::kOk;
}

Status Prepare(MicroContext& context, UnaryFunction function) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  LUTRA_TRY(RequireShape(context, OutputOperand(0), context.Input(0).shape));
  UnaryData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->function = function;
  data->count = context.Output(0).shape.Count();
  if (function == UnaryFunction::kLeakyRelu && !ReadLeakyReluAlpha(context.node_info(), &data->alpha)) {
    return context.Refuse(Rule::kOptionsMissing);
  }
  LUTRA_TRY(DeclareElementwise(context, 0, 0));
  if (context.Input(0).type == TensorType::kFloat32) {
    data->run_float = context.Choose(kUnaryFloat);
    return Status::kOk;
  }
  LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  LUTRA_TRY(RequirePerTensor(context, 0));
  LUTRA_TRY(RequirePerTensor(context, OutputOperand(0)));
  uint8_t* table = nullptr;
  LUTRA_TRY(context.AllocateArray(kCodes, RecordKind::kTables, &table));
  data->table = table;
  LUTRA_TRY(FillTable(context, *data, table));
  LookupArgs args = {.table = table};
  LUTRA_TRY(context.ChooseFor(kLookup, &args, &data->lookup));
  data->prepared = args.prepared;
  return Status::kOk;
}

Status Eval(MicroContext& context) {
  const auto& data = context.Data<UnaryData>();
  context.ForEachRows(data.count, [&](int32_t first, int32_t count) {
    if (data.table != nullptr) {
      data.lookup({data.table, context.InputData<uint8_t>(0), context.OutputData<uint8_t>(0), data.prepared},
                  first, count);
    } else {
      data.run_float({data.function, data.alpha, context.InputData<float>(0), context.OutputData<float>(0)},
                     first, count);
    }
  });
  return Status::kOk;
}

}  // namespace

Status PrepareLogistic(MicroContext& context) { return Prepare(context, UnaryFunction::kLogistic); }
Status PrepareTanh(MicroContext& context) { return Prepare(context, UnaryFunction::kTanh); }
Status PrepareHardSwish(MicroContext& context) { return Prepare(context, UnaryFunction::kHardSwish); }
Status PrepareElu(MicroContext& context) { return Prepare(context, UnaryFunction::kElu); }
Status PrepareRelu(MicroContext& context) { return Prepare(context, UnaryFunction::kRelu); }
Status PrepareRelu6(MicroContext& context) { return Prepare(context, UnaryFunction::kRelu6); }
Status PrepareLeakyRelu(MicroContext& context) { return Prepare(context, UnaryFunction::kLeakyRelu); }
Status PrepareAbs(MicroContext& context) { return Prepare(context, UnaryFunction::kAbs); }
Status EvalLogistic(MicroContext& context) { return Eval(context); }
Status EvalTanh(MicroContext& context) { return Eval(context); }
Status EvalHardSwish(MicroContext& context) { return Eval(context); }
Status EvalElu(MicroContext& context) { return Eval(context); }
Status EvalRelu(MicroContext& context) { return Eval(context); }
Status EvalRelu6(MicroContext& context) { return Eval(context); }
Status EvalLeakyRelu(MicroContext& context) { return Eval(context); }
Status EvalAbs(MicroContext& context) { return Eval(context); }

}  // namespace lutra
