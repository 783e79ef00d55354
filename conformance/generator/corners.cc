// SPDX-License-Identifier: Apache-2.0

#include "conformance/generator/corners.h"

namespace lutra::conformance {
namespace {

void FullyConnected(Corners* corners) {
  for (const int depth : {257, 300, 600}) {
    ModelMaker maker;
    const int x = maker.Input({.shape = {1, depth}, .scale = 0.05f, .zero_point = 5});
    const int w = maker.Constant({.shape = {4, depth}, .scale = 0.01f}, corners->Codes(4 * depth));
    const int b = maker.Constant({.shape = {4}, .type = oracle::kInt32, .scale = 0.05f * 0.01f},
                                 ToBytes(std::vector<int32_t>{1, -2, 300, -400}));
    const int y = maker.Output({.shape = {1, 4}, .scale = 0.5f});
    maker.Op<edit::FullyConnectedOptionsT>("FULLY_CONNECTED", {x, w, b}, {y}, [](auto&) {});
    corners->Add("depth_" + std::to_string(depth), maker, {corners->Codes(depth)});
  }
}

void AddMatmul(Corners* corners, const std::string& what, int depth, int columns, bool adjoint) {
  ModelMaker maker;
  const int a = maker.Input({.shape = {2, depth}, .scale = 0.02f, .zero_point = 3});
  const int b = maker.Input({.shape = adjoint ? oracle::Shape{columns, depth} : oracle::Shape{depth, columns},
                             .scale = 0.02f,
                             .zero_point = -4});
  const int y = maker.Output({.shape = {2, columns}, .scale = 0.4f});
  maker.Op<edit::BatchMatMulOptionsT>("BATCH_MATMUL", {a, b}, {y},
                                      [&](auto& options) { options.adj_y = adjoint; });
  const oracle::Bytes left = corners->Codes(2 * depth);
  corners->Add(what, maker, {left, corners->Codes(int64_t{depth} * columns)});
}

void BatchMatmul(Corners* corners) {
  AddMatmul(corners, "columns_70", 5, 70, false);
  AddMatmul(corners, "depth_200", 200, 3, true);
}

// All codes; scales at which the next precision gives another code.
void AddUnary(Corners* corners, const char* op, const std::string& what, float in, int64_t zero, float out,
              int64_t out_zero, float alpha = 0) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, 256}, .scale = in, .zero_point = zero});
  const int y = maker.Output({.shape = {1, 256}, .scale = out, .zero_point = out_zero});
  if (alpha != 0) {
    maker.Op<edit::LeakyReluOptionsT>(op, {x}, {y}, [&](auto& options) { options.alpha = alpha; });
  } else {
    maker.Op(op, {x}, {y});
  }
  corners->Add(what, maker, {corners->Ramp()});
}

void Relu(Corners* corners) {
  AddUnary(corners, "RELU", "float_ratio", 0x1.21a252p-5f, 0, 0x1.fe6772p-6f, 0);
}
void LeakyRelu(Corners* corners) {
  AddUnary(corners, "LEAKY_RELU", "float_slope", 0x1.e44b66p-2f, 0, 0x1.228192p-2f, 0, 0x1.98acc6p-1f);
}
void Elu(Corners* corners) {
  AddUnary(corners, "ELU", "float_inverse", 0x1.18e53p-4f, -128, 0x1.5ffc6ep-2f, 0);
}
void HardSwish(Corners* corners) {
  AddUnary(corners, "HARD_SWISH", "multiplier_16_bits", 0x1.ef7464p-5f, -14, 0x1.406f02p-3f, 0);
}
void Logistic(Corners* corners) {
  AddUnary(corners, "LOGISTIC", "half_sum", 0x1.eec7ecp-5f, 0, 0x1p-8f, -128);
}

void Div(Corners* corners) {
  ModelMaker maker;
  const int a = maker.Input({.shape = {1, 2}, .scale = 0x1.be32f4p-3f});
  const int b = maker.Input({.shape = {1, 2}, .scale = 0x1.f8b772p-2f});
  const int y = maker.Output({.shape = {1, 2}, .scale = 0x1.7f0d4ep-8f});
  maker.Op<edit::DivOptionsT>("DIV", {a, b}, {y}, [](auto&) {});
  corners->Add("float_scales", maker, {{91, 1}, {124, 5}});
}

void AddMean(Corners* corners, const std::string& what, float in, int64_t zero, float out,
             const oracle::Bytes& codes) {
  ModelMaker maker;
  const auto count = static_cast<int32_t>(codes.size());
  const int x = maker.Input({.shape = {1, count}, .scale = in, .zero_point = zero});
  const int axis = maker.Int32Constant({1}, {1});
  const int y = maker.Output({.shape = {1}, .scale = out});
  maker.Op<edit::ReducerOptionsT>("MEAN", {x, axis}, {y}, [](auto&) {});
  corners->Add(what, maker, {codes});
}

void Mean(Corners* corners) {
  // A sum of 393225 over 3613 codes: 1 / 3613 must be cut, not rounded.
  oracle::Bytes codes;
  int left = 393225;
  for (int i = 3613; i > 0; --i) {
    codes.push_back(static_cast<uint8_t>(left / i));
    left -= left / i;
  }
  AddMean(corners, "cut_multiplier", 0x1.eeca78p-3f, 0, 0x1.303e9ap-2f, codes);
  // The shift of 1 / 1024 stops at 31.
  AddMean(corners, "least_multiplier", 0x1p-28f, -128, 1, oracle::Bytes(1024, 127));
  AddMean(corners, "least_multiplier", 0x1p-28f, 127, 1, oracle::Bytes(1024, 0x80));
}

void LogSoftmax(Corners* corners) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, 101}, .scale = 0x1.ffp-2f});
  const int y = maker.Output({.shape = {1, 101}, .scale = 0x1p-4f, .zero_point = 127});
  maker.Op<edit::LogSoftmaxOptionsT>("LOG_SOFTMAX", {x}, {y}, [](auto&) {});
  oracle::Bytes codes(101, 127);
  codes[50] = 66;
  corners->Add("limit", maker, {codes});
}

// What is added has the code of the output's zero point, whatever the input's.
void Pad(Corners* corners) {
  for (const int64_t zero : {5, 0}) {
    ModelMaker maker;
    const int x = maker.Input({.shape = {2, 2}, .scale = 0.5f, .zero_point = zero});
    const int paddings = maker.Int32Constant({1, 0, 0, 1}, {2, 2});
    const int y = maker.Output({.shape = {3, 3}, .scale = 0.5f, .zero_point = -9});
    maker.Op<edit::PadOptionsT>("PAD", {x, paddings}, {y}, [](auto&) {});
    corners->Add("output_zero_point", maker, {{1, 2, 3, 4}});
  }
}

void SpaceToBatchNd(Corners* corners) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, 3, 3, 1}, .scale = 0.5f, .zero_point = 5});
  const int block = maker.Int32Constant({2, 2}, {2});
  const int paddings = maker.Int32Constant({1, 0, 0, 1}, {2, 2});
  const int y = maker.Output({.shape = {4, 2, 2, 1}, .scale = 0.5f, .zero_point = -9});
  maker.Op<edit::SpaceToBatchNDOptionsT>("SPACE_TO_BATCH_ND", {x, block, paddings}, {y}, [](auto&) {});
  corners->Add("output_zero_point", maker, {{1, 2, 3, 4, 5, 6, 7, 8, 9}});
}

void Dequantize(Corners* corners) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {4}, .type = oracle::kInt32, .scale = 0.1f});
  const int y = maker.Output({.shape = {4}, .type = oracle::kFloat32});
  maker.Op<edit::DequantizeOptionsT>("DEQUANTIZE", {x}, {y}, [](auto&) {});
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
