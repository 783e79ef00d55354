// SPDX-License-Identifier: Apache-2.0
// The plan of cases for convolutions, FULLY_CONNECTED and pools.

#include "conformance/generator/window_cases.h"

namespace lutra::conformance {

std::string ByScales(const std::string& what, bool per_channel) {
  return what + (per_channel ? ".per_channel" : ".per_tensor");
}

std::string WindowCases::Named(const std::string& what, bool per_channel) const {
  return op_.names_scales ? ByScales(what, per_channel) : what;
}

void WindowCases::Add(const std::string& what, const Convolution& c, std::vector<std::string> tags) {
  series_.Add(what, op_.make(random_, c), std::move(tags));
}

void WindowCases::SetScales(bool per_channel, Convolution* c) {
  if (!is_pool()) {
    return conformance::SetScales(random_, op_.depth(*c), per_channel ? c->out_channels : 1, c);
  }
  c->out_scale = random_.Scale(-8, -1);
  c->in_zero = c->out_zero = random_.ZeroPoint();
}

Case WindowCases::Make(bool per_channel, Convolution c) {
  SetScales(per_channel, &c);
  return op_.make(random_, c);
}

void WindowCases::AddWindows(int repeats, bool dilated, const Change& change) {
  for (const Convolution& window : AllWindows()) {
    if (window.dilation > 1 && !dilated) continue;
    for (const bool per_channel : {false, true}) {
      if (is_pool() && per_channel) continue;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        Convolution c = window;
        RandomWindow(random_, &c);
        change(&c);
        const std::string name = WindowName(c);
        AddScaled(is_pool() ? name : ByScales(name, per_channel), per_channel, c);
      }
    }
  }
}

void WindowCases::AddZeroPoints(const std::vector<Values>& kinds, const Draw& draw) {
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    for (size_t kind = 0; kind < kinds.size(); ++kind) {
      Convolution c = draw(static_cast<int>(kind));
      c.values = kinds[kind];
      c.in_zero = zero;
      if (is_pool()) c.out_zero = zero;
      c.weights = kinds[kind] == Values::kRamp ? Values::kExtremes : Values::kRandom;
      Add(Named("zero_point", c.filter_scales.size() > 1), c, {ToString(c.values)});
    }
  }
}

void WindowCases::AddShifts(int least, int repeats, const Draw& draw) {
  for (int exponent = least; exponent <= 3; ++exponent) {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      Convolution c = draw(repeat);
      SetShift(random_, exponent, repeat, c.out_channels, &c);
      Add("shift", c, {"tie"});
    }
  }
}

void WindowCases::AddActivations(const std::vector<int>& exponents, bool mixed, const Convolution& layer) {
  for (const int8_t activation : {1, 2, 3}) {
    for (const int exponent : exponents) {
      Convolution c = layer;
      c.activation = activation;
      if (is_pool()) {
        c.out_scale = random_.Scale(exponent, exponent);
        c.out_zero = random_.Between(-60, 60);
      } else {
        SetScales(mixed && exponent % 2 == 0, &c);
        SetOutputScale(random_, exponent, &c);
      }
      Add(std::string("activation.") + ActivationName(activation), c);
    }
  }
}

void WindowCases::AddSpreads(int repeats, const Draw& draw) {
  for (const int spread : {2, 4, 8, 14}) {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      Convolution c = draw(repeat);
      SetScales(true, &c);
      for (float& scale : c.filter_scales) scale = random_.Scale(-6 - spread / 2, -6 + spread / 2);
      Add(Named("spread", true), c);
    }
  }
}

void WindowCases::AddLargeBiases(int count, int per_channel, const Convolution& layer) {
  for (int repeat = 0; repeat < count; ++repeat) {
    const bool is_per_channel = per_channel != 0 && repeat % per_channel == 0;
    Convolution c = layer;
    SetNearHalves(random_, c.out_channels, &c);
    if (is_per_channel) c.filter_scales.assign(static_cast<size_t>(c.out_channels), c.filter_scales[0]);
    Add(Named("large_bias", is_per_channel), c);
  }
}

void WindowCases::AddMultipliers(const Convolution& layer) {
  for (const int exponent : {0, -1, -4, -9, -30, -31, -32, -33, -36}) {
    Convolution c = layer;
    const bool below = exponent > -30;
    SetMultiplier(random_, exponent, below, c.out_channels, &c);
    Add(below ? "multiplier.below_power_of_two" : "multiplier.tiny", c);
  }
}

void WindowCases::AddDims(const std::vector<PowerRange>& ranges, int64_t most,
                          const std::function<Convolution(const SizeList&)>& draw) {
  const auto fits = [most](const SizeList& s) { return Product(s) <= most; };
  for (const SizeList& s : PairedSizes(ranges, fits)) {
    const Convolution c = draw(s);
    AddScaled("dims", !is_pool() && random_.OneIn(2), c);
  }
}

void WindowCases::AddNetworks(std::span<const NetworkLayer> layers) {
  for (const NetworkLayer& layer : layers) {
    Convolution c;
    SetLayer(random_, layer, &c);
    AddScaled("network", true, c);
  }
}

Case WindowCases::MakeSumEnds(bool wide, Convolution c) {
  SetSumEnds(random_, op_.depth(c), c.out_channels, op_.channels_last, wide, &c);
  return op_.make(random_, c);
}

void WindowCases::AddSumEnds(const std::vector<Convolution>& layers, int smoke) {
  for (const bool wide : {false, true}) {
    for (size_t i = 0; i < layers.size(); ++i) {
      const Case test = MakeSumEnds(wide, layers[i]);
      if (wide && static_cast<int>(i) == smoke) {
        series_.AddSmoke("smoke", test);
      } else {
        series_.Add(wide ? "sum_ends.int32" : "sum_ends.int16", test);
      }
    }
  }
}

void WindowCases::AddInt4(const std::vector<Convolution>& layers, bool per_channel) {
  for (int scales = 0; scales < (per_channel ? 2 : 1); ++scales) {
    for (Convolution c : layers) {
      SetScales(scales == 1, &c);
      // int4 codes are a sixteenth of those for which the scales were drawn.
      for (float& scale : c.filter_scales) scale *= 16;
      c.int4_weights = true;
      series_.Add(scales == 1 ? "per_channel" : "per_tensor", op_.make(random_, c));
    }
  }
  Convolution smoke = layers.back();
  smoke.int4_weights = true;
  series_.AddSmoke("smoke", Make(false, smoke));
}

void WindowCases::AddSmoke(std::span<const SmokeLayer> rows) {
  for (const SmokeLayer& row : rows) {
    Convolution c;
    SetSmokeLayer(random_, row, &c);
    series_.AddSmoke("smoke", Make(true, c));
  }
}

void WindowCases::AddFar(std::span<const SmokeLayer> rows, const Change& change) {
  for (const SmokeLayer& row : rows) {
    Convolution c;
    SetSmokeLayer(random_, row, &c);
    if (change) change(&c);
    const Case test = Make(true, c);
    &row == rows.data() ? series_.AddSmoke("window", test) : series_.Add("window", test);
  }
}

}  // namespace lutra::conformance
