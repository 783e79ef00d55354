// SPDX-License-Identifier: Apache-2.0
// Tests that seeded inputs are the same everywhere, and that no operator refuses them.

#include "host/model_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "host/prepared_model.h"
#include "runtime/testing/call_models.h"
#include "runtime/testing/model_builder.h"

namespace lutra::host {
namespace {

AlignedBytes Aligned(const std::vector<uint8_t>& bytes) {
  AlignedBytes aligned(bytes.size());
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  return aligned;
}

template <typename T>
std::vector<T> ValuesOf(const std::vector<uint8_t>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Runs the model on seeded inputs. Throws BadInput if an operator refuses them.
std::vector<std::vector<uint8_t>> RunOnSeed(const std::vector<uint8_t>& bytes, uint64_t seed) {
  const ModelFile file = CheckModelFile("model.tflite", Aligned(bytes));
  PreparedModel prepared(file, {}, SmallestArena(file, {}));
  std::vector<std::vector<uint8_t>> inputs = SeededInputs(file.model, seed);
  FillInputs(*prepared, inputs);
  prepared.Invoke();
  return inputs;
}

template <typename T>
void ExpectAllBelow(const std::vector<uint8_t>& bytes, T most) {
  bool reaches_last = false;
  for (const T value : ValuesOf<T>(bytes)) {
    EXPECT_TRUE(value >= 0 && value < most) << value;
    reaches_last = reaches_last || value == most - 1;
  }
  EXPECT_TRUE(reaches_last) << "no index reaches the table's end";
}

// A GATHER reads rows of a table, which is an input, by indices that come through a RESHAPE.
TEST(SeededInputs, AreIndicesOfAGather) {
  for (const TensorType type : {TensorType::kInt32, TensorType::kInt64}) {
    ModelBuilder builder;
    const int table = builder.AddTensor({.shape = {2, 7, 3}, .scale = 1});
    const int flat = builder.AddTensor({.shape = {1, 64}, .type = type});
    const int indices = builder.AddTensor({.shape = {64}, .type = type});
    const int out = builder.AddTensor({.shape = {2, 64, 3}, .scale = 1});
    builder.AddOperator(BuiltinOperator::kReshape, {flat}, {indices});
    builder.AddOperator(BuiltinOperator::kGather, {table, indices}, {out}, {.axis = -2});
    const auto inputs = RunOnSeed(builder.Finish({table, flat}, {out}), 1);
    if (type == TensorType::kInt32) ExpectAllBelow<int32_t>(inputs[1], 7);
    if (type == TensorType::kInt64) ExpectAllBelow<int64_t>(inputs[1], 7);
    const auto values = ValuesOf<int8_t>(inputs[0]);
    EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](int8_t value) { return value < 0; }))
        << "the table's values are free";
  }
}

TEST(SeededInputs, AreIndicesOfAGatherNd) {
  ModelBuilder builder;
  const int table = builder.AddTensor({.shape = {9, 4}, .scale = 1});
  const int indices = builder.AddTensor({.shape = {64, 2}, .type = TensorType::kInt32});
  const int out = builder.AddTensor({.shape = {64}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kGatherNd, {table, indices}, {out});
  ExpectAllBelow<int32_t>(RunOnSeed(builder.Finish({table, indices}, {out}), 1)[1], 4);
}

TEST(SeededInputs, AreIndicesOfAnEmbedding) {
  ModelBuilder builder;
  const int ids = builder.AddTensor({.shape = {64}, .type = TensorType::kInt32});
  const int table = builder.AddTensor({.shape = {5, 2}, .type = TensorType::kFloat32});
  const int out = builder.AddTensor({.shape = {64, 2}, .type = TensorType::kFloat32});
  builder.AddOperator(BuiltinOperator::kEmbeddingLookup, {ids, table}, {out});
  ExpectAllBelow<int32_t>(RunOnSeed(builder.Finish({ids, table}, {out}), 1)[0], 5);
}

TEST(SeededInputs, AreThePlaceAndSizeOfASlice) {
  ModelBuilder builder;
  const int whole = builder.AddTensor({.shape = {9, 4}, .scale = 1});
  const int begin = builder.AddTensor({.shape = {2}, .type = TensorType::kInt32});
  const int size = builder.AddTensor({.shape = {2}, .type = TensorType::kInt32});
  const int out = builder.AddTensor({.shape = {2, 3}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kSlice, {whole, begin, size}, {out});
  for (uint64_t seed = 1; seed < 20; ++seed) {
    const auto inputs = RunOnSeed(builder.Finish({whole, begin, size}, {out}), seed);
    EXPECT_EQ(ValuesOf<int32_t>(inputs[2]), (std::vector<int32_t>{2, 3}));
  }
}

// The output's shape is an input that comes through a RESHAPE.
TEST(SeededInputs, AreTheShapeOfATransposedConvolution) {
  ModelBuilder builder;
  const int flat = builder.AddTensor({.shape = {2, 2}, .type = TensorType::kInt32});
  const int shape = builder.AddTensor({.shape = {4}, .type = TensorType::kInt32});
  const int filter = builder.AddTensor({.shape = {1, 2, 2, 1}, .scale = 1, .data = {1, 2, 3, 4}});
  const int image = builder.AddTensor({.shape = {1, 2, 3, 1}, .scale = 1});
  const int out = builder.AddTensor({.shape = {1, 4, 6, 1}, .scale = 8});
  builder.AddOperator(BuiltinOperator::kReshape, {flat}, {shape});
  builder.AddOperator(BuiltinOperator::kTransposeConv, {shape, filter, image}, {out},
                      {.padding = 1, .stride = 2});
  const auto inputs = RunOnSeed(builder.Finish({flat, image}, {out}), 1);
  EXPECT_EQ(ValuesOf<int32_t>(inputs[0]), (std::vector<int32_t>{1, 4, 6, 1}));
}

TEST(SeededInputs, AreShapesThatBroadcast) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {64}, .type = TensorType::kInt64});
  const int b = builder.AddTensor({.shape = {60}, .type = TensorType::kInt64});
  const int out = builder.AddTensor({.shape = {64}, .type = TensorType::kInt64});
  builder.AddOperator(BuiltinOperator::kBroadcastArgs, {a, b}, {out});
  (void)RunOnSeed(builder.Finish({a, b}, {out}), 1);
}

TEST(SeededInputs, AreShiftsOfAFilterBank) {
  ModelBuilder builder;
  const int energies = builder.AddTensor({.shape = {4}, .type = TensorType::kUInt64});
  const int shift = builder.AddTensor({.shape = {}, .type = TensorType::kInt32});
  const int out = builder.AddTensor({.shape = {4}, .type = TensorType::kUInt32});
  builder.AddCustomOperator("SignalFilterBankSquareRoot", {energies, shift}, {out});
  for (uint64_t seed = 1; seed < 20; ++seed) (void)RunOnSeed(builder.Finish({energies, shift}, {out}), seed);
}

TEST(SeededInputs, AreNoDivisorOfZero) {
  ModelBuilder builder;
  const int a = builder.AddTensor({.shape = {4096}, .scale = 0.5f});
  const int b = builder.AddTensor({.shape = {4096}, .scale = 0.25f, .zero_point = 3});
  const int out = builder.AddTensor({.shape = {4096}, .scale = 1.0f / 64});
  builder.AddOperator(BuiltinOperator::kDiv, {a, b}, {out});
  const auto inputs = RunOnSeed(builder.Finish({a, b}, {out}), 1);
  const auto values = ValuesOf<int8_t>(inputs[1]);
  EXPECT_EQ(std::count(values.begin(), values.end(), 3), 0);
  EXPECT_GT(std::count(values.begin(), values.end(), -3), 0) << "only the zero is left out";
}

TEST(SeededInputs, AreNotBelowZeroUnderARoot) {
  for (const int zero_point : {-128, -100, 0, 100}) {
    ModelBuilder builder;
    const int x = builder.AddTensor({.shape = {2, 2048}, .scale = 0.5f, .zero_point = zero_point});
    const int moved = builder.AddTensor({.shape = {4096}, .scale = 0.5f, .zero_point = zero_point});
    const int out = builder.AddTensor({.shape = {4096}, .scale = 1.0f / 64});
    builder.AddOperator(BuiltinOperator::kReshape, {x}, {moved});
    builder.AddOperator(BuiltinOperator::kRsqrt, {moved}, {out});
    const auto inputs = RunOnSeed(builder.Finish({x}, {out}), 1);
    const auto values = ValuesOf<int8_t>(inputs[0]);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), zero_point);
    EXPECT_GT(std::count(values.begin(), values.end(), zero_point + 1), 0);
  }
}

TEST(SeededInputs, GiveLoopsFewTurns) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    for (const auto& model : {call_models::Doubled(), call_models::Nested()}) {
      const auto inputs = RunOnSeed(model, seed);
      for (const int i : {0, 1}) {
        const int32_t count = ValuesOf<int32_t>(inputs[static_cast<size_t>(i)])[0];
        EXPECT_TRUE(count >= 0 && count < 10) << count;
      }
    }
  }
}

// A graph input that is a constant lies in the file: kernels may have packed it, and others read the file,
// too.
TEST(FillInputs, LeavesConstants) {
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {4}, .scale = 1});
  const int constant = builder.AddTensor({.shape = {4}, .scale = 1, .data = {1, 2, 3, 4}});
  const int y = builder.AddTensor({.shape = {4}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kAdd, {x, constant}, {y});
  const ModelFile file = CheckModelFile("model.tflite", Aligned(builder.Finish({x, constant}, {y})));
  PreparedModel prepared(file, {}, SmallestArena(file, {}));
  FillInputs(*prepared, {{5, 5, 5, 5}, {9, 9, 9, 9}});
  prepared.Invoke();
  const Tensor output = prepared->output(0);
  EXPECT_EQ(std::vector<uint8_t>(static_cast<const uint8_t*>(output.data),
                                 static_cast<const uint8_t*>(output.data) + output.info.bytes),
            (std::vector<uint8_t>{6, 7, 8, 9}));
}

}  // namespace
}  // namespace lutra::host
