// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same everywhere: splitmix64, integers, and scales made of exact steps.
//
//   Random random("int8.add.");            // always the same numbers for the same seed
//   const int rows = random.Int(1, 9);
//
// Choices can be recorded, changed and made again, to simplify a case:
//
//   Draws draws;
//   Random first("seed", &draws);          // first.Int(1, 9) == 6 appends 5
//   draws[0] = 0;
//   Random second(draws);                  // second.Int(1, 9) == 1

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lutra::conformance {

// The choices of a Random, in order. 0 stands for the simplest choice: the lowest integer, the first of a
// list, the more likely outcome of OneIn.
using Draws = std::vector<uint64_t>;

class Random {
 public:
  // Cases of one family do not change when another one does. The choices are appended to `record`.
  explicit Random(std::string_view seed, Draws* record = nullptr) : record_(record) {
    for (const char c : seed) state_ = state_ * 1099511628211u ^ static_cast<uint8_t>(c);
  }
  // Makes these choices, reduced to the range of each draw, then 0. `made` gets the choices that were made.
  explicit Random(const Draws& draws, Draws* made = nullptr) : replayed_(&draws), record_(made) {}

  uint64_t Next() { return Draw(0, 0); }
  // Returns a number in [low, high], which must not be the whole range of int64.
  int64_t Between(int64_t low, int64_t high) {
    const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + Draw(count, 0));
  }
  int32_t Int(int32_t low, int32_t high) { return static_cast<int32_t>(Between(low, high)); }
  bool OneIn(int n) {
    const auto count = static_cast<uint64_t>(n);
    return Draw(count, 1 % count) == 0;
  }
  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[static_cast<size_t>(Draw(values.size(), 0))];
  }
  // mantissa * 2^exponent with a random mantissa of 24 bits in [1, 2) and an exponent in [low, high].
  float Scale(int low, int high) {
    const auto mantissa = static_cast<float>((1u << 23) + Draw(1u << 23, 0));
    return std::ldexp(mantissa, static_cast<int>(Between(low, high)) - 23);
  }
  // Returns a zero point, often an extreme one.
  int64_t ZeroPoint() {
    static const std::vector<int64_t> extremes = {-128, -127, -1, 0, 1, 126, 127};
    return OneIn(2) ? Pick(extremes) : Between(-128, 127);
  }

 private:
  // Returns a number below `count`, or any of 64 bits if `count` is 0. Draws records its distance from
  // `simplest`, modulo `count`.
  uint64_t Draw(uint64_t count, uint64_t simplest) {
    uint64_t distance = 0;
    if (replayed_ != nullptr) {
      if (next_ < replayed_->size()) distance = (*replayed_)[next_++];
      if (count != 0) distance = std::min(distance, count - 1);
    } else {
      const uint64_t number = count == 0 ? Generate() : Generate() % count;
      distance = number < simplest ? number + count - simplest : number - simplest;
    }
    if (record_ != nullptr) record_->push_back(distance);
    return count == 0 ? distance : (distance + simplest) % count;
  }
  uint64_t Generate() {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }

  uint64_t state_ = 14695981039346656037u;
  const Draws* replayed_ = nullptr;
  size_t next_ = 0;
  Draws* record_;
};

}  // namespace lutra::conformance
