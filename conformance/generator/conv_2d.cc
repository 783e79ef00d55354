// SPDX-License-Identifier: Apache-2.0

#include "conformance/generator/model_maker.h"
#include "conformance/generator/separate.h"

namespace lutra {
namespace {

struct Conv {
  int batches = 1, height = 4, width = 4, in_channels = 3, out_channels = 4;
  int filter_height = 3, filter_width = 3, stride = 1, dilation = 1, groups = 1;
  bool same = true;
  int8_t activation = 0;
  bool has_bias = true;
  float in_scale = 0.5f, out_scale = 0.5f;
  int64_t in_zero = 0, out_zero = 0;
  std::vector<float> filter_scales = {0.5f};  // One, or one for each output channel.
  Values values = Values::kRandom, weights = Values::kRandom;
  std::vector<int32_t> bias;  // Empty: random.
};

int OutputSize(const Conv& c, int in, int filter) {
  const int extent = (filter - 1) * c.dilation + 1;
  return c.same ? (in + c.stride - 1) / c.stride : (in - extent + c.stride) / c.stride;
}

Case Make(Random& random, const Conv& c) {
  ModelMaker maker;
  const int x = maker.Input(
      {.shape = {c.batches, c.height, c.width, c.in_channels}, .scale = c.in_scale, .zero_point = c.in_zero});
  const oracle::Shape filter = {c.out_channels, c.filter_height, c.filter_width, c.in_channels / c.groups};
  MadeTensor weights = {.shape = filter};
  if (c.filter_scales.size() == 1) {
    weights.scale = c.filter_scales[0];
  } else {
    weights.channel_scales = c.filter_scales;
  }
  std::vector<int> inputs = {
      x, maker.Constant(weights, MakeCodes(random, oracle::ElementCount(filter), c.weights))};
  if (c.has_bias) {
    std::vector<int32_t> bias = c.bias;
    for (int i = 0; bias.size() < static_cast<size_t>(c.out_channels); ++i) {
      bias.push_back(static_cast<int32_t>(random.Between(-2000, 2000)));
    }
    MadeTensor tensor = {.shape = {c.out_channels}, .type = oracle::kInt32};
    for (const float scale : c.filter_scales) tensor.channel_scales.push_back(c.in_scale * scale);
    inputs.push_back(maker.Constant(tensor, ToBytes(bias)));
  }
  const int y = maker.Output({.shape = {c.batches, OutputSize(c, c.height, c.filter_height),
                                        OutputSize(c, c.width, c.filter_width), c.out_channels},
                              .scale = c.out_scale,
                              .zero_point = c.out_zero});
  maker.Op<edit::Conv2DOptionsT>("CONV_2D", inputs, {y}, [&](auto& options) {
    options.padding = c.same ? 0 : 1;
    options.stride_h = options.stride_w = c.stride;
    options.dilation_h_factor = options.dilation_w_factor = c.dilation;
    options.fused_activation_function = c.activation;
  });
  const int64_t count = int64_t{c.batches} * c.height * c.width * c.in_channels;
  return {
      .op = "CONV_2D", .model = maker.Finish(), .inputs = {MakeCodes(random, count, c.values, c.in_zero)}};
}

// Scales by which sums of products fill the range of the output.
void SetScales(Random& random, bool per_channel, Conv* c) {
  const int products = c->filter_height * c->filter_width * c->in_channels / c->groups;
  const int magnitude = 12 + std::ilogb(static_cast<double>(products)) / 2;
  c->in_scale = random.Scale(-6, 0);
  c->filter_scales.clear();
  for (int i = 0; i < (per_channel ? c->out_channels : 1); ++i) {
    c->filter_scales.push_back(random.Scale(-8, -5));
  }
  c->out_scale =
      c->in_scale * c->filter_scales[0] * std::ldexp(1.0f, magnitude - 7 + (random.OneIn(4) ? -3 : 0));
  c->in_zero = random.ZeroPoint();
  c->out_zero = random.ZeroPoint();
}

void Generate(const CaseSink& sink) {
  const std::string prefix = PrefixOf("CONV_2D");
  Random random(prefix);
  NumberedIds ids(prefix);
  const auto add = [&](const std::string& what, const Conv& c, std::vector<std::string> tags = {}) {
    Case test = Make(random, c);
    test.id = ids(what);
    test.tags = std::move(tags);
    sink(std::move(test));
  };
  const std::vector<int> channels = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33};
  const std::vector<int8_t> activations = {0, 1, 2, 3};
  // Windows: every size with every stride and dilation, padded and not.
  for (const bool same : {true, false}) {
    for (const int filter : {1, 2, 3, 4, 5, 7}) {
      for (const int stride : {1, 2, 3}) {
        for (const int dilation : {1, 2, 3}) {
          if (dilation > 1 && (filter == 1 || stride == 3)) continue;
          for (const bool per_channel : {false, true}) {
            for (int repeat = 0; repeat < 2; ++repeat) {
              Conv c;
              c.same = same;
              c.filter_height = filter;
              c.filter_width = random.OneIn(3) ? 1 : filter;
              c.stride = stride;
              c.dilation = dilation;
              const int least = same ? 1 : (filter - 1) * dilation + 1;
              c.height = static_cast<int>(random.Between(least, least + 6));
              c.width = static_cast<int>(random.Between(least, least + 6));
              c.in_channels = random.Pick(channels) % 9 + 1;
              c.out_channels = random.Pick(channels) % 18 + 1;
              c.batches = random.OneIn(4) ? static_cast<int>(random.Between(2, 3)) : 1;
              c.activation = random.Pick(activations);
              c.values = static_cast<Values>(random.Between(0, kValueKinds - 1));
              SetScales(random, per_channel, &c);
              add(std::string(same ? "same" : "valid") + ".stride" + std::to_string(stride) +
                      (dilation > 1 ? ".dilation" + std::to_string(dilation) : "") +
                      (per_channel ? ".per_channel" : ".per_tensor"),
                  c);
            }
          }
        }
      }
    }
  }
  // Numbers of channels, and groups.
  for (const int in : channels) {
    for (const int out : channels) {
      if (random.OneIn(2)) continue;
      Conv c;
      c.height = c.width = 3;
      c.filter_height = c.filter_width = random.OneIn(2) ? 1 : 3;
      c.in_channels = in;
      c.out_channels = out;
      SetScales(random, random.OneIn(2), &c);
      add("channels", c);
    }
  }
  for (const int groups : {2, 3, 4}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      Conv c;
      c.groups = groups;
      c.in_channels = groups * static_cast<int>(random.Between(1, 4));
      c.out_channels = groups * static_cast<int>(random.Between(1, 5));
      SetScales(random, repeat % 2 == 0, &c);
      add("groups" + std::to_string(groups), c);
    }
  }
  // Zero points and values at their ends; without bias.
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    for (int kind = 0; kind < kValueKinds; ++kind) {
      Conv c;
      c.values = static_cast<Values>(kind);
      SetScales(random, kind % 2 == 0, &c);
      c.in_zero = zero;
      c.has_bias = kind % 3 != 0;
      c.weights = kind == 4 ? Values::kExtremes : Values::kRandom;
      add("zero_point", c, {ToString(c.values)});
    }
  }
  // Requantisation with shifts near zero, where rounding shows; and far from it.
  for (int exponent = -14; exponent <= 3; ++exponent) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      Conv c;
      c.filter_height = c.filter_width = 1;
      c.in_channels = 1 + repeat % 2;
      c.out_channels = 9;
      // Few products with few values: sums of small magnitude.
      c.values = exponent > -7 ? Values::kNearZeroPoint : Values::kRandom;
      c.weights = exponent > -7 ? Values::kNearZeroPoint : Values::kRandom;
      c.in_scale = repeat % 4 == 3 ? std::ldexp(1.0f, exponent) : random.Scale(exponent, exponent);
      c.out_scale = repeat % 2 == 1 ? 1.0f : random.Scale(0, 0);
      c.filter_scales = {repeat % 4 == 1 ? 1.0f : random.Scale(0, 0)};
      c.in_zero = random.Between(-100, 100);
      c.out_zero = random.Between(-20, 20);
      for (int i = 0; i < c.out_channels; ++i) {
        const auto reach = static_cast<int64_t>(std::ldexp(100.0, exponent > 0 ? 0 : -exponent));
        c.bias.push_back(static_cast<int32_t>(random.Between(-reach, reach)));
      }
      add("shift", c, {"tie"});
    }
  }
  // Spreads of the channels' scales.
  for (const int spread : {2, 4, 8, 14}) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      Conv c;
      c.out_channels = 12;
      SetScales(random, true, &c);
      for (float& scale : c.filter_scales) scale = random.Scale(-6 - spread / 2, -6 + spread / 2);
      add("spread", c);
    }
  }
  AddSeparators(sink, "CONV_2D", 12, 300, [](Random& r) {
    Conv c;
    c.height = 1;
    c.width = 4;
    c.filter_height = c.filter_width = 1;
    c.groups = r.OneIn(3) ? 2 : 1;
    c.in_channels = 2;
    c.out_channels = c.groups * static_cast<int>(r.Between(3, 12));
    const int exponent = static_cast<int>(r.Between(-5, -1));
    c.in_scale = r.OneIn(2) ? std::ldexp(1.0f, exponent) : r.Scale(exponent, exponent);
    c.filter_scales = {1.0f};
    c.out_scale = 1.0f;
    c.values = c.weights = Values::kNearZeroPoint;
    const int reach = 100 << -exponent;
    for (int i = 0; i < c.out_channels; ++i) {
      c.bias.push_back(static_cast<int32_t>(r.Between(-reach, reach)));
    }
    return Make(r, c);
  });
}

}  // namespace

extern const CaseFamily kConv2DCases = {"int8.conv_2d.", Generate};

}  // namespace lutra
