// SPDX-License-Identifier: Apache-2.0
// FILL, ZEROS_LIKE.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Op2 = BuiltinOperator;

OpModel Fill(TensorType type, const std::vector<int32_t>& shape = {2, 3}) {
  return {.op = Op2::kFill,
          .inputs = {Constant({static_cast<int32_t>(shape.size())}, Int32List(shape)),
                     {.shape = {}, .type = type}},
          .outputs = {{.shape = shape, .type = type}}};
}
OpModel ZerosLike(TensorType type) {
  return {.op = Op2::kZerosLike,
          .inputs = {{.shape = {2, 2}, .type = type}},
          .outputs = {{.shape = {2, 2}, .type = type}}};
}

TEST(Fill, PutsTheValueEverywhere) {
  ExpectOutput(Fill(TensorType::kFloat32), {FloatList{-1.5f}}, FloatList(6, -1.5f));
  ExpectOutput(Fill(TensorType::kInt32, {4}), {Int32List{-70000}}, Int32List(4, -70000));
  ExpectOutput(Fill(TensorType::kInt8, {1, 1, 5}), {Int8List{-7}}, Int8List(5, -7));
}

TEST(Fill, TakesDimensionsOf64BitsAndAConstantValue) {
  OpModel model = Fill(TensorType::kInt32);
  model.inputs[0] = Constant({2}, Int64List{2, 3});
  ExpectOutput(model, {Int32List{9}}, Int32List(6, 9));
  model.inputs[1] = Constant({}, Int32List{8});
  ExpectOutput(model, {}, Int32List(6, 8));
}

// Codes are copied: scales are not compared.
TEST(Fill, CopiesCodes) {
  OpModel model = Fill(TensorType::kInt8, {2});
  model.inputs[1].scale = 0.5f;
  model.outputs[0].scale = 2;
  model.outputs[0].zero_point = 3;
  ExpectOutput(model, {Int8List{42}}, Int8List{42, 42});
}

TEST(ZerosLike, IsTheCodeZero) {
  ExpectOutput(ZerosLike(TensorType::kFloat32), {FloatList{1, 2, 3, 4}}, FloatList(4, 0));
  ExpectOutput(ZerosLike(TensorType::kInt32), {Int32List{1, 2, 3, 4}}, Int32List(4, 0));
  ExpectOutput(ZerosLike(TensorType::kInt64), {Int64List{1, 2, 3, 4}}, Int64List(4, 0));
  OpModel model = ZerosLike(TensorType::kInt8);
  model.inputs[0].scale = model.outputs[0].scale = 1;
  model.inputs[0].zero_point = model.outputs[0].zero_point = 5;
  ExpectOutput(model, {Int8List{1, 2, 3, 4}}, Int8List(4, 0));
}

template <TensorType kType>
void SetValueType(OpModel& m) {
  m.inputs.back().type = m.outputs[0].type = kType;
}

constexpr Refusal kFillRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"int64", SetValueType<TensorType::kInt64>, Rule::kOperandType, 1, 4, 0},
    {"bool", SetValueType<TensorType::kBool>, Rule::kOperandType, 1, 6, 0},
    {"uint8", SetValueType<TensorType::kUInt8>, Rule::kUint8, 1},
    {"an int32 output", SetOutputType<TensorType::kInt32>, Rule::kTypesDiffer, Out(0), 2, 0},
    {"dimensions that are not constant", [](OpModel& m) { m.inputs[0].data.clear(); },
     Rule::kConstantRequired, 0},
    {"dimensions of dimensions",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 2};
     },
     Rule::kOperandRank, 0, 2, 1},
    {"a list of values", [](OpModel& m) { m.inputs[1].shape = {1}; }, Rule::kOperandRank, 1, 1, 0},
    {"an output of another shape",
     [](OpModel& m) {
       m.outputs[0].shape = {3, 2};
     },
     Rule::kOperandShape, Out(0), 3, 2},
};
TEST(Fill, Refusals) { ExpectRefusals(Fill(TensorType::kFloat32), kFillRefusals); }

constexpr Refusal kRefusalsOfZeros[] = {
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"bool", SetValueType<TensorType::kBool>, Rule::kOperandType, 0, 6, 0},
    {"int16", SetValueType<TensorType::kInt16>, Rule::kOperandType, 0, 7, 0},
    {"an int32 output", SetOutputType<TensorType::kInt32>, Rule::kTypesDiffer, Out(0), 2, 0},
    {"an output of another shape",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 1};
     },
     Rule::kOperandShape, Out(0), 1, 2},
};
TEST(ZerosLike, Refusals) { ExpectRefusals(ZerosLike(TensorType::kFloat32), kRefusalsOfZeros); }

}  // namespace
}  // namespace lutra
