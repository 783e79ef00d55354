// SPDX-License-Identifier: Apache-2.0
// SHAPE: the dimensions of any tensor, as int32 or int64.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel ShapeModel(const std::vector<int32_t>& shape, TensorType type = TensorType::kInt32) {
  return {.op = BuiltinOperator::kShape,
          .inputs = {{.shape = shape}},
          .outputs = {{.shape = {static_cast<int32_t>(shape.size())}, .type = type}}};
}

TEST(Shape, TellsTheDimensions) {
  ExpectOutput(ShapeModel({7}), {Int8List(7)}, Int32List{7});
  ExpectOutput(ShapeModel({2, 3, 4}), {Int8List(24)}, Int32List{2, 3, 4});
  ExpectOutput(ShapeModel({2, 3, 4}, TensorType::kInt64), {Int8List(24)}, Int64List{2, 3, 4});
  ExpectOutput(ShapeModel({1, 2, 1, 2, 1, 2, 1, 2}), {Int8List(16)}, Int32List{1, 2, 1, 2, 1, 2, 1, 2});
}

constexpr Refusal kShapeRefusals[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"an int16 output", SetOutputType<TensorType::kInt16>, Rule::kOperandType, Out(0), 7, 2},
    {"4 dimensions of 3", [](OpModel& m) { m.outputs[0].shape = {4}; }, Rule::kOperandShape, Out(0), 4, 3},
    {"a list of lists",
     [](OpModel& m) {
       m.outputs[0].shape = {1, 3};
     },
     Rule::kOperandRank, Out(0), 2, 1},
};

TEST(Shape, Refusals) { ExpectRefusals(ShapeModel({2, 3, 4}), kShapeRefusals); }

}  // namespace
}  // namespace lutra
