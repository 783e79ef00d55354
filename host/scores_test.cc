// SPDX-License-Identifier: Apache-2.0
// Tests the intervals that are reported with an accuracy.

#include "host/scores.h"

#include <gtest/gtest.h>

namespace lutra::host {
namespace {

TEST(ConfidenceInterval, IsWilsons) {
  // If all of ten are right, the bound is n / (n + z^2) with z = 1.96. None of ten gives the mirror image.
  const Interval all = ConfidenceInterval(1, 10), none = ConfidenceInterval(0, 10);
  EXPECT_NEAR(all.low, 10 / (10 + 3.841459), 1e-6);
  EXPECT_EQ(all.high, 1);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 1 - all.low, 1e-12);
  // 81 of 263 is an example of Newcombe, Statistics in Medicine 17 (1998), table I.
  const Interval example = ConfidenceInterval(81.0 / 263, 263);
  EXPECT_NEAR(example.low, 0.2553, 5e-5);
  EXPECT_NEAR(example.high, 0.3662, 5e-5);
  EXPECT_EQ(ConfidenceText(1, 10), "0.7225 to 1.0000");
}

TEST(FewSamplesWarning, IsForFewerThanTwoHundred) {
  EXPECT_EQ(FewSamplesWarning("data", 200), "");
  const std::string warning = FewSamplesWarning("a.npy: data", 199);
  EXPECT_EQ(warning.rfind("a.npy: data: found 199 samples, required: 200 ", 0), 0u) << warning;
  EXPECT_EQ(warning.find('\n'), warning.size() - 1) << "one line";
}

}  // namespace
}  // namespace lutra::host
