// SPDX-License-Identifier: Apache-2.0
// Draws the rows of golden/primitives.csv and computes them with the oracle.

#include "conformance/generator/primitives.h"

#include <fmt/format.h>

#include "conformance/generator/random.h"
#include "conformance/oracle/arithmetic.h"

namespace lutra::conformance {
namespace {

using oracle::Rounding;

constexpr int kRowsOfEach = 1250;
constexpr int64_t kMax = INT32_MAX;
constexpr int64_t kMin = INT32_MIN;

// Draws an int32 of any magnitude; often one of the ends, powers of two and their neighbours.
int64_t AnyInt32(Random& random) {
  switch (random.Between(0, 5)) {
    case 0:
      return random.Pick(std::vector<int64_t>{kMin, kMin + 1, -1, 0, 1, kMax - 1, kMax});
    case 1: {
      const int64_t sign = random.OneIn(2) ? -1 : 1;
      const int64_t power = int64_t{1} << random.Between(0, 30);
      return sign * power + random.Between(-1, 1);
    }
    default: {
      const int64_t bits = random.Between(1, 31);
      return oracle::Clamp(random.Between(-(int64_t{1} << bits), int64_t{1} << bits), kMin, kMax);
    }
  }
}

int64_t Magnitude(Random& random, int64_t least) {
  const int64_t value = AnyInt32(random);
  const int64_t magnitude = value < 0 ? -(value + 1) : value;
  return magnitude < least ? least : magnitude;
}

int64_t MultiplierValue(Random& random) {
  return random.OneIn(4) ? int64_t{1} << 30 : random.Between(int64_t{1} << 30, kMax);
}

void AddScale(Random& random, std::vector<PrimitiveRow>* rows) {
  const int64_t value = MultiplierValue(random);
  const int64_t shift = random.OneIn(2) ? random.Between(-4, 0) : random.Between(-31, 7);
  // A number that is shifted to the left must still fit.
  int64_t x = AnyInt32(random);
  if (shift > 0) x /= int64_t{1} << shift;
  const oracle::Multiplier m = {value, static_cast<int>(shift)};
  rows->push_back({"scale_dr", {x, value, shift}, oracle::Scale(x, m, Rounding::kDouble)});
  rows->push_back({"scale_sr", {x, value, shift}, oracle::Scale(x, m, Rounding::kSingle)});
}

void AddMultiplier(Random& random, std::vector<PrimitiveRow>* rows) {
  const int64_t bits = random.Between(1, 53);
  const int64_t mantissa = (int64_t{1} << (bits - 1)) + random.Between(0, (int64_t{1} << (bits - 1)) - 1);
  const int64_t exponent = random.Between(-85, 5) - bits + 40;
  const oracle::Multiplier m =
      oracle::QuantizeMultiplier(std::ldexp(static_cast<double>(mantissa), static_cast<int>(exponent)));
  rows->push_back({"multiplier", {mantissa, exponent, 0}, m.value});
  rows->push_back({"shift", {mantissa, exponent, 0}, m.shift});
}

}  // namespace

std::vector<PrimitiveRow> GeneratePrimitives() {
  Random random("primitives");
  std::vector<PrimitiveRow> rows;
  for (int i = 0; i < kRowsOfEach; ++i) {
    const int64_t a = AnyInt32(random), b = AnyInt32(random);
    rows.push_back({"high_mul", {a, b, 0}, oracle::HighMul(a, b)});
    const int64_t exponent = random.Between(0, 31);
    rows.push_back(
        {"divide_by_power", {a, exponent, 0}, oracle::DivideByPowerOfTwo(a, static_cast<int>(exponent))});
    AddScale(random, &rows);
    AddMultiplier(random, &rows);
    const int64_t negative = -Magnitude(random, 0), integer_bits = random.Between(0, 12);
    rows.push_back({"exp",
                    {negative, integer_bits, 0},
                    oracle::ExpOnNegative(negative, static_cast<int>(integer_bits))});
    const int64_t fraction = Magnitude(random, 0);
    rows.push_back({"one_over", {fraction, 0, 0}, oracle::OneOverOnePlus(fraction)});
    const int64_t real = AnyInt32(random) / 2;
    rows.push_back({"logistic", {real, 0, 0}, oracle::Logistic(real)});
    rows.push_back({"tanh", {real, 0, 0}, oracle::Tanh(real)});
    const int64_t at_least_one = Magnitude(random, int64_t{1} << 19);
    rows.push_back({"log", {at_least_one, 0, 0}, oracle::LogOfAtLeastOne(at_least_one)});
    const int64_t positive = Magnitude(random, 1);
    const oracle::Reciprocal reciprocal = oracle::ReciprocalOf(positive, 12);
    rows.push_back({"reciprocal", {positive, 12, 0}, reciprocal.value});
    rows.push_back({"reciprocal_shift", {positive, 12, 0}, reciprocal.shift});
    const int64_t any = Magnitude(random, 0);
    const oracle::Multiplier root = oracle::InverseSqrt(any);
    rows.push_back({"inverse_sqrt", {any, 0, 0}, root.value});
    rows.push_back({"inverse_sqrt_shift", {any, 0, 0}, root.shift});
    // This is a sum of squares, as in L2_NORMALIZATION.
    const int64_t squares = random.Between(0, 255 * 255 * 64);
    rows.push_back({"inverse_sqrt", {squares, 0, 0}, oracle::InverseSqrt(squares).value});
  }
  return rows;
}

std::string PrimitivesCsv(const std::vector<PrimitiveRow>& rows) {
  std::string text = "function,a,b,c,result\n";
  for (const PrimitiveRow& row : rows) {
    text += fmt::format("{},{},{},{},{}\n", row.function, row.arguments[0], row.arguments[1],
                        row.arguments[2], row.result);
  }
  return text;
}

}  // namespace lutra::conformance
