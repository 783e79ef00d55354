// SPDX-License-Identifier: Apache-2.0
// L2_NORMALIZATION: rows divided by their lengths, as 1/128.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel L2NormalizationModel(const std::vector<int32_t>& shape) {
  return {.op = BuiltinOperator::kL2Normalization,
          .inputs = {{.shape = shape, .scale = 0.1f, .zero_point = 5}},
          .outputs = {{.shape = shape, .scale = 1.0f / 128}}};
}

TEST(L2Normalization, DividesRowsByTheirLengths) {
  // The rows (3, 4), (-8, 6), (0, 100) give 0.6, 0.8, ... in 1/128.
  ExpectOutput(L2NormalizationModel({3, 2}), {Int8List{8, 9, -3, 11, 5, 105}},
               Int8List{77, 102, -102, 77, 0, 127});
  // 1, 2, -2 are divided by 3 and -2, 10, 11 by 15, whatever the input's scale and the output's parameters
  // are.
  OpModel model = L2NormalizationModel({1, 2, 3});
  model.inputs[0].scale = 77;
  model.outputs[0] = {.shape = {1, 2, 3}, .scale = 3, .zero_point = 100};
  ExpectOutput(model, {Int8List{6, 7, 3, 3, 15, 16}}, Int8List{43, 85, -85, -17, 85, 94});
}

TEST(L2Normalization, TakesNothingAndOneForOne) {
  // Sums of squares of 0 and 1 count as 1 (int8-ops 2.10).
  ExpectOutput(L2NormalizationModel({3, 1}), {Int8List{6, 4, 5}}, Int8List{127, -128, 0});
  ExpectOutput(L2NormalizationModel({2, 2}), {Int8List{5, 5, 5, 6}}, Int8List{0, 0, 0, 127});
}

TEST(L2Normalization, RowsOfAnyLength) {
  // The length of `depth` equal values is sqrt(depth) times the value.
  constexpr struct {
    int depth;
    int8_t expected;
  } kRows[] = {{4, 64}, {16, 32}, {64, 16}, {100, 13}, {128, 11}};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.depth);
    ExpectOutput(L2NormalizationModel({row.depth}), {Int8List(static_cast<size_t>(row.depth), 45)},
                 Int8List(static_cast<size_t>(row.depth), row.expected));
  }
}

TEST(L2Normalization, DividesRowsOfFloat32) {
  OpModel model = L2NormalizationModel({4, 2});
  model.inputs[0] = model.outputs[0] = {.shape = {4, 2}, .type = TensorType::kFloat32};
  // A length below 1e-6 counts as 1e-6; if a square is too large for float32, the row becomes 0.
  ExpectOutput(model, {FloatList{3, -4, 0, 0, 0x1p-30f, 0, 1e30f, 1}},
               FloatList{3.0f / 5, -4.0f / 5, 0, 0, 0x1p-30f / 1e-6f, 0, 0, 0});
}

// The output begins a row before the input.
TEST(L2Normalization, RowsAreComputedInPlace) {
  EXPECT_EQ(ActivationBytes(L2NormalizationModel({15, 16}), false), 480u);
  EXPECT_EQ(ActivationBytes(L2NormalizationModel({15, 16})), 240u + 16);
}

constexpr Refusal kL2NormalizationRefusals[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"a scalar", [](OpModel& m) { m.inputs[0].shape = m.outputs[0].shape = {}; }, Rule::kOperandRank, 0, 0,
     1},
    {"an output of 2 columns",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 2};
     },
     Rule::kOperandShape, Out(0), 2, 3},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"RELU", SetActivation<1>, Rule::kActivation, kNode, 1, 0},
    {"a float32 input", SetInputType<0, TensorType::kFloat32>, Rule::kTypesDiffer, Out(0), 9, 0},
    {"an int16 input", SetInputType<0, TensorType::kInt16>, Rule::kOperandType, 0, 7, 9},
    {"a uint8 output", SetOutputType<TensorType::kUInt8>, Rule::kUint8, Out(0)},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"more elements than int32 can sum the squares of",
     [](OpModel& m) {
       m.inputs[0].shape = m.outputs[0].shape = {2, 33026};
     },
     Rule::kAccumulator, 0, 33026, 33025},
};

TEST(L2Normalization, Refusals) { ExpectRefusals(L2NormalizationModel({2, 3}), kL2NormalizationRefusals); }

}  // namespace
}  // namespace lutra
