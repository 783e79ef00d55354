// SPDX-License-Identifier: Apache-2.0
// Every variant against table[code], at every size, in place, and not a byte further.

#include "lutra/kernels/lookup/lookup.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/test_data.h"

namespace lutra {
namespace {

class Lookup : public testing::TestWithParam<Variant<LookupFn>> {
 protected:
  void SetUp() override {
    if ((GetParam().needs & ~CpuFeaturesHere()) != 0) GTEST_SKIP() << "this processor lacks it";
    FillBytes(1, 256, table_);
  }
  uint8_t table_[256];
};

TEST_P(Lookup, MapsEachCode) {
  constexpr uint8_t kGuard = 0x5A;
  for (const int32_t count : {0, 1, 15, 16, 17, 255, 1000}) {
    std::vector<uint8_t> input(static_cast<size_t>(count) + 8);
    FillBytes(2, count + 8, input.data());
    std::vector<uint8_t> output(input.size(), kGuard);
    GetParam().run({table_, input.data(), output.data()}, 4, count);
    for (int32_t i = 0; i < count + 8; ++i) {
      EXPECT_EQ(output[i], i >= 4 && i < 4 + count ? table_[input[i]] : kGuard) << i << " of " << count;
    }
  }
}

TEST_P(Lookup, WorksInPlace) {
  std::vector<uint8_t> codes(256);
  for (int i = 0; i < 256; ++i) codes[i] = static_cast<uint8_t>(i);
  GetParam().run({table_, codes.data(), codes.data()}, 0, 256);
  EXPECT_EQ(codes, std::vector<uint8_t>(table_, table_ + 256));
}

INSTANTIATE_TEST_SUITE_P(, Lookup, testing::ValuesIn(kLookup),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lutra
