// SPDX-License-Identifier: Apache-2.0
// Every variant against std::min and std::max, for each type, in place and with a repeated input.

#include "lutra/kernels/min_max/min_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lutra {
namespace {

class MinMax : public testing::TestWithParam<Variant<MinMaxFn>> {};

template <typename T>
void ExpectMinMax(MinMaxFn run, TensorType type) {
  const std::vector<T> a = {1, -2, 3, 100, -100, 5};
  const std::vector<T> b = {2, -3, 3, -100, 100, 4};
  for (const bool maximum : {true, false}) {
    for (const int32_t step : {0, 1}) {
      std::vector<T> output = a;
      run({maximum, type, output.data(), b.data(), output.data(), 1, step}, 1, 4);
      for (size_t i = 0; i < a.size(); ++i) {
        const T other = b[i * static_cast<size_t>(step)];
        const T expected = maximum ? std::max(a[i], other) : std::min(a[i], other);
        EXPECT_EQ(output[i], i >= 1 && i < 5 ? expected : a[i]) << i;
      }
    }
  }
}

TEST_P(MinMax, PicksTheSmallerOrTheLarger) {
  if ((GetParam().needs & ~CpuFeaturesHere()) != 0) GTEST_SKIP() << "this processor lacks it";
  ExpectMinMax<int8_t>(GetParam().run, TensorType::kInt8);
  ExpectMinMax<int16_t>(GetParam().run, TensorType::kInt16);
  ExpectMinMax<int32_t>(GetParam().run, TensorType::kInt32);
  ExpectMinMax<int64_t>(GetParam().run, TensorType::kInt64);
  ExpectMinMax<float>(GetParam().run, TensorType::kFloat32);
}

INSTANTIATE_TEST_SUITE_P(, MinMax, testing::ValuesIn(kMinMax),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lutra
