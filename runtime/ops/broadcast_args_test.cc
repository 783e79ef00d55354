// SPDX-License-Identifier: Apache-2.0
// BROADCAST_ARGS.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel BroadcastArgsModel(int32_t a, int32_t b, TensorType type = TensorType::kInt32) {
  return {.op = BuiltinOperator::kBroadcastArgs,
          .inputs = {{.shape = {a}, .type = type}, {.shape = {b}, .type = type}},
          .outputs = {{.shape = {a > b ? a : b}, .type = type}}};
}

TEST(BroadcastArgs, JoinsShapes) {
  ExpectOutput(BroadcastArgsModel(2, 3), {Int32List{1, 4}, Int32List{2, 3, 1}}, Int32List{2, 3, 4});
  ExpectOutput(BroadcastArgsModel(3, 2), {Int32List{2, 3, 1}, Int32List{1, 4}}, Int32List{2, 3, 4});
  ExpectOutput(BroadcastArgsModel(2, 2), {Int32List{5, 6}, Int32List{5, 6}}, Int32List{5, 6});
  ExpectOutput(BroadcastArgsModel(1, 2, TensorType::kInt64), {Int64List{7}, Int64List{3, 1}},
               Int64List{3, 7});
  // A dimension of 0 is broadcast with one of 1.
  ExpectOutput(BroadcastArgsModel(2, 1), {Int32List{4, 0}, Int32List{1}}, Int32List{4, 0});
}

TEST(BroadcastArgs, DimensionsThatDoNotFitAreAnErrorOfTheRun) {
  ExpectInvalidInput(
      BroadcastArgsModel(2, 3), {Int32List{3, 4}, Int32List{2, 2, 1}},
      {.what = "3 and 2", .rule = Rule::kRuntimeShape, .blamed = 1, .found = 2, .required = 3});
  ExpectInvalidInput(
      BroadcastArgsModel(1, 1), {Int32List{0}, Int32List{2}},
      {.what = "0 and 2", .rule = Rule::kRuntimeShape, .blamed = 1, .found = 2, .required = 0});
}

constexpr Refusal kBroadcastArgsRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"float32",
     [](OpModel& m) { m.inputs[0].type = m.inputs[1].type = m.outputs[0].type = TensorType::kFloat32; },
     Rule::kOperandType, 0, 0, 2},
    {"int32 and int64", SetInputType<1, TensorType::kInt64>, Rule::kTypesDiffer, 1, 4, 2},
    {"an int64 output", SetOutputType<TensorType::kInt64>, Rule::kTypesDiffer, Out(0), 4, 2},
    {"a scalar", [](OpModel& m) { m.inputs[1].shape = {}; }, Rule::kOperandRank, 1, 0, 1},
    {"an output that is too short", [](OpModel& m) { m.outputs[0].shape = {2}; }, Rule::kOperandShape, Out(0),
     2, 3},
};
TEST(BroadcastArgs, Refusals) { ExpectRefusals(BroadcastArgsModel(2, 3), kBroadcastArgsRefusals); }

}  // namespace
}  // namespace lutra
