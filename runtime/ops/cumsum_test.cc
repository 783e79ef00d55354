// SPDX-License-Identifier: Apache-2.0
// CUMSUM.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel Cumsum(const std::vector<int32_t>& shape, int32_t axis, bool exclusive = false,
               bool reverse = false) {
  return {.op = BuiltinOperator::kCumsum,
          .inputs = {{.shape = shape, .type = TensorType::kFloat32}, Constant({1}, Int32List{axis})},
          .outputs = {{.shape = shape, .type = TensorType::kFloat32}},
          .options = {.exclusive = exclusive, .reverse = reverse}};
}

TEST(Cumsum, AddsUpInEachDirection) {
  const FloatList x = {1, 2, 4, 8};
  ExpectOutput(Cumsum({4}, 0), {x}, FloatList{1, 3, 7, 15});
  ExpectOutput(Cumsum({4}, 0, true), {x}, FloatList{0, 1, 3, 7});
  ExpectOutput(Cumsum({4}, 0, false, true), {x}, FloatList{15, 14, 12, 8});
  ExpectOutput(Cumsum({4}, 0, true, true), {x}, FloatList{14, 12, 8, 0});
}

TEST(Cumsum, GoesAlongOneAxis) {
  const FloatList x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const FloatList along_rows = {1, 2, 4, 6, 9, 12, 7, 8, 16, 18, 27, 30};
  ExpectOutput(Cumsum({2, 3, 2}, 1), {x}, along_rows);
  ExpectOutput(Cumsum({2, 3, 2}, -2), {x}, along_rows);
  ExpectOutput(Cumsum({2, 3, 2}, -3), {x}, FloatList{1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18});
}

TEST(Cumsum, TheAxisMayBeComputed) {
  OpModel model = Cumsum({2, 2}, 0);
  model.inputs[1] = {.shape = {}, .type = TensorType::kInt32};
  const FloatList x = {1, 2, 3, 4};
  ExpectOutput(model, {x, Int32List{0}}, FloatList{1, 2, 4, 6});
  ExpectOutput(model, {x, Int32List{-1}}, FloatList{1, 3, 3, 7});
  ExpectInvalidInput(model, {x, Int32List{2}},
                     {.what = "2", .rule = Rule::kRuntimeIndex, .blamed = 1, .found = 2, .required = 2});
}

constexpr Refusal kCumsumRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"int8", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kInt8; }, Rule::kOperandType,
     0, 9, 0},
    {"another shape",
     [](OpModel& m) {
       m.outputs[0].shape = {3, 2};
     },
     Rule::kOperandShape, Out(0), 3, 2},
    {"axis 2 of 2", [](OpModel& m) { m.inputs[1] = Constant({1}, Int32List{2}); }, Rule::kAxis, 1, 2, 2},
    {"two axes",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int32List{0, 1});
     },
     Rule::kElementCount, 1, 2, 1},
    {"an axis of int64", [](OpModel& m) { m.inputs[1] = Constant({1}, Int64List{0}); }, Rule::kOperandType, 1,
     4, 2},
    {"foreign options", GiveForeignOptions, Rule::kOptionsMissing},
};
TEST(Cumsum, Refusals) { ExpectRefusals(Cumsum({2, 3}, 0), kCumsumRefusals); }

}  // namespace
}  // namespace lutra
