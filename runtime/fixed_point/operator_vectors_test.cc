// SPDX-License-Identifier: Apache-2.0
// Vectors of whole operators that consist of a few calls of these functions: they show that the functions
// combine as the operators' rules say. All are of double rounding.

#include <gtest/gtest.h>

#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/fixed_point/multiplier.h"
#include "runtime/fixed_point/inverse_sqrt.h"

namespace lutra {
namespace {

struct Quantized {
  int32_t code;
  float scale;
  int32_t zero_point;
};

TEST(OperatorVectors, L2Normalization) {
  struct Case {
    int32_t zero_point;
    std::vector<int32_t> x;
    std::vector<int32_t> want;
  };
  const Case cases[] = {
      {0, {1, 2, 3, 4}, {23, 47, 70, 93}},
      {0, {0, 0, 0}, {0, 0, 0}},
      {5, {5, 5, 5}, {0, 0, 0}},
      {0, {-128, 127}, {-91, 90}},
      {127, {-128, -128, -128, -128}, {-64, -64, -64, -64}},
      {0, {1}, {127}},
      {0, {-1}, {-128}},
      {0, {3, -4}, {77, -102}},
      {-20, {100, 50, 25}, {105, 61, 39}},
      {-128,
       {127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127},
       {32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32}},
  };
  for (const Case& c : cases) {
    int32_t sum_of_squares = 0;
    for (const int32_t x : c.x) sum_of_squares += (x - c.zero_point) * (x - c.zero_point);
    Multiplier m = InverseSqrtMultiplier(sum_of_squares);
    m.shift += 7;
    for (size_t i = 0; i < c.x.size(); ++i) {
      const int32_t scaled = MultiplyDoubleRounding(c.x[i] - c.zero_point, m);
      EXPECT_EQ(ClampToInt8(scaled, -128, 127), c.want[i]) << c.x[i] << " of " << sum_of_squares;
    }
  }
}

TEST(OperatorVectors, Comparison) {
  struct Case {
    Quantized a, b;
    int32_t want_a, want_b;
  };
  const Case cases[] = {
      {{1, 0.5f, 0}, {2, 0.25f, 0}, 128, 128},
      {{1, 0.0010000000474974513f, 0}, {2, 0.0010000000474974513f, 0}, 0, 1},
      {{1, 0.0038999998942017555f, 0}, {1, 0.003909999970346689f, 0}, 1, 1},
      {{5, 0.0078125f, 0}, {5, 0.007812599651515484f, 0}, 10, 10},
      {{10, 0.10000000149011612f, -5}, {15, 0.10000000149011612f, 0}, 384, 384},
      {{127, 0.003921568859368563f, -128}, {127, 0.003921568859368563f, -128}, 256, 256},
      {{-128, 0.8999999761581421f, 127}, {-128, 0.8999999761581421f, 127}, -58752, -58752},
      {{0, 0.019999999552965164f, 3}, {0, 0.019999999552965164f, -3}, -15, 15},
      {{50, 0.009999999776482582f, 0}, {51, 0.009999999776482582f, 0}, 128, 131},
      {{50, 0.0010000000474974513f, 0}, {51, 0.0010000000474974513f, 0}, 13, 13},
  };
  const auto scaled = [](Quantized q) {
    return MultiplyDoubleRounding((q.code - q.zero_point) * 256, QuantizeMultiplier(double{q.scale}));
  };
  for (const Case& c : cases) {
    EXPECT_EQ(scaled(c.a), c.want_a) << c.a.code << " * " << c.a.scale;
    EXPECT_EQ(scaled(c.b), c.want_b) << c.b.code << " * " << c.b.scale;
  }
}

TEST(OperatorVectors, Requantization) {
  struct Case {
    Quantized in;
    float out_scale;
    int32_t out_zero_point;
    int32_t want;
  };
  const Case cases[] = {
      {{1, 0.5f, 0}, 1.0f, 0, 1},
      {{-1, 0.5f, 0}, 1.0f, 0, 0},
      {{3, 0.5f, 0}, 1.0f, 0, 2},
      {{-3, 0.5f, 0}, 1.0f, 0, -1},
      {{127, 0.10000000149011612f, -128}, 0.05000000074505806f, 0, 127},
      {{-128, 0.10000000149011612f, 127}, 0.20000000298023224f, 0, -127},
      {{64, 0.019999999552965164f, 0}, 0.029999999329447746f, -128, -85},
      {{5, 0.10000000149011612f, 5}, 0.699999988079071f, -7, -7},
      {{-77, 0.023499999195337296f, 3}, 0.011699999682605267f, 4, -128},
      {{100, 1.0f, 0}, 0.5f, 100, 127},
  };
  for (const Case& c : cases) {
    const Multiplier m = QuantizeMultiplier(double{c.in.scale} / double{c.out_scale});
    const int32_t code = MultiplyDoubleRounding(c.in.code - c.in.zero_point, m) + c.out_zero_point;
    EXPECT_EQ(ClampToInt8(code, -128, 127), c.want) << c.in.code << " * " << c.in.scale;
  }
}

}  // namespace
}  // namespace lutra
