// SPDX-License-Identifier: Apache-2.0
// Ranges of activations, by hand and against the specification's vectors.

#include "lutra/fixed_point/activation.h"

#include <gtest/gtest.h>

#include <limits>

namespace lutra {
namespace {

TEST(QuantizedActivationRange, MatchesTheVectors) {
  struct Case {
    Activation activation;
    float scale;
    int32_t zero_point;
    ActivationRange want;
  };
  const Case cases[] = {
      {Activation::kNone, 0.10000000149011612f, 0, {-128, 127}},
      {Activation::kRelu, 0.10000000149011612f, 0, {0, 127}},
      {Activation::kRelu, 0.019999999552965164f, -128, {-128, 127}},
      {Activation::kRelu6, 0.0235294122248888f, -128, {-128, 127}},
      {Activation::kRelu6, 0.05000000074505806f, -10, {-10, 110}},
      {Activation::kRelu6, 0.03999999910593033f, 0, {0, 127}},
      {Activation::kRelu6, 0.046875f, -1, {-1, 127}},
      {Activation::kReluN1To1, 0.0078125f, 0, {-128, 127}},
      {Activation::kReluN1To1, 0.029999999329447746f, 5, {-28, 38}},
      {Activation::kReluN1To1, 0.4000000059604645f, 0, {-3, 3}},
      {Activation::kRelu6, 4.0f, 0, {0, 2}},
      {Activation::kRelu, 1.0f, 127, {127, 127}},
      {Activation::kRelu6, 0.04f, -128, {-128, 22}},
      // Bounds far outside int8, but inside int32.
      {Activation::kReluN1To1, 0x1p-30f, 127, {-128, 127}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << int{static_cast<uint8_t>(c.activation)} << ", " << c.scale);
    ActivationRange got = {99, 99};
    EXPECT_TRUE(QuantizedActivationRange(c.activation, c.scale, c.zero_point, &got));
    EXPECT_EQ(got.min, c.want.min);
    EXPECT_EQ(got.max, c.want.max);
  }
}

TEST(QuantizedActivationRange, RoundsTheFloat32Quotient) {
  // 6 / scale is below 24.5 as a real number, but 24.5 in float32.
  constexpr float kScale = 0x1.f58d1p-3f;
  ASSERT_LT(6.0 / double{kScale}, 24.5);
  ASSERT_EQ(6.0f / kScale, 24.5f);
  ActivationRange got;
  ASSERT_TRUE(QuantizedActivationRange(Activation::kRelu6, kScale, 0, &got));
  EXPECT_EQ(got.max, 25);
}

TEST(QuantizedActivationRange, RefusesWhatHasNoRange) {
  using Float = std::numeric_limits<float>;
  const auto refused = [](Activation activation, float scale, int32_t zero_point) {
    ActivationRange range = {99, 99};
    const bool ok = QuantizedActivationRange(activation, scale, zero_point, &range);
    return !ok && range.min == 99 && range.max == 99;
  };
  EXPECT_TRUE(refused(Activation::kTanh, 1.0f, 0));
  EXPECT_TRUE(refused(Activation::kSignBit, 1.0f, 0));
  EXPECT_TRUE(refused(static_cast<Activation>(6), 1.0f, 0));
  EXPECT_TRUE(refused(static_cast<Activation>(255), 1.0f, 0));
  EXPECT_TRUE(refused(Activation::kNone, 1.0f, 128));
  EXPECT_TRUE(refused(Activation::kRelu, 1.0f, INT32_MIN));
  for (const float scale : {0.0f, -1.0f, Float::infinity(), -Float::infinity(), Float::quiet_NaN()}) {
    EXPECT_TRUE(refused(Activation::kRelu, scale, 0)) << scale;
    EXPECT_TRUE(refused(Activation::kRelu6, scale, 0)) << scale;
  }
  EXPECT_TRUE(refused(Activation::kReluN1To1, 0x1p-31f, 0));
  EXPECT_FALSE(refused(Activation::kReluN1To1, 0x1.000002p-31f, 0));
  EXPECT_TRUE(refused(Activation::kRelu6, Float::denorm_min(), 0));
}

TEST(QuantizedActivationRange, NoneNeedsNoScale) {
  ActivationRange got = {};
  EXPECT_TRUE(QuantizedActivationRange(Activation::kNone, 0.0f, -128, &got));
  EXPECT_EQ(got.min, -128);
  EXPECT_EQ(got.max, 127);
}

}  // namespace
}  // namespace lutra
