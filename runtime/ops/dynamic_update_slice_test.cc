// SPDX-License-Identifier: Apache-2.0
// DYNAMIC_UPDATE_SLICE.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel DynamicUpdateSliceModel(TensorType type = TensorType::kInt8, TensorType start = TensorType::kInt32) {
  return {.op = BuiltinOperator::kDynamicUpdateSlice,
          .inputs = {{.shape = {3, 4}, .type = type},
                     {.shape = {2, 2}, .type = type},
                     {.shape = {2}, .type = start}},
          .outputs = {{.shape = {3, 4}, .type = type}}};
}

const Int8List kOperand = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
const Int8List kUpdate = {-1, -2, -3, -4};

TEST(DynamicUpdateSlice, ReplacesABox) {
  ExpectOutput(DynamicUpdateSliceModel(), {kOperand, kUpdate, Int32List{1, 2}},
               Int8List{1, 2, 3, 4, 5, 6, -1, -2, 9, 10, -3, -4});
  ExpectOutput(DynamicUpdateSliceModel(TensorType::kInt8, TensorType::kInt64),
               {kOperand, kUpdate, Int64List{0, 1}}, Int8List{1, -1, -2, 4, 5, -3, -4, 8, 9, 10, 11, 12});
}

TEST(DynamicUpdateSlice, MovesTheBoxInside) {
  const Int8List last = {1, 2, 3, 4, 5, 6, -1, -2, 9, 10, -3, -4};
  const Int8List first = {-1, -2, 3, 4, -3, -4, 7, 8, 9, 10, 11, 12};
  ExpectOutput(DynamicUpdateSliceModel(), {kOperand, kUpdate, Int32List{INT32_MAX, 3}}, last);
  ExpectOutput(DynamicUpdateSliceModel(), {kOperand, kUpdate, Int32List{-1, INT32_MIN}}, first);
  ExpectOutput(DynamicUpdateSliceModel(TensorType::kInt8, TensorType::kInt64),
               {kOperand, kUpdate, Int64List{INT64_MAX, int64_t{1} << 32}}, last);
  ExpectOutput(DynamicUpdateSliceModel(TensorType::kInt8, TensorType::kInt64),
               {kOperand, kUpdate, Int64List{INT64_MIN, -(int64_t{1} << 32)}}, first);
}

TEST(DynamicUpdateSlice, HasThreeDimensionsAndOtherTypes) {
  OpModel model = {.op = BuiltinOperator::kDynamicUpdateSlice,
                   .inputs = {{.shape = {2, 2, 3}, .type = TensorType::kFloat32},
                              {.shape = {2, 1, 2}, .type = TensorType::kFloat32},
                              {.shape = {3}, .type = TensorType::kInt32}},
                   .outputs = {{.shape = {2, 2, 3}, .type = TensorType::kFloat32}}};
  ExpectOutput(
      model,
      {FloatList{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, FloatList{-1, -2, -3, -4}, Int32List{0, 1, 1}},
      FloatList{1, 2, 3, 4, -1, -2, 7, 8, 9, 10, -3, -4});
  ExpectOutput(DynamicUpdateSliceModel(TensorType::kInt16),
               {Int16List(12, 300), Int16List(4, -300), Int32List{0, 0}},
               Int16List{-300, -300, 300, 300, -300, -300, 300, 300, 300, 300, 300, 300});
  ExpectOutput(DynamicUpdateSliceModel(TensorType::kInt32),
               {Int32List(12, 70000), Int32List(4, 5), Int32List{1, 2}},
               Int32List{70000, 70000, 70000, 70000, 70000, 70000, 5, 5, 70000, 70000, 5, 5});
}

constexpr Refusal kDynamicUpdateSliceRefusals[] = {
    {"two inputs", DropInput, Rule::kInputCount, kNode, 2, 3},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"bool", SetTypes<TensorType::kBool>, Rule::kOperandType, 0, 6, 0},
    {"int64", SetTypes<TensorType::kInt64>, Rule::kOperandType, 0, 4, 0},
    {"uint8", SetTypes<TensorType::kUInt8>, Rule::kUint8, 0},
    {"an int16 update", SetInputType<1, TensorType::kInt16>, Rule::kTypesDiffer, 1, 7, 9},
    {"an int16 output", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"int16 numbers", SetInputType<2, TensorType::kInt16>, Rule::kOperandType, 2, 7, 2},
    {"three numbers", [](OpModel& m) { m.inputs[2].shape = {3}; }, Rule::kOperandShape, 2, 3, 2},
    {"an update of another rank", [](OpModel& m) { m.inputs[1].shape = {4}; }, Rule::kOperandRank, 1, 1, 2},
    {"an update that is too wide",
     [](OpModel& m) {
       m.inputs[1].shape = {2, 5};
     },
     Rule::kOperandShape, 1, 5, 4},
    {"an output of another shape",
     [](OpModel& m) {
       m.outputs[0].shape = {3, 3};
     },
     Rule::kOperandShape, Out(0), 3, 4},
};
TEST(DynamicUpdateSlice, Refusals) { ExpectRefusals(DynamicUpdateSliceModel(), kDynamicUpdateSliceRefusals); }

}  // namespace
}  // namespace lutra
