// SPDX-License-Identifier: Apache-2.0
// SOFTMAX and LOG_SOFTMAX over the last axis use gemmlowp's fixed-point functions, or float32.
//
//   d = (q - the row's maximum) * beta * s_in in Q5.26, sum of exp(d) in Q12.19
//   SOFTMAX: 256 * exp(d) / sum - 128        LOG_SOFTMAX: 16 * (d - log(sum)) + 127
//
// A build with single rounding gives the same bytes, therefore there is one rule:
//   - d: the shift is to the left and comes before the product, so that both ways round once.
//   - beta * s_in is capped, at 16 with single and at 32 with double rounding. Codes below the maximum have
//     d <= -16 then: exp(d) < 2^-23 adds nothing to the sum and gives -128, as 16 * d + 127 does.
//   - LOG_SOFTMAX's threshold may differ by a code. There d - log(sum) is below -16, code -128 either way.

#include <algorithm>
#include <cmath>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// O-TABLE uses a float32 table of 256 exponentials, and sums and quotients in float32.
constexpr ArithmeticRule kFloatTable = {"O-TABLE", Method::kTable};

constexpr int kIntegerBits = 5;  // The integer bits of d.
constexpr int kSumIntegerBits = 12;

struct Differences {
  Multiplier multiplier;
  int64_t least;  // Below it exp(d) counts as 0.

  int64_t Scaled(int64_t difference) const {
    return HighMul(difference * (int64_t{1} << multiplier.shift), multiplier.value);
  }
  int64_t Exp(int64_t difference) const {
    return difference < least ? 0 : ExpOnNegative(Scaled(difference), kIntegerBits);
  }
};

Differences DifferencesOf(const Node& node, float beta) {
  const double scale = double{beta} * double{QuantizationOf(node.input(0)).scale} * (1 << 26);
  if (!(scale > 1)) node.Refuse("beta * scale of 2^-26 or less");
  const Multiplier m = QuantizeMultiplier(std::min(scale, 2147483647.0));
  return {m, -InputRadius(kIntegerBits, m.shift)};
}

}  // namespace

void ForEachRow(const Node& node, const std::function<void(Codes& row, int64_t maximum)>& f) {
  const Codes input = node.Get(0);
  const Shape& shape = node.input(0).shape;
  if (shape.empty()) node.Refuse("a scalar");
  const auto depth = shape.back();
  Codes output;
  for (auto first = input.begin(); first != input.end(); first += depth) {
    Codes row(first, first + depth);
    const int64_t maximum = *std::max_element(row.begin(), row.end());
    for (int64_t& q : row) q -= maximum;
    f(row, maximum);
    output.insert(output.end(), row.begin(), row.end());
  }
  node.Put(0, output);
}

namespace {

int64_t SumOfExponentials(const Codes& row, const Differences& differences) {
  int64_t sum = 0;
  for (const int64_t q : row) sum += DivideByPowerOfTwo(differences.Exp(q), kSumIntegerBits);
  return sum;
}

// Returns exp(scale * difference) for a rounded scale, as in the table of LiteRT's optimised kernels.
float FloatExp(float scale, int64_t difference) {
  const float argument = scale * static_cast<float>(difference);
  return static_cast<float>(std::exp(double{argument}));
}

float FloatSumOfExponentials(const Codes& row, float scale) {
  float sum = 0;
  for (const int64_t q : row) sum += FloatExp(scale, q);
  return sum;
}

void EvalFloatSoftmax(const Node& node, float beta) {
  const Quantization out = QuantizationOf(node.output(0));
  const bool wide = node.output(0).type == kInt16;
  const Range range = {wide ? INT16_MIN : INT8_MIN, wide ? INT16_MAX : INT8_MAX};
  const float scale = QuantizationOf(node.input(0)).scale * beta;
  ForEachRow(node, [&](Codes& row, int64_t) {
    const float inverse = 1.0f / (FloatSumOfExponentials(row, scale) * out.scale);
    for (int64_t& q : row) {
      const float quotient = FloatExp(scale, q) * inverse;
      q = Clamp(static_cast<int64_t>(std::floor(double{quotient} + 0.5)) + out.zero_point, range.low,
                range.high);
    }
  });
}

}  // namespace

void PutSoftmax(const Node& node, float beta, int bits, int64_t lowest) {
  const Differences differences = DifferencesOf(node, beta);
  const int64_t greatest = lowest + (int64_t{1} << bits) - 1;
  ForEachRow(node, [&](Codes& row, int64_t) {
    const int64_t sum = SumOfExponentials(row, differences);
    // For sums from 512 on, the last shift leaves 0, whatever the sum; runtimes may abort there.
    const Reciprocal reciprocal = ReciprocalOf(std::min(sum, int64_t{INT32_MAX}), kSumIntegerBits);
    for (int64_t& q : row) {
      const int64_t product = HighMul(reciprocal.value, differences.Exp(q));
      q = Clamp(DivideByPowerOfTwo(product, reciprocal.shift + 31 - bits) + lowest, lowest, greatest);
    }
  });
}

namespace {

void EvalSoftmax(const Node& node, const ArithmeticRule& rule) {
  const float beta = OptionsOf(node.op().builtin_options.AsSoftmaxOptions()).beta;
  if (node.input(0).type != kInt8) node.Refuse("only int8 is specified");
  if (rule.method == Method::kTable) return EvalFloatSoftmax(node, beta);
  // The output's parameters are not read: the scale is 2^-bits, the zero point the lowest code.
  const int bits = 8 * BytesOf(node.output(0).type);
  if (bits > 16) node.Refuse("only int8 and int16 outputs are specified");
  PutSoftmax(node, beta, bits, -(int64_t{1} << (bits - 1)));
}

void EvalFloatLogSoftmax(const Node& node) {
  const float in = QuantizationOf(node.input(0)).scale;
  const Quantization out = QuantizationOf(node.output(0));
  const float ratio = in / out.scale;
  ForEachRow(node, [&](Codes& row, int64_t maximum) {
    const auto log = static_cast<float>(std::log(double{FloatSumOfExponentials(row, in)}));
    const float subtracted = (in * static_cast<float>(maximum) + log) / out.scale;
    for (int64_t& q : row) {
      const float scaled = ratio * static_cast<float>(q + maximum);
      q = Clamp(RoundEven(scaled - subtracted) + out.zero_point, INT8_MIN, INT8_MAX);
    }
  });
}

void EvalLogSoftmax(const Node& node, const ArithmeticRule& rule) {
  if (node.input(0).type != kInt8) node.Refuse("only int8 is specified");
  if (rule.method == Method::kTable) return EvalFloatLogSoftmax(node);
  const Differences differences = DifferencesOf(node, 1.0f);
  const Multiplier m = differences.multiplier;
  const Multiplier codes = QuantizeMultiplier(std::ldexp(1.0, 31 - m.shift) / static_cast<double>(m.value));
  ForEachRow(node, [&](Codes& row, int64_t) {
    const int64_t sum = SumOfExponentials(row, differences);
    if (sum > INT32_MAX) node.Refuse("a sum of exponentials of 4096 or more");
    const int64_t log = LogOfAtLeastOne(sum);
    const int64_t threshold = std::max(differences.least - 1, Scale(log + INT32_MIN, codes, rule.rounding));
    for (int64_t& q : row) {
      const bool counts = q > threshold;
      constexpr int kFractionBits = 31 - kIntegerBits - 4;  // The fraction bits of 16 * d.
      q = counts ? Clamp(DivideByPowerOfTwo(differences.Scaled(q) - log, kFractionBits) + 127, -128, 127)
                 : -128;
    }
  });
}

constexpr Operator kSoftmaxRows[] = {
    {BuiltinOperator::SOFTMAX, {"x", "x"}, {kDr, kFloatTable}, EvalSoftmax},
    {BuiltinOperator::LOG_SOFTMAX, {"x", "x"}, {kDr, kFloatTable}, EvalLogSoftmax},
};

}  // namespace

const OperatorFamily kSoftmaxOperators = kSoftmaxRows;

}  // namespace lutra::conformance::oracle
