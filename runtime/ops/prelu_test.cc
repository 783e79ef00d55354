// SPDX-License-Identifier: Apache-2.0
// PRELU: both multipliers, zero points, and slopes of each channel; float32.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

// The real values are (code - 2) / 2, slopes (code + 3) / 4, outputs (code - 1) / 4.
OpModel PreluModel() {
  return {.op = BuiltinOperator::kPrelu,
          .inputs = {{.shape = {2, 3}, .scale = 0.5f, .zero_point = 2},
                     {.shape = {3}, .scale = 0.25f, .zero_point = -3}},
          .outputs = {{.shape = {2, 3}, .scale = 0.25f, .zero_point = 1}}};
}

TEST(Prelu, WeighsWhatIsNegative) {
  // The real values are -2, 0, 3 and -4, -1, -60; slopes 0.25, 1, -2.
  ExpectOutput(PreluModel(), {Int8List{-2, 2, 8, -6, 0, -118}, Int8List{-2, 1, -11}},
               Int8List{-1, 1, 13, -3, -3, 127});
}

TEST(Prelu, BroadcastsSlopes) {
  OpModel model = PreluModel();
  model.inputs[1].shape = {2, 1};
  ExpectOutput(model, {Int8List{-2, 0, 8, -2, 0, 8}, Int8List{1, -2}}, Int8List{-7, -3, 13, -1, 0, 13});
  model.inputs[1].shape = {1};
  model.inputs[1].data = {1};
  ExpectOutput(model, {Int8List{-2, 0, 8, -2, 0, 8}}, Int8List{-7, -3, 13, -7, -3, 13});
}

// With multipliers in float32 these outputs would be one code off (int8-ops 1.9).
TEST(Prelu, FactorsAreDouble) {
  OpModel model = PreluModel();
  for (TensorSpec* spec : {&model.inputs[0], &model.inputs[1], &model.outputs[0]}) {
    spec->shape = {1};
    spec->zero_point = 0;
  }
  model.inputs[0].scale = 0.125f;
  model.inputs[1].scale = 0.111f;
  model.outputs[0].scale = 0.025f;
  ExpectOutput(model, {Int8List{-100}, Int8List{1}}, Int8List{-55});
  model.inputs[0].scale = 0.377f;
  model.inputs[1].scale = 0.35f;
  model.outputs[0].scale = 0.039f;
  ExpectOutput(model, {Int8List{-30}, Int8List{1}}, Int8List{-101});
}

constexpr Refusal kPreluRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"an int16 input", SetInputType<0, TensorType::kInt16>, Rule::kOperandType, Out(0), 9, 7},
    {"int16 slopes", SetInputType<1, TensorType::kInt16>, Rule::kOperandType, 1, 7, 9},
    {"a uint8 output", SetOutputType<TensorType::kUInt8>, Rule::kUint8, Out(0)},
    {"no scale in front", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale of the slopes", [](OpModel& m) { m.inputs[1].scale = 0; }, Rule::kQuantizationMissing, 1},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"2 slopes for 3 channels", [](OpModel& m) { m.inputs[1].shape = {2}; }, Rule::kBroadcast, 1},
    {"an output of 2 columns",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 2};
     },
     Rule::kOperandShape, Out(0), 2, 3},
    {"a factor of 2^31", [](OpModel& m) { m.outputs[0].scale = 0x1p-32f; }, Rule::kMultiplierRange, 0},
    {"a slope's factor of 2^31", [](OpModel& m) { m.inputs[1].scale = 0x1p30f; }, Rule::kMultiplierRange, 1},
};

TEST(Prelu, Refusals) { ExpectRefusals(PreluModel(), kPreluRefusals); }

OpModel FloatModel() {
  OpModel model = PreluModel();
  for (TensorSpec* spec : {&model.inputs[0], &model.inputs[1], &model.outputs[0]}) {
    *spec = {.shape = spec->shape, .type = TensorType::kFloat32};
  }
  return model;
}

TEST(Prelu, FloatWeighsWhatIsNegative) {
  OpModel model = FloatModel();
  ExpectOutput(model, {FloatList{-2, 0, 3, -4, -1, -60}, FloatList{0.25f, 1, -2}},
               FloatList{-0.5f, 0, 3, -1, -1, 120});
  model.inputs[1].shape = {2, 1};
  ExpectOutput(model, {FloatList{-2, 0, 3, -4, -1, -60}, FloatList{0.25f, -2}},
               FloatList{-0.5f, 0, 3, 8, 2, 120});
}

constexpr Refusal kPreluFloatRefusals[] = {
    {"int8 slopes", SetInputType<1, TensorType::kInt8>, Rule::kTypesDiffer, 1, 9, 0},
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kTypesDiffer, Out(0), 9, 0},
    {"2 slopes for 3 channels", [](OpModel& m) { m.inputs[1].shape = {2}; }, Rule::kBroadcast, 1},
    {"an output of 2 columns",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 2};
     },
     Rule::kOperandShape, Out(0), 2, 3},
};

TEST(Prelu, FloatRefusals) { ExpectRefusals(FloatModel(), kPreluFloatRefusals); }

}  // namespace
}  // namespace lutra
