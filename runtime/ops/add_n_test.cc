// SPDX-License-Identifier: Apache-2.0
// ADD_N.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel AddNModel(size_t inputs) {
  const TensorSpec tensor = {.shape = {1, 2}, .type = TensorType::kFloat32};
  return {
      .op = BuiltinOperator::kAddN, .inputs = std::vector<TensorSpec>(inputs, tensor), .outputs = {tensor}};
}

TEST(AddN, AddsInTheOrderOfInputs) {
  ExpectOutput(AddNModel(2), {FloatList{1, -2}, FloatList{3, 5}}, FloatList{4, 3});
  // 1e8 + 1 - 1e8 is 0 in float32, and 1e8 - 1e8 + 1 is 1.
  ExpectOutput(AddNModel(3), {FloatList{1e8f, 1e8f}, FloatList{1, -1e8f}, FloatList{-1e8f, 1}},
               FloatList{0, 1});
  // The sum starts at 0: it has no minus sign.
  ExpectOutput(AddNModel(2), {FloatList{-0.0f, -0.0f}, FloatList{-0.0f, -0.0f}}, FloatList{0.0f, 0.0f});
  ExpectOutput(AddNModel(12), ValueLists(12, FloatList{1, 0.5f}), FloatList{12, 6});
}

constexpr Refusal kAddNRefusals[] = {
    {"one input", [](OpModel& m) { m.inputs.resize(1); }, Rule::kInputCount, kNode, 1, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"an input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"int8",
     [](OpModel& m) {
       m.inputs[0].type = m.inputs[1].type = m.inputs[2].type = m.outputs[0].type = TensorType::kInt8;
     },
     Rule::kOperandType, Out(0), 9, 0},
    {"another type", SetInputType<2, TensorType::kInt32>, Rule::kTypesDiffer, 2, 2, 0},
    {"another shape",
     [](OpModel& m) {
       m.inputs[2].shape = {1, 3};
     },
     Rule::kOperandShape, 2, 3, 2},
};
TEST(AddN, Refusals) { ExpectRefusals(AddNModel(3), kAddNRefusals); }

}  // namespace
}  // namespace lutra
