// SPDX-License-Identifier: Apache-2.0
// FLOOR_DIV, FLOOR_MOD: values, broadcasting, in place, divisors of 0, and models that are refused.

#include <cmath>

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Op2 = BuiltinOperator;

constexpr Op2 kBoth[] = {Op2::kFloorDiv, Op2::kFloorMod};

OpModel FloorDivisionModel(Op2 op, const std::vector<int32_t>& a = {4}, const std::vector<int32_t>& b = {4},
                           const std::vector<int32_t>& output = {4}) {
  constexpr TensorType kFloat = TensorType::kFloat32;
  return {.op = op,
          .inputs = {{.shape = a, .type = kFloat}, {.shape = b, .type = kFloat}},
          .outputs = {{.shape = output, .type = kFloat}}};
}

TEST(FloorDivision, RoundsDownAndKeepsTheRest) {
  const ValueLists values = {FloatList{7, -7, 7, -7}, FloatList{3, 3, -3, -3}};
  ExpectOutput(FloorDivisionModel(Op2::kFloorDiv), values, FloatList{2, -3, -3, 2});
  ExpectOutput(FloorDivisionModel(Op2::kFloorMod), values, FloatList{1, 2, -2, -1});
}

TEST(FloorDivision, ClampsNothing) {
  const float infinity = __builtin_inff();
  const ValueLists values = {FloatList{infinity, -infinity, 3e38f, 7}, FloatList{2, 2, 1e-3f, infinity}};
  ExpectOutput(FloorDivisionModel(Op2::kFloorDiv), values, FloatList{infinity, -infinity, infinity, 0});
  ExpectOutput(FloorDivisionModel(Op2::kFloorMod, {1}, {1}, {1}), {FloatList{5}, FloatList{-infinity}},
               FloatList{-infinity});
}

TEST(FloorDivision, Broadcasts) {
  const ValueLists values = {FloatList{5, -5}, FloatList{2, -3, 4}};
  ExpectOutput(FloorDivisionModel(Op2::kFloorDiv, {2, 1}, {3}, {2, 3}), values,
               FloatList{2, -2, 1, -3, 1, -2});
  ExpectOutput(FloorDivisionModel(Op2::kFloorMod, {2, 1}, {3}, {2, 3}), values,
               FloatList{1, -1, 1, 1, -2, 3});
}

TEST(FloorDivision, EqualShapesAreComputedInPlace) {
  for (const Op2 op : kBoth) {
    SCOPED_TRACE(ToString(op));
    EXPECT_EQ(ActivationBytes(FloorDivisionModel(op, {60}, {60}, {60})), 2u * 240);
  }
}

TEST(FloorDivision, DivisorOfZeroIsAnErrorOfTheRunOfFloorDiv) {
  const FloatList dividends = {1, 2, 3, 4};
  for (const float zero : {0.0f, -0.0f}) {
    ExpectInvalidInput(FloorDivisionModel(Op2::kFloorDiv), {dividends, FloatList{1, 2, zero, zero}},
                       {.what = "0", .rule = Rule::kRuntimeDivisor, .blamed = 1, .found = 2});
  }
  ExpectInvalidInput(FloorDivisionModel(Op2::kFloorDiv, {4}, {1}), {dividends, FloatList{0}},
                     {.what = "0, repeated", .rule = Rule::kRuntimeDivisor, .blamed = 1, .found = 0});
}

// TensorFlow Lite Micro checks for a divisor of 0 in FLOOR_DIV alone.
TEST(FloorDivision, FloorModOfZeroIsNotANumber) {
  const std::vector<float> rests = ListOf<float>(
      RunOp(FloorDivisionModel(Op2::kFloorMod), {FloatList{1, -2, 7, 0}, FloatList{0, -0.0f, 4, 0}})[0]);
  ASSERT_EQ(rests.size(), 4u);
  for (const size_t i : {0, 1, 3}) EXPECT_TRUE(std::isnan(rests[i])) << rests[i];
  EXPECT_EQ(rests[2], 3);
}

constexpr Refusal kFloorDivisionRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"an input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"int8", SetTypes<TensorType::kInt8>, Rule::kOperandType, 0, 9, 0},
    {"int32", SetTypes<TensorType::kInt32>, Rule::kOperandType, 0, 2, 0},
    {"uint8", SetInputType<0, TensorType::kUInt8>, Rule::kUint8, 0},
    {"float32 and int32", SetInputType<1, TensorType::kInt32>, Rule::kTypesDiffer, 1, 2, 0},
    {"an int32 output", SetOutputType<TensorType::kInt32>, Rule::kTypesDiffer, Out(0), 2, 0},
    {"4 and 3 elements", [](OpModel& m) { m.inputs[1].shape = {3}; }, Rule::kBroadcast, 1},
    {"an output of 3 elements", [](OpModel& m) { m.outputs[0].shape = {3}; }, Rule::kOperandShape, Out(0), 3,
     4},
};

TEST(FloorDivision, Refusals) {
  for (const Op2 op : kBoth) {
    SCOPED_TRACE(ToString(op));
    ExpectRefusals(FloorDivisionModel(op), kFloorDivisionRefusals);
  }
}

}  // namespace
}  // namespace lutra
