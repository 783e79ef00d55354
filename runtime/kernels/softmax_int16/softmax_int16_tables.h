// SPDX-License-Identifier: Apache-2.0
// The tables of SOFTMAX int16: 513 nodes of a function. Half of the error in the middle of each segment is
// subtracted from its first node. TFLite Micro computes them in float32 in prepare; here the compiler does.

#pragma once

#include <stdint.h>

#include "runtime/fixed_point/constant_exp.h"

namespace lutra {

inline constexpr int kSoftmaxSegments = 512;

struct SoftmaxTable {
  int16_t node[kSoftmaxSegments + 1];
};

// Returns the codes of function(real) at the codes of `real`, whose scale and zero point are given; results
// have a scale of 2 / 65535.
template <typename Function>
constexpr SoftmaxTable MakeSoftmaxTable(const Function& function, float scale, int32_t zero_point) {
  const float out_scale = 2.0f / 65535.0f;
  const float low = scale * static_cast<float>(INT16_MIN - zero_point);
  const float high = scale * static_cast<float>(INT16_MAX - zero_point);
  const float step = (high - low) / kSoftmaxSegments;
  const float half_step = step / 2;
  const float out_low = out_scale * INT16_MIN;
  const float out_high = out_scale * INT16_MAX;
  const float codes = 65536.0f / (out_high - out_low);
  const auto rounded = [](float x) { return static_cast<float>(ConstantRound(static_cast<double>(x))); };
  const auto clamped = [](float x) {
    return static_cast<int16_t>(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
  };
  SoftmaxTable table = {};
  for (int i = 0; i < kSoftmaxSegments; ++i) {
    const float x = low + static_cast<float>(i) * step;
    const float next = low + static_cast<float>(i + 1) * step;
    const float here = rounded(function(x) * codes);
    const float between = rounded((function(next) * codes + here) / 2);
    const float middle = rounded(function(x + half_step) * codes);
    table.node[i] = clamped(here - rounded((between - middle) / 2));
  }
  table.node[kSoftmaxSegments] = clamped(rounded(function(high) * codes));
  return table;
}

// exp(x), for x from -10 to 0.
inline constexpr SoftmaxTable kSoftmaxExp =
    MakeSoftmaxTable([](float x) { return static_cast<float>(ConstantExp(static_cast<double>(x))); },
                     10.0f / 65535.0f, INT16_MAX);
// 1 / (1 + x), for x from 0 to 1.
inline constexpr SoftmaxTable kSoftmaxInverse =
    MakeSoftmaxTable([](float x) { return 1.0f / (1.0f + x); }, 1.0f / 65535.0f, INT16_MIN);

// Returns the function of an int16 code.
constexpr int32_t LookUp(const SoftmaxTable& table, int32_t code) {
  const int32_t segment = kSoftmaxSegments / 2 + (code >> 7);
  const int32_t from = table.node[segment];
  return from + (((table.node[segment + 1] - from) * (code & 127) + 64) >> 7);
}

}  // namespace lutra
