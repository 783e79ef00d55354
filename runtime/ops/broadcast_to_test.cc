// SPDX-License-Identifier: Apache-2.0
// BROADCAST_TO.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel BroadcastToModel(const std::vector<int32_t>& shape, const std::vector<int32_t>& out) {
  return {.op = BuiltinOperator::kBroadcastTo,
          .inputs = {{.shape = shape}, Constant({static_cast<int32_t>(out.size())}, Int32List(out))},
          .outputs = {{.shape = out}}};
}

TEST(BroadcastTo, RepeatsDimensionsOfOne) {
  ExpectMoved(BroadcastToModel({3}, {2, 3}), {{0, 1, 2, 0, 1, 2}});
  ExpectMoved(BroadcastToModel({2, 1}, {2, 3}), {{0, 0, 0, 1, 1, 1}});
  ExpectMoved(BroadcastToModel({}, {2, 2}), {{0, 0, 0, 0}});
  ExpectMoved(BroadcastToModel({2, 3}, {2, 3}), {{0, 1, 2, 3, 4, 5}});
  ExpectMoved(BroadcastToModel({2, 1, 2}, {2, 3, 2}), {{0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3}});
  ExpectMoved(BroadcastToModel({1, 2, 1}, {2, 2, 2}), {{0, 0, 1, 1, 0, 0, 1, 1}});
}

TEST(BroadcastTo, TakesAShapeOf64Bits) {
  OpModel model = BroadcastToModel({2, 1}, {2, 3});
  model.inputs[1] = Constant({2}, Int64List{2, 3});
  ExpectMoved(model, {{0, 0, 0, 1, 1, 1}});
}

constexpr Refusal kBroadcastToRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"an output of another type", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"a shape that is not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired,
     1},
    {"9 dimensions", [](OpModel& m) { m.inputs[1] = Constant({9}, Int32List(9, 1)); }, Rule::kElementCount, 1,
     9, 8},
    {"an output of another shape",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 4};
     },
     Rule::kOperandShape, Out(0), 4, 3},
    {"an input of a higher rank",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 2, 1};
     },
     Rule::kBroadcast, 0, 3, 2},
    {"2 columns to 3",
     [](OpModel& m) {
       m.inputs[0].shape = {2, 2};
     },
     Rule::kBroadcast, 0, 2, 3},
};

TEST(BroadcastTo, Refusals) { ExpectRefusals(BroadcastToModel({2, 1}, {2, 3}), kBroadcastToRefusals); }

}  // namespace
}  // namespace lutra
