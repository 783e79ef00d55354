// SPDX-License-Identifier: Apache-2.0
// LOGISTIC, TANH and SOFTMAX of int16 interpolate in tables. The output's scale is 2^-15.

#include <array>
#include <cmath>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/int16.h"
#include "conformance/oracle/sigmoid16.h"

namespace lutra::conformance::oracle {
namespace {

// Returns x * 12288 as integers. A scale whose logarithm is that of a power of two, to a thousandth, needs no
// multiplier if it shifts by up to `most_shift`.
Codes SigmoidInputs(const Node& node, int most_shift) {
  const double scale = double{Int16QuantizationOf(node, node.input(0), true).scale};
  RequireUnitOutput(node);
  Codes y = node.Get(0);
  const double exponent = std::log2(scale), nearest = std::round(exponent);
  const int direct = 12 + static_cast<int>(nearest);
  if (std::abs(exponent - nearest) < 1e-3 && direct >= 0 && direct <= most_shift) {
    for (int64_t& q : y) q *= int64_t{3} << direct;
    return y;
  }
  double multiplier = scale * 12288;
  int shift = 0;
  for (; multiplier <= 16383.5 && shift <= 30; ++shift) multiplier *= 2;
  if (!(multiplier < 65536)) node.Refuse("a scale of more than 5");
  const auto factor = static_cast<int64_t>(multiplier);
  for (int64_t& q : y) q = shift == 0 ? q * factor : (q * factor + (int64_t{1} << (shift - 1))) >> shift;
  return y;
}

void EvalLogisticInt16(const Node& node, const ArithmeticRule&) {
  Codes y = SigmoidInputs(node, 0);
  for (int64_t& q : y) q = Logistic16(q);
  node.Put(0, y);
}
void EvalTanhInt16(const Node& node, const ArithmeticRule&) {
  Codes y = SigmoidInputs(node, 1);
  for (int64_t& q : y) q = Tanh16(q);
  node.Put(0, y);
}

// ---- SOFTMAX.

// A function at 513 places, the codes from -32768 to 32768 in steps of 128.
using SoftmaxNodes = std::array<int64_t, 513>;

float Rounded(float x) { return static_cast<float>(RoundAway(double{x})); }

// Returns function(scale * (code - zero_point)) in units of 2 / 65535. Half of the error in the middle of a
// segment is subtracted from its first node. Each step is rounded to float32.
SoftmaxNodes NodesOf(float (*function)(float), float scale, int64_t zero_point) {
  constexpr float kOutScale = 2.0f / 65535.0f;
  const float low = scale * static_cast<float>(kInt16Codes.low - zero_point);
  const float high = scale * static_cast<float>(kInt16Codes.high - zero_point);
  const float step = (high - low) / 512.0f, half_step = step / 2.0f;
  const float codes = 65536.0f / (kOutScale * 32767.0f - kOutScale * -32768.0f);
  const auto code = [](float x) { return Clamp(static_cast<int64_t>(x), kInt16Codes.low, kInt16Codes.high); };
  SoftmaxNodes nodes = {};
  for (size_t i = 0; i < 512; ++i) {
    const float x = low + static_cast<float>(i) * step;
    const float next = low + static_cast<float>(i + 1) * step;
    const float first = Rounded(function(x) * codes);
    const float interpolated = Rounded((function(next) * codes + first) / 2.0f);
    const float middle = Rounded(function(x + half_step) * codes);
    nodes[i] = code(first - Rounded((interpolated - middle) / 2.0f));
  }
  nodes[512] = code(Rounded(function(high) * codes));
  return nodes;
}

float Exp(float x) { return static_cast<float>(std::exp(double{x})); }
float InverseOfOnePlus(float x) { return 1.0f / (1.0f + x); }

// The nodes of exp from -10 to 0, and below those of 1 / (1 + x) from 0 to 1.
const SoftmaxNodes& ExpNodes() {
  static const SoftmaxNodes nodes = NodesOf(Exp, 10.0f / 65535.0f, INT16_MAX);
  return nodes;
}
const SoftmaxNodes& InverseNodes() {
  static const SoftmaxNodes nodes = NodesOf(InverseOfOnePlus, 1.0f / 65535.0f, INT16_MIN);
  return nodes;
}

int64_t At(const SoftmaxNodes& nodes, int64_t code) {
  code = Clamp(code, kInt16Codes.low, kInt16Codes.high);
  const auto i = static_cast<size_t>(256 + (code >> 7));
  return nodes[i] + (((nodes[i + 1] - nodes[i]) * (code & 127) + 64) >> 7);
}

// Computes e = exp(beta * s_in * (q - the row's maximum)), code = e * 2^15 / sum of e.
void EvalSoftmaxInt16(const Node& node, const ArithmeticRule& rule) {
  const Quantization in = Int16QuantizationOf(node, node.input(0), true);
  RequireUnitOutput(node);
  const double beta = double{OptionsOf(node.op().builtin_options.AsSoftmaxOptions()).beta};
  const Multiplier multiplier = QuantizeMultiplier(double{in.scale} * beta / (10.0 / 65535.0), rule.rounding);
  if (multiplier.shift > 15) node.Refuse("beta * scale of 5 or more");
  ForEachRow(node, [&](Codes& row, int64_t) {
    int64_t sum = 0;
    for (int64_t& q : row) {
      q = At(ExpNodes(), Scale(q, multiplier, rule.rounding) + kInt16Codes.high);
      sum += q;
    }
    if (sum > INT32_MAX) node.Refuse("a sum of exponentials beyond 32 bits");
    // sum * 2^(zeros - 1) is a number from 1 to 2 in units of 2^-30.
    const int zeros = LeadingZeros(sum);
    const int64_t mantissa = ((sum << (zeros - 1)) + (1 << 13)) >> 14;
    const int64_t inverse = At(InverseNodes(), mantissa - 3 * (1 << 15));
    for (int64_t& q : row) {
      q = Clamp((q * inverse + (int64_t{1} << (30 - zeros))) >> (31 - zeros), 0, kInt16Codes.high);
    }
  });
}

constexpr Operator kInt16TableRows[] = {
    Int16Row(BuiltinOperator::LOGISTIC, {"x", "x"}, {kExact}, EvalLogisticInt16),
    Int16Row(BuiltinOperator::SOFTMAX, {"x", "x"}, {kDr, kSr}, EvalSoftmaxInt16),
    Int16Row(BuiltinOperator::TANH, {"x", "x"}, {kExact}, EvalTanhInt16),
};

}  // namespace

const OperatorFamily kInt16TableOperators = kInt16TableRows;

}  // namespace lutra::conformance::oracle
