// SPDX-License-Identifier: Apache-2.0
// Every variant against the rule in wide integers, for all pairs of codes.

#include "lutra/kernels/prelu/prelu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

class Prelu : public KernelTest<PreluFn> {};

TEST_P(Prelu, IsExactForAllPairsOfCodes) {
  std::vector<int8_t> codes;
  for (int code = -128; code < 128; ++code) codes.push_back(static_cast<int8_t>(code));
  PreluArgs args = {};
  args.input = codes.data();
  args.input_step = 1;
  args.input_zero_point = -5;
  args.alpha_zero_point = 7;
  args.output_zero_point = 11;
  args.positive = QuantizeMultiplier(0.7);
  args.negative = QuantizeMultiplier(0.013);
  for (const int8_t alpha : codes) {
    std::vector<int8_t> output(257, 99);
    args.alpha = &alpha;
    args.output = output.data();
    Run(args, 0, 256);
    for (int i = 0; i < 256; ++i) {
      const int32_t x = codes[i] + 5;
      const int64_t scaled = x >= 0 ? MultiplyByQuantizedMultiplier(x, args.positive)
                                    : MultiplyByQuantizedMultiplier(x * (alpha - 7), args.negative);
      ASSERT_EQ(output[i], std::clamp<int64_t>(scaled + 11, -128, 127))
          << int{codes[i]} << ", " << int{alpha};
    }
    EXPECT_EQ(output[256], 99);
  }
}

TEST_P(Prelu, RepeatsInputsForSizesOfNetworks) {
  const PreluArgs rule = {.input_zero_point = -5,
                          .alpha_zero_point = 7,
                          .output_zero_point = 11,
                          .positive = QuantizeMultiplier(0.7),
                          .negative = QuantizeMultiplier(0.013)};
  for (const int32_t count : NetworkSizes(1024)) {
    for (int steps = 0; steps < 4; ++steps) {
      std::vector<int8_t> input(static_cast<size_t>(count) + 2);
      std::vector<int8_t> alpha(input.size());
      std::vector<int8_t> output(input.size(), 99);
      FillBytes(1, count + 2, input.data());
      FillBytes(2, count + 2, alpha.data());
      PreluArgs args = rule;
      args.input = input.data();
      args.alpha = alpha.data();
      args.output = output.data();
      args.input_step = steps & 1;
      args.alpha_step = steps >> 1;
      Run(args, 1, count);
      EXPECT_EQ(output.front(), 99);
      EXPECT_EQ(output.back(), 99);
      for (int32_t i = 1; i <= count; ++i) {
        const int32_t x = input[i * args.input_step] + 5;
        const int64_t scaled =
            x >= 0 ? MultiplyByQuantizedMultiplier(x, args.positive)
                   : MultiplyByQuantizedMultiplier(x * (alpha[i * args.alpha_step] - 7), args.negative);
        ASSERT_EQ(output[i], std::clamp<int64_t>(scaled + 11, -128, 127)) << i;
      }
    }
  }
}

TEST_P(Prelu, EqualsTheReferenceAtPageEdges) {
  for (const PageEdge::Side side : kPageEdges) {
    uint32_t seed = 0;
    for (const int32_t count : EdgeSizes()) {
      const FilledEdge input(++seed, count, side), alpha(seed + 1, count, side);
      const FilledEdge output(1, count, side), right(2, count, side);
      PreluArgs args = {};
      args.input = reinterpret_cast<const int8_t*>(input.data());
      args.alpha = reinterpret_cast<const int8_t*>(alpha.data());
      args.input_step = seed % 5 != 0 ? 1 : 0;
      args.alpha_step = seed % 3 != 0 ? 1 : 0;
      args.input_zero_point = static_cast<int32_t>(seed * 11 % 256) - 128;
      args.alpha_zero_point = static_cast<int32_t>(seed * 7 % 256) - 128;
      args.output_zero_point = static_cast<int32_t>(seed * 3 % 256) - 128;
      // 9 and 17 bits allow these multipliers.
      args.positive = {INT32_MAX - static_cast<int32_t>(seed * 1000003),
                       static_cast<int32_t>(seed % 54) - 31};
      args.negative = {(1 << 30) + static_cast<int32_t>(seed * 1000003),
                       static_cast<int32_t>(seed % 46) - 31};
      args.output = reinterpret_cast<int8_t*>(output.data());
      Run(args, 0, count);
      args.output = reinterpret_cast<int8_t*>(right.data());
      RunReference(args, 0, count);
      ASSERT_EQ(output.Bytes(count), right.Bytes(count)) << count;
    }
  }
}

LUTRA_TEST_TABLE(Prelu, kPreluInt8);

class PreluInt16 : public KernelTest<PreluInt16Fn> {};

TEST_P(PreluInt16, IsExactForAllSlopes) {
  std::vector<int16_t> codes = {-32768, -32767, -1, 0, 1, 32766, 32767};
  for (int code = -32768; code < 32768; code += 997) codes.push_back(static_cast<int16_t>(code));
  const auto count = static_cast<int32_t>(codes.size());
  for (int slope = -128; slope < 128; ++slope) {
    const auto alpha = static_cast<int8_t>(slope);
    std::vector<int16_t> output(codes.size() + 1, 99);
    const PreluInt16Args args = {.input = codes.data(),
                                 .alpha = &alpha,
                                 .output = output.data(),
                                 .input_step = 1,
                                 .input_zero_point = -3000,
                                 .alpha_zero_point = 7,
                                 .output_zero_point = 500,
                                 .positive = QuantizeMultiplier(0.7),
                                 .negative = QuantizeMultiplier(0.013)};
    Run(args, 0, count);
    for (int32_t i = 0; i < count; ++i) {
      const int32_t x = codes[i] + 3000;
      const int64_t scaled = x >= 0 ? MultiplyByQuantizedMultiplier(x, args.positive)
                                    : MultiplyByQuantizedMultiplier(x * (slope - 7), args.negative);
      ASSERT_EQ(output[i], std::clamp<int64_t>(scaled + 500, -32768, 32767)) << codes[i] << ", " << slope;
    }
    EXPECT_EQ(output.back(), 99);
  }
}

LUTRA_TEST_TABLE(PreluInt16, kPreluInt16);

class PreluFloat : public KernelTest<PreluFloatFn> {};

TEST_P(PreluFloat, IsTheFormula) {
  for (const int32_t count : NetworkSizes(1024)) {
    for (int steps = 0; steps < 4; ++steps) {
      std::vector<float> input(static_cast<size_t>(count) + 2), alpha(input.size());
      std::vector<float> output(input.size(), 99);
      for (size_t i = 0; i < input.size(); ++i) {
        input[i] = static_cast<float>(i * 37 % 101) - 50;
        alpha[i] = static_cast<float>(i * 23 % 89) / 30 - 1;
      }
      const PreluFloatArgs args = {input.data(), alpha.data(), output.data(), steps & 1, steps >> 1};
      Run(args, 1, count);
      EXPECT_EQ(output.front(), 99);
      EXPECT_EQ(output.back(), 99);
      for (int32_t i = 1; i <= count; ++i) {
        const float x = input[i * args.input_step];
        ASSERT_EQ(output[i], x >= 0 ? x : x * alpha[i * args.alpha_step]) << i;
      }
    }
  }
}

LUTRA_TEST_TABLE(PreluFloat, kPreluFloat);

}  // namespace
}  // namespace lutra
