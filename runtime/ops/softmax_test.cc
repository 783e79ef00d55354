// SPDX-License-Identifier: Apache-2.0
// SOFTMAX and LOG_SOFTMAX: rows of every rank, outputs of int8, int16 and float32, and parameters that the
// specification fixes.

#include <cmath>

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel Softmax(const std::vector<int32_t>& shape, float scale = 1, float beta = 1) {
  return {.op = BuiltinOperator::kSoftmax,
          .inputs = {{.shape = shape, .scale = scale, .zero_point = 9}},
          .outputs = {{.shape = shape, .scale = 1.0f / 256, .zero_point = -128}},
          .options = {.beta = beta}};
}

OpModel LogSoftmax(const std::vector<int32_t>& shape, float scale = 1) {
  return {.op = BuiltinOperator::kLogSoftmax,
          .inputs = {{.shape = shape, .scale = scale, .zero_point = 9}},
          .outputs = {{.shape = shape, .scale = 1.0f / 16, .zero_point = 127}}};
}

TEST(Softmax, Int8) {
  // A row has one element, or equal elements (int8-ops 2.9).
  ExpectOutput(Softmax({1}), {Int8List{-77}}, Int8List{127});
  ExpectOutput(Softmax({2, 2}), {Int8List{5, 5, -128, -128}}, Int8List{0, 0, 0, 0});
  // The shares of e^0, e^-1, e^-2 are 0.6652, 0.2447, 0.0900; each row is computed for itself.
  ExpectOutput(Softmax({2, 1, 3}), {Int8List{10, 9, 8, -3, -2, -1}}, Int8List{42, -65, -105, -105, -65, 42});
  // Only scale * beta counts; the zero point does not.
  ExpectOutput(Softmax({3}, 0.25f, 4), {Int8List{10, 9, 8}}, Int8List{42, -65, -105});
  ExpectOutput(Softmax({3}, 0.25f), {Int8List{10, 6, 2}}, Int8List{42, -65, -105});
  // A larger scale than the fixed-point multiplier can hold counts as the largest one.
  ExpectOutput(Softmax({3}, 64), {Int8List{10, 9, 10}}, Int8List{0, -128, 0});
  // Codes far below the largest add nothing to the sum.
  ExpectOutput(Softmax({3}), {Int8List{127, -128, 10}}, Int8List{127, -128, -128});
}

// Rows have as many classes as in networks: powers of two, and longer and shorter ones.
TEST(Softmax, Int8FollowsTheFormula) {
  for (const int depth : {2, 10, 12, 16, 35, 64, 100}) {
    SCOPED_TRACE(depth);
    Int8List row;
    double sum = 0;
    for (int i = 0; i < depth; ++i) {
      row.push_back(static_cast<int8_t>((i * 37 + 11) % 101 - 50));
      sum += std::exp(0.0625 * row.back());
    }
    const Int8List found = ListOf<int8_t>(RunOp(Softmax({depth}, 0.0625f), {row})[0]);
    for (size_t i = 0; i < row.size(); ++i) {
      EXPECT_NEAR(found[i], std::min(std::exp(0.0625 * row[i]) / sum * 256 - 128, 127.0), 0.51) << i;
    }
  }
}

TEST(Softmax, Int16Output) {
  OpModel model = Softmax({3});
  model.outputs[0] = {.shape = {3}, .type = TensorType::kInt16, .scale = 1.0f / 65536, .zero_point = -32768};
  const Int16List found = ListOf<int16_t>(RunOp(model, {Int8List{10, 9, 8}})[0]);
  const double expected[] = {0.66524096, 0.24472847, 0.09003057};
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i] * 65536 - 32768, 2);
  // A scale within a thousandth of 1/65536 counts as 1/65536.
  model.outputs[0].scale = 1.0005f / 65536;
  EXPECT_EQ(ListOf<int16_t>(RunOp(model, {Int8List{10, 9, 8}})[0]), found);
}

TEST(Softmax, Float) {
  OpModel model = Softmax({2, 3}, 0, 2);
  model.inputs[0].type = model.outputs[0].type = TensorType::kFloat32;
  ExpectNear(model, {FloatList{1, 0.5f, 0, 100, 100, 100}},
             {0.66524096f, 0.24472847f, 0.09003057f, 1.0f / 3, 1.0f / 3, 1.0f / 3}, 1e-6f);
}

TEST(LogSoftmax, Int8) {
  ExpectOutput(LogSoftmax({1}), {Int8List{-77}}, Int8List{127});
  // The logarithms are -0.6931 twice; -0.4076, -1.4076, -2.4076, as sixteenths below 127.
  ExpectOutput(LogSoftmax({1, 2}), {Int8List{5, 5}}, Int8List{116, 116});
  ExpectOutput(LogSoftmax({2, 3}), {Int8List{10, 9, 8, -3, -2, -1}}, Int8List{120, 104, 88, 88, 104, 120});
  ExpectOutput(LogSoftmax({3}, 0.25f), {Int8List{10, 6, 2}}, Int8List{120, 104, 88});
  ExpectOutput(LogSoftmax({2}), {Int8List{127, -128}}, Int8List{127, -128});
}

TEST(LogSoftmax, Float32) {
  OpModel model = LogSoftmax({3, 2});
  model.inputs[0] = model.outputs[0] = {.shape = {3, 2}, .type = TensorType::kFloat32};
  // Two equal values have a share of a half each. Of 0 and -1000 the second has no share, and log(1) is 0.
  const float log2 = std::log(2.0f);
  ExpectOutput(model, {FloatList{5, 5, 0, -1000, 1e30f, 1e30f}},
               FloatList{-log2, -log2, 0, -1000, -log2, -log2});
}

// The output begins a row before the input.
TEST(Softmax, RowsAreComputedInPlace) {
  for (OpModel model : {Softmax({15, 16}), LogSoftmax({15, 16})}) {
    EXPECT_EQ(ActivationBytes(model, false), 480u);
    EXPECT_EQ(ActivationBytes(model), 240u + 16);
  }
  // The output's rows are twice as long: the tensors end at the same byte.
  OpModel wide = Softmax({15, 16});
  wide.outputs[0] = {
      .shape = {15, 16}, .type = TensorType::kInt16, .scale = 1.0f / 65536, .zero_point = -32768};
  EXPECT_EQ(ActivationBytes(wide, false), 720u);
  EXPECT_LT(ActivationBytes(wide), 720u);
}

// ---- Refusals.

constexpr Refusal kSoftmaxRefusals[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"a scalar", [](OpModel& m) { m.inputs[0].shape = m.outputs[0].shape = {}; }, Rule::kOperandRank, 0, 0,
     1},
    {"an output of 2",
     [](OpModel& m) {
       m.outputs[0].shape = {1, 2};
     },
     Rule::kOperandShape, Out(0), 2, 3},
    {"int32", SetInputType<0, TensorType::kInt32>, Rule::kOperandType, 0, 2, 9},
    {"an int32 output", SetOutputType<TensorType::kInt32>, Rule::kOperandType, Out(0), 2, 9},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"another scale", [](OpModel& m) { m.outputs[0].scale = 1.0f / 255; }, Rule::kFixedOutputQuantization,
     Out(0)},
    {"a scale of 2^-26", [](OpModel& m) { m.inputs[0].scale = 0x1p-26f; }, Rule::kMultiplierRange, 0},
};

template <int kRequired>
constexpr Refusal kZeroPoint[] = {{"another zero point", [](OpModel& m) { m.outputs[0].zero_point = 0; },
                                   Rule::kFixedOutputQuantization, Out(0), 0, kRequired}};

constexpr Refusal kSoftmaxOnly[] = {
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"a float32 input", SetInputType<0, TensorType::kFloat32>, Rule::kTypesDiffer, Out(0), 9, 0},
    {"a negative beta", [](OpModel& m) { m.options.beta = -1; }, Rule::kMultiplierRange, 0},
    {"a beta that is not a number", [](OpModel& m) { m.options.beta = __builtin_nanf(""); },
     Rule::kMultiplierRange, 0},
};

constexpr Refusal kInt16Output[] = {
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"a scale two thousandths below", [](OpModel& m) { m.outputs[0].scale = 0.998f / 65536; },
     Rule::kFixedOutputQuantization, Out(0)},
    {"a scale two thousandths above", [](OpModel& m) { m.outputs[0].scale = 1.002f / 65536; },
     Rule::kFixedOutputQuantization, Out(0)},
    {"another zero point", [](OpModel& m) { m.outputs[0].zero_point = 0; }, Rule::kFixedOutputQuantization,
     Out(0), 0, -32768},
};

TEST(Softmax, Refusals) {
  ExpectRefusals(Softmax({1, 3}), kSoftmaxRefusals);
  ExpectRefusals(Softmax({1, 3}), kZeroPoint<-128>);
  ExpectRefusals(Softmax({1, 3}), kSoftmaxOnly);
  OpModel wide = Softmax({1, 3});
  wide.outputs[0] = {
      .shape = {1, 3}, .type = TensorType::kInt16, .scale = 1.0f / 65536, .zero_point = -32768};
  ExpectRefusals(wide, kInt16Output);
}

TEST(LogSoftmax, Refusals) {
  ExpectRefusals(LogSoftmax({1, 3}), kSoftmaxRefusals);
  ExpectRefusals(LogSoftmax({1, 3}), kZeroPoint<127>);
}

}  // namespace
}  // namespace lutra
