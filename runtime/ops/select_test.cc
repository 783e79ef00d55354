// SPDX-License-Identifier: Apache-2.0
// SELECT_V2: elements of any size, all three inputs broadcast.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel SelectModel(TensorType type) {
  return {.op = BuiltinOperator::kSelectV2,
          .inputs = {{.shape = {4}, .type = TensorType::kBool},
                     {.shape = {4}, .type = type},
                     {.shape = {4}, .type = type}},
          .outputs = {{.shape = {4}, .type = type}}};
}

template <typename T>
void ExpectChoice(TensorType type, T scale) {
  const auto times = [scale](std::vector<T> list) {
    for (T& value : list) value = static_cast<T>(value * scale);
    return list;
  };
  ExpectOutput(SelectModel(type), {ByteList{1, 0, 0, 1}, times({1, 2, 3, 4}), times({5, 6, 7, 8})},
               times({1, 6, 7, 4}));
}

TEST(Select, TakesElementsOfEachSize) {
  ExpectChoice<int8_t>(TensorType::kInt8, -16);
  ExpectChoice<uint8_t>(TensorType::kBool, 1);
  ExpectChoice<int16_t>(TensorType::kInt16, 3000);
  ExpectChoice<int32_t>(TensorType::kInt32, 100000000);
  ExpectChoice<int64_t>(TensorType::kInt64, 100000000000ll);
  ExpectChoice<float>(TensorType::kFloat32, 0.125f);
}

TEST(Select, BroadcastsEachInput) {
  OpModel model = SelectModel(TensorType::kInt16);
  model.outputs[0].shape = {2, 3};
  model.inputs[0].shape = {2, 1};
  model.inputs[1].shape = {3};
  model.inputs[2].shape = {};
  ExpectOutput(model, {ByteList{1, 0}, Int16List{1, 2, 3}, Int16List{900}},
               Int16List{1, 2, 3, 900, 900, 900});
  model.inputs[0].shape = {3};
  model.inputs[1].shape = {1};
  model.inputs[2].shape = {2, 1};
  ExpectOutput(model, {ByteList{1, 0, 1}, Int16List{900}, Int16List{1, 2}},
               Int16List{900, 1, 900, 900, 2, 900});
}

template <TensorType kType>
void Become(OpModel& m) {
  m.inputs[1].type = m.inputs[2].type = m.outputs[0].type = kType;
}

constexpr Refusal kSelectRefusals[] = {
    {"two inputs", DropInput, Rule::kInputCount, kNode, 2, 3},
    {"four inputs", AddInput, Rule::kInputCount, kNode, 4, 3},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"a condition of int8", SetInputType<0, TensorType::kInt8>, Rule::kOperandType, 0, 9, 6},
    {"int8 and int16", SetInputType<2, TensorType::kInt16>, Rule::kTypesDiffer, 2, 7, 9},
    {"an int16 output", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"no data at all", Become<TensorType::kResource>, Rule::kOperandType, 1},
    {"4 and 3 elements", [](OpModel& m) { m.inputs[2].shape = {3}; }, Rule::kBroadcast},
    {"3 conditions", [](OpModel& m) { m.inputs[0].shape = {3}; }, Rule::kBroadcast},
    {"an output of 3 elements", [](OpModel& m) { m.outputs[0].shape = {3}; }, Rule::kOperandShape, Out(0), 3,
     4},
};

TEST(Select, Refusals) { ExpectRefusals(SelectModel(TensorType::kInt8), kSelectRefusals); }

}  // namespace
}  // namespace lutra
