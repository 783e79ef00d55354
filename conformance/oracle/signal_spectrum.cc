// SPDX-License-Identifier: Apache-2.0
// SignalWindow, SignalFftAutoScale and SignalEnergy are custom operators of TensorFlow Lite Micro that come
// before and after a Fourier transform of int16.

#include <bit>

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

int64_t Wrap16(int64_t x) { return static_cast<int16_t>(static_cast<uint64_t>(x)); }

void EvalWindow(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kInt16, kInt16}, {kInt16});
  const Codes window = node.Get(1);
  const int64_t shift = node.CustomOption("shift");
  if (window.empty() || shift < 0 || shift > 31) node.Refuse("no window, or a shift out of range");
  Codes x = node.Get(0);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = Clamp(x[i] * window[i % window.size()] >> shift, INT16_MIN, INT16_MAX);
  }
  node.Put(0, x);
}

void EvalFftAutoScale(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kInt16}, {kInt16, kInt32});
  Codes x = node.Get(0);
  // In 16 bits the magnitude of -32768 is -32768, so any other magnitude is larger.
  int64_t largest = 0;
  for (const int64_t q : x) {
    const int64_t magnitude = q < 0 ? -q : q;
    if (magnitude > largest) largest = Wrap16(magnitude);
  }
  const int64_t shift = largest <= 0 ? 0 : 15 - std::bit_width(static_cast<uint64_t>(largest));
  for (int64_t& q : x) q = Wrap16(q << shift);
  node.Put(0, x);
  node.Put(1, {shift});
}

void EvalEnergy(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kInt16}, {kUint32});
  const Codes x = node.Get(0);
  Codes energies(static_cast<size_t>(ElementCount(node.output(0).shape)), 0);
  const int64_t begin = node.CustomOption("start_index"), end = node.CustomOption("end_index");
  if (begin < 0 || end > static_cast<int64_t>(std::min(energies.size(), x.size() / 2))) {
    node.Refuse("numbers that there are not");
  }
  for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
    energies[i] = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1];
  }
  node.Put(0, energies);
}

constexpr Operator kSpectrumRows[] = {
    Custom("SignalEnergy", {"-", "-"}, EvalEnergy),
    Custom("SignalFftAutoScale", {"-", "--"}, EvalFftAutoScale),
    Custom("SignalWindow", {"--", "-"}, EvalWindow),
};

}  // namespace

const OperatorFamily kSignalSpectrumOperators = kSpectrumRows;

}  // namespace lutra::conformance::oracle
