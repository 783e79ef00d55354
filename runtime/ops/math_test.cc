// SPDX-License-Identifier: Apache-2.0
// CEIL, COS, EXP, FLOOR, LOG, NEG, ROUND, SIN, SQRT, SQUARE: each computes its own function, in place, and
// takes float32 alone.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Op1 = BuiltinOperator;

struct Function {
  Op1 op;
  FloatList of, expected;
};

const Function kFunctions[] = {
    {Op1::kCeil, {-1.5f, 0.25f, 2}, {-1, 1, 2}},
    {Op1::kCos, {0, 1, -3}, {1, 0.54030231f, -0.98999250f}},
    {Op1::kExp, {0, 1, -2}, {1, 2.71828183f, 0.13533528f}},
    {Op1::kFloor, {-1.5f, 0.25f, 2}, {-2, 0, 2}},
    {Op1::kLog, {1, 2, 0.5f}, {0, 0.69314718f, -0.69314718f}},
    {Op1::kNeg, {-1.5f, 0.25f, 2}, {1.5f, -0.25f, -2}},
    {Op1::kRound, {-1.5f, 0.5f, 2.75f}, {-2, 0, 3}},
    {Op1::kSin, {0, 1, -3}, {0, 0.84147098f, -0.14112001f}},
    {Op1::kSqrt, {4, 0.25f, 2}, {2, 0.5f, 1.41421356f}},
    {Op1::kSquare, {-1.5f, 0.25f, 2}, {2.25f, 0.0625f, 4}},
};

OpModel MathModel(Op1 op, int count) {
  return {.op = op,
          .inputs = {{.shape = {count}, .type = TensorType::kFloat32}},
          .outputs = {{.shape = {count}, .type = TensorType::kFloat32}}};
}

TEST(Math, EachIsItsFunction) {
  for (const Function& f : kFunctions) {
    SCOPED_TRACE(ToString(f.op));
    ExpectNear(MathModel(f.op, 3), {f.of}, f.expected, 1e-6f);
  }
}

TEST(Math, PassesWhatIsOutsideTheDomain) {
  const float infinity = __builtin_inff();
  ExpectOutput(MathModel(Op1::kLog, 2), {FloatList{0, infinity}}, FloatList{-infinity, infinity});
}

TEST(Math, IsComputedInPlace) {
  for (const Function& f : kFunctions) {
    SCOPED_TRACE(ToString(f.op));
    EXPECT_EQ(ActivationBytes(MathModel(f.op, 60)), 240u);
  }
}

constexpr Refusal kMathRefusals[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"the input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"int8", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kInt8; }, Rule::kOperandType,
     0, 9, 0},
    {"uint8", SetInputType<0, TensorType::kUInt8>, Rule::kUint8, 0},
    {"an int32 output", SetOutputType<TensorType::kInt32>, Rule::kTypesDiffer, Out(0), 2, 0},
    {"an output of 3 elements", [](OpModel& m) { m.outputs[0].shape = {3}; }, Rule::kOperandShape, Out(0), 3,
     4},
};

TEST(Math, Refusals) {
  for (const Function& f : kFunctions) {
    SCOPED_TRACE(ToString(f.op));
    ExpectRefusals(MathModel(f.op, 4), kMathRefusals);
  }
}

}  // namespace
}  // namespace lutra
