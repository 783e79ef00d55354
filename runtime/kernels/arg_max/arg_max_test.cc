// SPDX-License-Identifier: Apache-2.0
// Every variant against a search with the standard library.

#include "lutra/kernels/arg_max/arg_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

constexpr int32_t kShapes[][3] = {{1, 1, 1}, {1, 10, 1}, {3, 33, 1}, {1, 7, 5}, {4, 6, 9}, {2, 257, 3}};

template <typename Element, typename Index>
void Check(ArgMaxFn run, bool smallest) {
  for (const auto& [outer, count, inner] : kShapes) {
    std::vector<int8_t> codes(outer * count * inner);
    FillBytes(5, static_cast<int32_t>(codes.size()), codes.data());
    std::vector<Element> input;
    // Few values, so that many are equal.
    for (const int8_t code : codes) input.push_back(static_cast<Element>(code / 16));
    std::vector<Index> right = {-7};
    for (int32_t o = 0; o < outer; ++o) {
      for (int32_t i = 0; i < inner; ++i) {
        std::vector<Element> line;
        for (int32_t k = 0; k < count; ++k) line.push_back(input[(o * count + k) * inner + i]);
        const auto best = smallest ? std::min_element(line.begin(), line.end())
                                   : std::max_element(line.begin(), line.end());
        right.push_back(static_cast<Index>(best - line.begin()));
      }
    }
    right.push_back(-7);
    std::vector<Index> output(right.size(), -7);
    run({input.data(), output.data() + 1, outer, count, inner, smallest, sizeof(Index) == 8});
    EXPECT_EQ(output, right) << outer << " x " << count << " x " << inner;
  }
}

template <typename Element>
void CheckAll(ArgMaxFn run) {
  for (const bool smallest : {false, true}) {
    Check<Element, int32_t>(run, smallest);
    Check<Element, int64_t>(run, smallest);
  }
}

class ArgMaxInt8 : public testing::TestWithParam<Variant<ArgMaxFn>> {};
TEST_P(ArgMaxInt8, TakesTheFirstOfEqualOnes) { CheckAll<int8_t>(GetParam().run); }
INSTANTIATE_TEST_SUITE_P(, ArgMaxInt8, testing::ValuesIn(kArgMaxInt8),
                         [](const auto& info) { return std::string(info.param.name); });

class ArgMaxFloat : public testing::TestWithParam<Variant<ArgMaxFn>> {};
TEST_P(ArgMaxFloat, TakesTheFirstOfEqualOnes) { CheckAll<float>(GetParam().run); }
INSTANTIATE_TEST_SUITE_P(, ArgMaxFloat, testing::ValuesIn(kArgMaxFloat),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lutra
