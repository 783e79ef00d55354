// SPDX-License-Identifier: Apache-2.0
// Has the table, and interpolates functions in it.

#include "conformance/oracle/sigmoid16.h"

#include <array>
#include <cmath>

#include "conformance/oracle/arithmetic.h"

namespace lutra::conformance::oracle {
namespace {

// Returns 65536 / (1 + exp(-i / 24)) at 256 places; half of the error in the middle of a segment is added to
// its first node.
const std::array<int64_t, 256>& SigmoidNodes() {
  static const std::array<int64_t, 256> nodes = [] {
    const auto sigmoid = [](double i) { return 65536 / (1 + std::exp(-i / 24)); };
    std::array<int64_t, 256> made = {};
    for (size_t i = 0; i < 255; ++i) {
      const auto at = static_cast<double>(i);
      const double middle = sigmoid(at + 0.5) - (sigmoid(at) + sigmoid(at + 1)) / 2;
      made[i] = RoundAway(sigmoid(at) + middle / 2);
    }
    made[255] = 65535;
    return made;
  }();
  return nodes;
}

// Interpolates at |y|, of which 2^bits make a segment; returns `last` after the last node.
int64_t Interpolated(int64_t y, int bits, int64_t last) {
  const int64_t a = y < 0 ? -y : y;
  const auto node = static_cast<size_t>(a >> bits);
  if (node >= 255) return last;
  const auto& nodes = SigmoidNodes();
  return (nodes[node] << bits) + (a & ((int64_t{1} << bits) - 1)) * (nodes[node + 1] - nodes[node]);
}

}  // namespace

int64_t Logistic16(int64_t y) {
  const int64_t r = Interpolated(y, 9, 0x7FFF << 10);
  return y >= 0 ? (r + 512) >> 10 : ((int64_t{1} << 25) - r + 511) >> 10;
}
int64_t Tanh16(int64_t y) {
  const int64_t r = Interpolated(y, 8, 0xFFFF << 8);
  constexpr int64_t kHalf = 1 << 23;
  return y >= 0 ? (r - kHalf + 128) >> 8 : (-r + kHalf + 127) >> 8;
}

}  // namespace lutra::conformance::oracle
