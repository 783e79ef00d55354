// SPDX-License-Identifier: Apache-2.0
// KMeans: optimal k-means in one dimension, for every count of clusters from one pass.
//
//   const auto points = CountDistinct(values.data(), values.size());   // std::vector<float> values
//   KMeans<float> kmeans(points, 16);
//   kmeans.squared_error(4);             // the least sum of weight * (value - centre)^2 with 4 clusters
//   kmeans.Cluster(16).centres;          // ascending, in the type of the values
//
// Integers (T = int32_t): exact integer arithmetic, and the centres are the best integers, not rounded
// means. Reals (float, double): the best clusters of the values around real centres, which are then rounded
// to T. Where doubles do not resolve the costs (values far apart, clusters tiny), reals are placed on a
// grid of 2^46 steps and treated as integers. Of equal choices the leftmost is taken; the same input gives
// the same output everywhere.
//
// Time grows with clusters * distinct values * log(distinct values), memory with 4 bytes * clusters *
// distinct values; above a budget of these cells, clusters are first cut between groups of neighbouring
// values, then each cut is moved to its best place near by (exact() tells).

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lutra::compressor {

// Values in ascending order, none twice, each with its weight of at least 1; the weights' sum is below
// 2^32. Reals are told apart by their bits: -0.0 comes before 0.0.
template <typename T>
struct DistinctValues {
  std::vector<T> values;
  std::vector<uint32_t> weights;

  uint32_t size() const { return static_cast<uint32_t>(values.size()); }
};

// The distinct values of `count` elements and how often each occurs. Throws std::invalid_argument for
// NaN and infinity.
template <typename T>
DistinctValues<T> CountDistinct(const T* elements, size_t count);

template <typename T>
struct Clusters {
  std::vector<T> centres;       // Ascending.
  std::vector<uint32_t> first;  // Cluster c has the values [first[c], first[c + 1]); one more than centres.
  double squared_error = 0;     // Before reals are rounded.
};

namespace internal {
class ClusterSolver;
}

template <typename T>
class KMeans {
 public:
  // The most cells (clusters * distinct values) that are solved exactly.
  static constexpr uint64_t kCellBudget = uint64_t{1} << 25;

  // Prepares counts of clusters up to `max_clusters` (at least 1). With `pinned`, that value is one of
  // the centres, and the rest is the best subject to that. Keeps a copy of `points`, at least one.
  // Integers must lie within 2^46 of each other.
  KMeans(DistinctValues<T> points, uint32_t max_clusters, std::optional<T> pinned = std::nullopt,
         uint64_t cell_budget = kCellBudget);
  ~KMeans();
  KMeans(KMeans&&) noexcept;
  KMeans& operator=(KMeans&&) noexcept;

  // With more clusters the error would not fall: with as many as there are distinct values it is 0.
  uint32_t max_clusters() const { return max_clusters_; }
  // Returns the least error with that many clusters, at most max_clusters(). Unless exact(), an upper bound.
  double squared_error(uint32_t clusters) const;
  Clusters<T> Cluster(uint32_t clusters) const;
  bool exact() const;

 private:
  DistinctValues<T> points_;
  uint32_t max_clusters_;
  std::optional<T> pinned_;
  std::unique_ptr<internal::ClusterSolver> solver_;
};

extern template class KMeans<int32_t>;
extern template class KMeans<float>;
extern template class KMeans<double>;

}  // namespace lutra::compressor
