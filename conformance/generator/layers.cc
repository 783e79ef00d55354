// SPDX-License-Identifier: Apache-2.0
// Adds layers that compute: sums of products, sums, pools, functions.

#include "conformance/generator/layers.h"

#include <algorithm>

namespace lutra::conformance {
namespace {

int32_t OutputSize(int32_t in, const LayerOptions& o) {
  return o.same ? (in + o.stride - 1) / o.stride : (in - o.filter) / o.stride + 1;
}

template <typename Options>
void SetLayerWindow(const LayerOptions& o, Options* options) {
  options->padding = o.same ? 0 : 1;
  options->stride_h = options->stride_w = o.stride;
  options->fused_activation_function = o.activation;
}

}  // namespace

Layer Layers::Activation(const oracle::Shape& shape, float scale, int64_t zero_point) {
  return {maker_.Activation({.shape = shape, .scale = scale, .zero_point = zero_point}), shape, scale,
          zero_point};
}

Layer Layers::Activation(const oracle::Shape& shape, const Layer* like) {
  if (like != nullptr) return Activation(shape, like->scale, like->zero_point);
  const float scale = random_.Scale(-6, -4);
  return Activation(shape, scale, random_.Between(-40, 40));
}

Layer Layers::Products(const oracle::Shape& shape, const LayerOptions& options) {
  if (options.like != nullptr || options.activation == 0) return Activation(shape, options.like);
  // Values below 0 are cut off, so their codes need no room.
  const float scale = random_.Scale(-6, -4);
  return Activation(shape, scale, random_.OneIn(2) ? -128 : random_.Between(-128, -90));
}

Layer Layers::Sums(const Layer& a, const Layer& b, const Layer* like) {
  if (like != nullptr) return Activation(a.shape, like);
  const float scale = std::max(a.scale, b.scale) * random_.Scale(0, 0);
  return Activation(a.shape, scale, random_.Between(-40, 40));
}

Layer Layers::Input(const oracle::Shape& shape) {
  const float scale = random_.Scale(-7, -4);
  const int64_t zero_point = random_.Between(-40, 40);
  return InputLike({.shape = shape, .scale = scale, .zero_point = zero_point});
}

Layer Layers::InputLike(const Layer& x) {
  Layer y = x;
  y.tensor = maker_.Operand({.shape = x.shape, .scale = x.scale, .zero_point = x.zero_point},
                            MakeCodes(random_, oracle::ElementCount(x.shape), Values::kRandom));
  return y;
}

Layer Layers::FloatInput(const oracle::Shape& shape) {
  std::vector<float> values;
  for (int64_t i = oracle::ElementCount(shape); i > 0; --i) {
    const float magnitude = random_.Scale(-7, 1);
    values.push_back(random_.OneIn(2) ? magnitude : -magnitude);
  }
  return {maker_.Operand({.shape = shape, .type = oracle::kFloat32}, FloatBytes(values)), shape};
}

oracle::Bytes Layers::Weights(const oracle::Shape& shape, int axis, int levels, bool sparse, int largest) {
  oracle::Bytes codes = MakeCodes(random_, oracle::ElementCount(shape), Values::kRandom);
  // Weights must not be -128.
  for (uint8_t& code : codes) code = code == 0x80 ? 0x81 : code;
  if (sparse) {
    for (uint8_t& code : codes) code = random_.OneIn(2) ? 0 : code;
  }
  if (levels >= 256) return codes;
  const auto channels = axis < 0 ? 1 : shape[static_cast<size_t>(axis)];
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(axis + 1); axis >= 0 && d < shape.size(); ++d) inner *= shape[d];
  std::vector<oracle::Bytes> tables;
  for (int c = 0; c < channels; ++c) {
    oracle::Bytes& table = tables.emplace_back();
    // As many values are above 0 as below, so that sums stay in range.
    for (int i = 0; i < levels; ++i) {
      const int64_t magnitude = random_.Between(1, largest);
      table.push_back(static_cast<uint8_t>(i % 2 == 0 ? magnitude : -magnitude));
    }
  }
  for (size_t i = 0; i < codes.size(); ++i) {
    const auto channel = static_cast<size_t>(static_cast<int64_t>(i) / inner % channels);
    codes[i] = random_.Pick(tables[channel]);
  }
  return codes;
}

std::vector<int> Layers::Parameters(const Layer& x, const Layer& y, const oracle::Shape& shape, int axis,
                                    const LayerOptions& options) {
  const auto channels = shape[static_cast<size_t>(axis)];
  const int64_t products = oracle::ElementCount(shape) / channels;
  // The sum of n products of random codes is about 2^12 * sqrt(n), and codes reach 2^7.
  const float scale = std::ldexp(y.scale / x.scale, -6 - std::ilogb(static_cast<double>(products)) / 2);
  MadeTensor weights = {.shape = shape, .quantized_dimension = axis};
  for (int i = 0; i < (options.per_channel ? channels : 1); ++i) {
    weights.channel_scales.push_back(scale * random_.Scale(-1, 0));
  }
  MadeTensor bias = {.shape = {channels}, .type = oracle::kInt32};
  for (const float s : weights.channel_scales) bias.channel_scales.push_back(x.scale * s);
  std::vector<int32_t> values(static_cast<size_t>(channels));
  for (int32_t& value : values) value = random_.Int(-6000, 6000);
  const int tables = options.per_channel && !options.one_table ? axis : -1;
  const int w =
      maker_.Constant(weights, Weights(shape, tables, options.levels, options.sparse, options.largest));
  return {w, maker_.Constant(bias, ToBytes(values))};
}

Layer Layers::Conv(const Layer& x, const LayerOptions& o) {
  const Layer y = Products({x.shape[0], OutputSize(x.shape[1], o), OutputSize(x.shape[2], o), o.channels}, o);
  const std::vector<int> p = Parameters(x, y, {o.channels, o.filter, o.filter, x.shape[3]}, 0, o);
  maker_.Op<edit::Conv2DOptionsT>("CONV_2D", {x.tensor, p[0], p[1]}, {y.tensor}, [&](auto& options) {
    SetLayerWindow(o, &options);
    options.dilation_h_factor = options.dilation_w_factor = 1;
  });
  return y;
}

Layer Layers::Depthwise(const Layer& x, const LayerOptions& o) {
  const Layer y = Products({x.shape[0], OutputSize(x.shape[1], o), OutputSize(x.shape[2], o), x.shape[3]}, o);
  const std::vector<int> p = Parameters(x, y, {1, o.filter, o.filter, x.shape[3]}, 3, o);
  maker_.Op<edit::DepthwiseConv2DOptionsT>("DEPTHWISE_CONV_2D", {x.tensor, p[0], p[1]}, {y.tensor},
                                           [&](auto& options) {
                                             SetLayerWindow(o, &options);
                                             options.depth_multiplier = 1;
                                             options.dilation_h_factor = options.dilation_w_factor = 1;
                                           });
  return y;
}

Layer Layers::TransposeConv(const Layer& x, const LayerOptions& o) {
  const Layer y = Products({x.shape[0], 2 * x.shape[1], 2 * x.shape[2], o.channels}, o);
  const int shape = maker_.Int32Constant(y.shape, {4});
  const std::vector<int> p = Parameters(x, y, {o.channels, 2, 2, x.shape[3]}, 0, o);
  maker_.Op<edit::TransposeConvOptionsT>("TRANSPOSE_CONV", {shape, p[0], x.tensor, p[1]}, {y.tensor},
                                         [](auto& options) { options.stride_h = options.stride_w = 2; });
  return y;
}

Layer Layers::FullyConnected(const Layer& x, const LayerOptions& o) {
  oracle::Shape shape = x.shape;
  shape.back() = o.channels;
  const Layer y = Products(shape, o);
  const std::vector<int> p = Parameters(x, y, {o.channels, x.shape.back()}, 0, o);
  maker_.Op<edit::FullyConnectedOptionsT>("FULLY_CONNECTED", {x.tensor, p[0], p[1]}, {y.tensor},
                                          [&](auto& options) {
                                            options.fused_activation_function = o.activation;
                                            options.keep_num_dims = x.shape.size() > 2;
                                          });
  return y;
}

Layer Layers::BatchMatmul(const Layer& x, const Layer& y, bool transpose_y) {
  oracle::Shape shape = x.shape;
  shape.back() = transpose_y ? y.shape[y.shape.size() - 2] : y.shape.back();
  const int depth = std::ilogb(static_cast<double>(x.shape.back())) / 2;
  const Layer z = Activation(shape, std::ldexp(x.scale * y.scale, 5 + depth), random_.Between(-50, 50));
  maker_.Op<edit::BatchMatMulOptionsT>("BATCH_MATMUL", {x.tensor, y.tensor}, {z.tensor},
                                       [&](auto& options) { options.adj_y = transpose_y; });
  return z;
}

Layer Layers::Add(const Layer& a, const Layer& b, int8_t activation, const Layer* like) {
  const Layer y = Sums(a, b, like);
  maker_.Op<edit::AddOptionsT>("ADD", {a.tensor, b.tensor}, {y.tensor},
                               [&](auto& options) { options.fused_activation_function = activation; });
  return y;
}

Layer Layers::Sub(const Layer& a, const Layer& b) {
  const Layer y = Sums(a, b, nullptr);
  maker_.Op<edit::SubOptionsT>("SUB", {a.tensor, b.tensor}, {y.tensor});
  return y;
}

Layer Layers::Mul(const Layer& a, const Layer& b) {
  const float scale = a.scale * b.scale * random_.Scale(5, 6);
  const Layer y = Activation(a.shape, scale, random_.Between(-60, 60));
  maker_.Op<edit::MulOptionsT>("MUL", {a.tensor, b.tensor}, {y.tensor});
  return y;
}

Layer Layers::Maximum(const Layer& a, const Layer& b) {
  const Layer y = Activation(a.shape, &a);
  maker_.Op<edit::MaximumMinimumOptionsT>("MAXIMUM", {a.tensor, b.tensor}, {y.tensor});
  return y;
}

Layer Layers::Pool(const char* op, const Layer& x, const LayerOptions& o) {
  const Layer y =
      Activation({x.shape[0], OutputSize(x.shape[1], o), OutputSize(x.shape[2], o), x.shape[3]}, &x);
  maker_.Op<edit::Pool2DOptionsT>(op, {x.tensor}, {y.tensor}, [&](auto& options) {
    SetLayerWindow(o, &options);
    options.filter_height = options.filter_width = o.filter;
  });
  return y;
}

Layer Layers::MaxPool(const Layer& x, const LayerOptions& o) { return Pool("MAX_POOL_2D", x, o); }
Layer Layers::AveragePool(const Layer& x, const LayerOptions& o) { return Pool("AVERAGE_POOL_2D", x, o); }

Layer Layers::AverageOfImage(const Layer& x) {
  const Layer y = Activation({x.shape[0], 1, 1, x.shape[3]}, &x);
  maker_.Op<edit::Pool2DOptionsT>("AVERAGE_POOL_2D", {x.tensor}, {y.tensor}, [&](auto& options) {
    SetLayerWindow({.same = false}, &options);
    options.filter_height = x.shape[1];
    options.filter_width = x.shape[2];
  });
  return y;
}

Layer Layers::Mean(const Layer& x, bool keep_dims) {
  const float scale = x.scale * random_.Scale(-3, -1);
  const Layer y = Activation(
      keep_dims ? oracle::Shape{x.shape[0], 1, 1, x.shape[3]} : oracle::Shape{x.shape[0], x.shape[3]}, scale,
      random_.Between(-60, 60));
  const int axes = maker_.Int32Constant({1, 2}, {2});
  maker_.Op<edit::ReducerOptionsT>("MEAN", {x.tensor, axes}, {y.tensor},
                                   [&](auto& options) { options.keep_dims = keep_dims; });
  return y;
}

Layer Layers::Softmax(const Layer& x) {
  const Layer y = Activation(x.shape, 0x1p-8f, -128);
  maker_.Op<edit::SoftmaxOptionsT>("SOFTMAX", {x.tensor}, {y.tensor},
                                   [](auto& options) { options.beta = 1; });
  return y;
}

Layer Layers::Unary(const char* op, const Layer& x, float scale, int64_t zero_point) {
  const Layer y = Activation(x.shape, scale, zero_point);
  maker_.Op(op, {x.tensor}, {y.tensor});
  return y;
}

Layer Layers::Logistic(const Layer& x) { return Unary("LOGISTIC", x, 0x1p-8f, -128); }
Layer Layers::Tanh(const Layer& x) { return Unary("TANH", x, 0x1p-7f, 0); }
Layer Layers::HardSwish(const Layer& x) { return Unary("HARD_SWISH", x, x.scale, random_.Between(-90, 0)); }

Layer Layers::Quantize(const Layer& x) {
  const Layer y = Activation(x.shape);
  maker_.Op(x.scale == 0 ? "QUANTIZE.float32" : "QUANTIZE", {x.tensor}, {y.tensor});
  return y;
}

Layer Layers::Dequantize(const Layer& x) {
  const Layer y = {maker_.Activation({.shape = x.shape, .type = oracle::kFloat32}), x.shape};
  maker_.Op("DEQUANTIZE", {x.tensor}, {y.tensor});
  return y;
}

Layer Layers::Constant(const oracle::Shape& shape, int levels, const Layer* like) {
  const float scale = like != nullptr ? like->scale : random_.Scale(-6, -4);
  const int64_t zero_point = like != nullptr ? like->zero_point : 0;
  const oracle::Bytes codes = Weights(shape, -1, levels);
  return {maker_.Constant({.shape = shape, .scale = scale, .zero_point = zero_point}, codes), shape, scale,
          zero_point};
}

Layer Layers::Half(const oracle::Shape& shape) {
  const oracle::Bytes codes(static_cast<size_t>(oracle::ElementCount(shape)), 64);
  return {maker_.Constant({.shape = shape, .scale = 0x1p-7f}, codes), shape, 0x1p-7f, 0};
}

Case Layers::Finish(const std::vector<Layer>& outputs) {
  for (const Layer& y : outputs) maker_.model().subgraphs[0]->outputs.push_back(y.tensor);
  Case test = maker_.Made();
  test.op = "composite";
  return test;
}

}  // namespace lutra::conformance
