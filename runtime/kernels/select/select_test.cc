// SPDX-License-Identifier: Apache-2.0
// Every variant, for each element size, with every input repeated or not.

#include "lutra/kernels/select/select.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

class Select : public testing::TestWithParam<Variant<SelectFn>> {};

TEST_P(Select, TakesOneOrTheOther) {
  if ((GetParam().needs & ~CpuFeaturesHere()) != 0) GTEST_SKIP() << "this processor lacks it";
  constexpr int32_t kCount = 9;
  constexpr uint8_t kGuard = 0x5A;
  const uint8_t condition[kCount] = {1, 0, 0, 1, 1, 0, 255, 0, 1};
  for (const int32_t bytes : {1, 2, 4, 8}) {
    std::vector<uint8_t> a(static_cast<size_t>(kCount * bytes));
    std::vector<uint8_t> b(a.size());
    FillBytes(1, kCount * bytes, a.data());
    FillBytes(2, kCount * bytes, b.data());
    for (int steps = 0; steps < 8; ++steps) {
      const SelectArgs args = {.condition = condition,
                               .a = a.data(),
                               .b = b.data(),
                               .output = nullptr,
                               .condition_step = steps & 1,
                               .a_step = steps >> 1 & 1,
                               .b_step = steps >> 2,
                               .element_bytes = bytes};
      std::vector<uint8_t> output(a.size() + 1, kGuard);
      SelectArgs run = args;
      run.output = output.data();
      GetParam().run(run, kCount);
      for (int32_t i = 0; i < kCount; ++i) {
        const bool first = condition[i * args.condition_step] != 0;
        for (int32_t k = 0; k < bytes; ++k) {
          const uint8_t expected = first ? a[i * args.a_step * bytes + k] : b[i * args.b_step * bytes + k];
          EXPECT_EQ(output[i * bytes + k], expected) << i;
        }
      }
      EXPECT_EQ(output.back(), kGuard);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Select, testing::ValuesIn(kSelect),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lutra
