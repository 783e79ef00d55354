// SPDX-License-Identifier: Apache-2.0
// Compares the oracle's arithmetic with gemmlowp, whose rules it follows.

#include <gemmlowp/fixedpoint/fixedpoint.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "conformance/oracle/arithmetic.h"

namespace lutra::conformance::oracle {
namespace {

template <int kIntegerBits>
gemmlowp::FixedPoint<int32_t, kIntegerBits> Q(int64_t raw) {
  return gemmlowp::FixedPoint<int32_t, kIntegerBits>::FromRaw(static_cast<int32_t>(raw));
}

constexpr size_t kExtremes = 3 + 31 * 6;

// Returns the extremes, which are each power of two and its neighbours, and then numbers of every magnitude,
// with both signs. It leaves out -2^31, as gemmlowp negates numbers.
std::vector<int32_t> Numbers() {
  std::vector<int32_t> numbers = {0, INT32_MAX, -INT32_MAX};
  for (int bit = 0; bit < 31; ++bit) {
    for (int k = -1; k <= 1; ++k) {
      numbers.push_back((1 << bit) + k);
      numbers.push_back(-(1 << bit) - k);
    }
  }
  std::mt19937 random(5);
  for (int i = 0; i < 100000; ++i) {
    const auto magnitude = static_cast<int32_t>(random() >> 1 >> random() % 31);
    numbers.push_back(magnitude);
    numbers.push_back(-magnitude);
  }
  return numbers;
}

TEST(Gemmlowp, HighMul) {
  const std::vector<int32_t> numbers = Numbers();
  const auto check = [](int32_t a, int32_t b) {
    ASSERT_EQ(HighMul(a, b), gemmlowp::SaturatingRoundingDoublingHighMul(a, b)) << a << " * " << b;
  };
  // Combines every pair of the extremes, and then each number with one that is far from it in the list.
  for (size_t i = 0; i < kExtremes; ++i) {
    for (size_t k = 0; k < kExtremes; ++k) check(numbers[i], numbers[k]);
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    check(numbers[i], numbers[i * 7919 % numbers.size()]);
    check(numbers[i], INT32_MIN);
  }
  check(INT32_MIN, INT32_MIN);
}

TEST(Gemmlowp, DivideByPowerOfTwo) {
  std::vector<int32_t> numbers = Numbers();
  numbers.push_back(INT32_MIN);
  for (const int32_t x : numbers) {
    for (int exponent = 0; exponent < 32; ++exponent) {
      ASSERT_EQ(DivideByPowerOfTwo(x, exponent), gemmlowp::RoundingDivideByPOT(x, exponent))
          << x << ", " << exponent;
    }
  }
}

// Compares both functions on each number, which `to_domain` maps to their domain.
template <typename Ours, typename Theirs, typename ToDomain>
void ExpectEqual(Ours ours, Theirs theirs, ToDomain to_domain) {
  for (const int32_t number : Numbers()) {
    const int32_t x = to_domain(number);
    ASSERT_EQ(ours(x), theirs(x).raw()) << x;
  }
}

int32_t Same(int32_t x) { return x; }
int32_t NotPositive(int32_t x) { return x > 0 ? -x : x; }
int32_t NotNegative(int32_t x) { return x < 0 ? -x : x; }

template <int kIntegerBits>
void ExpectEqualExp() {
  const auto ours = [](int32_t x) { return ExpOnNegative(x, kIntegerBits); };
  const auto theirs = [](int32_t x) { return gemmlowp::exp_on_negative_values(Q<kIntegerBits>(x)); };
  ExpectEqual(ours, theirs, NotPositive);
  EXPECT_EQ(ours(INT32_MIN), theirs(INT32_MIN).raw()) << kIntegerBits;
}

template <int... kIntegerBits>
void ExpectEqualExps(std::integer_sequence<int, kIntegerBits...>) {
  (ExpectEqualExp<kIntegerBits>(), ...);
}

TEST(Gemmlowp, ExpOnNegative) { ExpectEqualExps(std::make_integer_sequence<int, 13>()); }

TEST(Gemmlowp, Logistic) {
  ExpectEqual(
      Logistic, [](int32_t x) { return gemmlowp::logistic(Q<4>(x)); }, Same);
}

TEST(Gemmlowp, Tanh) {
  ExpectEqual(
      Tanh, [](int32_t x) { return gemmlowp::tanh(Q<4>(x)); }, Same);
}

TEST(Gemmlowp, OneOverOnePlus) {
  ExpectEqual(
      OneOverOnePlus, [](int32_t x) { return gemmlowp::one_over_one_plus_x_for_x_in_0_1(Q<0>(x)); },
      NotNegative);
}

TEST(Gemmlowp, OneMinusOverOnePlus) {
  ExpectEqual(
      OneMinusOverOnePlus,
      [](int32_t x) { return gemmlowp::one_minus_x_over_one_plus_x_for_x_in_0_1(Q<0>(x)); }, NotNegative);
}

}  // namespace
}  // namespace lutra::conformance::oracle
