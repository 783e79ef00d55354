// SPDX-License-Identifier: Apache-2.0
// ARG_MAX, ARG_MIN: along each axis, int8 and float32, indices of 32 and 64 bits.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

constexpr BuiltinOperator kBoth[] = {BuiltinOperator::kArgMax, BuiltinOperator::kArgMin};

OpModel ArgMaxModel(BuiltinOperator op, const std::vector<int32_t>& shape, int32_t axis,
                    const std::vector<int32_t>& out) {
  return {.op = op,
          .inputs = {{.shape = shape}, Constant({}, Int32List{axis})},
          .outputs = {{.shape = out, .type = TensorType::kInt32}}};
}

const Int8List kCodes = {3, -7, 5, 5, -128, 127, /* second row */ 4, -7, -1, 6, 0, -128};

TEST(ArgMax, TakesEachAxis) {
  constexpr BuiltinOperator kMax = BuiltinOperator::kArgMax;
  constexpr BuiltinOperator kMin = BuiltinOperator::kArgMin;
  ExpectOutput(ArgMaxModel(kMax, {2, 6}, 1, {2}), {kCodes}, Int32List{5, 3});
  ExpectOutput(ArgMaxModel(kMin, {2, 6}, 1, {2}), {kCodes}, Int32List{4, 5});
  // Of equal elements the first counts.
  ExpectOutput(ArgMaxModel(kMax, {2, 6}, 0, {6}), {kCodes}, Int32List{1, 0, 0, 1, 1, 0});
  ExpectOutput(ArgMaxModel(kMin, {2, 6}, -2, {6}), {kCodes}, Int32List{0, 0, 1, 0, 0, 1});
  // The axis lies between others: columns of [[3 -7] [5 5] [-128 127]] and [[4 -7] [-1 6] [0 -128]].
  ExpectOutput(ArgMaxModel(kMax, {2, 3, 2}, 1, {2, 2}), {kCodes}, Int32List{1, 2, 0, 1});
  ExpectOutput(ArgMaxModel(kMin, {2, 3, 2}, -2, {2, 2}), {kCodes}, Int32List{2, 0, 1, 2});
  ExpectOutput(ArgMaxModel(kMax, {12}, -1, {}), {kCodes}, Int32List{5});
}

TEST(ArgMax, TakesTheFirstOfEquals) {
  for (const BuiltinOperator op : kBoth) {
    ExpectOutput(ArgMaxModel(op, {5}, 0, {}), {Int8List{9, 9, 9, 9, 9}}, Int32List{0});
  }
}

TEST(ArgMax, TakesFloats) {
  OpModel model = ArgMaxModel(BuiltinOperator::kArgMax, {2, 3}, -1, {2});
  model.inputs[0].type = TensorType::kFloat32;
  const FloatList values = {-1.5f, 0.25f, 0.125f, -3, -2, -2};
  ExpectOutput(model, {values}, Int32List{1, 1});
  model.op = BuiltinOperator::kArgMin;
  ExpectOutput(model, {values}, Int32List{0, 0});
}

TEST(ArgMax, IndicesAndAxisMayHave64Bits) {
  OpModel model = ArgMaxModel(BuiltinOperator::kArgMax, {2, 6}, 0, {2});
  model.inputs[1] = Constant({1}, Int64List{-1});
  model.outputs[0].type = TensorType::kInt64;
  ExpectOutput(model, {kCodes}, Int64List{5, 3});
}

constexpr Refusal kArgMaxRefusals[] = {
    {"no axis", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"two axes", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"int16", SetInputType<0, TensorType::kInt16>, Rule::kOperandType, 0, 7, 9},
    {"an int16 output", SetOutputType<TensorType::kInt16>, Rule::kOperandType, Out(0), 7, 2},
    {"an axis that is not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired,
     1},
    {"an axis of float32", SetInputType<1, TensorType::kFloat32>, Rule::kOperandType, 1, 0, 4},
    {"a list of axes",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int32List{0, 1});
     },
     Rule::kElementCount, 1, 2, 1},
    {"axis 2 of 2", [](OpModel& m) { m.inputs[1] = Constant({}, Int32List{2}); }, Rule::kAxis, 1, 2, 2},
    {"axis -3 of 2", [](OpModel& m) { m.inputs[1] = Constant({}, Int32List{-3}); }, Rule::kAxis, 1, -3, 2},
    {"the axis is kept",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 1};
     },
     Rule::kOperandRank, Out(0), 2, 1},
    {"an output of 6", [](OpModel& m) { m.outputs[0].shape = {6}; }, Rule::kOperandShape, Out(0), 6, 2},
};

TEST(ArgMax, Refusals) {
  for (const BuiltinOperator op : kBoth) {
    SCOPED_TRACE(ToString(op));
    ExpectRefusals(ArgMaxModel(op, {2, 6}, 1, {2}), kArgMaxRefusals);
  }
}

}  // namespace
}  // namespace lutra
