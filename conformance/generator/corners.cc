// SPDX-License-Identifier: Apache-2.0
// Corner cases of operators that are neither windows nor SVDF, and the list of all corner cases.

#include "conformance/generator/corners.h"

#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

void FullyConnected(Corners* corners) {
  for (const int depth : {257, 300, 600}) {
    Convolution c = {.in_channels = depth, .out_channels = 4};
    c.in_scale = 0.05f;
    c.in_zero = 5;
    c.filter_scales = {0.01f};
    c.bias = {1, -2, 300, -400};
    corners->Add("depth_" + std::to_string(depth), MakeFullyConnected(corners->random, c));
  }
}

struct Matmul {
  int depth, columns;
  bool adjoint = false;
};

void AddMatmul(Corners* corners, const std::string& what, const Matmul& m) {
  ModelMaker maker;
  const int a = maker.Input({.shape = {2, m.depth}, .scale = 0.02f, .zero_point = 3});
  const int b =
      maker.Input({.shape = m.adjoint ? oracle::Shape{m.columns, m.depth} : oracle::Shape{m.depth, m.columns},
                   .scale = 0.02f,
                   .zero_point = -4});
  const int y = maker.Output({.shape = {2, m.columns}, .scale = 0.4f});
  maker.Op<edit::BatchMatMulOptionsT>("BATCH_MATMUL", {a, b}, {y},
                                      [&](auto& options) { options.adj_y = m.adjoint; });
  const oracle::Bytes left = corners->Codes(int64_t{2} * m.depth);
  corners->Add(what, maker, {left, corners->Codes(int64_t{m.depth} * m.columns)});
}

void BatchMatmul(Corners* corners) {
  AddMatmul(corners, "columns_70", {.depth = 5, .columns = 70});
  AddMatmul(corners, "depth_200", {.depth = 200, .columns = 3, .adjoint = true});
}

// The quantisation of an operator on single codes.
struct Unary {
  float in_scale = 0;
  int64_t in_zero = 0;
  float out_scale = 0;
  int64_t out_zero = 0;
  float alpha = 0;  // LEAKY_RELU's.
};

// The input has all codes; with a more precise rule, these scales give another code.
void AddUnary(Corners* corners, const char* op, const std::string& what, const Unary& u) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, 256}, .scale = u.in_scale, .zero_point = u.in_zero});
  const int y = maker.Output({.shape = {1, 256}, .scale = u.out_scale, .zero_point = u.out_zero});
  if (u.alpha != 0) {
    maker.Op<edit::LeakyReluOptionsT>(op, {x}, {y}, [&](auto& options) { options.alpha = u.alpha; });
  } else {
    maker.Op(op, {x}, {y});
  }
  corners->Add(what, maker, {corners->Ramp()});
}

void Relu(Corners* corners) {
  AddUnary(corners, "RELU", "float_ratio", {.in_scale = 0x1.21a252p-5f, .out_scale = 0x1.fe6772p-6f});
}
void LeakyRelu(Corners* corners) {
  AddUnary(corners, "LEAKY_RELU", "float_slope",
           {.in_scale = 0x1.e44b66p-2f, .out_scale = 0x1.228192p-2f, .alpha = 0x1.98acc6p-1f});
  // Sums end in one half; ties are rounded before a negative slope changes the sign.
  AddUnary(corners, "LEAKY_RELU", "negative_slope",
           {.in_scale = 0x1p-4f, .in_zero = 127, .out_scale = 0x1p-3f, .out_zero = -57, .alpha = -3.9375f});
  AddUnary(corners, "LEAKY_RELU", "negative_slope",
           {.in_scale = 1, .in_zero = 127, .out_scale = 4, .out_zero = -91, .alpha = -0.125f});
}
void Elu(Corners* corners) {
  AddUnary(corners, "ELU", "float_inverse",
           {.in_scale = 0x1.18e53p-4f, .in_zero = -128, .out_scale = 0x1.5ffc6ep-2f});
}
void HardSwish(Corners* corners) {
  AddUnary(corners, "HARD_SWISH", "multiplier_16_bits",
           {.in_scale = 0x1.ef7464p-5f, .in_zero = -14, .out_scale = 0x1.406f02p-3f});
}
void Logistic(Corners* corners) {
  AddUnary(corners, "LOGISTIC", "half_sum",
           {.in_scale = 0x1.eec7ecp-5f, .out_scale = 0x1p-8f, .out_zero = -128});
}

void Div(Corners* corners) {
  ModelMaker maker;
  const int a = maker.Input({.shape = {1, 2}, .scale = 0x1.be32f4p-3f});
  const int b = maker.Input({.shape = {1, 2}, .scale = 0x1.f8b772p-2f});
  const int y = maker.Output({.shape = {1, 2}, .scale = 0x1.7f0d4ep-8f});
  maker.Op<edit::DivOptionsT>("DIV", {a, b}, {y});
  corners->Add("float_scales", maker, {{91, 1}, {124, 5}});
}

// One product of two codes has scales whose product must not be rounded to float32.
void Mul(Corners* corners) {
  struct Products {
    float a_scale, b_scale, out_scale;
    int a, b;
  };
  constexpr Products kProducts[] = {{0x1.5f835cp-3f, 0x1.23544cp-4f, 0x1.9b3678p+1f, 133, 185},
                                    {0x1.fc00c8p-5f, 0x1.94f6b8p-3f, 0x1.143eb4p+3f, 132, 248},
                                    {0x1.1aad22p-6f, 0x1.0ab7d2p-3f, 0x1.777ceep+0f, 173, 183}};
  for (const Products& p : kProducts) {
    ModelMaker maker;
    const int a = maker.Input({.shape = {1, 2}, .scale = p.a_scale, .zero_point = -128});
    const int b = maker.Input({.shape = {1, 2}, .scale = p.b_scale, .zero_point = -128});
    const int y = maker.Output({.shape = {1, 2}, .scale = p.out_scale});
    maker.Op<edit::MulOptionsT>("MUL", {a, b}, {y});
    corners->Add("double_scales", maker,
                 {{static_cast<uint8_t>(p.a - 128), 1}, {static_cast<uint8_t>(p.b - 128), 5}});
  }
}

struct MeanOf {
  oracle::Bytes codes;
  float in_scale = 0;
  int64_t in_zero = 0;
  float out_scale = 0;
};

void AddMean(Corners* corners, const std::string& what, const MeanOf& m) {
  ModelMaker maker;
  const auto count = static_cast<int32_t>(m.codes.size());
  const int x = maker.Input({.shape = {1, count}, .scale = m.in_scale, .zero_point = m.in_zero});
  const int axis = maker.Int32Constant({1}, {1});
  const int y = maker.Output({.shape = {1}, .scale = m.out_scale});
  maker.Op<edit::ReducerOptionsT>("MEAN", {x, axis}, {y});
  corners->Add(what, maker, {m.codes});
}

void Mean(Corners* corners) {
  // The sum is 393225 over 3613 codes: 1 / 3613 must be cut, not rounded.
  oracle::Bytes codes;
  int left = 393225;
  for (int i = 3613; i > 0; --i) {
    codes.push_back(static_cast<uint8_t>(left / i));
    left -= left / i;
  }
  AddMean(corners, "cut_multiplier",
          {.codes = codes, .in_scale = 0x1.eeca78p-3f, .out_scale = 0x1.303e9ap-2f});
  // The shift of 1 / 1024 is limited to 31.
  MeanOf least = {.codes = oracle::Bytes(1024, 127), .in_scale = 0x1p-28f, .in_zero = -128, .out_scale = 1};
  AddMean(corners, "least_multiplier", least);
  least.codes.assign(1024, 0x80);
  least.in_zero = 127;
  AddMean(corners, "least_multiplier", least);
  MeanOfEqualCodes(corners);
}

void LogSoftmax(Corners* corners) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, 101}, .scale = 0x1.ffp-2f});
  const int y = maker.Output({.shape = {1, 101}, .scale = 0x1p-4f, .zero_point = 127});
  maker.Op<edit::LogSoftmaxOptionsT>("LOG_SOFTMAX", {x}, {y});
  oracle::Bytes codes(101, 127);
  codes[50] = 66;
  corners->Add("limit", maker, {codes});
}

// Padding has the code of the output's zero point, whatever the input's.
void Pad(Corners* corners) {
  for (const int64_t zero : {5, 0}) {
    ModelMaker maker;
    const int x = maker.Input({.shape = {2, 2}, .scale = 0.5f, .zero_point = zero});
    const int paddings = maker.Int32Constant({1, 0, 0, 1}, {2, 2});
    const int y = maker.Output({.shape = {3, 3}, .scale = 0.5f, .zero_point = -9});
    maker.Op<edit::PadOptionsT>("PAD", {x, paddings}, {y});
    corners->Add("output_zero_point", maker, {{1, 2, 3, 4}});
  }
}

void SpaceToBatchNd(Corners* corners) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, 3, 3, 1}, .scale = 0.5f, .zero_point = 5});
  const int block = maker.Int32Constant({2, 2}, {2});
  const int paddings = maker.Int32Constant({1, 0, 0, 1}, {2, 2});
  const int y = maker.Output({.shape = {4, 2, 2, 1}, .scale = 0.5f, .zero_point = -9});
  maker.Op<edit::SpaceToBatchNDOptionsT>("SPACE_TO_BATCH_ND", {x, block, paddings}, {y});
  corners->Add("output_zero_point", maker, {{1, 2, 3, 4, 5, 6, 7, 8, 9}});
}

void Dequantize(Corners* corners) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {4}, .type = oracle::kInt32, .scale = 0.1f});
  const int y = maker.Output({.shape = {4}, .type = oracle::kFloat32});
  maker.Op<edit::DequantizeOptionsT>("DEQUANTIZE", {x}, {y});
  corners->Add("int32", maker, {ToBytes(std::vector<int32_t>{16777217, 2147483647, -33554435, 1234567891})});
}

struct CornerFamily {
  const char* op;
  void (*generate)(Corners*);
};

constexpr CornerFamily kFamilies[] = {
    {"AVERAGE_POOL_2D", AveragePool2DCorners},
    {"BATCH_MATMUL", BatchMatmul},
    {"CONV_2D", Conv2DCorners},
    {"DEPTHWISE_CONV_2D", DepthwiseConv2DCorners},
    {"DEQUANTIZE", Dequantize},
    {"DIV", Div},
    {"ELU", Elu},
    {"FULLY_CONNECTED", FullyConnected},
    {"HARD_SWISH", HardSwish},
    {"LEAKY_RELU", LeakyRelu},
    {"LOGISTIC", Logistic},
    {"LOG_SOFTMAX", LogSoftmax},
    {"MAX_POOL_2D", MaxPool2DCorners},
    {"MEAN", Mean},
    {"MUL", Mul},
    {"PAD", Pad},
    {"RELU", Relu},
    {"SPACE_TO_BATCH_ND", SpaceToBatchNd},
    {"SVDF", SvdfCorners},
    {"TRANSPOSE_CONV", TransposeConvCorners},
};

}  // namespace

void GenerateCorners(std::string_view prefix, const CaseSink& sink) {
  for (const CornerFamily& family : kFamilies) {
    if (PrefixOf(family.op) != prefix) continue;
    Corners corners(family.op, sink);
    family.generate(&corners);
  }
}

}  // namespace lutra::conformance
