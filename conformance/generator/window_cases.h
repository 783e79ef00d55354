// SPDX-License-Identifier: Apache-2.0
// The series of cases that convolutions, FULLY_CONNECTED and pools share: one plan, of which each operator
// says with which layers it follows it.
//
//   Series series("CONV_2D", sink);
//   WindowCases cases(kConv2D, &series);
//   cases.AddSpreads(6, {.out_channels = 12});   // int8.conv_2d.spread.0000 and so on

#pragma once

#include <functional>

#include "conformance/generator/series.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {

struct WindowOp {
  Case (*make)(Random& random, const Convolution& c);
  // How many products an output sums; null: the operator is a pool, without weights, and its input has the
  // output's scale and zero point.
  int (*depth)(const Convolution& c) = nullptr;
  bool channels_last = false;  // Of the weights.
  bool names_scales = false;   // Ids say whether the weights have a scale for each channel.
};

class WindowCases {
 public:
  using Draw = std::function<Convolution(int i)>;
  using Change = std::function<void(Convolution* c)>;

  WindowCases(const WindowOp& op, Series* series) : op_(op), series_(*series), random_(series->random) {}

  // With the scales and zero points that `c` has.
  void Add(const std::string& what, const Convolution& c, std::vector<std::string> tags = {});
  // With ones by which outputs fill their range; `per_channel`: one scale for each channel of the weights.
  void SetScales(bool per_channel, Convolution* c);
  Case Make(bool per_channel, Convolution c);
  void AddScaled(const std::string& what, bool per_channel, const Convolution& c) {
    series_.Add(what, Make(per_channel, c));
  }

  // Windows of AllWindows, dilated ones if `dilated`, each with a random image, which `change` goes on with.
  void AddWindows(int repeats, bool dilated, const Change& change);
  // Zero points at their ends, with these kinds of values, the i-th of which has the layer `draw(i)`.
  void AddZeroPoints(const std::vector<Values>& kinds, const Draw& draw);
  // Requantisation with shifts near zero, where rounding shows, from 2^least on; and far from it.
  void AddShifts(int least, int repeats, const Draw& draw);
  // Clamps well inside the range of the codes, at its ends and outside of it. `mixed`: every second exponent
  // has a scale for each channel.
  void AddActivations(const std::vector<int>& exponents, bool mixed, const Convolution& layer);
  // Spreads of the channels' scales.
  void AddSpreads(int repeats, const Draw& draw);
  void AddSpreads(int repeats, const Convolution& layer) {
    AddSpreads(repeats, [&](int) { return layer; });
  }
  // The largest sums that a bias makes; every `per_channel`-th with a scale for each channel, if not 0.
  void AddLargeBiases(int count, int per_channel, const Convolution& layer);
  void AddMultipliers(const Convolution& layer);

  // ---- Of real sizes.

  // Sizes of which every two are near every power of two together, as far as their product is at most `most`.
  void AddDims(const std::vector<PowerRange>& ranges, int64_t most,
               const std::function<Convolution(const SizeList&)>& draw);
  void AddNetworks(std::span<const NetworkLayer> layers);
  // With the sums of SetSumEnds. `smoke`: the layer of which the wide sums are in the smoke set.
  Case MakeSumEnds(bool wide, Convolution c);
  void AddSumEnds(const std::vector<Convolution>& layers, int smoke = -1);
  void AddSmoke(std::span<const SmokeLayer> rows);
  // Tall filters, taps far apart, more rows, columns and padding than a byte counts. The first is in the
  // smoke set.
  void AddFar(std::span<const SmokeLayer> rows, const Change& change = {});

 private:
  bool is_pool() const { return op_.depth == nullptr; }
  std::string Named(const std::string& what, bool per_channel) const;

  const WindowOp& op_;
  Series& series_;
  Random& random_;
};

// "size.per_channel", "size.per_tensor".
std::string ByScales(const std::string& what, bool per_channel);

}  // namespace lutra::conformance
