// SPDX-License-Identifier: Apache-2.0
// Small models of IF and WHILE. Host only.
//
//   const std::vector<uint8_t> model = call_models::Doubled();

#pragma once

#include <cstdint>
#include <vector>

#include "runtime/testing/model_builder.h"

namespace lutra::call_models {

constexpr BuiltinOperator kIf = BuiltinOperator::kIf;
constexpr BuiltinOperator kWhile = BuiltinOperator::kWhile;

inline const TensorSpec kFlag = {.shape = {1}, .type = TensorType::kBool};
inline const TensorSpec kCount = {.shape = {1}, .type = TensorType::kInt32};
inline const TensorSpec kPair = {.shape = {2}, .type = TensorType::kInt32};

inline TensorSpec Constant(TensorSpec spec, const std::vector<int32_t>& values) {
  spec.data = BytesOf(values);
  return spec;
}

// Adds a constant to a pair.
inline void AddBranch(ModelBuilder& builder, int32_t addend) {
  const int x = builder.AddTensor(kPair);
  const int y = builder.AddTensor(kPair);
  const int c = builder.AddTensor(Constant(kPair, {addend, addend + 1}));
  builder.AddOperator(BuiltinOperator::kAdd, {x, c}, {y});
  builder.EndSubgraph({x}, {y});
}

// Subgraphs 1 and 2 of a loop over (count, end, pair): while count < end, the pair is doubled.
inline void AddLoop(ModelBuilder& builder) {
  const int count = builder.AddTensor(kCount);
  const int end = builder.AddTensor(kCount);
  const int pair = builder.AddTensor(kPair);
  const int less = builder.AddTensor(kFlag);
  builder.AddOperator(BuiltinOperator::kLess, {count, end}, {less});
  builder.EndSubgraph({count, end, pair}, {less});
  for (const TensorSpec& spec : {kCount, kCount, kPair, kCount, kPair}) builder.AddTensor(spec);
  const int one = builder.AddTensor(Constant(kCount, {1}));
  builder.AddOperator(BuiltinOperator::kAdd, {0, one}, {3});
  builder.AddOperator(BuiltinOperator::kAdd, {2, 2}, {4});
  builder.EndSubgraph({0, 1, 2}, {3, 1, 4});
}

inline std::vector<uint8_t> Doubled() {
  ModelBuilder builder;
  for (const TensorSpec& spec : {kCount, kCount, kPair, kCount, kCount, kPair}) builder.AddTensor(spec);
  builder.AddOperator(kWhile, {0, 1, 2}, {3, 4, 5}, {.called = {1, 2}});
  builder.EndSubgraph({0, 1, 2}, {5, 3});
  AddLoop(builder);
  return builder.Finish({}, {});
}

// A body with an IF: pairs of the first two turns are increased by 10, others squared.
inline std::vector<uint8_t> Nested() {
  ModelBuilder builder;
  for (const TensorSpec& spec : {kCount, kCount, kPair, kCount, kCount, kPair}) builder.AddTensor(spec);
  builder.AddOperator(kWhile, {0, 1, 2}, {3, 4, 5}, {.called = {1, 2}});
  builder.EndSubgraph({0, 1, 2}, {5});
  for (const TensorSpec& spec : {kCount, kCount, kPair, kFlag}) builder.AddTensor(spec);
  builder.AddOperator(BuiltinOperator::kLess, {0, 1}, {3});
  builder.EndSubgraph({0, 1, 2}, {3});
  for (const TensorSpec& spec : {kCount, kCount, kPair, kCount, kPair, kFlag, kCount})
    builder.AddTensor(spec);
  const int one = builder.AddTensor(Constant(kCount, {1}));
  const int two = builder.AddTensor(Constant(kCount, {2}));
  builder.AddOperator(BuiltinOperator::kLess, {0, two}, {5});
  builder.AddOperator(kIf, {5, 2}, {4}, {.called = {3, 4}});
  builder.AddOperator(BuiltinOperator::kAdd, {0, one}, {3});
  builder.EndSubgraph({0, 1, 2}, {3, 1, 4});
  AddBranch(builder, 10);
  builder.AddTensor(kPair);
  builder.AddTensor(kPair);
  builder.AddOperator(BuiltinOperator::kMul, {0, 0}, {1});
  return builder.Finish({0}, {1});
}

// Two IFs with the same two subgraphs.
inline std::vector<uint8_t> Twice() {
  ModelBuilder builder;
  for (const TensorSpec& spec : {kFlag, kPair, kPair, kPair, kPair}) builder.AddTensor(spec);
  builder.AddOperator(kIf, {0, 1}, {2}, {.called = {1, 2}});
  builder.AddOperator(kIf, {0, 2}, {3}, {.called = {2, 1}});
  builder.AddOperator(BuiltinOperator::kAdd, {3, 1}, {4});
  builder.EndSubgraph({0, 1}, {4});
  AddBranch(builder, 10);
  builder.AddTensor(kPair);
  builder.AddTensor(kPair);
  builder.AddOperator(BuiltinOperator::kMul, {0, 0}, {1});
  return builder.Finish({0}, {1});
}

}  // namespace lutra::call_models
