// SPDX-License-Identifier: Apache-2.0
// Compares with a published run of nntool's search.

#include "compressor/gap9/nntool/qsnr_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lutra::compressor {
namespace {

struct ExpectedStep {
  double qsnr_db;
  double step_db;
  bool is_up;
  size_t inputs;
  size_t bad;
  bool from_memory = false;
  bool is_final = false;
};

void ExpectSteps(const std::vector<ExpectedStep>& expected, const QsnrSearchResult& result) {
  ASSERT_EQ(result.steps.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(i);
    const QsnrStep& step = result.steps[i];
    EXPECT_EQ(step.qsnr_db, expected[i].qsnr_db);
    EXPECT_EQ(step.step_db, expected[i].step_db);
    EXPECT_EQ(step.is_up, expected[i].is_up);
    EXPECT_EQ(step.inputs.size(), expected[i].inputs);
    EXPECT_EQ(step.bad.size(), expected[i].bad);
    EXPECT_EQ(step.from_memory, expected[i].from_memory);
    EXPECT_EQ(step.is_final, expected[i].is_final);
    EXPECT_EQ(step.is_good, expected[i].bad == 0);
  }
}

// GreenWaves' "GAP9 Tensor Compression" 1.0 has ten pictures, some of which fail at the printed QSNRs. nntool
// rounds a QSNR up, so that 22.03 and 22.5 save the same.
TEST(QsnrSearch, GoesAsInThePublishedExample) {
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto probe = [&](double qsnr, const std::vector<int>& inputs) -> QsnrProbe {
    QsnrProbe result = {.saved_bytes = 200000 - static_cast<int64_t>(std::ceil(qsnr)) * 1000};
    const auto keep_failing = [&](std::initializer_list<int> failing) {
      for (const int i : inputs) {
        if (std::count(failing.begin(), failing.end(), i) != 0) result.bad.push_back(i);
      }
    };
    if (qsnr == 15) keep_failing({1, 3, 4, 7, 8});
    if (qsnr == 18.75) keep_failing({1, 3, 4, 7});
    if (qsnr == 20.625) keep_failing({1, 3, 4, 7});
    if (qsnr == 21.5625) keep_failing({4});
    return result;
  };
  const QsnrSearchResult result = SearchQsnr(all, probe);
  ExpectSteps({{30, 15, false, 10, 0},
               {15, 15, false, 10, 5},
               {22.5, 7.5, true, 5, 0},
               {18.75, 3.75, false, 5, 4},
               {20.625, 1.875, true, 4, 4},
               {22.5, 1.875, true, 4, 0, true},
               {21.5625, 0.9375, false, 4, 1},
               {22.03125, 0.46875, true, 1, 0},
               {22.5, 0.5, true, 10, 0, false, true}},
              result);
  EXPECT_EQ(result.qsnr_db, 22.5);
  EXPECT_EQ(result.saved_bytes, 177000);
}

TEST(QsnrSearch, ChecksUpwardsWithAllInputs) {
  // Other inputs fail at 15 than between 15 and 23.2: the check with all inputs alone finds the latter.
  const auto probe = [](double qsnr, const std::vector<int>& inputs) -> QsnrProbe {
    QsnrProbe result = {.saved_bytes = 200000 - static_cast<int64_t>(qsnr * 1000)};
    for (const int i : inputs) {
      if ((i == 0 && qsnr < 22) || (i == 1 && qsnr < 23.2 && qsnr > 15)) result.bad.push_back(i);
    }
    return result;
  };
  const QsnrSearchResult result = SearchQsnr({0, 1}, probe);
  ASSERT_TRUE(result.qsnr_db);
  EXPECT_GE(*result.qsnr_db, 23.2);
  EXPECT_LT(*result.qsnr_db, 23.7);
  EXPECT_TRUE(result.steps.back().is_final);
  EXPECT_EQ(result.steps.back().inputs.size(), 2u);
}

TEST(QsnrSearch, GivesUpAtTheTop) {
  const QsnrSearchResult never = SearchQsnr({0}, [](double, const std::vector<int>& inputs) {
    return QsnrProbe{1000, inputs};
  });
  EXPECT_FALSE(never.qsnr_db);
  EXPECT_EQ(never.steps.back().qsnr_db, 120);
  // No tensor becomes smaller.
  EXPECT_FALSE(SearchQsnr({0}, [](double, const std::vector<int>&) { return QsnrProbe{0, {}}; }).qsnr_db);
  // Everything validates, so the search goes down to 0 dB.
  const QsnrSearchResult always = SearchQsnr({0}, [](double qsnr, const std::vector<int>&) {
    return QsnrProbe{1000 - static_cast<int64_t>(qsnr), {}};
  });
  EXPECT_EQ(always.qsnr_db, 0);
}

}  // namespace
}  // namespace lutra::compressor
