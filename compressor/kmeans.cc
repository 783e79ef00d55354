// SPDX-License-Identifier: Apache-2.0
// KMeans gives sorted distinct values to a solver, and turns its clusters into values.

#include "compressor/kmeans.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "compressor/cluster_solver.h"

namespace lutra::compressor {
namespace {

using internal::ClusterSolver;
using internal::Partition;
using internal::Sides;

// Returns an integer; these sort as the values do, and differ for different bit patterns.
int32_t SortKey(int32_t value) { return value; }
int32_t SortKey(float value) {
  const auto bits = std::bit_cast<int32_t>(value);
  return bits < 0 ? bits ^ INT32_MAX : bits;
}
int64_t SortKey(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}
template <typename T, typename Key>
T FromSortKey(Key key) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(key < 0 ? key ^ std::numeric_limits<Key>::max() : key);
  } else {
    return key;
  }
}

// The number of points before a pinned value, and the first point after it.
struct Place {
  uint32_t front_end = 0;
  uint32_t back_begin = 0;
};

template <typename T>
Place PlaceOf(const DistinctValues<T>& points, const std::optional<T>& pinned) {
  const uint32_t count = points.size();
  if (!pinned) return {count, count};
  const auto key = SortKey(*pinned);
  const auto begin = points.values.begin();
  const auto found = std::lower_bound(begin, points.values.end(), key,
                                      [](T value, auto bound) { return SortKey(value) < bound; });
  const auto front = static_cast<uint32_t>(found - begin);
  return {front, front < count && SortKey(*found) == key ? front + 1 : front};
}

// Returns the points before and after `place`; distance(i) is the distance of point i from the reference.
template <typename Offset, typename T, typename Distance>
Sides<Offset> MakeSides(const DistinctValues<T>& points, Place place, bool pinned, Distance distance) {
  Sides<Offset> sides;
  sides.pinned = pinned;
  for (uint32_t i = 0; i < place.front_end; ++i) {
    sides.front.push_back(distance(i));
    sides.front_weights.push_back(points.weights[i]);
  }
  for (uint32_t i = points.size(); i-- > place.back_begin;) {
    sides.back.push_back(distance(i));
    sides.back_weights.push_back(points.weights[i]);
  }
  return sides;
}

std::unique_ptr<ClusterSolver> Prepare(const DistinctValues<int32_t>& points, uint32_t clusters,
                                       const std::optional<int32_t>& pinned, uint64_t cell_budget) {
  const int64_t reference = pinned ? *pinned : points.values.front();
  const auto distance = [&](uint32_t i) {
    const int64_t offset = points.values[i] - reference;
    return static_cast<uint64_t>(offset < 0 ? -offset : offset);
  };
  const Place place = PlaceOf(points, pinned);
  return MakeSolver(MakeSides<uint64_t>(points, place, pinned.has_value(), distance), clusters, cell_budget);
}

// Returns the mean, rounded to T so that differences from it lose little.
template <typename T>
double Middle(const DistinctValues<T>& points) {
  double weight = 0, mean = 0;
  for (uint32_t i = 0; i < points.size(); ++i) {
    weight += points.weights[i];
    mean += (points.values[i] - mean) * (points.weights[i] / weight);
  }
  return static_cast<T>(mean);
}

// Puts reals on a grid: the largest distance from the reference is below 2^46 steps.
template <typename T>
std::unique_ptr<ClusterSolver> PrepareOnGrid(const DistinctValues<T>& points, uint32_t clusters,
                                             const std::optional<T>& pinned, uint64_t cell_budget) {
  const double reference = pinned ? *pinned : points.values.front();
  const auto far = [&](T value) { return std::fabs(value - reference); };
  const double spread = std::max(far(points.values.front()), far(points.values.back()));
  int exponent = 0;
  std::frexp(spread, &exponent);
  constexpr int kGridBits = 46;
  const int shift = kGridBits - exponent;
  const auto distance = [&](uint32_t i) {
    return static_cast<uint64_t>(std::ldexp(far(points.values[i]), shift) + 0.5);
  };
  const Place place = PlaceOf(points, pinned);
  return MakeSolver(MakeSides<uint64_t>(points, place, pinned.has_value(), distance), clusters, cell_budget,
                    std::ldexp(1.0, -shift));
}

template <typename T>
std::unique_ptr<ClusterSolver> Prepare(const DistinctValues<T>& points, uint32_t clusters,
                                       const std::optional<T>& pinned, uint64_t cell_budget) {
  const double reference = pinned ? *pinned : Middle(points);
  const auto distance = [&](uint32_t i) { return points.values[i] - reference; };
  const Place place = PlaceOf(points, pinned);
  auto solver =
      MakeSolver(MakeSides<double>(points, place, pinned.has_value(), distance), clusters, cell_budget);
  double whole = 0;  // The error if all points have one centre, the reference.
  for (uint32_t i = 0; i < points.size(); ++i) whole += points.weights[i] * distance(i) * distance(i);
  constexpr double kRoundingPerCluster = 4 * std::numeric_limits<double>::epsilon();
  constexpr double kTolerance = 1e-6;
  const bool resolved =
      kRoundingPerCluster * clusters * whole <= kTolerance * solver->squared_error(clusters);
  return resolved ? std::move(solver) : PrepareOnGrid(points, clusters, pinned, cell_budget);
}

// Returns the best centre of points [begin, end), which are not empty.
int32_t CentreOf(const DistinctValues<int32_t>& points, uint32_t begin, uint32_t end) {
  const int64_t lowest = points.values[begin];
  uint64_t weight = 0, sum = 0;
  for (uint32_t i = begin; i < end; ++i) {
    weight += points.weights[i];
    sum += points.weights[i] * static_cast<uint64_t>(points.values[i] - lowest);
  }
  const uint64_t quotient = sum / weight, remainder = sum % weight;
  return static_cast<int32_t>(lowest + static_cast<int64_t>(quotient + (2 * remainder > weight ? 1 : 0)));
}

template <typename T>
T CentreOf(const DistinctValues<T>& points, uint32_t begin, uint32_t end) {
  if (end - begin == 1) return points.values[begin];  // Keeps -0.0, too.
  const double lowest = points.values[begin];
  double weight = 0, sum = 0;
  for (uint32_t i = begin; i < end; ++i) {
    weight += points.weights[i];
    sum += points.weights[i] * (points.values[i] - lowest);
  }
  return std::clamp(static_cast<T>(lowest + sum / weight), points.values[begin], points.values[end - 1]);
}

}  // namespace

template <typename T>
DistinctValues<T> CountDistinct(const T* elements, size_t count) {
  std::vector<decltype(SortKey(T{}))> keys(count);
  for (size_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(elements[i])) {
        throw std::invalid_argument("element " + std::to_string(i) +
                                    (std::isnan(elements[i]) ? " is not a number" : " is infinite"));
      }
    }
    keys[i] = SortKey(elements[i]);
  }
  std::sort(keys.begin(), keys.end());
  DistinctValues<T> points;
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      points.values.push_back(FromSortKey<T>(keys[i]));
      points.weights.push_back(0);
    }
    ++points.weights.back();
  }
  return points;
}

template <typename T>
KMeans<T>::KMeans(DistinctValues<T> points, uint32_t max_clusters, std::optional<T> pinned,
                  uint64_t cell_budget)
    : points_(std::move(points)), pinned_(pinned) {
  const Place place = PlaceOf(points_, pinned_);
  const uint32_t useful = pinned_ ? place.front_end + 1 + points_.size() - place.back_begin : points_.size();
  max_clusters_ = std::min(max_clusters, useful);
  solver_ = Prepare(points_, max_clusters_, pinned_, cell_budget);
}

template <typename T>
KMeans<T>::~KMeans() = default;
template <typename T>
KMeans<T>::KMeans(KMeans&&) noexcept = default;
template <typename T>
KMeans<T>& KMeans<T>::operator=(KMeans&&) noexcept = default;

template <typename T>
double KMeans<T>::squared_error(uint32_t clusters) const {
  return solver_->squared_error(std::min(clusters, max_clusters_));
}

template <typename T>
bool KMeans<T>::exact() const {
  return solver_->exact();
}

template <typename T>
Clusters<T> KMeans<T>::Cluster(uint32_t clusters) const {
  const Partition partition = solver_->Solve(std::min(clusters, max_clusters_));
  Clusters<T> result;
  result.squared_error = partition.squared_error;
  result.first.push_back(0);
  // The pinned point is on neither side, but belongs to the pinned cluster.
  const Place place = PlaceOf(points_, pinned_);
  for (size_t c = 0; c < partition.sizes.size(); ++c) {
    const uint32_t begin = result.first.back();
    uint32_t end = begin + partition.sizes[c];
    if (static_cast<int>(c) == partition.pinned_cluster) {
      end += place.back_begin - place.front_end;
      result.centres.push_back(*pinned_);
    } else {
      result.centres.push_back(CentreOf(points_, begin, end));
    }
    result.first.push_back(end);
  }
  return result;
}

template DistinctValues<int32_t> CountDistinct(const int32_t*, size_t);
template DistinctValues<float> CountDistinct(const float*, size_t);
template DistinctValues<double> CountDistinct(const double*, size_t);
template class KMeans<int32_t>;
template class KMeans<float>;
template class KMeans<double>;

}  // namespace lutra::compressor
