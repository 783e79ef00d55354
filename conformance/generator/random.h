// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same everywhere: splitmix64, integers, and scales made of exact steps.

#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lutra::conformance {

class Random {
 public:
  // Cases of one family do not change when another one does.
  explicit Random(std::string_view seed) {
    for (const char c : seed) state_ = state_ * 1099511628211u ^ static_cast<uint8_t>(c);
  }
  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  // In [low, high], which are not all numbers.
  int64_t Between(int64_t low, int64_t high) {
    const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + Next() % count);
  }
  int32_t Int(int32_t low, int32_t high) { return static_cast<int32_t>(Between(low, high)); }
  bool OneIn(int n) { return Next() % static_cast<uint64_t>(n) == 0; }
  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[static_cast<size_t>(Next() % values.size())];
  }
  // mantissa * 2^exponent with a random mantissa of 24 bits in [1, 2) and an exponent in [low, high].
  float Scale(int low, int high) {
    const auto mantissa = static_cast<float>((1u << 23) + (Next() & 0x7FFFFF));
    return std::ldexp(mantissa, static_cast<int>(Between(low, high)) - 23);
  }
  // Zero points; the extremes often.
  int64_t ZeroPoint() {
    static const std::vector<int64_t> extremes = {-128, -127, -1, 0, 1, 126, 127};
    return OneIn(2) ? Pick(extremes) : Between(-128, 127);
  }

 private:
  uint64_t state_ = 14695981039346656037u;
};

}  // namespace lutra::conformance
