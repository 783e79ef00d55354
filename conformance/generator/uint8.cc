// SPDX-License-Identifier: Apache-2.0
// Cases of the scheme before int8: layers whose weights have a zero point, and the operators around them. Ids
// begin with int8.conv_2d_uint8. and so on; "int8" is the corpus's name.

#include "conformance/generator/broken.h"
#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;
using oracle::Shape;

const std::vector<int64_t>& Uint8Extremes() {
  static const std::vector<int64_t> extremes = {0, 1, 127, 128, 255};
  return extremes;
}

int64_t Uint8ZeroPoint(Random& random) {
  return random.OneIn(2) ? random.Pick(Uint8Extremes()) : random.Between(0, 255);
}

MadeTensor Uint8Tensor(const Shape& shape, float scale, int64_t zero_point) {
  return {.shape = shape, .type = oracle::kUint8, .scale = scale, .zero_point = zero_point};
}

Bytes Uint8Codes(Random& random, const Shape& shape, Values values = Values::kRandom) {
  return MakeTypedCodes(random, oracle::kUint8, shape, values);
}

// Turns a layer of any of the three kinds into one of this scheme.
Convolution Uint8Layer(Convolution c) {
  c.type = oracle::kUint8;
  c.weight_zero = 128;
  c.largest_bias = 20000;
  return c;
}

// Sets scales with which sums reach both ends of the output, and exceed them.
void SetUint8Scales(Random& random, int products, Convolution* c) {
  c->in_scale = random.Scale(-7, -3);
  c->filter_scales = {random.Scale(-9, -5)};
  int bits = 0;
  while (products >> bits > 1) bits += 2;
  c->out_scale = c->in_scale * c->filter_scales[0] * random.Scale(5 + bits / 2, 7 + bits / 2);
  c->in_zero = Uint8ZeroPoint(random);
  c->out_zero = Uint8ZeroPoint(random);
  c->weight_zero = Uint8ZeroPoint(random);
  c->activation = static_cast<int8_t>(random.Between(0, 3));
  c->has_bias = !random.OneIn(4);
}

// `depthwise`: out_channels must be a multiple of in_channels.
Case MakeConvolutionUint8(Random& random, const Convolution& c, bool depthwise) {
  if (depthwise) return MakeDepthwiseConv2D(random, c);
  // LiteRT requires a bias for CONV_2D.
  return BeyondIf(!c.has_bias, MakeConv2D(random, c));
}

int ProductsOfSum(const Convolution& c, bool depthwise) {
  return c.filter_height * c.filter_width * (depthwise ? 1 : c.in_channels / c.groups);
}

// Adds windows of every kind, extreme zero points of the weights, odd numbers of channels.
void AddConvolutionsUint8(Series& series, bool depthwise) {
  Random& random = series.random;
  const auto add = [&](const std::string& what, const Convolution& layer, int64_t weight_zero = -1) {
    Convolution c = Uint8Layer(layer);
    SetUint8Scales(random, ProductsOfSum(c, depthwise), &c);
    if (weight_zero >= 0) c.weight_zero = weight_zero;
    series.Add(what, MakeConvolutionUint8(random, c, depthwise));
  };
  size_t i = 0;
  for (const Convolution& window : AllWindows()) {
    Convolution c = window;
    // The image has room for at least one window.
    c.height = (c.filter_height - 1) * c.dilation + random.Int(2, 6);
    c.width = (c.filter_width - 1) * c.dilation + random.Int(2, 6);
    c.in_channels = random.Int(1, 5);
    c.out_channels = depthwise ? c.in_channels * random.Int(1, 3) : random.Int(1, 7);
    if (++i % 3 == 0) add("window", c);
  }
  for (const int64_t zero : Uint8Extremes()) {
    for (const Values values : AllValues()) {
      Convolution c = {.out_channels = depthwise ? 3 : 5};
      c.values = values;
      c.weights = static_cast<int>(values) % 2 == 0 ? Values::kRandom : Values::kExtremes;
      add("weight_zero_point", c, zero);
    }
  }
  for (const int channels : {1, 3, 7, 9, 17, 33, 65, 130}) {
    const int out_channels = depthwise ? channels : 67;
    add("channels",
        {.batches = 2, .height = 3, .width = 3, .in_channels = channels, .out_channels = out_channels});
  }
  for (const int groups : {2, 3}) {
    if (!depthwise) add("groups", {.in_channels = 6, .out_channels = 6, .groups = groups});
  }
}

// Adds layers of networks.
void AddRealConvolutionsUint8(RealSizes& sizes, bool depthwise) {
  for (const NetworkLayer& layer :
       {NetworkLayer{25, 13, 3, 8, 3, 3, 2}, NetworkLayer{13, 11, 24, 24, 3, 3, 1},
        NetworkLayer{7, 5, 129, 129, 1, 1, 1}, NetworkLayer{12, 9, 40, 40, 5, 5, 2}}) {
    Convolution c = Uint8Layer({});
    SetLayer(sizes.random, layer, &c);
    if (depthwise) c.out_channels = c.in_channels;
    SetUint8Scales(sizes.random, ProductsOfSum(c, depthwise), &c);
    sizes.Add("layer", MakeConvolutionUint8(sizes.random, c, depthwise));
  }
  if (!depthwise) return;
  // Each channel has several outputs, in more than one block of sums.
  for (const int multiplier : {2, 3, 5, 8}) {
    Convolution c = Uint8Layer({.height = 5, .width = 4, .in_channels = 29, .out_channels = 29 * multiplier});
    SetUint8Scales(sizes.random, ProductsOfSum(c, depthwise), &c);
    sizes.Add("multiplier", MakeConvolutionUint8(sizes.random, c, depthwise));
  }
}

// ---- FULLY_CONNECTED

Case MakeFullyConnectedUint8(Random& random, int rows, int depth, int units, int64_t weight_zero = -1) {
  Convolution c = Uint8Layer({.batches = rows, .in_channels = depth, .out_channels = units});
  SetUint8Scales(random, depth, &c);
  if (weight_zero >= 0) c.weight_zero = weight_zero;
  return MakeFullyConnected(random, c);
}

// The factor is 2^-k, so that many sums are halves of codes.
Case MakeHalvesUint8(Random& random, int exponent) {
  Convolution c = Uint8Layer({.batches = 16, .in_channels = 2, .out_channels = 9});
  c.weight_zero = Uint8ZeroPoint(random);
  c.in_scale = 0.5f;
  c.filter_scales = {0.25f};
  c.out_scale = std::ldexp(0.125f, exponent);
  c.out_zero = 128;
  return MakeFullyConnected(random, c);
}

// Sums are the bias alone: halves of codes, and sums so close to halves that the precision of the factor
// matters.
Case MakeBiasAloneUint8(Random& random, float in_scale, float weight_scale, float out_scale, int64_t spread) {
  constexpr int kChannels = 120;
  const double factor = double{in_scale} * double{weight_scale} / double{out_scale};
  const int64_t zero = Uint8ZeroPoint(random);
  ModelMaker maker;
  const int x = maker.Input(Uint8Tensor({1, 2}, in_scale, zero));
  const Shape shape = {kChannels, 2};
  const int w = maker.Constant(Uint8Tensor(shape, weight_scale, 131), Uint8Codes(random, shape));
  std::vector<int32_t> bias;
  for (int i = 0; i < kChannels; ++i) {
    const double half = i - kChannels / 2 + 0.5;
    bias.push_back(static_cast<int32_t>(half / factor) + random.Int(-spread, spread));
  }
  const int b = maker.Constant(
      {.shape = {kChannels}, .type = oracle::kInt32, .scale = in_scale * weight_scale}, ToBytes(bias));
  const int y = maker.Output(Uint8Tensor({1, kChannels}, out_scale, 128));
  maker.Op<edit::FullyConnectedOptionsT>("FULLY_CONNECTED", {x, w, b}, {y});
  return {.model = maker.Finish(), .inputs = {Bytes(2, static_cast<uint8_t>(zero))}};
}

void GenerateFullyConnectedUint8(Series& series) {
  for (const int64_t zero : Uint8Extremes()) {
    for (const int depth : {1, 7, 16, 33}) {
      series.Add("weight_zero_point", MakeFullyConnectedUint8(series.random, 3, depth, 5, zero));
    }
  }
  for (const int channels : {1, 9, 64}) {
    series.Add("channels", MakeFullyConnectedUint8(series.random, 2, 20, channels));
  }
  for (int exponent = 6; exponent <= 9; ++exponent) {
    series.Add("halves", MakeHalvesUint8(series.random, exponent));
  }
  series.Add("half", MakeBiasAloneUint8(series.random, 0.5f, 0.25f, 0.5f, 0));
  for (int repeat = 0; repeat < 4; ++repeat) {
    const float in_scale = series.random.Scale(-5, -3);
    const float weight_scale = series.random.Scale(-8, -6);
    const float out_scale = in_scale * weight_scale * series.random.Scale(22, 22);
    series.Add("near_half", MakeBiasAloneUint8(series.random, in_scale, weight_scale, out_scale, 30));
  }
}
void GenerateRealFullyConnectedUint8(RealSizes& sizes) {
  sizes.Add("layer", MakeFullyConnectedUint8(sizes.random, 1, 1025, 130));
  sizes.Add("layer", MakeFullyConnectedUint8(sizes.random, 7, 129, 257));
}

// ---- ADD

Case MakeAddUint8(Random& random, const Shape& a, const Shape& b, const Shape& out) {
  ModelMaker maker;
  const float scale_a = random.Scale(-6, -2);
  const float scale_b = random.Scale(-6, -2);
  const float scale_out = std::max(scale_a, scale_b) * random.Scale(-1, 1);
  const int64_t zero_a = Uint8ZeroPoint(random);
  const int64_t zero_b = Uint8ZeroPoint(random);
  const int64_t zero_out = Uint8ZeroPoint(random);
  const auto activation = static_cast<int8_t>(random.Between(0, 3));
  const int x1 = maker.Input(Uint8Tensor(a, scale_a, zero_a)),
            x2 = maker.Input(Uint8Tensor(b, scale_b, zero_b));
  const int y = maker.Output(Uint8Tensor(out, scale_out, zero_out));
  maker.Op<edit::AddOptionsT>("ADD", {x1, x2}, {y},
                              [&](auto& options) { options.fused_activation_function = activation; });
  Bytes first = Uint8Codes(random, a);
  Bytes second = Uint8Codes(random, b);
  return {.model = maker.Finish(), .inputs = {std::move(first), std::move(second)}};
}

void GenerateAddUint8(Series& series) {
  for (const Shape& shape : ElementwiseShapes()) {
    series.Add("same", MakeAddUint8(series.random, shape, shape, shape));
  }
  for (int repeat = 0; repeat < 12; ++repeat) {
    series.Add("scales", MakeAddUint8(series.random, {1, 257}, {1, 257}, {1, 257}));
  }
  series.Add("broadcast", MakeAddUint8(series.random, {2, 3, 5}, {5}, {2, 3, 5}));
  series.Add("broadcast", MakeAddUint8(series.random, {1}, {4, 9}, {4, 9}));
  series.Add("broadcast", MakeAddUint8(series.random, {3, 1, 7}, {1, 5, 1}, {3, 5, 7}));
}
void GenerateRealAddUint8(RealSizes& sizes) {
  sizes.Add("count", MakeAddUint8(sizes.random, {1, 13, 15, 33}, {1, 13, 15, 33}, {1, 13, 15, 33}));
}

// ---- Pools

Case MakePoolUint8(Random& random, const char* op, Convolution c) {
  c.type = oracle::kUint8;
  c.out_scale = random.Scale(-6, -2);
  c.out_zero = Uint8ZeroPoint(random);
  c.activation = static_cast<int8_t>(random.Between(0, 3));
  return MakePool(random, op, c);
}

void AddPoolsUint8(Series& series, const char* op) {
  Random& random = series.random;
  for (const Convolution& window : AllWindows()) {
    if (window.dilation != 1 || window.dilation_across > 1) continue;
    Convolution c = window;
    c.height = random.Int(4, 9);
    c.width = random.Int(4, 9);
    c.in_channels = random.Int(1, 9);
    if (c.height < c.filter_height || c.width < c.filter_width) continue;
    series.Add("window", MakePoolUint8(random, op, c));
  }
  // Pairs of neighbouring codes make ties.
  for (int repeat = 0; repeat < 4; ++repeat) {
    Convolution c = {.height = 8, .width = 16, .in_channels = 3, .filter_height = 1 + repeat % 2};
    c.filter_width = 2;
    c.stride = 2;
    c.values = repeat < 2 ? Values::kRandom : Values::kNearZeroPoint;
    series.Add("ties", MakePoolUint8(random, op, c));
  }
}
void AddRealPoolsUint8(RealSizes& sizes, const char* op) {
  Convolution c = {.height = 13, .width = 11, .in_channels = 129, .filter_height = 13, .filter_width = 11};
  c.same = false;
  sizes.Add("global", MakePoolUint8(sizes.random, op, c));
}

// ---- SOFTMAX

Case MakeSoftmaxUint8(Random& random, const Shape& shape, float scale, float beta) {
  ModelMaker maker;
  const int64_t zero = Uint8ZeroPoint(random);
  const int x = maker.Input(Uint8Tensor(shape, scale, zero));
  const int y = maker.Output(Uint8Tensor(shape, 0x1p-8f, 0));
  maker.Op<edit::SoftmaxOptionsT>("SOFTMAX", {x}, {y}, [&](auto& options) { options.beta = beta; });
  return {.model = maker.Finish(), .inputs = {Uint8Codes(random, shape)}};
}

void GenerateSoftmaxUint8(Series& series) {
  Random& random = series.random;
  for (const int depth : {1, 2, 3, 10, 17, 100}) {
    const float scale = random.Scale(-8, -1);
    series.Add("depth", MakeSoftmaxUint8(random, {3, depth}, scale, 1));
  }
  for (int exponent = -12; exponent <= 3; exponent += 3) {
    const float scale = random.Scale(exponent, exponent);
    series.Add("scale", MakeSoftmaxUint8(random, {2, 3, 5}, scale, 1));
  }
  series.Add("beta", MakeSoftmaxUint8(random, {2, 9}, 0.1f, 0.5f));
}
void GenerateRealSoftmaxUint8(RealSizes& sizes) {
  sizes.Add("depth", MakeSoftmaxUint8(sizes.random, {7, 257}, 0.05f, 1));
}

// ---- PAD

Case MakePadUint8(Random& random, const Shape& shape, const std::vector<int32_t>& paddings, int64_t zero) {
  ModelMaker maker;
  const float scale = random.Scale(-6, -2);
  Shape padded = shape;
  for (size_t d = 0; d < shape.size(); ++d) padded[d] += paddings[2 * d] + paddings[2 * d + 1];
  const int x = maker.Input(Uint8Tensor(shape, scale, zero));
  const int p = maker.Int32Constant(paddings, {static_cast<int32_t>(shape.size()), 2});
  const int y = maker.Output(Uint8Tensor(padded, scale, zero));
  maker.Op("PAD", {x, p}, {y});
  return {.model = maker.Finish(), .inputs = {Uint8Codes(random, shape)}};
}

void GeneratePadUint8(Series& series) {
  for (const int64_t zero : Uint8Extremes()) {
    series.Add("zero_point", MakePadUint8(series.random, {1, 3, 5, 2}, {0, 0, 1, 0, 0, 2, 0, 0}, zero));
  }
  series.Add("rank", MakePadUint8(series.random, {7}, {3, 1}, 9));
  series.Add("rank", MakePadUint8(series.random, {2, 3}, {1, 1, 0, 4}, 9));
  series.Add("nothing", MakePadUint8(series.random, {1, 2, 2, 3}, {0, 0, 0, 0, 0, 0, 0, 0}, 200));
}
void GenerateRealPadUint8(RealSizes& sizes) {
  sizes.Add("image", MakePadUint8(sizes.random, {1, 33, 17, 9}, {0, 0, 1, 1, 1, 1, 0, 0}, 131));
}

// ---- CONCATENATION

Case MakeConcatenationUint8(Random& random, const std::vector<Shape>& shapes, int axis, bool same) {
  ModelMaker maker;
  const float out_scale = random.Scale(-6, -2);
  const int64_t out_zero = Uint8ZeroPoint(random);
  Shape joined = shapes[0];
  const auto d = static_cast<size_t>(axis < 0 ? axis + static_cast<int>(joined.size()) : axis);
  joined[d] = 0;
  std::vector<int> inputs;
  std::vector<Bytes> codes;
  for (const Shape& shape : shapes) {
    joined[d] += shape[d];
    const bool like = same || inputs.size() == 1;
    const float scale = like ? out_scale : random.OneIn(3) ? out_scale / 2 : random.Scale(-7, -1);
    const int64_t zero = like ? out_zero : Uint8ZeroPoint(random);
    inputs.push_back(maker.Input(Uint8Tensor(shape, scale, zero)));
    codes.push_back(Uint8Codes(random, shape));
  }
  const int y = maker.Output(Uint8Tensor(joined, out_scale, out_zero));
  maker.Op<edit::ConcatenationOptionsT>("CONCATENATION", inputs, {y}, [&](auto& o) { o.axis = axis; });
  return {.model = maker.Finish(), .inputs = std::move(codes)};
}

void GenerateConcatenationUint8(Series& series) {
  Random& random = series.random;
  for (const bool same : {true, false}) {
    const std::string what = same ? "same" : "rescaled";
    for (int repeat = 0; repeat < (same ? 1 : 4); ++repeat) {
      series.Add(what, MakeConcatenationUint8(random, {{2, 3}, {2, 4}}, 1, same));
      series.Add(what, MakeConcatenationUint8(random, {{1, 2, 3, 5}, {1, 2, 3, 1}, {1, 2, 3, 17}}, -1, same));
      series.Add(what, MakeConcatenationUint8(random, {{128}, {256}, {256}}, 0, same));
    }
  }
}
void GenerateRealConcatenationUint8(RealSizes& sizes) {
  sizes.Add("image", MakeConcatenationUint8(sizes.random, {{1, 9, 7, 33}, {1, 9, 7, 64}}, 3, false));
}

// ---- At random.

Case DrawConvolutionUint8(Random& random, bool depthwise) {
  Convolution c = Uint8Layer(DrawWindow(random, {.has_groups = !depthwise, .is_depthwise = depthwise}));
  SetUint8Scales(random, ProductsOfSum(c, depthwise), &c);
  c.values = DrawValues(random);
  c.weights = DrawValues(random);
  if (random.OneIn(3)) c.largest_bias = 1 << random.Int(0, 30);
  return MakeConvolutionUint8(random, c, depthwise);
}

Case DrawFullyConnectedUint8(Random& random) {
  int64_t left = DrawBudget(random, 1 << 14);
  Convolution c = Uint8Layer({});
  c.batches = DrawSize(random, static_cast<int32_t>(std::min<int64_t>(left, random.OneIn(3) ? 300 : 5)));
  left = std::max<int64_t>(left / c.batches, 1);
  c.in_channels = DrawSize(random, static_cast<int32_t>(std::min<int64_t>(left, 2048)));
  left = std::max<int64_t>(left / c.in_channels, 1);
  c.out_channels = DrawSize(random, static_cast<int32_t>(std::min<int64_t>(left, 2048)));
  SetUint8Scales(random, c.in_channels, &c);
  c.values = DrawValues(random);
  c.weights = DrawValues(random);
  return MakeFullyConnected(random, c);
}

Case DrawAddUint8(Random& random) {
  const BroadcastPair shapes = DrawBroadcastPair(random, DrawBudget(random, kMostElements));
  return MakeAddUint8(random, shapes.a, shapes.b, BroadcastShape(shapes.a, shapes.b));
}

Case DrawPoolUint8(Random& random, const char* op) {
  Convolution c = DrawWindow(random, {.has_dilation = false, .is_pool = true});
  c.values = DrawValues(random);
  return MakePoolUint8(random, op, c);
}

Case DrawSoftmaxUint8(Random& random) {
  Shape shape = DrawShape(random, random.Int(0, 3), 64);
  shape.push_back(DrawSize(random, 1024));
  const float scale = DrawAnyScale(random, -8, -1);
  return MakeSoftmaxUint8(random, shape, scale, random.OneIn(4) ? random.Scale(-3, 3) : 1);
}

Case DrawPadUint8(Random& random) {
  const Shape shape = DrawShape(random, 1, 4, DrawBudget(random, 1024));
  std::vector<int32_t> paddings;
  for (size_t i = 0; i < 2 * shape.size(); ++i) paddings.push_back(random.OneIn(2) ? random.Int(0, 4) : 0);
  return MakePadUint8(random, shape, paddings, Uint8ZeroPoint(random));
}

Case DrawConcatenationUint8(Random& random) {
  const Shape shape = DrawShape(random, 1, 4, DrawBudget(random, 1024));
  const auto rank = static_cast<int32_t>(shape.size());
  const int32_t axis = random.Int(0, rank - 1);
  std::vector<Shape> shapes;
  for (int i = random.Int(1, 4); i > 0; --i) {
    shapes.push_back(shape);
    shapes.back()[static_cast<size_t>(axis)] = DrawSize(random, 8);
  }
  const bool same = random.OneIn(4);
  return MakeConcatenationUint8(random, shapes, WrittenAxis(random, axis, rank), same);
}

// ---- LOGISTIC, RESIZE_BILINEAR

Case MakeLogisticUint8(Random& random, const Shape& shape, float scale, int64_t zero_point,
                       Values values = Values::kRamp) {
  ModelMaker maker;
  const int x = maker.Input(Uint8Tensor(shape, scale, zero_point));
  maker.Op("LOGISTIC", {x}, {maker.Output(Uint8Tensor(shape, 0x1p-8f, 0))});
  return {.model = maker.Finish(), .inputs = {Uint8Codes(random, shape, values)}};
}

void GenerateLogisticUint8(Series& series) {
  Random& random = series.random;
  for (int exponent = -12; exponent <= 3; ++exponent) {
    const float scale = std::ldexp(1.0f, exponent);
    series.Add("scale.power_of_two", MakeLogisticUint8(random, {1, 256}, scale, Uint8ZeroPoint(random)));
    const float other = random.Scale(exponent, exponent);
    series.Add("scale.random", MakeLogisticUint8(random, {1, 256}, other, Uint8ZeroPoint(random)));
  }
  for (const int64_t zero : Uint8Extremes()) {
    series.Add("zero_point", MakeLogisticUint8(random, {1, 256}, random.Scale(-6, -4), zero));
  }
}
void GenerateRealLogisticUint8(RealSizes& sizes) {
  sizes.Add("count", MakeLogisticUint8(sizes.random, {3, 1037}, 0.05f, 131));
}

struct ResizeUint8 {
  Shape in;
  int32_t height, width;
  bool align_corners = false, half_pixel_centers = false;
};

Case MakeResizeUint8(Random& random, const ResizeUint8& r, Values values = Values::kRandom) {
  const float scale = random.Scale(-7, -1);
  const int64_t zero = Uint8ZeroPoint(random);
  ModelMaker maker;
  const int x = maker.Input(Uint8Tensor(r.in, scale, zero));
  const int size = maker.Int32Constant({r.height, r.width}, {2});
  const int y = maker.Output(Uint8Tensor({r.in[0], r.height, r.width, r.in[3]}, scale, zero));
  maker.Op<edit::ResizeBilinearOptionsT>("RESIZE_BILINEAR", {x, size}, {y}, [&](auto& options) {
    options.align_corners = r.align_corners;
    options.half_pixel_centers = r.half_pixel_centers;
  });
  return {.model = maker.Finish(), .inputs = {Uint8Codes(random, r.in, values)}};
}

// Adds resizes with positions as plain quotients, with aligned corners, and with half-pixel centres.
void AddResizesUint8(Series& series, const char* what, ResizeUint8 r) {
  series.Add(std::string("plain.") + what, MakeResizeUint8(series.random, r));
  r.align_corners = true;
  series.Add(std::string("align_corners.") + what, MakeResizeUint8(series.random, r));
  r.align_corners = false;
  r.half_pixel_centers = true;
  series.Add(std::string("half_pixel.") + what, MakeResizeUint8(series.random, r));
}

void GenerateResizeUint8(Series& series) {
  Random& random = series.random;
  for (const int32_t in : {1, 2, 3, 5, 7}) {
    for (const int32_t out : {1, 2, 3, 6, 8, 11}) {
      const int32_t width = random.Int(1, 9);
      AddResizesUint8(series, "sizes", {{1, in, random.Int(1, 6), random.Int(1, 4)}, out, width});
    }
  }
  for (const int32_t channels : {1, 4, 8, 15, 17, 33}) {
    AddResizesUint8(series, "channels", {{2, 3, 4, channels}, 5, 7});
  }
}
void GenerateRealResizeUint8(RealSizes& sizes) {
  AddResizesUint8(sizes, "image", {{1, 33, 17, 21}, 65, 33});
  AddResizesUint8(sizes, "image", {{1, 1, 1, 256}, 17, 13});
  AddResizesUint8(sizes, "image", {{2, 64, 48, 3}, 22, 15});
}

Case DrawLogisticUint8(Random& random) {
  const Shape shape = DrawShape(random, 1, 4, DrawBudget(random, 1024));
  const float scale = DrawAnyScale(random, -12, 4);
  const int64_t zero = Uint8ZeroPoint(random);
  return MakeLogisticUint8(random, shape, scale, zero, DrawValues(random));
}

Case DrawResizeUint8(Random& random) {
  const int32_t height = DrawSize(random, 20), width = DrawSize(random, 20);
  ResizeUint8 r = {{random.Int(1, 3), height, width, DrawSize(random, 40)}};
  r.height = DrawSize(random, 20);
  r.width = DrawSize(random, 20);
  const int mode = random.Int(0, 2);
  r.align_corners = mode == 1;
  r.half_pixel_centers = mode == 2;
  return MakeResizeUint8(random, r, DrawValues(random));
}

// No case of this scheme is in the smoke set, which other profiles run, too.
CaseFamily Uint8Family(const char* op, std::function<void(Series&)> generate,
                       std::function<void(RealSizes&)> real_sizes, std::function<Case(Random&)> draw) {
  CaseFamily family = Family(op, PrefixOf(op), std::move(generate), std::move(real_sizes), Smoke::kNever);
  family.draw = std::move(draw);
  return family;
}

// ---- Models that no runtime may run.

const Refusal kUint8Refusals[] = {
    {"CONV_2D", "uint8_filter_int8", "the filter is int8 of a uint8 input", InputType(1, oracle::kInt8)},
    {"CONV_2D", "uint8_output_int8", "the output is int8 of a uint8 input", OutputType(oracle::kInt8)},
    {"CONV_2D", "uint8_filter_truncated", "a byte of the filter is missing", ByteMissing(1)},
    {"CONV_2D", "uint8_filter_scale_zero", "the scale of the filter is 0",
     [](Broken& m) { m.Scale(m.in(1)) = 0; }},
    {"CONV_2D", "uint8_bias_scale", "the bias has another scale",
     [](Broken& m) { m.Scale(m.in(2)) = 1000 * m.Scale(m.out()); }},
    {"DEPTHWISE_CONV_2D", "uint8_filter_not_quantized", "the filter has no scale", NotQuantized(1)},
    {"DEPTHWISE_CONV_2D", "uint8_bias_short", "the bias has a value too few",
     [](Broken& m) {
       m.Data(m.in(2)).resize(m.Data(m.in(2)).size() - 4);
       --m.in(2).shape[0];
     }},
    {"FULLY_CONNECTED", "uint8_weights_int8", "the weights are int8 of a uint8 input",
     InputType(1, oracle::kInt8)},
    {"FULLY_CONNECTED", "uint8_depth", "rows of another length", [](Broken& m) { ++m.in().shape[1]; }},
    {"ADD", "uint8_output_scale_zero", "the output's scale is 0", [](Broken& m) { m.Scale(m.out()) = 0; }},
    {"AVERAGE_POOL_2D", "uint8_zero_point", "another zero point of the output",
     [](Broken& m) { m.ZeroPoint(m.out()) = m.ZeroPoint(m.in()) == 7 ? 8 : 7; }},
    {"SOFTMAX", "uint8_output_int8", "the output is int8 of a uint8 input", OutputType(oracle::kInt8)},
    {"PAD", "uint8_shape", "the output is smaller than what is padded",
     [](Broken& m) { --m.out().shape[1]; }},
    {"CONCATENATION", "uint8_types", "uint8 and int8", InputType(1, oracle::kInt8)},
};

}  // namespace

void RefuseUint8(Refuser& refuser) {
  for (const Refusal& row : kUint8Refusals) {
    refuser.Add({row.op, row.rule, row.why, All({[](Broken& m) { m.BecomeUint8(); }, row.change})});
  }
}

extern const CaseFamilies kUint8Cases = {
    Uint8Family(
        "CONV_2D.uint8", [](Series& series) { AddConvolutionsUint8(series, false); },
        [](RealSizes& sizes) { AddRealConvolutionsUint8(sizes, false); },
        [](Random& random) { return DrawConvolutionUint8(random, false); }),
    Uint8Family(
        "DEPTHWISE_CONV_2D.uint8", [](Series& series) { AddConvolutionsUint8(series, true); },
        [](RealSizes& sizes) { AddRealConvolutionsUint8(sizes, true); },
        [](Random& random) { return DrawConvolutionUint8(random, true); }),
    Uint8Family("FULLY_CONNECTED.uint8", GenerateFullyConnectedUint8, GenerateRealFullyConnectedUint8,
                DrawFullyConnectedUint8),
    Uint8Family("ADD.uint8", GenerateAddUint8, GenerateRealAddUint8, DrawAddUint8),
    Uint8Family(
        "AVERAGE_POOL_2D.uint8", [](Series& series) { AddPoolsUint8(series, "AVERAGE_POOL_2D"); },
        [](RealSizes& sizes) { AddRealPoolsUint8(sizes, "AVERAGE_POOL_2D"); },
        [](Random& random) { return DrawPoolUint8(random, "AVERAGE_POOL_2D"); }),
    Uint8Family(
        "MAX_POOL_2D.uint8", [](Series& series) { AddPoolsUint8(series, "MAX_POOL_2D"); },
        [](RealSizes& sizes) { AddRealPoolsUint8(sizes, "MAX_POOL_2D"); },
        [](Random& random) { return DrawPoolUint8(random, "MAX_POOL_2D"); }),
    Uint8Family("SOFTMAX.uint8", GenerateSoftmaxUint8, GenerateRealSoftmaxUint8, DrawSoftmaxUint8),
    Uint8Family("PAD.uint8", GeneratePadUint8, GenerateRealPadUint8, DrawPadUint8),
    Uint8Family("CONCATENATION.uint8", GenerateConcatenationUint8, GenerateRealConcatenationUint8,
                DrawConcatenationUint8),
    Uint8Family("LOGISTIC.uint8", GenerateLogisticUint8, GenerateRealLogisticUint8, DrawLogisticUint8),
    Uint8Family("RESIZE_BILINEAR.uint8", GenerateResizeUint8, GenerateRealResizeUint8, DrawResizeUint8),
};

}  // namespace lutra::conformance
