// SPDX-License-Identifier: Apache-2.0
// RESHAPE, SQUEEZE, EXPAND_DIMS: the bytes stay at their place.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using OpA = BuiltinOperator;

// A model of each operator, all with an input of [2, 1, 3].
OpModel Reshape() {
  return {.op = OpA::kReshape, .inputs = {{.shape = {2, 1, 3}}}, .outputs = {{.shape = {6}}}};
}
OpModel Squeeze() {
  return {.op = OpA::kSqueeze, .inputs = {{.shape = {2, 1, 3}}}, .outputs = {{.shape = {2, 3}}}};
}
OpModel ExpandDims(int32_t axis, const std::vector<int32_t>& out) {
  return {.op = OpA::kExpandDims,
          .inputs = {{.shape = {2, 1, 3}}, Constant({}, Int32List{axis})},
          .outputs = {{.shape = out}}};
}

template <typename T>
void ExpectSame(OpModel model) {
  model.inputs[0].type = model.outputs[0].type = kTypeOf<T>;
  const std::vector<T> values = {1, 2, 3, 4, 5, 6};
  ExpectOutput(model, {values}, values);
}

TEST(Reshape, KeepsElementsOfEachType) {
  for (const OpModel& model : {Reshape(), Squeeze(), ExpandDims(0, {1, 2, 1, 3})}) {
    SCOPED_TRACE(ToString(model.op));
    ExpectSame<int8_t>(model);
    ExpectSame<uint8_t>(model);
    ExpectSame<int16_t>(model);
    ExpectSame<int32_t>(model);
    ExpectSame<int64_t>(model);
    ExpectSame<float>(model);
  }
}

// Output and input have one address, and the memory of one of them suffices.
TEST(Reshape, CopiesNothing) {
  for (OpModel model : {Reshape(), Squeeze(), ExpandDims(0, {1, 2, 1, 3})}) {
    SCOPED_TRACE(ToString(model.op));
    model.inputs[0].type = model.outputs[0].type = TensorType::kInt64;
    EXPECT_EQ(ActivationBytes(model), 48u);
    ModelRun run(Build(model));
    ASSERT_EQ(run.status(), Status::kOk);
    EXPECT_EQ(run.interpreter().input(0).data, run.interpreter().output(0).data);
  }
}

// A constant stays in the file, so its bytes are copied.
TEST(Reshape, TakesConstants) {
  OpModel model = Reshape();
  model.inputs[0].data = {1, 2, 3, 4, 5, 6};
  ExpectOutput(model, {}, Int8List{1, 2, 3, 4, 5, 6});
}

// For a scalar, the list of dimensions is empty.
TEST(Reshape, MayHaveAListOfNoDimensions) {
  OpModel model = Reshape();
  model.inputs[0].shape = {1, 1};
  model.outputs[0].shape = {};
  model.inputs.push_back(Constant({0}, Int32List{}));
  ExpectOutput(model, {Int8List{5}}, Int8List{5});
}

// The output tensor's shape counts, whatever the list of dimensions says.
TEST(Reshape, MayHaveAListOfDimensions) {
  OpModel model = Reshape();
  model.outputs[0].shape = {3, 2};
  model.options.dims = {3, -1};
  model.inputs.push_back(Constant({2}, Int32List{3, -1}));
  ExpectOutput(model, {Int8List{1, 2, 3, 4, 5, 6}}, Int8List{1, 2, 3, 4, 5, 6});
  model.options.table = OptionsTable::kNone;
  ExpectOutput(model, {Int8List{1, 2, 3, 4, 5, 6}}, Int8List{1, 2, 3, 4, 5, 6});
}

TEST(Squeeze, TakesTheAxesThatAreNamed) {
  OpModel model = Squeeze();
  model.inputs[0].shape = {1, 2, 1, 3, 1};
  ExpectOutput(model, {Int8List{1, 2, 3, 4, 5, 6}}, Int8List{1, 2, 3, 4, 5, 6});
  model.options.dims = {-1, 0, 0};
  model.outputs[0].shape = {2, 1, 3};
  ExpectOutput(model, {Int8List{1, 2, 3, 4, 5, 6}}, Int8List{1, 2, 3, 4, 5, 6});
}

TEST(ExpandDims, AddsAnAxisAnywhere) {
  const Int8List values = {1, 2, 3, 4, 5, 6};
  ExpectOutput(ExpandDims(1, {2, 1, 1, 3}), {values}, values);
  ExpectOutput(ExpandDims(3, {2, 1, 3, 1}), {values}, values);
  ExpectOutput(ExpandDims(-1, {2, 1, 3, 1}), {values}, values);
  ExpectOutput(ExpandDims(-4, {1, 2, 1, 3}), {values}, values);
}

// ---- Refusals.

constexpr Refusal kReshapeRefusals[] = {
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"the input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"an output of another type", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
};

constexpr Refusal kReshape[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"5 of 6 elements", [](OpModel& m) { m.outputs[0].shape = {5}; }, Rule::kElementCount, Out(0), 5, 6},
    {"three inputs",
     [](OpModel& m) {
       AddInput(m);
       AddInput(m);
     },
     Rule::kInputCount, kNode, 3, 2},
};

constexpr Refusal kSqueeze[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"axis 3 of 3", [](OpModel& m) { m.options.dims = {3}; }, Rule::kAxis, 0, 3, 3},
    {"axis -4 of 3", [](OpModel& m) { m.options.dims = {-4}; }, Rule::kAxis, 0, -4, 3},
    {"an axis of 2", [](OpModel& m) { m.options.dims = {0}; }, Rule::kOperandShape, 0, 2, 1},
    {"nothing is gone",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 1, 3};
     },
     Rule::kOperandRank, Out(0), 3, 2},
};

constexpr Refusal kExpandDims[] = {
    {"no axis", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"two axes", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"an axis that is not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired,
     1},
    {"axis 4 of 4", [](OpModel& m) { m.inputs[1] = Constant({}, Int32List{4}); }, Rule::kAxis, 1, 4, 4},
    {"axis -5 of 4", [](OpModel& m) { m.inputs[1] = Constant({}, Int32List{-5}); }, Rule::kAxis, 1, -5, 4},
    {"8 dimensions and one more",
     [](OpModel& m) { m.inputs[0].shape = m.outputs[0].shape = {1, 1, 1, 1, 1, 1, 2, 3}; },
     Rule::kOperandRank, 0, 8, 7},
    {"another place",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 1, 3, 1};
     },
     Rule::kOperandShape, Out(0), 2, 1},
};

TEST(Reshape, Refusals) {
  for (const OpModel& model : {Reshape(), Squeeze(), ExpandDims(0, {1, 2, 1, 3})}) {
    SCOPED_TRACE(ToString(model.op));
    ExpectRefusals(model, kReshapeRefusals);
  }
  ExpectRefusals(Reshape(), kReshape);
  ExpectRefusals(Squeeze(), kSqueeze);
  ExpectRefusals(ExpandDims(0, {1, 2, 1, 3}), kExpandDims);
}

}  // namespace
}  // namespace lutra
