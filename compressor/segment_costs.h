// SPDX-License-Identifier: Apache-2.0
// The cost of a segment in k-means: the sum of weight * (offset - centre)^2 with the best centre, from
// prefix sums. Offsets are sorted (in either direction) distances from some reference.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lutra::compressor {

__extension__ typedef unsigned __int128 Uint128;

// Integer offsets, integer centres: exact. Sums are kept modulo 2^64 (2^128), which is enough if
// (largest offset)^2 * (sum of weights) is below half of that.
template <typename Unsigned>
class IntegerCosts {
 public:
  using Value = Unsigned;

  IntegerCosts() : sums_(1) {}
  IntegerCosts(const std::vector<uint64_t>& offsets, const uint32_t* weights) : sums_(1) {
    sums_.reserve(offsets.size() + 1);
    for (size_t i = 0; i < offsets.size(); ++i) {
      Sums next = sums_.back();
      const Unsigned first = Unsigned{weights[i]} * offsets[i];
      next.weight += weights[i];
      next.first += first;
      next.second += first * offsets[i];
      sums_.push_back(next);
    }
  }

  uint32_t size() const { return static_cast<uint32_t>(sums_.size()) - 1; }
  // Returns the costs of the same points if segments may only end at these positions, of which the first is
  // 0.
  IntegerCosts At(const std::vector<uint32_t>& positions) const {
    IntegerCosts coarse;
    coarse.sums_.clear();
    for (const uint32_t position : positions) coarse.sums_.push_back(sums_[position]);
    return coarse;
  }

  Unsigned Cost(uint32_t begin, uint32_t end) const {
    const uint64_t weight = sums_[end].weight - sums_[begin].weight;
    const Unsigned first = sums_[end].first - sums_[begin].first;
    const Unsigned second = sums_[end].second - sums_[begin].second;
    const Unsigned centre = NearestQuotient(first, weight);
    return second - centre * (2 * first - centre * weight);
  }
  // The cost of the points [begin, size) with their centre at offset 0.
  Unsigned CostAtZero(uint32_t begin) const { return sums_.back().second - sums_[begin].second; }

  uint32_t BestBegin(const Unsigned* before, uint32_t first, uint32_t last, uint32_t end,
                     Unsigned* best) const {
    uint32_t chosen = first;
    *best = before[first] + Cost(first, end);
    for (uint32_t begin = first + 1; begin <= last; ++begin) {
      const Unsigned value = before[begin] + Cost(begin, end);
      if (value < *best) {
        *best = value;
        chosen = begin;
      }
    }
    return chosen;
  }

 private:
  struct Sums {
    uint64_t weight = 0;
    Unsigned first = 0;
    Unsigned second = 0;
  };

  // The integer nearest to sum / weight; the lower of two. The double is off by less than one.
  static Unsigned NearestQuotient(Unsigned sum, uint64_t weight) {
    auto quotient = static_cast<uint64_t>(static_cast<double>(sum) / static_cast<double>(weight) + 0.5);
    // Twice the remainder, modulo: between -3 and 3 weights.
    Unsigned twice = 2 * (sum - Unsigned{quotient} * weight);
    constexpr Unsigned kSign = Unsigned{1} << (8 * sizeof(Unsigned) - 1);
    for (; (twice & kSign) != 0 && Unsigned{0} - twice >= weight; twice += 2 * Unsigned{weight}) --quotient;
    for (; (twice & kSign) == 0 && twice > weight; twice -= 2 * Unsigned{weight}) ++quotient;
    return quotient;
  }

  std::vector<Sums> sums_;
};

// Real offsets, real centres. The relative error of a cost is about 1e-16 * (cost of all points around
// offset 0) / cost.
class RealCosts {
 public:
  using Value = double;

  RealCosts() : weights_(1), first_(1), second_(1) {}
  RealCosts(const std::vector<double>& offsets, const uint32_t* weights);

  uint32_t size() const { return static_cast<uint32_t>(weights_.size()) - 1; }
  RealCosts At(const std::vector<uint32_t>& positions) const;

  double CostAtZero(uint32_t begin) const { return second_.back() - second_[begin]; }
  uint32_t BestBegin(const double* before, uint32_t first, uint32_t last, uint32_t end, double* best) const;

 private:
  std::vector<double> weights_, first_, second_;
};

}  // namespace lutra::compressor
