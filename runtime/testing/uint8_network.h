// SPDX-License-Identifier: Apache-2.0
// A small network of the older scheme, uint8, with the operators that have rules of their own for uint8. Host
// only.
//
//   EXPECT_TRUE(TryToRun(Uint8Network()));

#pragma once

#include <vector>

#include "runtime/testing/model_builder.h"

namespace lutra {

// Weights have 13 values, so that every codec takes them, and zero points that int8 lacks. `convertible`:
// without the operators that int8 computes by other rules.
inline std::vector<uint8_t> Uint8Network(bool convertible = true) {
  constexpr int kClasses = 10;
  ModelBuilder builder;
  const auto activation = [&](const std::vector<int32_t>& shape, float scale = 0.5f,
                              int64_t zero_point = 120) {
    return builder.AddTensor(
        {.shape = shape, .type = TensorType::kUInt8, .scale = scale, .zero_point = zero_point});
  };
  const auto weights = [&](const std::vector<int32_t>& shape, int64_t zero_point) {
    int32_t count = 1;
    for (const int32_t dim : shape) count *= dim;
    std::vector<uint8_t> codes;
    for (int32_t i = 0; i < count; ++i) codes.push_back(static_cast<uint8_t>(i % 3 == 0 ? i % 13 * 9 : 60));
    return builder.AddTensor({.shape = shape,
                              .type = TensorType::kUInt8,
                              .scale = 0.01f,
                              .zero_point = zero_point,
                              .data = codes});
  };
  const auto bias = [&](int32_t channels) {
    const std::vector<int32_t> values(static_cast<size_t>(channels), 100);
    return builder.AddTensor(
        {.shape = {channels}, .type = TensorType::kInt32, .scale = 0.005f, .data = BytesOf(values)});
  };
  const auto node = [&](BuiltinOperator code, const std::vector<int>& inputs, int output,
                        const OperatorOptions& options = {}) {
    builder.AddOperator(code, inputs, {output}, options);
    return output;
  };
  const int x = activation({1, 4, 4, 4});
  const int edges = builder.AddTensor({.shape = {4, 2},
                                       .type = TensorType::kInt32,
                                       .data = BytesOf(std::vector<int32_t>{0, 0, 1, 1, 1, 1, 0, 0})});
  const int padded = node(BuiltinOperator::kPad, {x, edges}, activation({1, 6, 6, 4}));
  const int a = node(BuiltinOperator::kConv2D, {padded, weights({8, 3, 3, 4}, 50), bias(8)},
                     activation({1, 4, 4, 8}), {.padding = 1});
  const int b = node(BuiltinOperator::kDepthwiseConv2D, {a, weights({1, 3, 3, 8}, 0), bias(8)},
                     activation({1, 4, 4, 8}), {.activation = 1});
  const int sum = node(BuiltinOperator::kAdd, {a, b}, activation({1, 4, 4, 8}));
  const OperatorOptions halve = {.padding = 1, .stride = 2, .filter = 2};
  const int mean = node(BuiltinOperator::kAveragePool2D, {sum}, activation({1, 2, 2, 8}), halve);
  const int largest = node(BuiltinOperator::kMaxPool2D, {sum}, activation({1, 2, 2, 8}), halve);
  int resized = largest;
  if (!convertible) {
    const int size = builder.AddTensor(
        {.shape = {2}, .type = TensorType::kInt32, .data = BytesOf(std::vector<int32_t>{2, 2})});
    resized = node(BuiltinOperator::kResizeBilinear, {largest, size}, activation({1, 2, 2, 8}));
  }
  const int joined = node(BuiltinOperator::kConcatenation, {mean, resized},
                          activation({1, 2, 2, 16}, 0.75f, 100), {.axis = 3});
  const int flat = node(BuiltinOperator::kReshape, {joined}, activation({1, 64}, 0.75f, 100));
  const int values = node(BuiltinOperator::kFullyConnected, {flat, weights({kClasses, 64}, 255)},
                          activation({1, kClasses}, 1));
  const int y = node(BuiltinOperator::kSoftmax, {values}, activation({1, kClasses}, 1 / 256.0f, 0));
  if (convertible) return builder.Finish({x}, {y});
  const int each = node(BuiltinOperator::kLogistic, {values}, activation({1, kClasses}, 1 / 256.0f, 0));
  const int axis =
      builder.AddTensor({.shape = {1}, .type = TensorType::kInt32, .data = BytesOf(std::vector<int32_t>{1})});
  const int best = builder.AddTensor({.shape = {1}, .type = TensorType::kInt32});
  node(BuiltinOperator::kArgMax, {each, axis}, best);
  return builder.Finish({x}, {y, best});
}

}  // namespace lutra
