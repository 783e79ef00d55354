// SPDX-License-Identifier: Apache-2.0
// Activations of int16 beside weights of int8: layers whose sums have 64 and 32 bits, elementwise operators,
// and the tables of LOGISTIC and TANH. Ids begin with int8.conv_2d_int16. and so on; "int8" is the corpus's.

#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;
using oracle::Shape;

MadeTensor Int16Tensor(const Shape& shape, float scale, int64_t zero_point = 0) {
  return {.shape = shape, .type = oracle::kInt16, .scale = scale, .zero_point = zero_point};
}

// Codes of every size, and some at both ends.
Bytes Int16Codes(Random& random, const Shape& shape) {
  const int bits = random.OneIn(2) ? 15 : random.Int(3, 14);
  std::vector<int16_t> codes;
  for (int64_t i = oracle::ElementCount(shape); i > 0; --i) {
    const auto code = random.Between(-(int64_t{1} << bits), (int64_t{1} << bits) - 1);
    codes.push_back(
        static_cast<int16_t>(random.OneIn(16) ? random.Pick<int64_t>({-32768, -32767, -1, 0, 32767}) : code));
  }
  return ToBytes(codes);
}

int64_t Int16ZeroPoint(Random& random) {
  if (random.OneIn(2)) return 0;
  return random.OneIn(2) ? random.Between(-32768, 32767) : random.Between(-200, 200);
}

// ---- Layers with weights.

enum class Kind : uint8_t { kConv2D, kDepthwiseConv2D, kTransposeConv, kFullyConnected };

// Scales of weights by channel or one, an output scale by which sums reach both ends of the output, and
// beyond.
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
                       .type = sizeof(T) == 8 ? int8_t{oracle::kInt64} : int8_t{oracle::kInt32}};
  for (const float scale : c.filter_scales) tensor.channel_scales.push_back(c.in_scale * scale);
  return maker->Constant(tensor, ToBytes(bias));
}

// `bias_type`: kInt64, kInt32, or 0 for none.
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

Case DrawnLayer(Random& random, Kind kind, Convolution c) {
  const bool is_matrix = kind == Kind::kFullyConnected;
  const int taps = is_matrix ? 1 : c.filter_height * c.filter_width;
  const int depth = kind == Kind::kDepthwiseConv2D ? 1 : c.in_channels / c.groups;
  DrawInt16Scales(random, taps * depth, random.OneIn(2), &c);
  int8_t bias_type = oracle::kInt64;
  // TensorFlow Lite Micro reads an int32 bias of the others as int64.
  if (is_matrix || kind == Kind::kConv2D) bias_type = random.OneIn(2) ? oracle::kInt64 : oracle::kInt32;
  if (is_matrix) {
    // The scale of its bias is checked.
    c.in_zero = Int16ZeroPoint(random);
    c.out_zero = Int16ZeroPoint(random);
  }
  return MakeInt16Layer(random, kind, c, bias_type);
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
  // The precision of a product of scales shows in one of some 1,000 sums, with a bias of int32.
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

// ---- Elementwise.

template <typename Options>
void Append(const char* op, ModelMaker& maker, const std::vector<int>& inputs, int output,
            int8_t activation) {
  maker.Op<Options>(op, inputs, {output}, [&](auto& o) { o.fused_activation_function = activation; });
}

// Scales between 2^low and 2^high.
float AnyScale(Random& random, int low, int high) { return random.Scale(low, high); }
float PowerOfTwo(Random& random, int low, int high) { return std::ldexp(1.0f, random.Int(low, high)); }

Case MakeInt16Pair(Random& random, const std::string& op, const Shape& a, const Shape& b,
                   float (*draw_scale)(Random&, int low, int high) = AnyScale) {
  ModelMaker maker;
  const bool is_product = op == "MUL";
  const float scale_a = draw_scale(random, -14, -6);
  const float scale_b = random.OneIn(4) ? scale_a : draw_scale(random, -14, -6);
  const float larger = std::max(scale_a, scale_b);
  const float scale_out =
      is_product ? scale_a * scale_b * draw_scale(random, 9, 15) : larger * draw_scale(random, -2, 3);
  // Only sums have zero points.
  std::vector<int64_t> zeros = {0, 0, 0};
  if (op == "ADD") {
    for (int64_t& zero : zeros) zero = Int16ZeroPoint(random);
  }
  const auto activation = static_cast<int8_t>(random.Between(0, 3));
  const int x1 = maker.Input(Int16Tensor(a, scale_a, zeros[0])),
            x2 = maker.Input(Int16Tensor(b, scale_b, zeros[1]));
  const int y = maker.Output(Int16Tensor(BroadcastShape(a, b), scale_out, zeros[2]));
  if (op == "ADD") Append<edit::AddOptionsT>("ADD", maker, {x1, x2}, y, activation);
  if (op == "SUB") Append<edit::SubOptionsT>("SUB", maker, {x1, x2}, y, activation);
  if (is_product) Append<edit::MulOptionsT>("MUL", maker, {x1, x2}, y, activation);
  Bytes first = Int16Codes(random, a);
  Bytes second = Int16Codes(random, b);
  return {.model = maker.Finish(), .inputs = {std::move(first), std::move(second)}};
}

void AddInt16Pairs(Series& series, const std::string& op) {
  Random& random = series.random;
  for (const Shape& shape : ElementwiseShapes()) series.Add("same", MakeInt16Pair(random, op, shape, shape));
  for (int repeat = 0; repeat < 8; ++repeat)
    series.Add("scales", MakeInt16Pair(random, op, {1, 257}, {1, 257}));
  series.Add("broadcast", MakeInt16Pair(random, op, {2, 3, 5}, {5}));
  series.Add("broadcast", MakeInt16Pair(random, op, {1}, {4, 9}));
  series.Add("broadcast", MakeInt16Pair(random, op, {3, 1, 7}, {1, 5, 1}));
  // Many results are halves.
  series.AddSeparators(3, 40, [&](Random& r) {
    Case test = MakeInt16Pair(r, op, {1, 257}, {1, 257}, PowerOfTwo);
    test.smoke = Smoke::kNever;
    return test;
  });
}

Case MakeInt16Unary(Random& random, const std::string& op, const Shape& shape, float scale) {
  ModelMaker maker;
  const bool is_leaky = op == "LEAKY_RELU";
  const float out_scale = is_leaky ? scale * random.Scale(-3, 3) : 0x1p-15f;
  const int64_t zero = is_leaky ? Int16ZeroPoint(random) : 0;
  const int64_t out_zero = is_leaky ? Int16ZeroPoint(random) : 0;
  const int x = maker.Input(Int16Tensor(shape, scale, zero));
  const int y = maker.Output(Int16Tensor(shape, out_scale, out_zero));
  if (is_leaky) {
    const float alpha = random.OneIn(4) ? -random.Scale(-4, 0) : random.Scale(-8, 0);
    maker.Op<edit::LeakyReluOptionsT>(op, {x}, {y}, [&](auto& o) { o.alpha = alpha; });
  } else {
    maker.Op(op, {x}, {y});
  }
  return {.model = maker.Finish(), .inputs = {Int16Codes(random, shape)}};
}

void AddInt16Unary(Series& series, const std::string& op) {
  Random& random = series.random;
  for (const Shape& shape : ElementwiseShapes()) {
    series.Add("shape", MakeInt16Unary(random, op, shape, random.Scale(-14, -9)));
  }
  for (int exponent = -16; exponent <= 1; ++exponent) {
    series.Add("power_of_two", MakeInt16Unary(random, op, {1, 257}, std::ldexp(1.0f, exponent)));
    series.Add("scale", MakeInt16Unary(random, op, {1, 257}, random.Scale(exponent, exponent)));
  }
}

// ---- At random.

// Replaces some inputs: all elements one code, hardly any that is not 0, small ones.
Case WithDrawnCodes(Random& random, Case test) {
  for (Bytes& input : test.inputs) {
    const int kind = random.Int(0, 5);
    const auto one = static_cast<int16_t>(random.Pick<int64_t>({0, -1, 32767, -32768}));
    std::vector<int16_t> codes(input.size() / sizeof(int16_t), one);
    if (kind > 2) continue;
    for (int16_t& code : codes) {
      if (kind == 1) code = static_cast<int16_t>(random.OneIn(10) ? random.Between(-32768, 32767) : 0);
      if (kind == 2) code = static_cast<int16_t>(random.Between(-3, 3));
    }
    input = ToBytes(codes);
  }
  return test;
}

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
  return WithDrawnCodes(random, DrawnLayer(random, kind, c));
}

Case DrawInt16Pair(Random& random, const char* op) {
  const BroadcastPair shapes = DrawBroadcastPair(random, DrawBudget(random, kMostElements));
  const auto scale = random.OneIn(3) ? PowerOfTwo : AnyScale;
  // TensorFlow Lite Micro broadcasts up to four dimensions.
  return BeyondIf(std::max(shapes.a.size(), shapes.b.size()) > 4,
                  WithDrawnCodes(random, MakeInt16Pair(random, op, shapes.a, shapes.b, scale)));
}

Case DrawInt16Unary(Random& random, const char* op) {
  const Shape shape = DrawShape(random, 1, 6, DrawBudget(random, kMostElements));
  const float scale = DrawAnyScale(random, -16, 1);
  return WithDrawnCodes(random, MakeInt16Unary(random, op, shape, scale));
}

// None of these is in the smoke set, which profiles without a rule for them run too.
CaseFamily Int16Family(const char* op, std::function<void(Series&)> generate,
                       std::function<void(RealSizes&)> real_sizes, std::function<Case(Random&)> draw) {
  CaseFamily family = Family(op, PrefixOf(op), std::move(generate), std::move(real_sizes), Smoke::kNever);
  family.draw = std::move(draw);
  return family;
}

template <Kind kind>
CaseFamily LayerFamily(const char* op) {
  return Int16Family(
      op, [](Series& series) { AddInt16Layers(series, kind); },
      [](RealSizes& sizes) { AddRealInt16Layers(sizes, kind); }, DrawInt16Layer<kind>);
}

CaseFamily PairFamily(const char* name, const char* op) {
  return Int16Family(
      name, [op](Series& series) { AddInt16Pairs(series, op); },
      [op](RealSizes& sizes) {
        sizes.Add("count", MakeInt16Pair(sizes.random, op, {1, 13, 15, 33}, {1, 13, 15, 33}));
      },
      [op](Random& random) { return DrawInt16Pair(random, op); });
}

CaseFamily UnaryFamily(const char* name, const char* op) {
  return Int16Family(
      name, [op](Series& series) { AddInt16Unary(series, op); },
      [op](RealSizes& sizes) {
        sizes.Add("count", MakeInt16Unary(sizes.random, op, {1, 13, 15, 33}, 0x1p-12f));
      },
      [op](Random& random) { return DrawInt16Unary(random, op); });
}

}  // namespace

extern const CaseFamilies kInt16Cases = {
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
    PairFamily("ADD.int16", "ADD"),
    PairFamily("SUB.int16", "SUB"),
    PairFamily("MUL.int16", "MUL"),
    UnaryFamily("LEAKY_RELU.int16", "LEAKY_RELU"),
    UnaryFamily("LOGISTIC.int16", "LOGISTIC"),
    UnaryFamily("TANH.int16", "TANH"),
};

}  // namespace lutra::conformance
