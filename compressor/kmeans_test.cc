// SPDX-License-Identifier: Apache-2.0
// Compares clusters with an exhaustive search, and tests the bounds of the arithmetic.

#include "compressor/kmeans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace lutra::compressor {
namespace {

constexpr int kRandomCases = 10000;

template <typename T>
DistinctValues<T> Distinct(const std::vector<T>& elements) {
  return CountDistinct(elements.data(), elements.size());
}

// Returns the error of the codebook if every value goes to its nearest centre.
template <typename T>
double ErrorOf(const DistinctValues<T>& points, const std::vector<T>& centres) {
  double error = 0;
  for (uint32_t i = 0; i < points.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (const T centre : centres) {
      const double distance = static_cast<double>(points.values[i]) - static_cast<double>(centre);
      least = std::min(least, distance * distance);
    }
    error += points.weights[i] * least;
  }
  return error;
}

// Returns the error of the clusters as they were assigned.
template <typename T>
double AssignedError(const DistinctValues<T>& points, const Clusters<T>& clusters) {
  double error = 0;
  for (size_t c = 0; c < clusters.centres.size(); ++c) {
    for (uint32_t i = clusters.first[c]; i < clusters.first[c + 1]; ++i) {
      const double distance =
          static_cast<double>(points.values[i]) - static_cast<double>(clusters.centres[c]);
      error += points.weights[i] * distance * distance;
    }
  }
  return error;
}

template <typename T>
void ExpectWellFormed(const DistinctValues<T>& points, const Clusters<T>& clusters) {
  ASSERT_EQ(clusters.first.size(), clusters.centres.size() + 1);
  EXPECT_EQ(clusters.first.front(), 0u);
  EXPECT_EQ(clusters.first.back(), points.size());
  EXPECT_TRUE(std::is_sorted(clusters.first.begin(), clusters.first.end()));
  for (size_t c = 1; c < clusters.centres.size(); ++c) {
    EXPECT_LT(clusters.centres[c - 1], clusters.centres[c]);
  }
}

// Returns the least error of all codebooks of `clusters` integers from [low, high] that contain `pinned`.
double BestIntegerError(const DistinctValues<int32_t>& points, int low, int high, uint32_t clusters,
                        std::optional<int32_t> pinned) {
  double best = std::numeric_limits<double>::infinity();
  for (uint32_t set = 0; set < (1u << (high - low + 1)); ++set) {
    if (std::popcount(set) != static_cast<int>(clusters)) continue;
    if (pinned && (set >> (*pinned - low) & 1) == 0) continue;
    std::vector<int32_t> centres;
    for (int value = low; value <= high; ++value) {
      if ((set >> (value - low) & 1) != 0) centres.push_back(value);
    }
    best = std::min(best, ErrorOf(points, centres));
  }
  return best;
}

double SegmentError(const DistinctValues<float>& points, uint32_t begin, uint32_t end,
                    std::optional<float> centre) {
  double weight = 0, mean = 0;
  for (uint32_t i = begin; i < end; ++i) {
    weight += points.weights[i];
    mean += (points.values[i] - mean) * points.weights[i] / weight;
  }
  if (centre) mean = *centre;
  double error = 0;
  for (uint32_t i = begin; i < end; ++i) {
    error += points.weights[i] * (points.values[i] - mean) * (points.values[i] - mean);
  }
  return error;
}

// Returns the least error of all ways to cut the values into `clusters` runs; `pinned` may be the value of
// one.
double BestRealError(const DistinctValues<float>& points, uint32_t clusters, std::optional<float> pinned) {
  double best = std::numeric_limits<double>::infinity();
  for (uint32_t cuts = 0; cuts < (1u << (points.size() - 1)); ++cuts) {
    const auto runs = static_cast<uint32_t>(std::popcount(cuts)) + 1;
    if (runs > clusters) continue;
    double free_error = 0, most_lost = -std::numeric_limits<double>::infinity();
    std::vector<double> gain;
    uint32_t begin = 0;
    for (uint32_t end = 1; end <= points.size(); ++end) {
      if (end < points.size() && (cuts >> (end - 1) & 1) == 0) continue;
      const double own = SegmentError(points, begin, end, std::nullopt);
      free_error += own;
      if (pinned) most_lost = std::max(most_lost, own - SegmentError(points, begin, end, pinned));
      begin = end;
    }
    // If there are fewer runs than clusters, no value need have the pinned centre.
    best = std::min(best, pinned && runs == clusters ? free_error - most_lost : free_error);
  }
  return best;
}

TEST(KMeansInteger, OptimalOnRandomCases) {
  std::mt19937 random(7);
  constexpr int kLow = -6, kHigh = 5;
  for (int round = 0; round < kRandomCases; ++round) {
    std::vector<int32_t> elements(1 + random() % 20);
    for (int32_t& element : elements) {
      element = kLow + static_cast<int32_t>(random() % (kHigh - kLow + 1));
    }
    DistinctValues<int32_t> points = Distinct(elements);
    for (uint32_t& weight : points.weights) weight *= 1 + random() % 4;
    std::optional<int32_t> pinned;
    if (round % 2 == 1) pinned = kLow + static_cast<int32_t>(random() % (kHigh - kLow + 1));
    const KMeans<int32_t> kmeans(points, 16, pinned);
    const uint32_t clusters = 1 + random() % std::min(kmeans.max_clusters(), 5u);
    const double best = BestIntegerError(points, kLow, kHigh, clusters, pinned);
    const Clusters<int32_t> found = kmeans.Cluster(clusters);
    ASSERT_EQ(kmeans.squared_error(clusters), best) << round;
    ASSERT_EQ(found.squared_error, best) << round;
    ASSERT_EQ(AssignedError(points, found), best) << round;
    ASSERT_EQ(found.centres.size(), clusters);
    ExpectWellFormed(points, found);
    ASSERT_TRUE(!pinned || std::ranges::count(found.centres, *pinned) == 1) << round;
    ASSERT_EQ(kmeans.squared_error(kmeans.max_clusters()), 0);
  }
}

TEST(KMeansReal, OptimalOnRandomCases) {
  std::mt19937 random(8);
  std::normal_distribution<float> normal(0.5f, 1);
  for (int round = 0; round < kRandomCases; ++round) {
    std::vector<float> elements(1 + random() % 9);
    for (float& element : elements) element = normal(random);
    DistinctValues<float> points = Distinct(elements);
    for (uint32_t& weight : points.weights) weight *= 1 + random() % 4;
    std::optional<float> pinned;
    if (round % 2 == 1) pinned = round % 4 == 1 ? 0.0f : elements[0];
    const KMeans<float> kmeans(points, 16, pinned);
    const uint32_t clusters = 1 + random() % kmeans.max_clusters();
    const double best = BestRealError(points, clusters, pinned);
    const Clusters<float> found = kmeans.Cluster(clusters);
    ASSERT_NEAR(found.squared_error, best, 1e-9) << round;
    ASSERT_NEAR(AssignedError(points, found), best, 1e-4) << round;
    ExpectWellFormed(points, found);
    ASSERT_TRUE(!pinned || std::ranges::count(found.centres, *pinned) == 1) << round;
  }
}

// Tests the vector in kmeans1d's README.
TEST(KMeansReal, ReadmeVector) {
  const std::vector<double> elements = {4.0, 4.1, 4.2, -50, 200.2, 200.4, 200.9, 80, 100, 102};
  const Clusters<double> found = KMeans<double>(Distinct(elements), 4).Cluster(4);
  ASSERT_EQ(found.centres.size(), 4u);
  const double expected[] = {-50, 4.1, 94, 200.5};
  for (int c = 0; c < 4; ++c) EXPECT_NEAR(found.centres[c], expected[c], 1e-12);
  EXPECT_EQ(found.first, (std::vector<uint32_t>{0, 1, 4, 7, 10}));
}

TEST(KMeansReal, FewerDistinctValuesThanClusters) {
  const Clusters<float> found = KMeans<float>(Distinct<float>({1, 1, 1, 2, 2}), 4).Cluster(4);
  EXPECT_EQ(found.centres, (std::vector<float>{1, 2}));
  EXPECT_EQ(found.squared_error, 0);
  const Clusters<int32_t> pinned = KMeans<int32_t>(Distinct<int32_t>({5, 7, 7}), 8, 6).Cluster(8);
  EXPECT_EQ(pinned.centres, (std::vector<int32_t>{5, 6, 7}));
}

TEST(KMeansReal, LargeOffset) {
  std::vector<double> elements;
  for (int i = 0; i < 16; ++i) elements.push_back(1e8 + i);
  EXPECT_EQ(KMeans<double>(Distinct(elements), 16).Cluster(16).centres, elements);
  const Clusters<double> pairs = KMeans<double>(Distinct(elements), 8).Cluster(8);
  EXPECT_EQ(pairs.squared_error, 4);
  for (int c = 0; c < 8; ++c) EXPECT_EQ(pairs.centres[c], 1e8 + 2 * c + 0.5);
}

// In double, the costs of the near group vanish beside the squares of the far one.
TEST(KMeansReal, TwoGroupsFarApart) {
  std::vector<double> elements;
  for (int i = 0; i < 16; ++i) {
    elements.push_back(i);
    elements.push_back(1e9 + i);
  }
  const Clusters<double> found = KMeans<double>(Distinct(elements), 16).Cluster(16);
  EXPECT_NEAR(found.squared_error, 8, 1e-3);
  for (const double centre : found.centres) EXPECT_EQ(centre - std::floor(centre), 0.5);
}

TEST(KMeansReal, RefusesWhatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  try {
    Distinct<float>({1, nan});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "element 1 is not a number");
  }
  EXPECT_THROW(Distinct<float>({-inf}), std::invalid_argument);
}

TEST(KMeansReal, ZerosKeepTheirSign) {
  const Clusters<float> found = KMeans<float>(Distinct<float>({0.0f, -0.0f, 1}), 4).Cluster(4);
  ASSERT_EQ(found.centres.size(), 3u);
  EXPECT_TRUE(std::signbit(found.centres[0]));
  EXPECT_FALSE(std::signbit(found.centres[1]));
}

TEST(KMeansInteger, ExtremesOfInt32) {
  const int32_t low = INT32_MIN, high = INT32_MAX;
  const Clusters<int32_t> found =
      KMeans<int32_t>(Distinct<int32_t>({low, low + 2, high - 1, high}), 2).Cluster(2);
  EXPECT_EQ(found.centres, (std::vector<int32_t>{low + 1, high - 1}));
  EXPECT_EQ(found.squared_error, 3);
}

// There are more cells than the budget: the solver cuts between groups, and improves the cuts. The exact
// result is known.
TEST(KMeansReal, GroupedIsCloseToExact) {
  std::mt19937 random(9);
  std::normal_distribution<float> normal;
  std::vector<float> elements(50000);
  for (float& element : elements) element = normal(random);
  const auto points = Distinct(elements);
  for (const std::optional<float> pinned : {std::optional<float>(), std::optional<float>(0.0f)}) {
    const KMeans<float> exact(points, 64, pinned), grouped(points, 64, pinned, 64 * 2048);
    EXPECT_TRUE(exact.exact());
    EXPECT_FALSE(grouped.exact());
    for (const uint32_t clusters : {2u, 16u, 64u}) {
      const Clusters<float> best = exact.Cluster(clusters), close = grouped.Cluster(clusters);
      EXPECT_LE(close.squared_error, grouped.squared_error(clusters));
      EXPECT_LE(close.squared_error, best.squared_error * (1 + 1e-4));
      EXPECT_GE(close.squared_error, best.squared_error * (1 - 1e-9));
      EXPECT_NEAR(AssignedError(points, close), close.squared_error, 1e-6 * close.squared_error);
    }
  }
}

TEST(KMeansInteger, WideSumsAgreeWithNarrowOnes) {
  std::mt19937 random(10);
  std::vector<int32_t> near(300), far(300);
  for (size_t i = 0; i < near.size(); ++i) {
    near[i] = static_cast<int32_t>(random() % 2048);
    far[i] = near[i] * 1000000;  // Squares times weights exceed 2^63.
  }
  const KMeans<int32_t> small(Distinct(near), 32), large(Distinct(far), 32);
  for (uint32_t clusters = 1; clusters <= 32; ++clusters) {
    const double error = large.squared_error(clusters);
    EXPECT_NEAR(AssignedError(Distinct(far), large.Cluster(clusters)), error, 1e-12 * error);
    // The far centres' grid is a million times finer; rounding moves a near centre by half a unit at most.
    EXPECT_LE(error, small.squared_error(clusters) * 1e12);
    EXPECT_GE(error, (small.squared_error(clusters) - 0.25 * static_cast<double>(near.size())) * 1e12);
  }
}

}  // namespace
}  // namespace lutra::compressor
