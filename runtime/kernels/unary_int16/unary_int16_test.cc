// SPDX-License-Identifier: Apache-2.0
// Every variant for every code: pieces against the formula, sigmoids against values of TFLite Micro and the
// real function.

#include "lutra/kernels/unary_int16/unary_int16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/kernels/unary_int16/unary_int16_cases.h"
#include "runtime/testing/conv_problem.h"
#include "runtime/testing/kernel_test.h"

namespace lutra {
namespace {

std::vector<int16_t> AllCodes() {
  std::vector<int16_t> codes;
  for (int32_t code = INT16_MIN; code <= INT16_MAX; ++code) codes.push_back(static_cast<int16_t>(code));
  return codes;
}

// Runs in place on all codes; a run on all but the first and the last must not change these two.
template <typename Test, typename Args>
std::vector<int16_t> OfAllCodes(const Test& test, Args args) {
  std::vector<int16_t> codes = AllCodes();
  args.input = args.output = codes.data();
  test.Run(args, 1, static_cast<int32_t>(codes.size()) - 2);
  EXPECT_EQ(codes.front(), INT16_MIN);
  EXPECT_EQ(codes.back(), INT16_MAX);
  codes = AllCodes();
  args.input = args.output = codes.data();
  test.Run(args, 0, static_cast<int32_t>(codes.size()));
  return codes;
}

class PiecewiseInt16 : public KernelTest<PiecewiseInt16Fn> {};
TEST_P(PiecewiseInt16, MatchesTheFormulaForEveryCode) {
  for (const PiecewiseInt16Args& args : kPiecewiseInt16Cases) {
    const std::vector<int16_t> output = OfAllCodes(*this, args);
    for (int32_t code = INT16_MIN; code <= INT16_MAX; ++code) {
      const int32_t x = code - args.in_zero_point;
      const int32_t mirrored = args.mirrors_negative ? -x : x;
      const int32_t scaled =
          x >= 0 ? RequantizedInTwoSteps(x, args.positive) : RequantizedInTwoSteps(mirrored, args.negative);
      const auto expected =
          static_cast<int16_t>(std::clamp(scaled + args.out_zero_point, args.min, args.max));
      ASSERT_EQ(output[code - INT16_MIN], expected) << code;
    }
  }
}
LUTRA_TEST_TABLE(PiecewiseInt16, kPiecewiseInt16);

class SigmoidInt16 : public KernelTest<SigmoidInt16Fn> {
 protected:
  void Expect(const SigmoidInt16Args& args, const std::vector<int16_t>& expected) const {
    const int32_t codes[] = {-32768, -20000, -8192, -4096, -1024, -256, -1,    0,
                             1,      3,      256,   1024,  4096,  8192, 20000, 32767};
    const std::vector<int16_t> output = OfAllCodes(*this, args);
    for (size_t i = 0; i < std::size(codes); ++i) {
      EXPECT_EQ(output[codes[i] - INT16_MIN], expected[i]) << codes[i];
    }
  }
};
// Outputs of TFLite Micro: scales of 2^-12, 2^-11 and 0.001.
TEST_P(SigmoidInt16, EqualsTfliteMicro) {
  Expect({nullptr, nullptr, false, 0, 0}, {11, 247, 3906, 8812, 14346, 15872, 16382, 16384, 16386, 16390,
                                           16896, 18422, 23956, 28862, 32521, 32757});
  Expect({nullptr, nullptr, true, 0, 0}, {-32767, -32764, -31589, -24956, -8026, -2045, -8, 0, 8, 24, 2045,
                                          8026, 24956, 31589, 32764, 32767});
  Expect({nullptr, nullptr, false, 24576, 12}, {1, 2, 589, 3906, 12371, 15361, 16380, 16384, 16388, 16396,
                                                17407, 20397, 28862, 32179, 32766, 32767});
  Expect({nullptr, nullptr, true, 0, 1}, {-32767, -32767, -32746, -31589, -15143, -4075, -16, 0, 16, 48, 4075,
                                          15143, 31589, 32746, 32767, 32767});
  Expect({nullptr, nullptr, false, 25165, 11},
         {1, 1, 9, 536, 8660, 14298, 16376, 16384, 16392, 16409, 18470, 24109, 32232, 32759, 32767, 32767});
  Expect({nullptr, nullptr, true, 25165, 11}, {-32767, -32767, -32767, -32750, -25280, -8210, -32, 0, 32, 99,
                                               8210, 25281, 32750, 32767, 32767, 32767});
}
TEST_P(SigmoidInt16, IsNearTheFunctionForEveryCode) {
  for (const SigmoidInt16Args& args : kSigmoidInt16Cases) {
    const std::vector<int16_t> output = OfAllCodes(*this, args);
    const double factor =
        args.multiplier == 0 ? 3.0 * (1 << args.shift) : std::ldexp(args.multiplier, -args.shift);
    for (int32_t code = INT16_MIN; code <= INT16_MAX; ++code) {
      const double x = code * factor / 12288;
      const double real = args.is_tanh ? std::tanh(x) : 1 / (1 + std::exp(-x));
      // The tolerance is half a unit of the argument, and the error of the segments.
      ASSERT_NEAR(output[code - INT16_MIN], std::min(32767.0, real * 32768), 6) << code;
    }
  }
}
LUTRA_TEST_TABLE(SigmoidInt16, kSigmoidInt16);

}  // namespace
}  // namespace lutra
