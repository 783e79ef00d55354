// SPDX-License-Identifier: Apache-2.0
// Tests sizes near powers of two: every size occurs, and so does every pair of powers.

#include "conformance/generator/sizes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "conformance/oracle/evaluate.h"
#include "conformance/runner/corpus.h"

namespace lutra::conformance {
namespace {

TEST(Sizes, AroundPowersAreThePowersAndTheirNeighbours) {
  EXPECT_EQ(AroundPowers(4, 16), (SizeList{3, 4, 5, 7, 8, 9, 15, 16, 17}));
  EXPECT_EQ(AroundPowers(1, 4), (SizeList{1, 2, 3, 4, 5}));
}

// Returns the power that a size is near.
int32_t PowerOf(int32_t size, const PowerRange& range) {
  for (int32_t power = range.least; power <= range.most; power *= 2) {
    if (std::abs(size - power) <= 1 && (power > 2 || size <= power)) return power;
  }
  return 0;
}

TEST(Sizes, EveryTwoPowersThatFitMeet) {
  const std::vector<PowerRange> ranges = {{4, 256}, {8, 1024}, {4, 64}};
  const auto fits = [](const SizeList& s) { return Product(s) <= 1 << 16; };
  std::set<std::vector<int32_t>> met;
  std::map<std::pair<size_t, int32_t>, std::set<int32_t>> neighbours;
  for (const SizeList& sizes : PairedSizes(ranges, fits)) {
    ASSERT_EQ(sizes.size(), ranges.size());
    SizeList powers;
    for (size_t d = 0; d < sizes.size(); ++d) {
      powers.push_back(PowerOf(sizes[d], ranges[d]));
      ASSERT_NE(powers[d], 0) << sizes[d];
      neighbours[{d, powers[d]}].insert(sizes[d]);
    }
    EXPECT_TRUE(fits(powers));
    for (int32_t b = 1; b < 3; ++b) {
      for (int32_t a = 0; a < b; ++a) {
        met.insert({a, b, powers[static_cast<size_t>(a)], powers[static_cast<size_t>(b)]});
      }
    }
  }
  for (int32_t a = 4; a <= 256; a *= 2) {
    for (int32_t b = 8; b <= 1024; b *= 2) {
      EXPECT_EQ(met.count({0, 1, a, b}), a * b * 4 <= 1 << 16 ? 1u : 0u) << a << " " << b;
    }
  }
  for (const auto& [dimension, sizes] : neighbours) {
    EXPECT_EQ(sizes.size(), 3u) << "dimension " << dimension.first << " near " << dimension.second;
  }
}

TEST(Sizes, TheSameEachTime) {
  const auto all = [](const SizeList&) { return true; };
  EXPECT_EQ(PairedSizes({{4, 64}, {4, 64}}, all), PairedSizes({{4, 64}, {4, 64}}, all));
  EXPECT_EQ(PairedSizes({{4, 64}, {4, 64}}, all).size(), 25u);
}

// A new operator must have such cases, too.
TEST(Sizes, EveryOperatorHasCasesOfRealSizes) {
  std::set<std::string> with;
  for (const Case& test : GeneratedCases("int8.*.real.*")) {
    with.insert(test.op);
    EXPECT_NE(test.smoke, Smoke::kMaybe) << test.id;
  }
  for (const oracle::Operator* op : oracle::AllOperators())
    EXPECT_EQ(with.count(op->name()), 1u) << op->name();
}

}  // namespace
}  // namespace lutra::conformance
