// SPDX-License-Identifier: Apache-2.0
// Every variant on recorded values of int8 comparisons, and on the other types as they are.

#include "lutra/kernels/compare/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

class Compare : public KernelTest<CompareFn> {};

// The results of each comparison for a < b, a == b and a > b.
constexpr bool kTruth[6][3] = {{false, true, false}, {true, false, true},  {false, false, true},
                               {false, true, true},  {true, false, false}, {true, true, false}};

TEST_P(Compare, ComparesRealValuesOfCodes) {
  struct Pair {
    int8_t a;
    int32_t a_zero_point;
    float a_scale;
    int8_t b;
    int32_t b_zero_point;
    float b_scale;
    int order;  // 0: a < b, 1: a == b, 2: a > b.
  };
  // Real values are rounded to 1/256: codes that round to the same value are equal.
  const Pair pairs[] = {{1, 0, 0.5f, 2, 0, 0.25f, 1},      {1, 0, 0.001f, 2, 0, 0.001f, 0},
                        {50, 0, 0.001f, 51, 0, 0.001f, 1}, {50, 0, 0.01f, 51, 0, 0.01f, 0},
                        {0, 3, 0.02f, 0, -3, 0.02f, 0},    {-128, 127, 0.9f, -128, 127, 0.9f, 1},
                        {5, 0, 0.5f, 4, 0, 0.5f, 2}};
  for (const Pair& p : pairs) {
    for (int comparison = 0; comparison < 6; ++comparison) {
      uint8_t output = 7;
      const CompareArgs args = {.comparison = static_cast<Comparison>(comparison),
                                .type = TensorType::kInt8,
                                .a = &p.a,
                                .b = &p.b,
                                .output = &output,
                                .a_step = 1,
                                .b_step = 1,
                                .a_zero_point = p.a_zero_point,
                                .b_zero_point = p.b_zero_point,
                                .a_multiplier = QuantizeMultiplier(static_cast<double>(p.a_scale)),
                                .b_multiplier = QuantizeMultiplier(static_cast<double>(p.b_scale))};
      Run(args, 0, 1);
      EXPECT_EQ(output, kTruth[comparison][p.order] ? 1 : 0)
          << comparison << ": " << int{p.a} << ", " << int{p.b};
    }
  }
}

template <typename T, typename Kernel>
void ExpectRaw(const Kernel& run, TensorType type) {
  // The values are 1, 2 and 3 in turn, less than, equal to or greater than 2.
  std::vector<T> a;
  for (int i = 0; i < 1030; ++i) a.push_back(static_cast<T>(1 + i % 3));
  const std::vector<T> b(a.size(), 2);
  for (int comparison = 0; comparison < 6; ++comparison) {
    // Compares all of `a` with `b`, and with one repeated element of `b`; a guard follows the last result.
    for (const int32_t step : {0, 1}) {
      for (const int32_t count : NetworkSizes(1024)) {
        std::vector<uint8_t> output(a.size(), 9);
        CompareArgs args = {};
        args.comparison = static_cast<Comparison>(comparison);
        args.type = type;
        args.a = a.data();
        args.b = b.data();
        args.output = output.data();
        args.a_step = 1;
        args.b_step = step;
        run(args, 0, count);
        for (int32_t i = 0; i < count; ++i) ASSERT_EQ(output[i], kTruth[comparison][i % 3] ? 1 : 0) << i;
        EXPECT_EQ(output[count], 9);
      }
    }
  }
}

TEST_P(Compare, ComparesOtherTypesAsTheyAre) {
  ExpectRaw<int16_t>(kernel(), TensorType::kInt16);
  ExpectRaw<int32_t>(kernel(), TensorType::kInt32);
  ExpectRaw<int64_t>(kernel(), TensorType::kInt64);
  ExpectRaw<uint8_t>(kernel(), TensorType::kUInt8);
  ExpectRaw<float>(kernel(), TensorType::kFloat32);
}

TEST_P(Compare, WorksInPlaceOfEitherInput) {
  const int8_t a[] = {-3, 4, 5, 100, -100};
  const int8_t b[] = {4, 4, -5, 99, -100};
  for (const bool first : {true, false}) {
    int8_t x[5];
    int8_t y[5];
    std::copy(a, a + 5, x);
    std::copy(b, b + 5, y);
    CompareArgs args = {};
    args.comparison = Comparison::kLess;
    args.type = TensorType::kInt8;
    args.a = x;
    args.b = y;
    args.output = reinterpret_cast<uint8_t*>(first ? x : y);
    args.a_step = args.b_step = 1;
    args.a_multiplier = args.b_multiplier = QuantizeMultiplier(0.5);
    Run(args, 0, 5);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(args.output[i], a[i] < b[i] ? 1 : 0) << i;
  }
}

TEST_P(Compare, EqualsTheReferenceAtPageEdges) {
  for (const PageEdge::Side side : kPageEdges) {
    uint32_t seed = 0;
    for (const int32_t count : EdgeSizes()) {
      for (int comparison = 0; comparison < 6; ++comparison) {
        const FilledEdge a(++seed, count, side), b(seed + 1, count, side);
        const FilledEdge output(1, count, side), right(2, count, side);
        // Half of them are equal.
        std::copy_n(a.data(), count / 2, b.data());
        const bool same_scale = seed % 2 == 0;
        const auto shift = static_cast<int32_t>(seed % 46) - 31;  // Shifts that 17 bits allow.
        CompareArgs args = {};
        args.comparison = static_cast<Comparison>(comparison);
        args.type = TensorType::kInt8;
        const int32_t first = count % 2 == 0 ? 0 : 4000;
        args.a_step = seed % 7 != 0 ? 1 : 0;
        args.b_step = seed % 5 != 0 ? 1 : 0;
        args.a = BeforeElement(a.data(), first, args.a_step);
        args.b = BeforeElement(b.data(), first, args.b_step);
        args.a_zero_point = static_cast<int32_t>(seed % 256) - 128;
        args.b_zero_point = same_scale ? args.a_zero_point : -args.a_zero_point;
        args.a_multiplier = {(1 << 30) + static_cast<int32_t>(seed * 100003), shift};
        args.b_multiplier = same_scale ? args.a_multiplier : Multiplier{INT32_MAX, shift - (shift > -31)};
        args.output = BeforeElement(output.data(), first);
        Run(args, first, count);
        args.output = BeforeElement(right.data(), first);
        RunReference(args, first, count);
        ASSERT_EQ(output.Bytes(count), right.Bytes(count)) << count << ", " << comparison;
      }
    }
  }
}

LUTRA_TEST_TABLE(Compare, kCompare);

}  // namespace
}  // namespace lutra
