// SPDX-License-Identifier: Apache-2.0
// Tests the checks that many operators share: scales, zero points, lists of constants, axes. QUANTIZE,
// TRANSPOSE and BROADCAST_TO stand for all of them.

#include <limits>

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel Quantize(TensorType type, int64_t zero_point) {
  return {.op = BuiltinOperator::kQuantize,
          .inputs = {{.shape = {2}, .type = TensorType::kFloat32}},
          .outputs = {{.shape = {2}, .type = type, .scale = 1, .zero_point = zero_point}}};
}

// ---- Quantisation.

void ExpectZeroPoints(TensorType type, int64_t low, int64_t high) {
  SCOPED_TRACE(ToString(type));
  for (const int64_t inside : {low, high}) {
    const ModelRun run(Build(Quantize(type, inside)));
    EXPECT_EQ(run.status(), Status::kOk) << inside;
  }
  for (const int64_t outside : {low - 1, high + 1}) {
    const ModelRun run(Build(Quantize(type, outside)));
    EXPECT_EQ(run.status(), Status::kInvalidModel) << outside;
    EXPECT_EQ(run.diagnosis().rule, Rule::kZeroPointValue) << outside;
    EXPECT_EQ(run.diagnosis().tensor, 1);
  }
}

TEST(Common, ZeroPointsLieInTheRangeOfTheirType) {
  ExpectZeroPoints(TensorType::kInt8, -128, 127);
  ExpectZeroPoints(TensorType::kUInt8, 0, 255);
  ExpectZeroPoints(TensorType::kInt16, -32768, 32767);
  ExpectZeroPoints(TensorType::kInt32, INT32_MIN, INT32_MAX);
}

constexpr Refusal kScales[] = {
    {"no scale", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"a scale of 0", [](OpModel& m) { m.outputs[0].channel_scales = {0}; }, Rule::kScaleValue, Out(0)},
    {"a negative scale", [](OpModel& m) { m.outputs[0].scale = -1; }, Rule::kScaleValue, Out(0)},
    {"an infinite scale", [](OpModel& m) { m.outputs[0].scale = std::numeric_limits<float>::infinity(); },
     Rule::kScaleValue, Out(0)},
    {"a scale that is not a number",
     [](OpModel& m) { m.outputs[0].scale = std::numeric_limits<float>::quiet_NaN(); }, Rule::kScaleValue,
     Out(0)},
};

TEST(Common, ScalesAreFiniteAndPositive) {
  ExpectRefusals(Quantize(TensorType::kInt8, 0), kScales);
  // The largest float32 and the smallest above 0 are valid scales.
  for (const float scale : {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()}) {
    OpModel model = Quantize(TensorType::kInt8, 0);
    model.outputs[0].scale = scale;
    const ModelRun run(Build(model));
    EXPECT_EQ(run.status(), Status::kOk);
  }
}

// ---- Lists.

OpModel Transpose() {
  return {.op = BuiltinOperator::kTranspose,
          .inputs = {{.shape = {2, 3}}, Constant({2}, Int32List{1, 0})},
          .outputs = {{.shape = {3, 2}}}};
}

constexpr Refusal kLists[] = {
    {"a list that is fed", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired, 1},
    {"a list of int16",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int16List{1, 0});
     },
     Rule::kOperandType, 1, NumberOf(TensorType::kInt16), NumberOf(TensorType::kInt64)},
    {"a list of uint8",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, ByteList{1, 0});
     },
     Rule::kUint8, 1},
    {"a number above int32",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int64List{1, 1ll << 32});
     },
     Rule::kOptionValue, 1},
    {"a number below int32",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int64List{1, -(1ll << 32)});
     },
     Rule::kOptionValue, 1},
    {"more numbers than there is room for", [](OpModel& m) { m.inputs[1] = Constant({9}, Int32List(9)); },
     Rule::kElementCount, 1, 9, 8},
};

TEST(Common, ListsAreConstantAndFitInt32) {
  ExpectRefusals(Transpose(), kLists);
  OpModel model = Transpose();
  model.inputs[1] = Constant({2}, Int64List{1, 0});
  ExpectOutput(model, {Int8List{1, 2, 3, 4, 5, 6}}, Int8List{1, 4, 2, 5, 3, 6});
}

// ---- Shapes.

TEST(Common, TheFirstDimensionThatDiffersIsNamed) {
  constexpr Refusal kShapes[] = {
      {"the first",
       [](OpModel& m) {
         m.outputs[0].shape = {4, 5};
       },
       Rule::kOperandShape, Out(0), 4, 3},
      {"the second",
       [](OpModel& m) {
         m.outputs[0].shape = {3, 5};
       },
       Rule::kOperandShape, Out(0), 5, 2},
      {"the rank", [](OpModel& m) { m.outputs[0].shape = {6}; }, Rule::kOperandRank, Out(0), 1, 2},
  };
  ExpectRefusals(Transpose(), kShapes);
}

// ---- Activations of float32, and activations that the format does not define.

TEST(Common, ActivationsThatNobodyFuses) {
  const OpModel add = {
      .op = BuiltinOperator::kAdd,
      .inputs = {{.shape = {2}, .type = TensorType::kFloat32}, {.shape = {2}, .type = TensorType::kFloat32}},
      .outputs = {{.shape = {2}, .type = TensorType::kFloat32}}};
  constexpr Refusal kActivations[] = {
      {"TANH", SetActivation<4>, Rule::kActivation, kNode, 4},
      {"SIGN_BIT", SetActivation<5>, Rule::kActivation, kNode, 5},
      {"number 6", SetActivation<6>, Rule::kOptionsMissing},
      {"number -1", SetActivation<-1>, Rule::kOptionsMissing},
  };
  ExpectRefusals(add, kActivations);
}

}  // namespace
}  // namespace lutra
