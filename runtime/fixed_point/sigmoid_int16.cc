// SPDX-License-Identifier: Apache-2.0
// The table, and values between its nodes.

#include "runtime/fixed_point/sigmoid_int16.h"

#include "runtime/fixed_point/constant_exp.h"

namespace lutra {
namespace {

constexpr int kNodes = 256;
struct SigmoidTable {
  uint16_t node[kNodes];
};

// Node i is at the real value i / 24.
constexpr double SigmoidAt(double i) { return 65536 / (1 + ConstantExp(-i / 24)); }

constexpr SigmoidTable MakeTable() {
  SigmoidTable table = {};
  for (int i = 0; i < kNodes - 1; ++i) {
    const double here = SigmoidAt(i);
    const double error = SigmoidAt(i + 0.5) - (here + SigmoidAt(i + 1)) / 2;
    table.node[i] = static_cast<uint16_t>(ConstantRound(here + error / 2));
  }
  table.node[kNodes - 1] = UINT16_MAX;
  return table;
}

constexpr SigmoidTable kTable = MakeTable();

// Returns the sigmoid of a / (24 * 2^kBits) in units of 2^-(16 + kBits); `last` beyond the table. a >= 0.
template <int kBits>
int32_t Interpolated(uint32_t a, int32_t last) {
  const uint32_t segment = a >> kBits;
  if (segment >= kNodes - 1) return last;
  const int32_t from = kTable.node[segment];
  const int32_t rest = static_cast<int32_t>(a & ((1u << kBits) - 1));
  return (from << kBits) + rest * (kTable.node[segment + 1] - from);
}

uint32_t Magnitude(int32_t y) { return y < 0 ? 0u - static_cast<uint32_t>(y) : static_cast<uint32_t>(y); }

}  // namespace

int16_t LogisticInt16(int32_t y) {
  const int32_t result = Interpolated<9>(Magnitude(y), INT16_MAX << 10);
  return static_cast<int16_t>(y >= 0 ? (result + 512) >> 10 : ((1 << 25) - result + 511) >> 10);
}

int16_t TanhInt16(int32_t y) {
  // The argument is doubled: tanh(x) is twice the sigmoid of 2 x, less 1.
  const int32_t result = Interpolated<8>(Magnitude(y), UINT16_MAX << 8) - (1 << 23);
  return static_cast<int16_t>(y >= 0 ? (result + 128) >> 8 : (-result + 127) >> 8);
}

}  // namespace lutra
