// SPDX-License-Identifier: Apache-2.0
// RSQRT: codes of int8 by a table, float32, and codes below zero.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel RsqrtModel(int count, float in_scale = 1, float out_scale = 1.0f / 64, int zero_point = -10) {
  return {.op = BuiltinOperator::kRsqrt,
          .inputs = {{.shape = {count}, .scale = in_scale, .zero_point = zero_point}},
          .outputs = {{.shape = {count}, .scale = out_scale, .zero_point = 3}}};
}

OpModel FloatModel(int count) {
  const TensorSpec tensor = {.shape = {count}, .type = TensorType::kFloat32};
  return {.op = BuiltinOperator::kRsqrt, .inputs = {tensor}, .outputs = {tensor}};
}

TEST(Rsqrt, Int8) {
  // Codes are 64 / sqrt(x) + 3 for x = 1, 4, 2, 16, 100, 137; the root of 0 gives the largest code.
  ExpectOutput(RsqrtModel(7), {Int8List{-9, -6, -8, 6, 90, 127, -10}}, Int8List{67, 35, 48, 19, 9, 8, 127});
  // With scales of 4 and 1/16 codes are 16 / (2 sqrt(x)).
  ExpectOutput(RsqrtModel(3, 4, 1.0f / 16, -128), {Int8List{-127, -124, 127}}, Int8List{11, 7, 4});
  ExpectOutput(RsqrtModel(1, 1e-6f), {Int8List{-9}}, Int8List{127});
}

TEST(Rsqrt, RefusesCodesBelowZeroWhenItMeetsThem) {
  ExpectInvalidInput(
      RsqrtModel(3), {Int8List{-9, -11, -9}},
      {.what = "-1", .rule = Rule::kRuntimeNegative, .blamed = 0, .found = -11, .required = -10});
}

TEST(Rsqrt, PassesWhatFloat32Has) {
  const float infinity = __builtin_inff();
  ExpectOutput(FloatModel(4), {FloatList{4, 0.25f, 0, infinity}}, FloatList{0.5f, 2, infinity, 0});
}

TEST(Rsqrt, IsComputedInPlace) {
  EXPECT_EQ(ActivationBytes(RsqrtModel(64)), 64u);
  EXPECT_EQ(ActivationBytes(FloatModel(60)), 240u);
}

constexpr Refusal kRsqrtRefusals[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"the input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"an output of 3 elements", [](OpModel& m) { m.outputs[0].shape = {3}; }, Rule::kOperandShape, Out(0), 3,
     4},
};
constexpr Refusal kRsqrtInt8[] = {
    {"an int32 output", SetOutputType<TensorType::kInt32>, Rule::kTypesDiffer, Out(0), 2, 9},
    {"uint8", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kUInt8; }, Rule::kUint8, 0},
    {"int16", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kInt16; },
     Rule::kOperandType, 0, 7, 9},
    {"no scale of the input", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of the output", [](OpModel& m) { m.outputs[0].scale = 0; }, Rule::kQuantizationMissing,
     Out(0)},
    {"a scale of 2^-12", [](OpModel& m) { m.outputs[0].scale = 0x1p13f; }, Rule::kMultiplierRange, 0},
    {"scales whose product is nothing",
     [](OpModel& m) { m.inputs[0].scale = m.outputs[0].scale = 0x1p-120f; }, Rule::kMultiplierRange, 0},
    {"a scale of 2^30", [](OpModel& m) { m.outputs[0].scale = 0x1p-30f; }, Rule::kMultiplierRange, 0},
};

TEST(Rsqrt, Refusals) {
  ExpectRefusals(RsqrtModel(4), kRsqrtRefusals);
  ExpectRefusals(FloatModel(4), kRsqrtRefusals);
  ExpectRefusals(RsqrtModel(4), kRsqrtInt8);
}

}  // namespace
}  // namespace lutra
