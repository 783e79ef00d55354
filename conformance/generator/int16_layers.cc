// SPDX-License-Identifier: Apache-2.0
// Layers with int16 activations and int8 weights: their sums have 64 bits, or 32.

#include "conformance/generator/draw.h"
#include "conformance/generator/int16.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;
using oracle::Shape;

enum class Kind : uint8_t { kConv2D, kDepthwiseConv2D, kTransposeConv, kFullyConnected };

// Draws one scale of weights or one for each channel, and an output scale with which sums reach both ends of
// the output and exceed them.
void DrawInt16Scales(Random& random, int products, bool per_channel, Convolution* c) {
  c->in_scale = random.Scale(-13, -8);
  c->filter_scales.clear();
  for (int i = per_channel ? c->out_channels : 1; i > 0; --i)
    c->filter_scales.push_back(random.Scale(-9, -5));
  int bits = 0;
  while (products >> bits > 1) bits += 2;
  c->out_scale = c->in_scale * c->filter_scales[0] * random.Scale(5 + bits / 2, 8 + bits / 2);
  c->activation = static_cast<int8_t>(random.Between(0, 3));
}

template <typename T>
int AddInt16Bias(Random& random, const Convolution& c, int64_t largest, ModelMaker* maker) {
  std::vector<T> bias;
  for (int i = 0; i < c.out_channels; ++i) bias.push_back(static_cast<T>(random.Between(-largest, largest)));
  MadeTensor tensor = {.shape = {c.out_channels},
                       .type = sizeof(T) == 8   ? int8_t{oracle::kInt64}
                               : sizeof(T) == 4 ? int8_t{oracle::kInt32}
                                                : int8_t{oracle::kInt16}};
  for (const float scale : c.filter_scales) tensor.channel_scales.push_back(c.in_scale * scale);
  return maker->Constant(tensor, ToBytes(bias));
}

// `bias_type`: kInt64, kInt32, kInt16 for TRANSPOSE_CONV, or 0 for none.
Case MakeInt16Layer(Random& random, Kind kind, const Convolution& c, int8_t bias_type) {
  ModelMaker maker;
  const bool is_matrix = kind == Kind::kFullyConnected, is_transposed = kind == Kind::kTransposeConv;
  const Shape image = is_matrix ? Shape{c.batches, c.in_channels} : ImageShape(c);
  Shape filter = {c.out_channels, c.filter_height, c.filter_width, c.in_channels / c.groups};
  Shape output = {c.batches, OutputHeight(c), OutputWidth(c), c.out_channels};
  if (kind == Kind::kDepthwiseConv2D) filter = {1, c.filter_height, c.filter_width, c.out_channels};
  if (is_matrix) {
    filter = {c.out_channels, c.in_channels};
    output = {c.batches, c.out_channels};
  }
  if (is_transposed) {
    const auto size = [&](int in, int step, int taps) { return c.same ? in * step : (in - 1) * step + taps; };
    output = {c.batches, size(c.height, c.stride, c.filter_height),
              size(c.width, c.StrideAcross(), c.filter_width), c.out_channels};
  }
  const int x = maker.Input(Int16Tensor(image, c.in_scale, c.in_zero));
  MadeTensor weights = {.shape = filter, .channel_scales = c.filter_scales};
  weights.quantized_dimension = kind == Kind::kDepthwiseConv2D ? 3 : 0;
  const int w = maker.Constant(weights, MakeTypedCodes(random, oracle::kInt8, filter, c.weights));
  std::vector<int> operands = {x, w};
  if (is_transposed) operands = {maker.Int32Constant(output, {4}), w, x};
  if (bias_type == oracle::kInt64) {
    operands.push_back(AddInt16Bias<int64_t>(random, c, int64_t{1} << random.Int(4, 34), &maker));
  } else if (bias_type == oracle::kInt32) {
    operands.push_back(AddInt16Bias<int32_t>(random, c, int64_t{1} << random.Int(4, 24), &maker));
  } else if (bias_type == oracle::kInt16) {
    operands.push_back(AddInt16Bias<int16_t>(random, c, INT16_MAX, &maker));
  }
  const int y = maker.Output(Int16Tensor(output, c.out_scale, c.out_zero));
  if (kind == Kind::kConv2D) {
    maker.Op<edit::Conv2DOptionsT>("CONV_2D", operands, {y}, [&](auto& o) { SetWindow(c, &o); });
  } else if (kind == Kind::kDepthwiseConv2D) {
    maker.Op<edit::DepthwiseConv2DOptionsT>("DEPTHWISE_CONV_2D", operands, {y}, [&](auto& o) {
      SetWindow(c, &o);
      o.depth_multiplier = c.out_channels / c.in_channels;
    });
  } else if (is_transposed) {
    maker.Op<edit::TransposeConvOptionsT>("TRANSPOSE_CONV", operands, {y},
                                          [&](auto& o) { SetWindow(c, &o); });
  } else {
    maker.Op<edit::FullyConnectedOptionsT>("FULLY_CONNECTED", operands, {y},
                                           [&](auto& o) { o.fused_activation_function = c.activation; });
  }
  return {.model = maker.Finish(), .inputs = {Int16Codes(random, image)}};
}

Case DrawnLayer(Random& random, Kind kind, Convolution c, bool has_int16_bias = false) {
  const bool is_matrix = kind == Kind::kFullyConnected;
  const int taps = is_matrix ? 1 : c.filter_height * c.filter_width;
  const int depth = kind == Kind::kDepthwiseConv2D ? 1 : c.in_channels / c.groups;
  DrawInt16Scales(random, taps * depth, random.OneIn(2), &c);
  int8_t bias_type = oracle::kInt64;
  // For other operators TensorFlow Lite Micro would read an int32 bias as int64.
  if (is_matrix || kind == Kind::kConv2D) bias_type = random.OneIn(2) ? oracle::kInt64 : oracle::kInt32;
  if (is_matrix) {
    // The scale of a matrix's bias is checked, so zero points may be other than 0.
    c.in_zero = Int16ZeroPoint(random);
    c.out_zero = Int16ZeroPoint(random);
  }
  return MakeInt16Layer(random, kind, c, has_int16_bias ? int8_t{oracle::kInt16} : bias_type);
}

void AddInt16Layers(Series& series, Kind kind) {
  Random& random = series.random;
  const bool is_depthwise = kind == Kind::kDepthwiseConv2D;
  size_t i = 0;
  for (const Convolution& window : AllWindows()) {
    Convolution c = window;
    if (kind == Kind::kTransposeConv && (c.dilation != 1 || c.DilationAcross() != 1)) continue;
    if (++i % 5 != 0) continue;
    c.height = (c.filter_height - 1) * c.dilation + random.Int(2, 5);
    c.width = (c.filter_width - 1) * c.dilation + random.Int(2, 5);
    c.in_channels = random.Int(1, 5);
    c.out_channels = is_depthwise ? c.in_channels * random.Int(1, 3) : random.Int(1, 7);
    series.Add("window", DrawnLayer(random, kind, c));
  }
  for (const int channels : {1, 3, 9, 17, 33, 130}) {
    const int out_channels = is_depthwise ? channels : 19;
    series.Add("channels",
               DrawnLayer(random, kind,
                          {.height = 3, .width = 3, .in_channels = channels, .out_channels = out_channels}));
  }
  if (kind == Kind::kTransposeConv) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      series.Add("bias_int16", DrawnLayer(random, kind, {.in_channels = 7, .out_channels = 5}, true));
    }
  }
  if (kind != Kind::kConv2D) return;
  for (const int groups : {2, 3}) {
    series.Add("groups", DrawnLayer(random, kind, {.in_channels = 6, .out_channels = 6, .groups = groups}));
  }
}

void AddInt16Matrices(Series& series) {
  Random& random = series.random;
  for (const int depth : {1, 2, 7, 16, 33, 130, 257}) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      series.Add("depth",
                 DrawnLayer(random, Kind::kFullyConnected,
                            {.batches = 3, .in_channels = depth, .out_channels = random.Int(1, 12)}));
    }
  }
  // The precision of a product of scales matters for one in some 1,000 sums, and only with a bias of int32.
  series.AddSeparators(6, 200, [](Random& r) {
    Convolution c = {.batches = 12, .in_channels = 33, .out_channels = 12};
    DrawInt16Scales(r, c.in_channels, false, &c);
    Case test = MakeInt16Layer(r, Kind::kFullyConnected, c, oracle::kInt32);
    test.smoke = Smoke::kNever;
    return test;
  });
}

void AddRealInt16Layers(RealSizes& sizes, Kind kind) {
  for (const NetworkLayer& layer :
       {NetworkLayer{25, 13, 3, 8, 3, 3, 2}, NetworkLayer{7, 5, 65, 65, 1, 1, 1}}) {
    Convolution c;
    SetLayer(sizes.random, layer, &c);
    if (kind == Kind::kDepthwiseConv2D) c.out_channels = c.in_channels;
    sizes.Add("layer", DrawnLayer(sizes.random, kind, c));
  }
}

// ---- At random.

template <Kind kind>
Case DrawInt16Layer(Random& random) {
  Convolution c;
  if (kind == Kind::kFullyConnected) {
    int64_t left = DrawBudget(random, 1 << 14);
    c.batches = DrawSize(random, static_cast<int32_t>(std::min<int64_t>(left, random.OneIn(3) ? 300 : 5)));
    left = std::max<int64_t>(left / c.batches, 1);
    c.in_channels = DrawSize(random, static_cast<int32_t>(std::min<int64_t>(left, 2048)));
    left = std::max<int64_t>(left / c.in_channels, 1);
    c.out_channels = DrawSize(random, static_cast<int32_t>(std::min<int64_t>(left, 2048)));
  } else {
    c = DrawWindow(random, {.has_dilation = kind != Kind::kTransposeConv,
                            .has_groups = kind == Kind::kConv2D,
                            .is_depthwise = kind == Kind::kDepthwiseConv2D});
  }
  c.weights = DrawValues(random);
  const bool has_int16_bias = kind == Kind::kTransposeConv && random.OneIn(4);
  return WithDrawnCodes(random, DrawnLayer(random, kind, c, has_int16_bias));
}

template <Kind kind>
CaseFamily LayerFamily(const char* op) {
  return Int16Family(
      op, [](Series& series) { AddInt16Layers(series, kind); },
      [](RealSizes& sizes) { AddRealInt16Layers(sizes, kind); }, DrawInt16Layer<kind>);
}

}  // namespace

extern const CaseFamilies kInt16LayerCases = {
    LayerFamily<Kind::kConv2D>("CONV_2D.int16"),
    LayerFamily<Kind::kDepthwiseConv2D>("DEPTHWISE_CONV_2D.int16"),
    LayerFamily<Kind::kTransposeConv>("TRANSPOSE_CONV.int16"),
    Int16Family(
        "FULLY_CONNECTED.int16", AddInt16Matrices,
        [](RealSizes& sizes) {
          sizes.Add("layer", DrawnLayer(sizes.random, Kind::kFullyConnected,
                                        {.batches = 2, .in_channels = 1025, .out_channels = 65}));
        },
        DrawInt16Layer<Kind::kFullyConnected>),
};

}  // namespace lutra::conformance
