// SPDX-License-Identifier: Apache-2.0
// SignalFilterBank, SignalFilterBankSquareRoot, SignalFilterBankSpectralSubtraction, SignalPCAN and
// SignalFilterBankLog are custom operators of TensorFlow Lite Micro, from the energies of a spectrum to the
// logarithms of its channels. Sums and products wrap to their type.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

uint32_t Low32(uint64_t x) { return static_cast<uint32_t>(x); }
uint64_t Unsigned(int64_t x) { return static_cast<uint64_t>(x); }

int ShiftOption(const Node& node, const char* name, int64_t most) {
  const int64_t shift = node.CustomOption(name);
  if (shift < 0 || shift > most) node.Refuse(std::string(name) + " out of range");
  return static_cast<int>(shift);
}

// Each band adds to its own channel by the weights, and to the next channel by the unweights.
void EvalFilterBank(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kUint32, kInt16, kInt16, kInt16, kInt16, kInt16}, {kUint64});
  const Codes energies = node.Get(0), weights = node.Get(1), unweights = node.Get(2);
  const Codes frequency_starts = node.Get(3), weight_starts = node.Get(4), widths = node.Get(5);
  const size_t bands = widths.size();  // One more than there are channels.
  if (node.CustomOption("num_channels") + 1 != static_cast<int64_t>(bands) ||
      frequency_starts.size() != bands || weight_starts.size() != bands ||
      unweights.size() != weights.size()) {
    node.Refuse("lists of another number of channels");
  }
  const auto is_within = [](int64_t first, int64_t count, const Codes& codes) {
    return first >= 0 && first + count <= static_cast<int64_t>(codes.size());
  };
  Codes sums;
  uint64_t own = 0;
  for (size_t c = 0; c < bands; ++c) {
    if (!is_within(frequency_starts[c], widths[c], energies) ||
        !is_within(weight_starts[c], widths[c], weights)) {
      node.Refuse("a band beyond the energies or the weights");
    }
    uint64_t next = 0;
    for (int64_t j = 0; j < widths[c]; ++j) {
      const uint64_t energy = Unsigned(energies[Unsigned(frequency_starts[c] + j)]);
      const size_t at = Unsigned(weight_starts[c] + j);
      own += Unsigned(weights[at]) * energy;
      next += Unsigned(unweights[at]) * energy;
    }
    if (c > 0) sums.push_back(static_cast<int64_t>(own));
    own = next;
  }
  node.Put(0, sums);
}

// Returns the integer nearest to the root. It has 16 bits if x has 32, else 32.
uint64_t NearestRoot(uint64_t x) {
  const uint64_t largest = x >> 32 == 0 ? 0xFFFF : 0xFFFFFFFF;
  uint64_t low = 0, high = largest;  // The root is in [low, high].
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    if (middle * middle <= x) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  // Compares with (low + 1/2)^2 = low^2 + low + 1/4.
  return std::min(x - low * low > low ? low + 1 : low, largest);
}

void EvalSquareRoot(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kUint64, kInt32}, {kUint32});
  const Codes shifts = node.Get(1);
  if (shifts.size() != 1 || shifts[0] < 0 || shifts[0] > 31) node.Refuse("no shift, or one out of range");
  const int64_t shift = shifts[0];
  Codes x = node.Get(0);
  for (int64_t& q : x) q = static_cast<int64_t>(NearestRoot(Unsigned(q)) >> shift);
  node.Put(0, x);
}

void EvalSpectralSubtraction(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kUint32}, {kUint32, kUint32});
  const Codes x = node.Get(0);
  const int bits = ShiftOption(node, "spectral_subtraction_bits", 63);
  const int smoothing_bits = ShiftOption(node, "smoothing_bits", 31);
  const bool is_clamped = node.CustomOption("clamping") != 0;
  const uint64_t least = Low32(Unsigned(node.CustomOption("min_signal_remaining")));
  // The first name is for even channels, the second for odd ones.
  const std::array<const char*, 2> smoothing = {"smoothing", "alternate_smoothing"};
  const std::array<const char*, 2> rest = {"one_minus_smoothing", "alternate_one_minus_smoothing"};
  auto& memory = node.memory();
  if (memory.empty()) memory.assign(1, Codes(x.size(), 0));
  Codes y;
  for (size_t c = 0; c < x.size(); ++c) {
    int64_t& estimate = memory[0][c];
    const uint64_t signal = Low32(Unsigned(x[c]) << smoothing_bits);
    const uint64_t sum = signal * Low32(Unsigned(node.CustomOption(smoothing[c % 2]))) +
                         Unsigned(estimate) * Low32(Unsigned(node.CustomOption(rest[c % 2])));
    const uint32_t new_estimate = Low32(sum >> bits);
    const uint64_t taken = std::min<uint64_t>(new_estimate, signal);
    estimate = static_cast<int64_t>(is_clamped ? taken : uint64_t{new_estimate});
    y.push_back(std::max<int64_t>(static_cast<int64_t>((signal - taken) >> smoothing_bits),
                                  Low32(Unsigned(x[c]) * least >> bits)));
  }
  node.Put(0, y);
  node.Put(1, memory[0]);
}

// Interpolates by a parabola between powers of two: 4 k - 6 is the place in the table of that from 2^(k - 1)
// on.
int64_t Gain(const Codes& table, uint32_t x) {
  if (x <= 2) return table[x];
  const int length = std::bit_width(x);
  const auto at = static_cast<size_t>(4 * length - 6);
  const int64_t fraction = (uint64_t{x} << 10 >> (length - 1)) - (1 << 10);
  const int64_t slope = (table[at + 2] * fraction >> 5) + table[at + 1] * 32;
  return static_cast<int16_t>(((slope * fraction + (1 << 14)) >> 15) + table[at]);
}

void EvalPcan(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kUint32, kUint32, kInt16}, {kUint32});
  constexpr size_t kTableSize = 125;
  const Codes x = node.Get(0), noise = node.Get(1), table = node.Get(2);
  const int shift = ShiftOption(node, "snr_shift", 63);
  if (noise.size() != x.size() || table.size() != kTableSize) node.Refuse("operands of other sizes");
  Codes y;
  for (size_t c = 0; c < x.size(); ++c) {
    const uint32_t gain = Low32(Unsigned(Gain(table, Low32(Unsigned(noise[c])))));
    const uint32_t ratio = Low32(Unsigned(x[c]) * gain >> shift);
    y.push_back(ratio < 8192 ? ratio * ratio >> 20 : (ratio >> 6) - 64);
  }
  node.Put(0, y);
}

// Returns 65536 * (log2(1 + i / 128) - i / 128), which is 0 at both ends.
int64_t LogTableAt(int64_t i) {
  const double line = static_cast<double>(i) / 128;
  return i >= 128 ? 0 : RoundAway(65536 * (std::log2(1 + line) - line));
}

uint32_t ScaledLog(uint32_t x, uint32_t scale) {
  if (x <= 1) return 0;
  const int power = std::bit_width(x) - 1;
  // The fraction has the 16 bits after the leading one.
  const auto fraction = static_cast<int64_t>((uint64_t{x} << 16 >> power) - (1 << 16));
  const int64_t segment = fraction >> 9;
  const int64_t left = LogTableAt(segment), right = LogTableAt(segment + 1);
  const int64_t log2 =
      (int64_t{power} << 16) + fraction + left + ((right - left) * (fraction - segment * 512) >> 16);
  const uint32_t log = Low32((Unsigned(log2) * 45426 + 32768) >> 16);  // 45426 / 65536 is the log of 2.
  return (scale * log + 32768) >> 16;
}

void EvalLog(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kUint32}, {kInt16});
  const int bits = ShiftOption(node, "input_correction_bits", 31);
  const uint32_t scale = Low32(Unsigned(node.CustomOption("output_scale")));
  Codes x = node.Get(0);
  for (int64_t& q : x) q = std::min<int64_t>(ScaledLog(Low32(Unsigned(q) << bits), scale), INT16_MAX);
  node.Put(0, x);
}

constexpr Operator kFilterBankRows[] = {
    Custom("SignalFilterBank", {"---ppp", "-"}, EvalFilterBank),
    Custom("SignalFilterBankLog", {"-", "-"}, EvalLog),
    Custom("SignalFilterBankSpectralSubtraction", {"-", "--"}, EvalSpectralSubtraction),
    Custom("SignalFilterBankSquareRoot", {"--", "-"}, EvalSquareRoot),
    Custom("SignalPCAN", {"---", "-"}, EvalPcan),
};

}  // namespace

const OperatorFamily kSignalFilterBankOperators = kFilterBankRows;

}  // namespace lutra::conformance::oracle
