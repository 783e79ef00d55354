// SPDX-License-Identifier: Apache-2.0
// LOGISTIC, TANH, HARD_SWISH, ELU, GELU, RELU, RELU6, LEAKY_RELU, ABS.
//
// int8: prepare fills a table of 256 codes by the operator's exact rule, one kernel serves them all.
// Rules: TFLite Micro's kernels, and for GELU, which it lacks, LiteRT's; RELU and RELU6 rescale where input
// and output parameters differ.

#include <math.h>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/lookup/lookup.h"
#include "lutra/kernels/unary_float/unary_float.h"
#include "lutra/ops/ops.h"
#include "runtime/fixed_point/int16.h"
#include "runtime/fixed_point/logistic.h"
#include "runtime/fixed_point/rounding.h"
#include "runtime/ops/common.h"
#include "runtime/ops/uint8.h"

namespace lutra {
namespace {

constexpr int kCodes = 256;

struct UnaryData {
  static constexpr BoardRecord kBoardRecord = {20, 20};

  union {
    LookupFn lookup;
    UnaryFloatFn run_float;
  };
  const uint8_t* table;  // Null for float32.
  union {
    float alpha;           // LEAKY_RELU's slope; not used once int8's table is filled.
    const void* prepared;  // Prepared by the variant of int8's lookup.
  };
  int32_t count;
  UnaryFunction function;
};

// An int8 operator's input, output, and the table from the input's codes to the output's.
struct Table {
  TensorInfo in;
  TensorInfo out;
  uint8_t* codes;

  // code_of(x) returns the output's code for x, the input's code less its zero point.
  template <typename CodeOf>
  Status Fill(const CodeOf& code_of) const {
    for (int32_t code = INT8_MIN; code <= INT8_MAX; ++code) {
      codes[static_cast<uint8_t>(code)] = static_cast<uint8_t>(code_of(code - in.zero_point));
    }
    return Status::kOk;
  }
};

using FillFn = Status (*)(PrepareContext& context, const Table& table);

Status StartUnary(PrepareContext& context, UnaryData** data) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  LUTRA_TRY(RequireShape(context, OutputOperand(0), context.Input(0).shape));
  LUTRA_TRY(context.AllocateData(data));
  (*data)->count = context.Output(0).shape.Count();
  return Status::kOk;
}

Status FinishInt8(PrepareContext& context, UnaryData* data, FillFn fill) {
  LUTRA_TRY(DeclareElementwise(context, 0, 0));
  LUTRA_TRY(RequireType(context, 0, TensorType::kInt8));
  LUTRA_TRY(RequirePerTensor(context, 0));
  LUTRA_TRY(RequirePerTensor(context, OutputOperand(0)));
  Table table = {context.Input(0), context.Output(0), nullptr};
  LUTRA_TRY(context.AllocateArray(kCodes, RecordKind::kTables, &table.codes));
  data->table = table.codes;
  Multiplier rescale;
  LUTRA_TRY(RequireMultiplier(context, 0, static_cast<double>(table.in.scale / table.out.scale), &rescale));
  LUTRA_TRY(fill(context, table));
  LookupArgs args = {.table = table.codes};
  LUTRA_TRY(context.ChooseFor(kLookup, &args, &data->lookup));
  data->prepared = args.prepared;
  return Status::kOk;
}

// Prepares an operator of int8 alone, which links no float32 kernel.
Status PrepareInt8(PrepareContext& context, FillFn fill) {
  UnaryData* data = nullptr;
  LUTRA_TRY(StartUnary(context, &data));
  return FinishInt8(context, data, fill);
}

// Prepares an operator of int8 and float32. `alpha`: LEAKY_RELU's slope.
Status PrepareUnary(PrepareContext& context, FillFn fill, UnaryFunction function, float alpha = 0) {
  UnaryData* data = nullptr;
  LUTRA_TRY(StartUnary(context, &data));
  data->function = function;
  data->alpha = alpha;
  if (context.Input(0).type != TensorType::kFloat32) return FinishInt8(context, data, fill);
  data->run_float = context.Choose(kUnaryFloat);
  return DeclareElementwise(context, 0, 0);
}

Multiplier Rescale(const Table& table) {
  return QuantizeMultiplier(static_cast<double>(table.in.scale / table.out.scale));
}

int32_t Clamped(int32_t code) { return ClampToInt8(code, INT8_MIN, INT8_MAX); }

// LOGISTIC and TANH by gemmlowp's functions of Q4.27. Their outputs' parameters are fixed, (1/256, -128) and
// (1/128, 0), whatever the tensor says; beyond the radius the functions saturate.
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

// HARD_SWISH in 16 bits, by TFLite's rule.
struct HardSwish {
  Multiplier output;
  Multiplier gate;  // To a scale in which the real value 3 is 32768.
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

// LiteRT's rule for functions in float32: computes the real value, the function of it, and the nearest code.
template <typename Function>
Status FillByFloat(const Table& table, const Function& function) {
  const float inverse = 1.0f / table.out.scale;
  return table.Fill([&](int32_t x) {
    const float real = table.in.scale * static_cast<float>(x);
    return Clamped(WrappingAdd(RoundHalfAwayFloat(function(real) * inverse), table.out.zero_point));
  });
}

Status FillRelu(PrepareContext& context, const Table& table, Activation activation) {
  ActivationRange range;
  LUTRA_TRY(Int8ActivationRange(context, activation, table.out, &range));
  const Multiplier rescale = Rescale(table);
  return table.Fill([&](int32_t x) {
    return ClampToInt8(WrappingAdd(MultiplyByQuantizedMultiplier(x, rescale), table.out.zero_point),
                       range.min, range.max);
  });
}

// Returns 0.5 x erfc(-x / sqrt(2)), which keeps its precision for large negative x. erfc is computed in
// double and rounded once, so that all C libraries agree.
float Gelu(float x) {
  constexpr auto kMinusHalfSqrt2 = static_cast<float>(-0.70710678118654752440);
  return 0.5f * x * static_cast<float>(erfc(static_cast<double>(x * kMinusHalfSqrt2)));
}

// Returns 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
float GeluApproximate(float x) {
  constexpr auto kSqrt2OverPi = static_cast<float>(0.79788456080286535588);
  const float inner = kSqrt2OverPi * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + static_cast<float>(tanh(static_cast<double>(inner))));
}

// Multiplies x with a negative multiplier of this magnitude. Double rounding negates the rounded product,
// single rounding rounds the negated product.
int32_t MultiplyByNegative(int32_t x, Multiplier magnitude) {
#ifdef LUTRA_SINGLE_ROUNDING
  return MultiplyByQuantizedMultiplier(WrappingSubtract(0, x), magnitude);
#else
  return WrappingSubtract(0, MultiplyByQuantizedMultiplier(x, magnitude));
#endif
}

}  // namespace

Status PrepareLogistic(PrepareContext& context) {
  constexpr FillFn kFill = [](PrepareContext& c, const Table& table) {
    const int32_t zero_point = table.out.zero_point;
    if (zero_point != INT8_MIN) {
      return c.Refuse(Rule::kFixedOutputQuantization, OutputOperand(0), zero_point, INT8_MIN);
    }
    return table.Fill(Sigmoid(table.in.scale, false));
  };
  return PrepareUnary(context, kFill, UnaryFunction::kLogistic);
}

#if LUTRA_HAVE_UINT8
// Fills a table with the function in float32, as LiteRT does.
Status PrepareLogisticUint8(PrepareContext& context) {
  UnaryData* data = nullptr;
  LUTRA_TRY(StartUnary(context, &data));
  LUTRA_TRY(DeclareElementwise(context, 0, 0));
  LUTRA_TRY(RequireUint8(context, 0));
  LUTRA_TRY(RequireQuantization(context, OutputOperand(0), 1.0f / 256, 0));
  uint8_t* table = nullptr;
  LUTRA_TRY(context.AllocateArray(kCodes, RecordKind::kTables, &table));
  const TensorInfo in = context.Input(0);
  for (int32_t code = 0; code < kCodes; ++code) {
    const float real = in.scale * static_cast<float>(code - in.zero_point);
    const int32_t scaled = RoundHalfAwayFloat(256.0f / (1.0f + expf(-real)));
    table[code] = static_cast<uint8_t>(scaled < kCodes ? scaled : kCodes - 1);
  }
  data->table = table;
  LookupArgs args = {.table = table};
  LUTRA_TRY(context.ChooseFor(kLookup, &args, &data->lookup));
  data->prepared = args.prepared;
  return Status::kOk;
}
#endif

Status PrepareTanh(PrepareContext& context) {
  constexpr FillFn kFill = [](PrepareContext&, const Table& table) {
    return table.Fill(Sigmoid(table.in.scale, true));
  };
  return PrepareUnary(context, kFill, UnaryFunction::kTanh);
}

Status PrepareHardSwish(PrepareContext& context) {
  constexpr FillFn kFill = [](PrepareContext& c, const Table& table) {
    const HardSwish function(table.in.scale, table.out.scale);
    if (function.output.shift > 0 || function.gate.value == 0) return c.Refuse(Rule::kMultiplierRange);
    return table.Fill([&](int32_t x) { return Clamped(function(x) + table.out.zero_point); });
  };
  return PrepareUnary(context, kFill, UnaryFunction::kHardSwish);
}

Status PrepareElu(PrepareContext& context) {
  constexpr FillFn kFill = [](PrepareContext&, const Table& table) {
    return FillByFloat(
        table, [](float x) { return x < 0.0f ? static_cast<float>(expm1(static_cast<double>(x))) : x; });
  };
  return PrepareUnary(context, kFill, UnaryFunction::kElu);
}

Status PrepareGelu(PrepareContext& context) {
  bool approximate = false;
  LUTRA_TRY(ReadOptions(context, ReadGeluApproximate, &approximate));
  constexpr FillFn kExact = [](PrepareContext&, const Table& table) { return FillByFloat(table, Gelu); };
  constexpr FillFn kApproximate = [](PrepareContext&, const Table& table) {
    return FillByFloat(table, GeluApproximate);
  };
  return PrepareInt8(context, approximate ? kApproximate : kExact);
}

Status PrepareRelu(PrepareContext& context) {
  constexpr FillFn kFill = [](PrepareContext& c, const Table& table) {
    return FillRelu(c, table, Activation::kRelu);
  };
  return PrepareUnary(context, kFill, UnaryFunction::kRelu);
}

Status PrepareRelu6(PrepareContext& context) {
  constexpr FillFn kFill = [](PrepareContext& c, const Table& table) {
    return FillRelu(c, table, Activation::kRelu6);
  };
  return PrepareUnary(context, kFill, UnaryFunction::kRelu6);
}

Status PrepareLeakyRelu(PrepareContext& context) {
  constexpr FillFn kFill = [](PrepareContext& c, const Table& table) {
    float alpha = 0;
    (void)ReadLeakyReluAlpha(c.node_info(), &alpha);  // Prepare has read it without an error.
    const float slope = table.in.scale * alpha / table.out.scale;
    Multiplier negative;
    LUTRA_TRY(RequireMultiplier(c, 0, static_cast<double>(fabsf(slope)), &negative));
    const Multiplier rescale = Rescale(table);
    return table.Fill([&](int32_t x) {
      const int32_t scaled = x >= 0         ? MultiplyByQuantizedMultiplier(x, rescale)
                             : slope < 0.0f ? MultiplyByNegative(x, negative)
                                            : MultiplyByQuantizedMultiplier(x, negative);
      return Clamped(WrappingAdd(scaled, table.out.zero_point));
    });
  };
  float alpha = 0;
  LUTRA_TRY(ReadOptions(context, ReadLeakyReluAlpha, &alpha));
  return PrepareUnary(context, kFill, UnaryFunction::kLeakyRelu, alpha);
}

Status PrepareAbs(PrepareContext& context) {
  constexpr FillFn kFill = [](PrepareContext&, const Table& table) {
    const bool same = table.in.scale == table.out.scale;
    const Multiplier rescale = Rescale(table);
    return table.Fill([&](int32_t x) {
      const int32_t magnitude = x < 0 ? -x : x;
      return Clamped(WrappingAdd(same ? magnitude : MultiplyByQuantizedMultiplier(magnitude, rescale),
                                 table.out.zero_point));
    });
  };
  return PrepareUnary(context, kFill, UnaryFunction::kAbs);
}

Status EvalUnary(EvalContext& context) {
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

}  // namespace lutra
