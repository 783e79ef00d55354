// SPDX-License-Identifier: Apache-2.0
// SOFTMAX and LOG_SOFTMAX over the last axis, in gemmlowp's fixed-point functions.
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

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

constexpr int kIntegerBits = 5;  // Those of d.
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
  if (node.input(0).type != kInt8) node.Refuse("only int8 is specified");
  const double scale = double{beta} * double{QuantizationOf(node.input(0)).scale} * (1 << 26);
  if (!(scale > 1)) node.Refuse("beta * scale of 2^-26 or less");
  const Multiplier m = QuantizeMultiplier(std::min(scale, 2147483647.0));
  return {m, -InputRadius(kIntegerBits, m.shift)};
}

// f(row, sum of its exponentials): each q of `row` is given as q - maximum, and becomes the code.
template <typename F>
void ForEachRow(const Node& node, const Differences& differences, F&& f) {
  const Codes input = node.Get(0);
  const Shape& shape = node.input(0).shape;
  if (shape.empty()) node.Refuse("a scalar");
  const auto depth = shape.back();
  Codes output;
  for (auto first = input.begin(); first != input.end(); first += depth) {
    Codes row(first, first + depth);
    const int64_t maximum = *std::max_element(row.begin(), row.end());
    int64_t sum = 0;
    for (int64_t& q : row) {
      q -= maximum;
      sum += DivideByPowerOfTwo(differences.Exp(q), kSumIntegerBits);
    }
    f(row, sum);
    output.insert(output.end(), row.begin(), row.end());
  }
  node.Put(0, output);
}

void EvalSoftmax(const Node& node, const ArithmeticRule&) {
  const float beta = OptionsOf(node.op().builtin_options.AsSoftmaxOptions()).beta;
  const Differences differences = DifferencesOf(node, beta);
  // The output's parameters are not read: 2^-bits and the lowest code.
  const int bits = 8 * BytesOf(node.output(0).type);
  if (bits > 16) node.Refuse("only int8 and int16 outputs are specified");
  const int64_t lowest = -(int64_t{1} << (bits - 1));
  ForEachRow(node, differences, [&](Codes& row, int64_t sum) {
    // From 512 on the last shift leaves nothing, whatever the sum; runtimes may abort there.
    const Reciprocal reciprocal = ReciprocalOf(std::min(sum, int64_t{INT32_MAX}), kSumIntegerBits);
    for (int64_t& q : row) {
      const int64_t product = HighMul(reciprocal.value, differences.Exp(q));
      q = Clamp(DivideByPowerOfTwo(product, reciprocal.shift + 31 - bits) + lowest, lowest, -lowest - 1);
    }
  });
}

void EvalLogSoftmax(const Node& node, const ArithmeticRule& rule) {
  const Differences differences = DifferencesOf(node, 1.0f);
  const Multiplier m = differences.multiplier;
  const Multiplier codes = QuantizeMultiplier(std::ldexp(1.0, 31 - m.shift) / static_cast<double>(m.value));
  ForEachRow(node, differences, [&](Codes& row, int64_t sum) {
    if (sum > INT32_MAX) node.Refuse("a sum of exponentials of 4096 or more");
    const int64_t log = LogOfAtLeastOne(sum);
    const int64_t threshold = std::max(differences.least - 1, Scale(log + INT32_MIN, codes, rule.rounding));
    for (int64_t& q : row) {
      const bool counts = q > threshold;
      constexpr int kFractionBits = 31 - kIntegerBits - 4;  // Those of 16 * d.
      q = counts ? Clamp(DivideByPowerOfTwo(differences.Scaled(q) - log, kFractionBits) + 127, -128, 127)
                 : -128;
    }
  });
}

constexpr Operator kSoftmaxRows[] = {
    {BuiltinOperator::SOFTMAX, {"x", "x"}, {kDr}, EvalSoftmax},
    {BuiltinOperator::LOG_SOFTMAX, {"x", "x"}, {kDr}, EvalLogSoftmax},
};

}  // namespace

const OperatorFamily kSoftmaxOperators = kSoftmaxRows;

}  // namespace lutra::conformance::oracle
