// SPDX-License-Identifier: Apache-2.0
// Intervals of int8 codes, and the codes that a layer's sum may become by any rule of rounding.
//
//   const SumRounding rounding({.first = 0.5f, .second = 0.01f, .output = 0.25f}, zero_point, clamps);
//   if (rounding.Of(least, most).is_constant()) ...   // The channel cannot change.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lutra/fixed_point/activation.h"
#include "lutra/fixed_point/multiplier.h"

namespace lutra::compressor {

// All int8 codes from `min` to `max`.
struct CodeRange {
  int32_t min = INT8_MIN;
  int32_t max = INT8_MAX;

  bool is_constant() const { return min == max; }
  void Include(const CodeRange& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
  CodeRange ClampedTo(const ActivationRange& clamps) const {
    return {std::clamp(min, clamps.min, clamps.max), std::clamp(max, clamps.min, clamps.max)};
  }
  friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

// The quantisation of an activation.
struct CodeScale {
  float scale = 0;
  int32_t zero_point = 0;
  friend bool operator==(const CodeScale&, const CodeScale&) = default;
};

// The real factor of a sum is first * second / output.
struct FactorScales {
  float first = 0;
  float second = 0;
  float output = 0;
};

// Rounds sums of products to codes: those of layers with weights, and MUL's. By every rule of rounding the
// code does not fall while the sum grows, so that the ends of an interval are enough.
class SumRounding {
 public:
  SumRounding(const FactorScales& scales, int32_t zero_point, const ActivationRange& clamps);

  // The codes of all sums from `least` to `most`: by double, single and upward rounding of fixed point, each
  // with scales combined in double and in float32, by a product in double, and by XNNPACK's in float32. If a
  // sum may overflow, all codes within the clamps.
  CodeRange Of(int64_t least, int64_t most) const;

 private:
  CodeRange At(int64_t sum) const;

  double factor_ = 0;
  float factor_float_ = 0;
  std::vector<Multiplier> multipliers_;
  int32_t zero_point_;
  ActivationRange clamps_;
};

// ADD of two activations.
class AddRounding {
 public:
  AddRounding(const CodeScale& a, const CodeScale& b, const CodeScale& output, const ActivationRange& clamps);

  // The codes of all sums of a code from `a` and one from `b`.
  CodeRange Of(const CodeRange& a, const CodeRange& b) const;

 private:
  CodeRange At(int32_t a, int32_t b) const;
  int64_t InFloatRatios(int64_t a, int64_t b) const;

  CodeScale a_, b_, output_;
  ActivationRange clamps_;
  Multiplier of_a_ = {}, of_b_ = {}, of_sum_ = {};
  bool is_known_ = false;  // False: a multiplier is out of the range that runtimes take.
};

}  // namespace lutra::compressor
