// SPDX-License-Identifier: Apache-2.0
// LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Op2 = BuiltinOperator;
constexpr TensorType kBool = TensorType::kBool;

OpModel LogicalModel(Op2 op, const std::vector<int32_t>& a = {4}, const std::vector<int32_t>& b = {4},
                     const std::vector<int32_t>& output = {4}) {
  return {.op = op,
          .inputs = {{.shape = a, .type = kBool}, {.shape = b, .type = kBool}},
          .outputs = {{.shape = output, .type = kBool}}};
}
OpModel Not(int32_t count) {
  return {.op = Op2::kLogicalNot,
          .inputs = {{.shape = {count}, .type = kBool}},
          .outputs = {{.shape = {count}, .type = kBool}}};
}

TEST(Logical, HasItsTable) {
  const ValueLists inputs = {ByteList{0, 0, 1, 1}, ByteList{0, 1, 0, 1}};
  ExpectOutput(LogicalModel(Op2::kLogicalAnd), inputs, ByteList{0, 0, 0, 1});
  ExpectOutput(LogicalModel(Op2::kLogicalOr), inputs, ByteList{0, 1, 1, 1});
  ExpectOutput(Not(2), {ByteList{0, 1}}, ByteList{1, 0});
}

TEST(Logical, AnyByteButZeroIsTrueAndResultsAreOne) {
  const ValueLists inputs = {ByteList{2, 0x80, 4, 0}, ByteList{1, 0xFF, 0, 0x10}};
  ExpectOutput(LogicalModel(Op2::kLogicalAnd), inputs, ByteList{1, 1, 0, 0});
  ExpectOutput(LogicalModel(Op2::kLogicalOr), inputs, ByteList{1, 1, 1, 1});
  ExpectOutput(Not(3), {ByteList{2, 0x80, 0}}, ByteList{0, 0, 1});
}

TEST(Logical, Broadcasts) {
  const ValueLists inputs = {ByteList{1, 0}, ByteList{1, 0, 1}};
  ExpectOutput(LogicalModel(Op2::kLogicalAnd, {2, 1}, {3}, {2, 3}), inputs, ByteList{1, 0, 1, 0, 0, 0});
  ExpectOutput(LogicalModel(Op2::kLogicalOr, {2, 1}, {3}, {2, 3}), inputs, ByteList{1, 1, 1, 1, 0, 1});
  ExpectOutput(LogicalModel(Op2::kLogicalOr, {}, {2}, {2}), {ByteList{0}, ByteList{0, 1}}, ByteList{0, 1});
}

TEST(Logical, EqualShapesAreComputedInPlace) {
  EXPECT_EQ(ActivationBytes(LogicalModel(Op2::kLogicalAnd, {64}, {64}, {64})), 128u);
  EXPECT_EQ(ActivationBytes(Not(64)), 64u);
}

template <TensorType kType>
void BecomeType(OpModel& m) {
  m.inputs[0].type = m.inputs[1].type = m.outputs[0].type = kType;
}

constexpr Refusal kLogicalRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"an input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"int8", BecomeType<TensorType::kInt8>, Rule::kOperandType, 0, 9, 6},
    {"uint8", BecomeType<TensorType::kUInt8>, Rule::kUint8, 0},
    {"bool and int8", SetInputType<1, TensorType::kInt8>, Rule::kTypesDiffer, 1, 9, 6},
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kTypesDiffer, Out(0), 9, 6},
    {"4 and 3 elements", [](OpModel& m) { m.inputs[1].shape = {3}; }, Rule::kBroadcast, 1},
    {"an output of 3 elements", [](OpModel& m) { m.outputs[0].shape = {3}; }, Rule::kOperandShape, Out(0), 3,
     4},
};
TEST(Logical, Refusals) {
  for (const Op2 op : {Op2::kLogicalAnd, Op2::kLogicalOr}) {
    SCOPED_TRACE(ToString(op));
    ExpectRefusals(LogicalModel(op), kLogicalRefusals);
  }
}

constexpr Refusal kRefusalsOfNot[] = {
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"int8", SetInputType<0, TensorType::kInt8>, Rule::kOperandType, 0, 9, 6},
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kTypesDiffer, Out(0), 9, 6},
    {"an output of 3 elements", [](OpModel& m) { m.outputs[0].shape = {3}; }, Rule::kOperandShape, Out(0), 3,
     2},
};
TEST(Logical, RefusalsOfNot) { ExpectRefusals(Not(2), kRefusalsOfNot); }

}  // namespace
}  // namespace lutra
