// SPDX-License-Identifier: Apache-2.0
// Every variant against the rule in wide integers, for all pairs of codes.

#include "lutra/kernels/prelu/prelu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"

namespace lutra {
namespace {

class Prelu : public testing::TestWithParam<Variant<PreluFn>> {};

TEST_P(Prelu, IsExactForAllPairsOfCodes) {
  if ((GetParam().needs & ~CpuFeaturesHere()) != 0) GTEST_SKIP() << "this processor lacks it";
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
    GetParam().run(args, 0, 256);
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

INSTANTIATE_TEST_SUITE_P(, Prelu, testing::ValuesIn(kPreluInt8),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lutra
