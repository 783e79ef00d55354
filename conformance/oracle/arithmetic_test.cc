// SPDX-License-Identifier: Apache-2.0
// Compares the oracle's arithmetic with vectors that were computed with TensorFlow Lite Micro.

#include "conformance/oracle/arithmetic.h"

#include <gtest/gtest.h>

#include "conformance/oracle/legacy16.h"
#include "conformance/oracle/node.h"

namespace lutra::conformance::oracle {
namespace {

TEST(Vectors, QuantizeMultiplier) {
  const struct {
    double d;
    int64_t value;
    int shift;
  } vectors[] = {{0, 0, 0},
                 {0x1p+0, 1073741824, 1},
                 {0x1p-1, 1073741824, 0},
                 {0x1p-2, 1073741824, -1},
                 {0x1.999999999999ap-4, 1717986918, -3},
                 {0x1p+1, 1073741824, 2},
                 {0x1.fffffffffffffp-1, 1073741824, 1},
                 {0x1.ffffffffp-1, 1073741824, 1},
                 {0x1.fffffffep-1, 1073741824, 1},
                 {0x1.fffffffcp-1, 2147483647, 0},
                 {0x1.a36e2eb1c432dp-14, 1759218604, -13},
                 {0x1p-32, 1073741824, -31},
                 {0x1.80000000p-32, 1610612736, -31},
                 {0x1.fff972474538fp-33, 0, 0},
                 {0x1.4ea48d1058974p-10, 1403593540, -9},
                 {0x1p+30, 1073741824, 31},
                 {0x1.80000000p+29, 1610612736, 30},
                 {0x1.19799812dea11p-40, 0, 0},
                 {0x1.e240c9fbe76c9p+16, 2022716031, 17}};
  for (const auto& v : vectors) {
    const Multiplier m = QuantizeMultiplier(v.d);
    EXPECT_EQ(m.value, v.value) << v.d;
    EXPECT_EQ(m.shift, v.shift) << v.d;
    const Multiplier single = QuantizeMultiplier(v.d, Rounding::kSingle);
    EXPECT_EQ(single.value, v.shift > 30 ? INT32_MAX : v.value) << v.d;
    EXPECT_EQ(single.shift, v.shift > 30 ? 30 : v.shift) << v.d;
  }
}

// Vectors computed by hand from the definition: 15 bits, round half up; products modulo 2^32; shifts that
// round down.
TEST(Vectors, QuantizeMultiplier16AndScale16) {
  const struct {
    double d;
    int64_t value;
    int shift;
  } vectors[] = {{0, 0, 0},
                 {0.5, 1 << 14, 0},
                 {0.75, 24576, 0},
                 {1, 1 << 14, 1},
                 {1e-6, 17180, -19},
                 {9e-7, 0, 0},
                 {0x1p-16, 1 << 14, -15},
                 {0x1.fp-17, 0, 0},
                 {0x1.ffffp-1, 1 << 14, 1},
                 {0x1p47, 1 << 14, 48}};
  for (const auto& v : vectors) {
    const Multiplier m = QuantizeMultiplier16(v.d);
    const bool is_too_small = v.shift < -15;
    EXPECT_EQ(m.value, is_too_small ? 0 : v.value) << v.d;
    EXPECT_EQ(m.shift, is_too_small ? 0 : v.shift) << v.d;
  }
  EXPECT_EQ(Scale16(5, {1 << 14, 0}), 2);
  EXPECT_EQ(Scale16(-5, {1 << 14, 0}), -3);
  EXPECT_EQ(Scale16((1 << 17) - 1, {1 << 14, -9}), 127);
  EXPECT_EQ(Scale16(1 << 17, {1 << 14, -9}), -128) << "2^31 is negative";
  EXPECT_EQ(Scale16(3, {1 << 14, 16}), 3 << 15);
  EXPECT_EQ(Scale16(1, {1 << 14, 32}), INT32_MIN);
  EXPECT_EQ(Scale16(3, {1 << 14, 47}), 0) << "nothing is left";
}

TEST(Vectors, HighMul) {
  const struct {
    int64_t a, b, result;
  } vectors[] = {{1, 1073741824, 1},
                 {-1, 1073741824, 0},
                 {3, 1073741824, 2},
                 {-3, 1073741824, -1},
                 {5, 1073741824, 3},
                 {-5, 1073741824, -2},
                 {INT32_MIN, INT32_MIN, 2147483647},
                 {INT32_MIN, 2147483647, -2147483647},
                 {2147483647, 2147483647, 2147483646},
                 {INT32_MIN, 1073741824, -1073741824},
                 {1000000, 1518500250, 707107},
                 {-1000000, 1518500250, -707107},
                 {123456789, 1987654321, 114268353},
                 {0, 2147483647, 0}};
  for (const auto& v : vectors) EXPECT_EQ(HighMul(v.a, v.b), v.result) << v.a << " * " << v.b;
}

TEST(Vectors, DivideByPowerOfTwo) {
  const struct {
    int64_t x;
    int exponent;
    int64_t result;
  } vectors[] = {{1, 1, 1},
                 {-1, 1, -1},
                 {3, 1, 2},
                 {-3, 1, -2},
                 {5, 2, 1},
                 {-5, 2, -1},
                 {6, 2, 2},
                 {-6, 2, -2},
                 {7, 0, 7},
                 {-128, 8, -1},
                 {-127, 8, 0},
                 {127, 8, 0},
                 {128, 8, 1},
                 {2147483647, 31, 1},
                 {INT32_MIN, 31, -1},
                 {INT32_MIN, 1, -1073741824},
                 {-1073741824, 31, -1},
                 {1073741824, 31, 1}};
  for (const auto& v : vectors) {
    EXPECT_EQ(DivideByPowerOfTwo(v.x, v.exponent), v.result) << v.x << ", " << v.exponent;
  }
}

TEST(Vectors, Scale) {
  const struct {
    int64_t x;
    Multiplier multiplier;
    int64_t of_double, of_single;
  } vectors[] = {{100, {1073741824, 1}, 100, 100},
                 {-100, {1073741824, 0}, -50, -50},
                 {1, {1073741824, 0}, 1, 1},
                 {-1, {1073741824, 0}, 0, 0},
                 {-1, {1073741824, -1}, 0, 0},
                 {-2, {1073741824, -1}, -1, 0},
                 {2, {1073741824, -1}, 1, 1},
                 {-3, {1073741824, -1}, -1, -1},
                 {-6, {1073741824, -1}, -2, -1},
                 {6, {1073741824, -1}, 2, 2},
                 {3, {1073741824, -1}, 1, 1},
                 {1, {1073741824, -1}, 1, 0},
                 {5, {1073741824, -1}, 2, 1},
                 {-5, {1073741824, -1}, -1, -1},
                 {12345, {1518500250, -5}, 273, 273},
                 {-12345, {1518500250, -5}, -273, -273},
                 {1000000, {1276901417, -12}, 145, 145},
                 {-1000000, {1276901417, -12}, -145, -145},
                 {127, {2147483647, 7}, 16256, 16256},
                 {-33292288, {1700000000, -9}, -51475, -51475},
                 {1073741824, {1073741824, -31}, 0, 0},
                 {-1073741824, {1073741824, -31}, 0, 0},
                 {INT32_MIN, {2147483647, 0}, -2147483647, -2147483647},
                 // Both the left shift and, with one rounding, the result wrap.
                 {0x60000000, {1073741824, 2}, -1073741824, -1073741824},
                 {0, {2147483647, -3}, 0, 0}};
  for (const auto& v : vectors) {
    const Multiplier m = v.multiplier;
    EXPECT_EQ(Scale(v.x, m, Rounding::kDouble), v.of_double) << v.x << " * " << m.value << ", " << m.shift;
    EXPECT_EQ(Scale(v.x, m, Rounding::kSingle), v.of_single) << v.x << " * " << m.value << ", " << m.shift;
  }
}

// Only ties of the second step differ from kDouble.
TEST(Vectors, ScaleWithTiesUp) {
  const Multiplier quarter = {1 << 30, -1};
  EXPECT_EQ(Scale(-2, quarter, Rounding::kDoubleUp), 0);
  EXPECT_EQ(Scale(-6, quarter, Rounding::kDoubleUp), -1);
  EXPECT_EQ(Scale(2, quarter, Rounding::kDoubleUp), 1);
  EXPECT_EQ(Scale(1, quarter, Rounding::kDoubleUp), 1);
  EXPECT_EQ(Scale(-7, quarter, Rounding::kDoubleUp), -1);
  EXPECT_EQ(Scale(-100, {1 << 30, 1}, Rounding::kDoubleUp), -100);
}

struct OfRaw {
  int64_t raw, result;
};

TEST(Vectors, ExpOnNegative) {
  const OfRaw vectors[] = {{0, 2147483647},         {-1, 2147483124},       {-16777216, 1672462419},
                           {-33554432, 1302515042}, {-67108864, 790015308}, {-201326592, 106916946},
                           {-134230073, 290576784}, {-536870912, 720401},   {-1073741824, 242},
                           {-1342177280, 4},        {INT32_MIN, 0}};
  for (const OfRaw& v : vectors) EXPECT_EQ(ExpOnNegative(v.raw, 5), v.result) << v.raw;
}

TEST(Vectors, Logistic) {
  const OfRaw vectors[] = {{0, 1073741824},         {1, 1073741948},          {33554432, 1207264694},
                           {-33554432, 940218953},  {134217728, 1569936226},  {-134217728, 577547421},
                           {268435456, 1891497262}, {-268435456, 255986385},  {402653184, 2045637336},
                           {-402653184, 101846311}, {2147483647, 2147483406}, {-2147483647, 241}};
  for (const OfRaw& v : vectors) EXPECT_EQ(Logistic(v.raw), v.result) << v.raw;
}

TEST(Vectors, Tanh) {
  const OfRaw vectors[] = {{0, 0},
                           {1, 260},
                           {-1, -260},
                           {33554432, 525958532},
                           {-33554432, -525958532},
                           {134217728, 1635510876},
                           {-134217728, -1635510876},
                           {268435456, 2070233436},
                           {402653184, 2136863820},
                           {-402653184, -2136863820},
                           {2147483647, 2147483647}};
  for (const OfRaw& v : vectors) EXPECT_EQ(Tanh(v.raw), v.result) << v.raw;
}

TEST(Vectors, OneOverOnePlus) {
  const OfRaw vectors[] = {{0, 2147483647},          {536870912, 1717986914},  {1073741824, 1431655762},
                           {1610612736, 1227133516}, {2147483647, 1073741820}, {1048575, 2146435586},
                           {12345678, 2135208542},   {99999999, 2051933074},   {1234567890, 1363576508},
                           {2000000000, 1111923858}};
  for (const OfRaw& v : vectors) EXPECT_EQ(OneOverOnePlus(v.raw), v.result) << v.raw;
}

TEST(Vectors, LogOfAtLeastOne) {
  const OfRaw vectors[] = {{524288, 0},
                           {524289, 128},
                           {786432, 27210304},
                           {1048576, 46516320},
                           {2621440, 108007550},
                           {5242880, 154523870},
                           {52428800, 309047740},
                           {524288000, 463571608},
                           {2146959360, 558179452},
                           {2147483647, 558195838}};
  for (const OfRaw& v : vectors) EXPECT_EQ(LogOfAtLeastOne(v.raw), v.result) << v.raw;
}

TEST(Vectors, InverseSqrt) {
  const struct {
    int64_t x, value;
    int shift;
  } vectors[] = {{0, 2147483647, 0},          {1, 2147483647, 0},          {2, 1518498372, 0},
                 {3, 1239850284, 0},          {4, 1073741828, 0},          {100, 214748363, 0},
                 {65025, 269488147, -5},      {49152, 309962571, -5},      {4161600, 269488147, -8},
                 {123456789, 197912100, -10}, {2147483647, 189812531, -12}};
  for (const auto& v : vectors) {
    EXPECT_EQ(InverseSqrt(v.x).value, v.value) << v.x;
    EXPECT_EQ(InverseSqrt(v.x).shift, v.shift) << v.x;
  }
}

TEST(Vectors, ActivationRange) {
  const struct {
    Activation activation;
    float scale;
    int64_t zero_point, low, high;
  } vectors[] = {{Activation::kNone, 0.10000000149011612f, 0, -128, 127},
                 {Activation::kRelu, 0.10000000149011612f, 0, 0, 127},
                 {Activation::kRelu, 0.019999999552965164f, -128, -128, 127},
                 {Activation::kRelu6, 0.0235294122248888f, -128, -128, 127},
                 {Activation::kRelu6, 0.05000000074505806f, -10, -10, 110},
                 {Activation::kRelu6, 0.03999999910593033f, 0, 0, 127},
                 {Activation::kRelu6, 0.046875f, -1, -1, 127},
                 {Activation::kReluN1To1, 0.0078125f, 0, -128, 127},
                 {Activation::kReluN1To1, 0.029999999329447746f, 5, -28, 38},
                 {Activation::kReluN1To1, 0.4000000059604645f, 0, -3, 3},
                 {Activation::kRelu6, 4.0f, 0, 0, 2},
                 {Activation::kRelu, 1.0f, 127, 127, 127}};
  for (const auto& v : vectors) {
    const Range range = ActivationRange(static_cast<int8_t>(v.activation), {v.scale, v.zero_point});
    EXPECT_EQ(range.low, v.low) << v.scale << ", " << v.zero_point;
    EXPECT_EQ(range.high, v.high) << v.scale << ", " << v.zero_point;
  }
}

TEST(ActivationRange, RefusesTanhAndSignBit) {
  EXPECT_THROW(ActivationRange(4, {1, 0}), Unspecified);
  EXPECT_THROW(ActivationRange(5, {1, 0}), Unspecified);
}

}  // namespace
}  // namespace lutra::conformance::oracle
