// SPDX-License-Identifier: Apache-2.0
// KMeans asks a solver which of the sorted points form each cluster. A solver sees no values, only distances
// from a reference, and weights.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compressor/segment_costs.h"

namespace lutra::compressor::internal {

// The points below the pinned value and those above it, each in the order from the farthest to the nearest,
// with distances from the pinned value. Without one, all points are in `front`, with distances from any
// reference.
template <typename Offset>
struct Sides {
  std::vector<Offset> front, back;
  std::vector<uint32_t> front_weights, back_weights;
  bool pinned = false;
};

// Counts of points in each cluster, from the lowest. The pinned cluster may be empty.
struct Partition {
  std::vector<uint32_t> sizes;
  int pinned_cluster = -1;
  double squared_error = 0;
};

class ClusterSolver {
 public:
  virtual ~ClusterSolver() = default;
  // `clusters` from 1 to the count given to MakeSolver.
  virtual double squared_error(uint32_t clusters) const = 0;
  virtual Partition Solve(uint32_t clusters) const = 0;
  virtual bool exact() const = 0;
};

// At most as many clusters as there are points, or with a pinned value one more than points beside it.
// Integer sides use 64-bit or 128-bit sums as their size requires; `unit` is the length of one step.
std::unique_ptr<ClusterSolver> MakeSolver(const Sides<uint64_t>& sides, uint32_t clusters,
                                          uint64_t cell_budget, double unit = 1);
// The sum of all weight * offset^2 times 1e-16 is the resolution of the errors.
std::unique_ptr<ClusterSolver> MakeSolver(const Sides<double>& sides, uint32_t clusters,
                                          uint64_t cell_budget);

}  // namespace lutra::compressor::internal
