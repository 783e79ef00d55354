// SPDX-License-Identifier: Apache-2.0
// Solves clustering exactly by dynamic programming; if that takes too long, by cuts between groups of points,
// which it improves.

#include "compressor/cluster_solver.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "compressor/segmentation.h"

namespace lutra::compressor {

std::vector<EndRange> WholeRanges(uint32_t points, uint32_t segments, bool covers_all) {
  std::vector<EndRange> ranges(1);
  for (uint32_t c = 1; c <= segments; ++c) ranges.push_back({c, points});
  if (covers_all && segments > 0) ranges.back().low = points;
  return ranges;
}

namespace internal {
namespace {

// Returns where groups of neighbouring points end, from 0 to the number of points: about `groups` of them, at
// least half as many; empty if there are not more points than `groups`. Good cuts are denser where points
// are, but less than in proportion: by the cube root of the density (Panter and Dite). Half of each group's
// share follows that root, half the number of points.
template <typename Offset>
std::vector<uint32_t> GroupEnds(const std::vector<Offset>& offsets, uint64_t groups) {
  const size_t count = offsets.size();
  if (count <= groups) return {};
  std::vector<double> share(count);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    share[i] = sum;
    const double gap =
        i + 1 < count ? static_cast<double>(offsets[i + 1]) - static_cast<double>(offsets[i]) : 0;
    sum += std::cbrt(gap * gap);
  }
  std::vector<uint32_t> ends(1, 0);
  uint64_t group = 0;
  for (size_t i = 1; i < count; ++i) {
    const double place = (sum > 0 ? share[i] / sum : 0) + static_cast<double>(i) / static_cast<double>(count);
    const auto now = static_cast<uint64_t>(0.5 * place * static_cast<double>(groups));
    if (now != group) ends.push_back(static_cast<uint32_t>(i));
    group = now;
  }
  ends.push_back(static_cast<uint32_t>(count));
  return ends;
}

// Clusters of one side from the outside in; with `pinned`, the remaining points go to the pinned value.
template <typename Costs>
class Side {
 public:
  using Value = typename Costs::Value;

  template <typename Offset>
  Side(const std::vector<Offset>& offsets, const std::vector<uint32_t>& weights, uint32_t clusters,
       bool pinned, uint64_t cell_budget)
      : costs_(offsets, weights.data()), pinned_(pinned) {
    clusters = std::min(clusters, costs_.size());
    rest_ = Rest(costs_);
    if (uint64_t{clusters} * costs_.size() > cell_budget) {
      positions_ = GroupEnds(offsets, std::max(cell_budget / clusters, uint64_t{4} * clusters));
    }
    if (positions_.empty()) {
      segmentation_.emplace(costs_, WholeRanges(costs_.size(), clusters, !pinned), RestPointer(rest_));
    } else {
      const Costs coarse = costs_.At(positions_);
      const std::vector<Value> coarse_rest = Rest(coarse);
      segmentation_.emplace(coarse, WholeRanges(coarse.size(), clusters, !pinned), RestPointer(coarse_rest));
    }
  }

  bool exact() const { return positions_.empty(); }
  uint32_t points() const { return costs_.size(); }
  uint32_t clusters() const { return segmentation_->segments(); }
  Value total(uint32_t clusters) const { return segmentation_->total(clusters); }

  // Finds where each cluster ends, and the cost of these ends.
  std::vector<uint32_t> Ends(uint32_t clusters, Value* total) const {
    std::vector<uint32_t> ends = segmentation_->Ends(clusters);
    *total = segmentation_->total(clusters);
    if (exact() || clusters == 0) return ends;
    for (uint32_t& end : ends) end = positions_[end];
    // Searches the best ends within two groups of the present ones, until none is better; few rounds are
    // needed.
    const uint32_t reach = 2 * (costs_.size() / static_cast<uint32_t>(positions_.size() - 1) + 1);
    constexpr int kMaxRounds = 32;
    for (int round = 0; round < kMaxRounds; ++round) {
      const Segmentation<Costs> near(costs_, RangesNear(ends, reach), RestPointer(rest_));
      if (near.total(clusters) >= *total) break;
      *total = near.total(clusters);
      ends = near.Ends(clusters);
    }
    return ends;
  }

 private:
  std::vector<Value> Rest(const Costs& costs) const {
    std::vector<Value> rest;
    if (!pinned_) return rest;
    for (uint32_t i = 0; i <= costs.size(); ++i) rest.push_back(costs.CostAtZero(i));
    return rest;
  }
  const std::vector<Value>* RestPointer(const std::vector<Value>& rest) const {
    return pinned_ ? &rest : nullptr;
  }

  std::vector<EndRange> RangesNear(const std::vector<uint32_t>& ends, uint32_t reach) const {
    std::vector<EndRange> ranges(1);
    const auto count = static_cast<uint32_t>(ends.size());
    for (uint32_t c = 1; c <= count; ++c) {
      const uint32_t end = ends[c - 1];
      EndRange range;
      range.low = std::max(end < reach ? 0 : end - reach, c);
      range.high = std::min(end + reach, costs_.size() - (count - c));
      ranges.push_back(range);
    }
    if (!pinned_) ranges.back() = {costs_.size(), costs_.size()};
    return ranges;
  }

  Costs costs_;
  bool pinned_;
  std::vector<Value> rest_;
  std::vector<uint32_t> positions_;  // Ends of groups, if points are grouped.
  std::optional<Segmentation<Costs>> segmentation_;
};

template <typename Costs, typename Offset>
class TwoSides : public ClusterSolver {
 public:
  using Value = typename Costs::Value;

  TwoSides(const Sides<Offset>& sides, uint32_t clusters, uint64_t cell_budget, double unit)
      : pinned_(sides.pinned),
        unit_(unit),
        front_(sides.front, sides.front_weights, clusters - (pinned_ ? 1 : 0), pinned_, cell_budget),
        back_(sides.back, sides.back_weights, pinned_ ? clusters - 1 : 0, pinned_, cell_budget) {}

  double squared_error(uint32_t clusters) const override {
    return InUnits(Total(clusters, FrontClusters(clusters)));
  }

  Partition Solve(uint32_t clusters) const override {
    const uint32_t front_clusters = FrontClusters(clusters);
    Partition partition;
    Value front_error = 0, back_error = 0;
    const std::vector<uint32_t> front = front_.Ends(front_clusters, &front_error);
    AppendSizes(front, &partition.sizes);
    if (pinned_) {
      const std::vector<uint32_t> back = back_.Ends(clusters - 1 - front_clusters, &back_error);
      std::vector<uint32_t> back_sizes;
      AppendSizes(back, &back_sizes);
      partition.pinned_cluster = static_cast<int>(front_clusters);
      partition.sizes.push_back(front_.points() - (front.empty() ? 0 : front.back()) + back_.points() -
                                (back.empty() ? 0 : back.back()));
      partition.sizes.insert(partition.sizes.end(), back_sizes.rbegin(), back_sizes.rend());
    }
    partition.squared_error = InUnits(front_error + back_error);
    return partition;
  }

  bool exact() const override { return front_.exact() && back_.exact(); }

 private:
  static void AppendSizes(const std::vector<uint32_t>& ends, std::vector<uint32_t>* sizes) {
    for (size_t i = 0; i < ends.size(); ++i) sizes->push_back(ends[i] - (i == 0 ? 0 : ends[i - 1]));
  }

  // Returns how many of the clusters precede the pinned value; all of them if there is none.
  uint32_t FrontClusters(uint32_t clusters) const {
    if (!pinned_) return clusters;
    const uint32_t free = clusters - 1;
    uint32_t chosen = free > back_.clusters() ? free - back_.clusters() : 0;
    for (uint32_t c = chosen + 1; c <= std::min(free, front_.clusters()); ++c) {
      if (Total(clusters, c) < Total(clusters, chosen)) chosen = c;
    }
    return chosen;
  }

  Value Total(uint32_t clusters, uint32_t front_clusters) const {
    if (!pinned_) return front_.total(clusters);
    return front_.total(front_clusters) + back_.total(clusters - 1 - front_clusters);
  }

  double InUnits(Value value) const { return static_cast<double>(value) * unit_ * unit_; }

  bool pinned_;
  double unit_;
  Side<Costs> front_, back_;
};

// Returns whether (largest offset)^2 * (sum of weights), times two, fits 64 bits.
bool Fits64(const std::vector<uint64_t>& offsets, const std::vector<uint32_t>& weights) {
  uint64_t most = 0, weight = 0;
  for (const uint64_t offset : offsets) most = std::max(most, offset);
  for (const uint32_t w : weights) weight += w;
  return most < (uint64_t{1} << 31) && Uint128{most} * most * weight < (Uint128{1} << 63);
}

}  // namespace

std::unique_ptr<ClusterSolver> MakeSolver(const Sides<uint64_t>& sides, uint32_t clusters,
                                          uint64_t cell_budget, double unit) {
  if (Fits64(sides.front, sides.front_weights) && Fits64(sides.back, sides.back_weights)) {
    return std::make_unique<TwoSides<IntegerCosts<uint64_t>, uint64_t>>(sides, clusters, cell_budget, unit);
  }
  return std::make_unique<TwoSides<IntegerCosts<Uint128>, uint64_t>>(sides, clusters, cell_budget, unit);
}

std::unique_ptr<ClusterSolver> MakeSolver(const Sides<double>& sides, uint32_t clusters,
                                          uint64_t cell_budget) {
  return std::make_unique<TwoSides<RealCosts, double>>(sides, clusters, cell_budget, 1);
}

}  // namespace internal
}  // namespace lutra::compressor
