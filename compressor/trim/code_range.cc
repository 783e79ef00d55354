// SPDX-License-Identifier: Apache-2.0
// Applies the rules by which runtimes round.

#include "compressor/trim/code_range.h"

#include <cmath>

#include "lutra/fixed_point/fixed_point.h"

namespace lutra::compressor {
namespace {

// If products exceed this, their sum may leave int32.
constexpr double kLargestProduct = 1 << 30;
constexpr int32_t kAddShift = 20;  // ADD's operands are shifted left by so many bits.

// The range of all codes that were added.
class Codes {
 public:
  Codes(int32_t zero_point, const ActivationRange& clamps) : zero_point_(zero_point), clamps_(clamps) {}

  // Adds a value to which the zero point is not added yet.
  void Add(int64_t value) {
    const auto code =
        static_cast<int32_t>(std::clamp<int64_t>(value + zero_point_, clamps_.min, clamps_.max));
    if (is_first_) range_ = {code, code};
    is_first_ = false;
    range_.Include({code, code});
  }
  const CodeRange& range() const { return range_; }

 private:
  int32_t zero_point_;
  ActivationRange clamps_;
  bool is_first_ = true;
  CodeRange range_;
};

// Multiplies as MultiplyDoubleRounding does, but with ties upwards in the second step.
int32_t MultiplyRoundingUp(int32_t x, Multiplier m) {
  const int32_t high = HighMul(WrappingShiftLeft(x, std::max(m.shift, 0)), m.value);
  const int32_t right = std::max(-m.shift, 0);
  return right == 0 ? high : static_cast<int32_t>((int64_t{high} + (int64_t{1} << (right - 1))) >> right);
}

}  // namespace

SumRounding::SumRounding(const FactorScales& scales, int32_t zero_point, const ActivationRange& clamps)
    : factor_(double{scales.first} * double{scales.second} / double{scales.output}),
      zero_point_(zero_point),
      clamps_(clamps) {
  const float product = scales.first * scales.second;
  factor_float_ = product / scales.output;
  for (const double factor : {factor_, double{product} / double{scales.output}, double{factor_float_}}) {
    multipliers_.push_back(QuantizeMultiplier(factor));
  }
}

CodeRange SumRounding::Of(int64_t least, int64_t most) const {
  CodeRange range = At(least);
  range.Include(At(most));
  return range;
}

CodeRange SumRounding::At(int64_t sum) const {
  const double product = static_cast<double>(sum) * factor_;
  if (sum < INT32_MIN || sum > INT32_MAX || !(std::abs(product) < kLargestProduct) ||
      !std::isfinite(factor_float_)) {
    return {clamps_.min, clamps_.max};
  }
  const auto x = static_cast<int32_t>(sum);
  Codes codes(zero_point_, clamps_);
  for (const Multiplier& m : multipliers_) {
    codes.Add(MultiplyDoubleRounding(x, m));
    codes.Add(MultiplySingleRounding(x, m));
    codes.Add(MultiplyRoundingUp(x, m));
  }
  codes.Add(std::llround(product));
  // XNNPACK rounds to even.
  codes.Add(std::llrint(static_cast<float>(x) * factor_float_));
  return codes.range();
}

AddRounding::AddRounding(const CodeScale& a, const CodeScale& b, const CodeScale& output,
                         const ActivationRange& clamps)
    : a_(a), b_(b), output_(output), clamps_(clamps) {
  const double twice_larger = 2 * std::max(double{a.scale}, double{b.scale});
  const double factor = twice_larger / (double{1 << kAddShift} * double{output.scale});
  is_known_ = factor < 1;
  of_a_ = QuantizeMultiplier(double{a.scale} / twice_larger);
  of_b_ = QuantizeMultiplier(double{b.scale} / twice_larger);
  if (is_known_) of_sum_ = QuantizeMultiplier(factor);
}

CodeRange AddRounding::Of(const CodeRange& a, const CodeRange& b) const {
  if (!is_known_) return {clamps_.min, clamps_.max};
  CodeRange range = At(a.min, b.min);
  range.Include(At(a.max, b.max));
  return range;
}

CodeRange AddRounding::At(int32_t a, int32_t b) const {
  Codes codes(output_.zero_point, clamps_);
  const int32_t x = a - a_.zero_point, y = b - b_.zero_point;
  const int32_t shifted_x = x * (1 << kAddShift), shifted_y = y * (1 << kAddShift);
  codes.Add(MultiplyDoubleRounding(
      MultiplyDoubleRounding(shifted_x, of_a_) + MultiplyDoubleRounding(shifted_y, of_b_), of_sum_));
  codes.Add(MultiplySingleRounding(
      MultiplySingleRounding(shifted_x, of_a_) + MultiplySingleRounding(shifted_y, of_b_), of_sum_));
  // LiteRT's optimised kernel shifts first and rounds once.
  if (of_a_.shift >= -kAddShift && of_b_.shift >= -kAddShift) {
    const int32_t scaled_x = HighMul(x * (1 << (kAddShift + of_a_.shift)), of_a_.value);
    const int32_t scaled_y = HighMul(y * (1 << (kAddShift + of_b_.shift)), of_b_.value);
    codes.Add(RoundingDivideByPowerOfTwo(HighMul(scaled_x + scaled_y, of_sum_.value), -of_sum_.shift));
  }
  codes.Add(InFloatRatios(x, y));
  return codes.range();
}

// Adds by XNNPACK's rule.
int64_t AddRounding::InFloatRatios(int64_t a, int64_t b) const {
  const float ratio_a = a_.scale / output_.scale, ratio_b = b_.scale / output_.scale;
  const int bits = kAddShift - std::ilogb(std::max(ratio_a, ratio_b));
  constexpr int kMostBits = 40;
  if (bits < 1 || bits > kMostBits) {
    return std::llrint(double{ratio_a} * static_cast<double>(a) + double{ratio_b} * static_cast<double>(b));
  }
  const int64_t factor_a = std::llrint(std::ldexp(ratio_a, bits));
  const int64_t factor_b = std::llrint(std::ldexp(ratio_b, bits));
  return (a * factor_a + b * factor_b + (int64_t{1} << (bits - 1))) >> bits;
}

}  // namespace lutra::compressor
