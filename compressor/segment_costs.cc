// SPDX-License-Identifier: Apache-2.0
// Computes prefix sums of real weights.

#include "compressor/segment_costs.h"

#include <cmath>
#include <cstring>

namespace lutra::compressor {
namespace {

// Every host can compute two costs at a time; two such pairs are computed at once, as a division takes long.
typedef double Lanes __attribute__((vector_size(16)));
typedef int64_t LaneIndices __attribute__((vector_size(16)));
constexpr uint32_t kLanes = 2;

inline Lanes LoadLanes(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

// The least value of each lane, and its first index.
struct LaneBest {
  Lanes value = {INFINITY, INFINITY};
  LaneIndices index = {0, 0};

  void Offer(Lanes candidate, LaneIndices at) {
    const LaneIndices better = candidate < value;
    value = Lanes((better & LaneIndices(candidate)) | (~better & LaneIndices(value)));
    index = (better & at) | (~better & index);
  }
};

// A sum that keeps what plain addition would round away.
class CompensatedSum {
 public:
  double Add(double value) {
    const double sum = sum_ + value;
    lost_ += std::fabs(sum_) >= std::fabs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
    sum_ = sum;
    return sum_ + lost_;
  }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace

RealCosts::RealCosts(const std::vector<double>& offsets, const uint32_t* weights) : RealCosts() {
  CompensatedSum weight, first, second;
  for (size_t i = 0; i < offsets.size(); ++i) {
    weights_.push_back(weight.Add(weights[i]));
    first_.push_back(first.Add(weights[i] * offsets[i]));
    second_.push_back(second.Add(weights[i] * offsets[i] * offsets[i]));
  }
}

RealCosts RealCosts::At(const std::vector<uint32_t>& positions) const {
  RealCosts coarse;
  for (size_t i = 1; i < positions.size(); ++i) {
    coarse.weights_.push_back(weights_[positions[i]]);
    coarse.first_.push_back(first_[positions[i]]);
    coarse.second_.push_back(second_[positions[i]]);
  }
  return coarse;
}

uint32_t RealCosts::BestBegin(const double* before, uint32_t first, uint32_t last, uint32_t end,
                              double* best) const {
  const double weight = weights_[end], sum = first_[end], square = second_[end];
  double best_value = INFINITY;
  uint32_t chosen = first;
  uint32_t begin = first;
  if (last - first >= 4 * kLanes) {
    const auto values = [&](uint32_t at) {
      const Lanes s = sum - LoadLanes(&first_[at]);
      return LoadLanes(&before[at]) +
             ((square - LoadLanes(&second_[at])) - s * s / (weight - LoadLanes(&weights_[at])));
    };
    LaneBest even, odd;
    LaneIndices index = {first, first + 1};
    for (; begin + 2 * kLanes <= last + 1; begin += 2 * kLanes, index += 2 * kLanes) {
      even.Offer(values(begin), index);
      odd.Offer(values(begin + kLanes), index + kLanes);
    }
    for (const LaneBest& lanes : {even, odd}) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        const auto candidate = static_cast<uint32_t>(lanes.index[lane]);
        if (lanes.value[lane] < best_value || (lanes.value[lane] == best_value && candidate < chosen)) {
          best_value = lanes.value[lane];
          chosen = candidate;
        }
      }
    }
  }
  for (; begin <= last; ++begin) {
    const double s = sum - first_[begin];
    const double value = before[begin] + ((square - second_[begin]) - s * s / (weight - weights_[begin]));
    if (value < best_value) {
      best_value = value;
      chosen = begin;
    }
  }
  *best = best_value;
  return chosen;
}

}  // namespace lutra::compressor
