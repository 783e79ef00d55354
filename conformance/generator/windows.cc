// SPDX-License-Identifier: Apache-2.0
// Draws windows, scales, weights and biases of operators that sum products.

#include "conformance/generator/windows.h"

#include <algorithm>

#include "conformance/generator/sizes.h"

namespace lutra::conformance {

const std::vector<int>& ChannelCounts() {
  static const std::vector<int> counts = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33};
  return counts;
}

const char* ActivationName(int8_t activation) {
  constexpr const char* kNames[] = {"none", "relu", "relu_n1_to_1", "relu6"};
  return kNames[activation];
}

std::vector<Convolution> AllWindows() {
  std::vector<Convolution> windows;
  for (const bool same : {true, false}) {
    for (const int filter : {1, 2, 3, 4, 5, 7}) {
      for (const int stride : {1, 2, 3}) {
        for (const int dilation : {1, 2, 3}) {
          if (dilation > 1 && (filter == 1 || stride == 3)) continue;
          Convolution& c = windows.emplace_back();
          c.same = same;
          c.filter_height = c.filter_width = filter;
          c.stride = stride;
          c.dilation = dilation;
        }
      }
    }
  }
  return windows;
}

std::string WindowName(const Convolution& c) {
  return std::string(c.same ? "same" : "valid") + ".stride" + std::to_string(c.stride) +
         (c.dilation > 1 ? ".dilation" + std::to_string(c.dilation) : "");
}

void RandomWindow(Random& random, Convolution* c) {
  static const std::vector<int8_t> activations = {0, 1, 2, 3};
  const int least = c->same ? 1 : (c->filter_height - 1) * c->dilation + 1;
  if (random.OneIn(3)) c->filter_width = 1;
  c->height = random.Int(least, least + 6);
  c->width = random.Int(least, least + 6);
  c->in_channels = random.Pick(ChannelCounts()) % 9 + 1;
  c->out_channels = random.Pick(ChannelCounts()) % 18 + 1;
  c->batches = random.OneIn(4) ? random.Int(2, 3) : 1;
  c->activation = random.Pick(activations);
  c->values = static_cast<Values>(random.Between(0, kValueKinds - 1));
}

namespace {

// Returns the output's size along one side.
int OutputSize(int in, int filter, int stride, int dilation, bool same) {
  const int extent = (filter - 1) * dilation + 1;
  return same ? (in + stride - 1) / stride : (in - extent + stride) / stride;
}

}  // namespace

int OutputHeight(const Convolution& c) {
  return OutputSize(c.height, c.filter_height, c.stride, c.dilation, c.same);
}
int OutputWidth(const Convolution& c) {
  return OutputSize(c.width, c.filter_width, c.StrideAcross(), c.DilationAcross(), c.same);
}

void SetScales(Random& random, int products, int scales, Products* p) {
  const int magnitude = 12 + std::ilogb(static_cast<double>(products)) / 2;
  p->in_scale = random.Scale(-6, 0);
  p->filter_scales.clear();
  for (int i = 0; i < scales; ++i) p->filter_scales.push_back(random.Scale(-8, -5));
  p->out_scale =
      p->in_scale * p->filter_scales[0] * std::ldexp(1.0f, magnitude - 7 + (random.OneIn(4) ? -3 : 0));
  p->in_zero = random.ZeroPoint();
  p->out_zero = random.ZeroPoint();
}

void SetOutputScale(Random& random, int exponent, Products* p) {
  p->out_scale = random.Scale(exponent, exponent);
  for (float& scale : p->filter_scales) scale = p->out_scale * std::ldexp(1.0f, -7) / p->in_scale;
}

void SetShift(Random& random, int exponent, int repeat, int channels, Products* p) {
  // Few products of few values make small sums.
  p->values = p->weights = exponent > -7 ? Values::kNearZeroPoint : Values::kRandom;
  p->in_scale = repeat % 4 == 3 ? std::ldexp(1.0f, exponent) : random.Scale(exponent, exponent);
  p->out_scale = repeat % 2 == 1 ? 1.0f : random.Scale(0, 0);
  p->filter_scales = {repeat % 4 == 1 ? 1.0f : random.Scale(0, 0)};
  p->in_zero = random.Between(-100, 100);
  p->out_zero = random.Between(-20, 20);
  const auto reach = static_cast<int64_t>(std::ldexp(100.0, exponent > 0 ? 0 : -exponent));
  for (int i = 0; i < channels; ++i) {
    p->bias.push_back(random.Int(-reach, reach));
  }
}

void SetMultiplier(Random& random, int exponent, bool below, int channels, Products* p) {
  // (1 + 2^-8) * (1 - 2^-8 + 2^-16 - 2^-24) = 1 - 2^-32.
  p->in_scale = std::ldexp(below ? 0x1.01p0f : 1.0f, exponent / 2);
  p->filter_scales = {std::ldexp(below ? 0x0.FF00FFp0f : 1.0f, exponent - exponent / 2)};
  p->out_scale = 1.0f;
  p->values = p->weights = exponent > -7 ? Values::kNearZeroPoint : Values::kRandom;
  p->in_zero = random.Between(-100, 100);
  p->out_zero = random.Between(-20, 20);
  // There is no bias if a multiplier above 1 fills the range by itself.
  const int64_t reach = exponent > 0 ? 0 : exponent < -23 ? int64_t{1} << 30 : int64_t{100} << -exponent;
  for (int i = 0; i < channels; ++i) {
    p->bias.push_back(random.Int(-reach, reach));
  }
}

void SetTies(Random& random, int channels, Products* p) {
  const int exponent = random.Int(-5, -1);
  p->in_scale = random.OneIn(2) ? std::ldexp(1.0f, exponent) : random.Scale(exponent, exponent);
  p->filter_scales = {1.0f};
  p->out_scale = 1.0f;
  p->values = p->weights = Values::kNearZeroPoint;
  const int reach = 100 << -exponent;
  for (int i = 0; i < channels; ++i) {
    p->bias.push_back(random.Int(-reach, reach));
  }
}

void SetNearHalves(Random& random, int channels, Products* p) {
  p->in_scale = random.Scale(-11, -11);
  p->filter_scales = {random.Scale(-11, -11)};
  p->out_scale = random.Scale(0, 0);
  p->in_zero = -128;
  p->values = Values::kLow;  // x - zero point = 0.
  // The multiplier is above 2^-23, so that no sum reaches 2^30.
  const double multiplier = double{p->in_scale} * double{p->filter_scales[0]} / double{p->out_scale};
  for (int i = 0; i < channels; ++i) {
    const double half = static_cast<double>(random.Between(-127, 126)) + 0.5;
    p->bias.push_back(static_cast<int32_t>(half / multiplier) + random.Int(-16, 16));
  }
}

int64_t ProductsOf(const Convolution& c, int64_t per_tap) {
  return per_tap * c.batches * OutputHeight(c) * c.filter_height * OutputWidth(c) * c.filter_width;
}

void DrawRealWindow(Random& random, int64_t per_tap, Convolution* c) {
  struct Window {
    int height, width, stride, dilation;
  };
  static const std::vector<Window> windows = {
      {3, 3, 1, 1}, {3, 3, 2, 1}, {1, 1, 2, 1},  {5, 5, 1, 1}, {5, 5, 2, 1}, {1, 9, 1, 1},   {9, 1, 1, 1},
      {7, 7, 2, 1}, {3, 3, 1, 2}, {10, 4, 2, 1}, {3, 1, 1, 1}, {1, 3, 2, 1}, {11, 11, 4, 1}, {3, 3, 1, 4},
      {4, 4, 4, 1}, {3, 5, 1, 1}, {2, 9, 1, 1},  {5, 3, 2, 1}, {7, 3, 1, 1}, {1, 2, 1, 3},   {2, 2, 2, 1}};
  constexpr int kTries = 20;
  c->least_weight = -127;
  c->activation = static_cast<int8_t>(random.OneIn(2) ? 0 : random.Between(1, 3));
  for (int i = 0; i < kTries; ++i) {
    const Window window = random.Pick(windows);
    c->filter_height = window.height;
    c->filter_width = window.width;
    c->stride = window.stride;
    c->dilation = window.dilation;
    c->stride_across = random.OneIn(4) ? random.Int(1, 3) : 0;
    c->dilation_across = random.OneIn(4) ? random.Int(1, 3) : 0;
    c->same = !random.OneIn(3);
    c->batches = random.OneIn(3) ? random.Int(2, 5) : 1;
    const bool is_inside = (window.height - 1) * window.dilation < c->height &&
                           (window.width - 1) * c->DilationAcross() < c->width;
    if ((c->same || is_inside) && ProductsOf(*c, per_tap) <= kUsualProducts) return;
  }
  c->filter_height = c->filter_width = c->stride = c->dilation = c->batches = 1;
  c->stride_across = c->dilation_across = 0;
}

void SetLayer(Random& random, const NetworkLayer& layer, Convolution* c) {
  c->height = layer.height;
  c->width = layer.width;
  c->in_channels = layer.in_channels;
  c->out_channels = layer.out_channels;
  c->filter_height = layer.filter_height;
  c->filter_width = layer.filter_width;
  c->stride = layer.stride;
  c->least_weight = -127;
  c->activation = random.OneIn(2) ? 3 : 0;
}

void SetSmokeLayer(Random& random, const SmokeLayer& row, Convolution* c) {
  SetLayer(random, row.layer, c);
  c->batches = row.batches;
  c->groups = row.groups;
  c->dilation = row.dilation;
  c->stride_across = row.stride_across;
  c->dilation_across = row.dilation_across;
  c->same = row.same;
}

void SetSumEnds(Random& random, int depth, int channels, bool channels_last, bool wide, Products* p) {
  constexpr int64_t kMost = 127, kStep = 255 * kMost;
  // Every input differs from the zero point by 255, in one direction.
  const bool up = random.OneIn(2);
  p->values = up ? Values::kHigh : Values::kLow;
  p->in_zero = up ? -128 : 127;
  p->weight_codes.resize(static_cast<size_t>(depth) * static_cast<size_t>(channels));
  const int half = depth / 2;
  for (int c = 0; c < channels; ++c) {
    int64_t sum = 0;
    for (int i = 0; i < depth; ++i) {
      // By channel, partial sums go up and then down, down and then up, only up, or by pairs.
      const bool positive = c % 4 == 0 ? i < half : c % 4 == 1 ? i >= half : c % 4 == 2 || i / 2 % 2 == 0;
      const int64_t weight = positive ? kMost : -kMost;
      sum += up ? weight * 255 : -weight * 255;
      const int at = channels_last ? i * channels + c : c * depth + i;
      p->weight_codes[static_cast<size_t>(at)] = static_cast<uint8_t>(weight);
    }
    // The bias cancels the products but for a rest, or is nearly the largest of the opposite sign.
    const int64_t rest = random.Between(-kStep, kStep);
    const int64_t end = INT32_MAX - 1000 + rest / 64;
    p->bias.push_back(static_cast<int32_t>(!wide ? rest - sum : sum > 0 ? -end : end));
  }
  p->in_scale = random.Scale(-7, -7);
  p->filter_scales = {random.Scale(-7, -7)};
  p->out_scale = p->in_scale * p->filter_scales[0] * std::ldexp(1.0f, wide ? 25 : 9);
  p->out_zero = random.Between(-20, 20);
}

oracle::Shape ImageShape(const Convolution& c) { return {c.batches, c.height, c.width, c.in_channels}; }

MadeTensor InputTensor(const Products& p, const oracle::Shape& shape) {
  return {.shape = shape, .type = p.type, .scale = p.in_scale, .zero_point = p.in_zero};
}

MadeTensor OutputTensor(const Products& p, const oracle::Shape& shape) {
  return {.shape = shape, .type = p.type, .scale = p.out_scale, .zero_point = p.out_zero};
}

namespace {

// Packs the upper half of each code, so that all sixteen values occur; the first of two is in the low bits.
oracle::Bytes PackNibbles(const oracle::Bytes& codes) {
  oracle::Bytes packed((codes.size() + 1) / 2);
  for (size_t i = 0; i < codes.size(); ++i) {
    packed[i / 2] = static_cast<uint8_t>(packed[i / 2] | codes[i] >> 4 << (i % 2 * 4));
  }
  return packed;
}

}  // namespace

int AddWeights(Random& random, const Products& p, const oracle::Shape& shape, int quantized_dimension,
               ModelMaker* maker) {
  MadeTensor weights = {.shape = shape, .type = p.type, .zero_point = p.weight_zero};
  if (p.filter_scales.size() == 1) {
    weights.scale = p.filter_scales[0];
  } else {
    weights.channel_scales = p.filter_scales;
    weights.quantized_dimension = quantized_dimension;
  }
  oracle::Bytes codes = p.weight_codes.empty()
                            ? MakeTypedCodes(random, p.type, shape, p.weights, p.weight_zero)
                            : p.weight_codes;
  if (p.type == oracle::kInt8) {
    for (uint8_t& code : codes) {
      code = static_cast<uint8_t>(std::max<int64_t>(static_cast<int8_t>(code), p.least_weight));
    }
  }
  if (p.int4_weights) {
    weights.type = oracle::kInt4;
    codes = PackNibbles(codes);
  }
  return maker->Constant(weights, std::move(codes));
}

int AddBias(Random& random, const Products& p, int channels, ModelMaker* maker) {
  std::vector<int32_t> bias = p.bias;
  while (bias.size() < static_cast<size_t>(channels)) {
    bias.push_back(random.Int(-p.largest_bias, p.largest_bias));
  }
  MadeTensor tensor = {.shape = {channels}, .type = oracle::kInt32};
  for (const float scale : p.filter_scales) tensor.channel_scales.push_back(p.in_scale * scale);
  return maker->Constant(tensor, ToBytes(bias));
}

std::vector<int> AddOperands(Random& random, const Convolution& c, const oracle::Shape& input,
                             const oracle::Shape& weights, int quantized_dimension, ModelMaker* maker) {
  std::vector<int> operands = {maker->Input(InputTensor(c, input))};
  operands.push_back(AddWeights(random, c, weights, quantized_dimension, maker));
  if (c.has_bias) operands.push_back(AddBias(random, c, c.out_channels, maker));
  return operands;
}

Case Finish(Random& random, const Products& p, const oracle::Shape& input, const ModelMaker& maker) {
  return {.model = maker.Finish(),
          .inputs = {p.codes.empty() ? MakeTypedCodes(random, p.type, input, p.values, p.in_zero) : p.codes}};
}

oracle::Bytes MakeTypedCodes(Random& random, int8_t type, const oracle::Shape& shape, Values values,
                             int64_t zero_point) {
  const bool is_uint8 = type == oracle::kUint8;
  oracle::Bytes codes =
      MakeCodes(random, oracle::ElementCount(shape), values, is_uint8 ? zero_point - 128 : zero_point);
  if (is_uint8) {
    for (uint8_t& code : codes) code ^= 0x80;
  }
  return codes;
}

}  // namespace lutra::conformance
