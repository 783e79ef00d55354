// SPDX-License-Identifier: Apache-2.0
// The sigmoid's nodes, its ends and its symmetry.

#include "runtime/fixed_point/sigmoid_int16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "runtime/fixed_point/constant_exp.h"

namespace lutra {
namespace {

TEST(ConstantExp, IsTheFunction) {
  for (int i = -160; i <= 160; ++i) {
    const double x = i / 10.0 + 0.03;
    EXPECT_NEAR(ConstantExp(x) / std::exp(x), 1, 1e-12) << x;
  }
}

TEST(SigmoidInt16, IsNearTheFunctionAndStaysInItsRange) {
  for (int32_t y = -200000; y <= 200000; ++y) {
    const double x = y / 12288.0;
    ASSERT_NEAR(LogisticInt16(y), std::fmin(32767, 32768 / (1 + std::exp(-x))), 1.6) << y;
    ASSERT_NEAR(TanhInt16(y), std::fmin(32767, 32768 * std::tanh(x)), 3) << y;
  }
  for (const int32_t y : {INT32_MIN, INT32_MIN + 1, -10000000}) {
    EXPECT_EQ(LogisticInt16(y), 1);
    EXPECT_EQ(TanhInt16(y), -32767);
    EXPECT_EQ(LogisticInt16(-(y + 1)), 32767);
    EXPECT_EQ(TanhInt16(-(y + 1)), 32767);
  }
}

// Checks the codes at the ends of the segments.
TEST(SigmoidInt16, HasTheNodesOfTflite) {
  // From the rule: t[0] = 32768, t[255] = 65535; their sum over all nodes.
  int64_t sum = 65535;
  for (int32_t i = 0; i < 255; ++i) {
    // (t << 9 + 512) >> 10 loses the last bit; TANH keeps it.
    const int32_t node = TanhInt16(i << 8) + 32768;
    EXPECT_EQ(LogisticInt16(i << 9), (node + 1) / 2) << i;
    sum += node;
  }
  EXPECT_EQ(sum, 15670629);
}

}  // namespace
}  // namespace lutra
