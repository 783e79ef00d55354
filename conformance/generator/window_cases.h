// SPDX-License-Identifier: Apache-2.0
// The series of cases that convolutions, FULLY_CONNECTED and pools share; each operator chooses its layers
// for them.
//
//   WindowCases cases(kConv2D, &series);
//   cases.AddSpreads(6, {.out_channels = 12});   // int8.conv_2d.spread.0000 and so on

#pragma once

#include <functional>

#include "conformance/generator/series.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {

struct WindowOp {
  Case (*make)(Random& random, const Convolution& c);
  // The number of products that an output sums. A null pointer stands for a pool, which has no weights and
  // whose input has the output's scale and zero point.
  int (*depth)(const Convolution& c) = nullptr;
  bool channels_last = false;  // The weights are [depth, channel], not [channel, depth].
  bool names_scales = false;   // Ids say whether the weights have a scale for each channel.
};

class WindowCases {
 public:
  using Draw = std::function<Convolution(int i)>;
  using Change = std::function<void(Convolution* c)>;

  WindowCases(const WindowOp& op, Series* series) : op_(op), series_(*series), random_(series->random) {}

  // Adds a case with the scales and zero points that `c` has.
  void Add(const std::string& what, const Convolution& c, std::vector<std::string> tags = {});
  // Draws scales by which outputs fill their range, with `per_channel` one for each channel of the weights.
  void SetScales(bool per_channel, Convolution* c);
  // Make and AddScaled draw such scales first.
  Case Make(bool per_channel, Convolution c);
  void AddScaled(const std::string& what, bool per_channel, const Convolution& c) {
    series_.Add(what, Make(per_channel, c));
  }

  // Takes every window of AllWindows, dilated ones only if `dilated`, draws an image for it and hands it to
  // `change`.
  void AddWindows(int repeats, bool dilated, const Change& change);
  // Moves zero points to their ends. `draw(i)` makes the layer for the i-th of the kinds of values.
  void AddZeroPoints(const std::vector<Values>& kinds, const Draw& draw);
  // Requantises with multipliers from 2^least to 2^3: rounding shows where the shift is near zero.
  void AddShifts(int least, int repeats, const Draw& draw);
  // Adds layers whose activation clamps well inside the range of codes, at its ends and outside of it. With
  // `mixed`, every second exponent has a scale for each channel.
  void AddActivations(const std::vector<int>& exponents, bool mixed, const Convolution& layer);
  // Adds layers whose channels have scales that differ more and more.
  void AddSpreads(int repeats, const Draw& draw);
  void AddSpreads(int repeats, const Convolution& layer) {
    AddSpreads(repeats, [&](int) { return layer; });
  }
  // Adds layers with the largest sums that a bias can make. If `per_channel` is not 0, every `per_channel`-th
  // case has a scale for each channel.
  void AddLargeBiases(int count, int per_channel, const Convolution& layer);
  // Adds layers with the multipliers of SetMultiplier.
  void AddMultipliers(const Convolution& layer);

  // ---- These are of real sizes.

  // Adds layers of the sizes of PairedSizes whose product is at most `most`.
  void AddDims(const std::vector<PowerRange>& ranges, int64_t most,
               const std::function<Convolution(const SizeList&)>& draw);
  void AddNetworks(std::span<const NetworkLayer> layers);
  // Both take the sums of SetSumEnds. `smoke` is the index of the layer whose wide sums are in the smoke set.
  Case MakeSumEnds(bool wide, Convolution c);
  void AddSumEnds(const std::vector<Convolution>& layers, int smoke = -1);
  void AddSmoke(std::span<const SmokeLayer> rows);
  // Packs two weights to a byte, with one scale and, if `per_channel`, one for each channel.
  void AddInt4(const std::vector<Convolution>& layers, bool per_channel);
  // Adds layers with tall filters, taps far apart, and more rows, columns and padding than a byte can count.
  // The first layer is in the smoke set.
  void AddFar(std::span<const SmokeLayer> rows, const Change& change = {});

 private:
  bool is_pool() const { return op_.depth == nullptr; }
  std::string Named(const std::string& what, bool per_channel) const;

  const WindowOp& op_;
  Series& series_;
  Random& random_;
};

// Returns "size.per_channel" or "size.per_tensor" for "size".
std::string ByScales(const std::string& what, bool per_channel);

}  // namespace lutra::conformance
