// SPDX-License-Identifier: Apache-2.0
#include "host/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "host/failures.h"

namespace lutra::host {
namespace {

// Sets the variables as a runner of googletest does; null: unset.
class Variables {
 public:
  Variables(const char* total, const char* index) {
    total == nullptr ? unsetenv("GTEST_TOTAL_SHARDS") : setenv("GTEST_TOTAL_SHARDS", total, 1);
    index == nullptr ? unsetenv("GTEST_SHARD_INDEX") : setenv("GTEST_SHARD_INDEX", index, 1);
  }
  ~Variables() {
    unsetenv("GTEST_TOTAL_SHARDS");
    unsetenv("GTEST_SHARD_INDEX");
  }
};

TEST(Shard, IsWrittenAsAFraction) {
  EXPECT_EQ(ParseShard("2/4"), (Shard{2, 4}));
  EXPECT_EQ(ToString({2, 4}), "2/4");
  EXPECT_EQ(ShardSuffix({2, 4}), ", shard 2/4");
  EXPECT_EQ(ShardSuffix({1, 1}), "");
  for (const char* text : {"", "2", "/", "2/", "/4", "0/4", "5/4", "-1/4", "1/-4", "1/4x", "x1/4", "1/4/4",
                           "1/99999999999", "1 /4", "1/0"}) {
    EXPECT_THROW(ParseShard(text), BadInput) << text;
  }
}

TEST(Shard, ComesFromTheOptionOrElseFromTheVariables) {
  {
    const Variables none(nullptr, nullptr);
    EXPECT_EQ(ChosenShard(""), (Shard{1, 1}));
  }
  const Variables variables("3", "0");
  EXPECT_EQ(ChosenShard(""), (Shard{1, 3}));
  EXPECT_EQ(ChosenShard("2/5"), (Shard{2, 5}));
  EXPECT_THROW(ChosenShard("6/5"), BadInput);
}

TEST(Shard, RefusesVariablesThatNameNone) {
  const char* const kBad[][2] = {{"3", "3"},     {"3", "-1"}, {"0", "0"}, {"", ""},           {"3", nullptr},
                                 {nullptr, "0"}, {"x", "0"},  {"3", "x"}, {"3", "4294967296"}};
  for (const auto& [total, index] : kBad) {
    const Variables variables(total, index);
    EXPECT_THROW(ChosenShard(""), BadUsage) << (total ? total : "none") << " " << (index ? index : "none");
    EXPECT_EQ(ChosenShard("1/2"), (Shard{1, 2})) << "the option wins";
  }
}

TEST(Shard, PartsAreTheWholeEachPieceOnce) {
  std::vector<int64_t> costs;
  for (int i = 0; i < 1000; ++i) costs.push_back(i % 7 == 0 ? 5000 + i : i % 90);
  for (const int count : {1, 2, 3, 7, 16, 1000, 1500}) {
    std::set<size_t> all;
    size_t pieces = 0;
    int64_t least = INT64_MAX, most = 0;
    for (int i = 1; i <= count; ++i) {
      const std::vector<size_t> mine = WorkOfShard(costs, {i, count});
      EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
      int64_t cost = 0;
      for (const size_t piece : mine) cost += costs[piece];
      least = std::min(least, cost);
      most = std::max(most, cost);
      all.insert(mine.begin(), mine.end());
      pieces += mine.size();
    }
    EXPECT_EQ(pieces, costs.size());
    EXPECT_EQ(all.size(), costs.size());
    if (count <= 16) {
      EXPECT_LT(most - least, most / 100) << count;
    }
  }
}

TEST(Shard, EqualPiecesAreCutIntoRanges) {
  for (const int64_t count : {int64_t{16}, int64_t{1000}, int64_t{1} << 62}) {
    int64_t end = 0;
    for (int i = 1; i <= 16; ++i) {
      const int64_t first = FirstOfShard(count, {i, 16});
      EXPECT_EQ(first, i == 1 ? 0 : end);
      end = i == 16 ? count : FirstOfShard(count, {i + 1, 16});
      EXPECT_LE(end - first, count / 16 + 1);
      EXPECT_GE(end - first, count / 16);
    }
    EXPECT_EQ(end, count);
  }
}

TEST(Shard, NamesWhichOfManyThereAre) {
  EXPECT_EQ(ToString(ShardSet{{1, 3}, 7}), "1,3/7");
  EXPECT_EQ(ToString(ShardSet{{1, 2, 4, 5, 6, 9}, 9}), "1,2,4-6,9/9");
  EXPECT_EQ((ShardSet{{1, 3, 4}, 7}).Missing(), (std::vector<int>{2, 5, 6, 7}));
  EXPECT_TRUE((ShardSet{{1, 2}, 2}).Missing().empty());
  EXPECT_EQ((ShardSet{{1}, 2000000000}).Missing().size(), 1000u);
}

}  // namespace
}  // namespace lutra::host
