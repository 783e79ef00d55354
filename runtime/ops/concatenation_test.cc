// SPDX-License-Identifier: Apache-2.0
// CONCATENATION, PACK.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Shapes = std::vector<std::vector<int32_t>>;

OpModel ConcatenationModel(BuiltinOperator op, const Shapes& shapes, int axis,
                           const std::vector<int32_t>& out) {
  OpModel model = {.op = op,
                   .outputs = {{.shape = out}},
                   .options = {.axis = axis, .count = static_cast<int>(shapes.size())}};
  for (const std::vector<int32_t>& shape : shapes) model.inputs.push_back({.shape = shape});
  return model;
}

OpModel Concatenation(const Shapes& shapes, int axis, const std::vector<int32_t>& out) {
  return ConcatenationModel(BuiltinOperator::kConcatenation, shapes, axis, out);
}
OpModel Pack(const Shapes& shapes, int axis, const std::vector<int32_t>& out) {
  return ConcatenationModel(BuiltinOperator::kPack, shapes, axis, out);
}

TEST(Concatenation, JoinsAlongEachAxis) {
  ExpectMoved(Concatenation({{2}, {1}, {3}}, 0, {6}), {{0, 1, 2, 3, 4, 5}});
  ExpectMoved(Concatenation({{1, 2}, {2, 2}}, 0, {3, 2}), {{0, 1, 2, 3, 4, 5}});
  ExpectMoved(Concatenation({{2, 1}, {2, 2}}, 1, {2, 3}), {{0, 2, 3, 1, 4, 5}});
  ExpectMoved(Concatenation({{2, 1}, {2, 2}}, -1, {2, 3}), {{0, 2, 3, 1, 4, 5}});
  ExpectMoved(Concatenation({{2, 1, 2}, {2, 2, 2}}, -2, {2, 3, 2}), {{0, 1, 4, 5, 6, 7, 2, 3, 8, 9, 10, 11}});
  ExpectMoved(Concatenation({{3}}, 0, {3}), {{0, 1, 2}});
}

TEST(Concatenation, TakesConstantsAndManyInputs) {
  OpModel model = Concatenation({{2}, {2}, {1}}, 0, {5});
  model.inputs[1].data = {50, 51};
  ExpectOutput(model, {Int8List{1, 2}, Int8List{3}}, Int8List{1, 2, 50, 51, 3});
  // TensorFlow Lite Micro takes at most ten inputs.
  Order order;
  for (int i = 0; i < 12; ++i) order.push_back(i);
  ExpectMoved(Concatenation(Shapes(12, {1}), 0, {12}), {order});
}

TEST(Concatenation, ScalesThatAreEqualChangeNothing) {
  OpModel model = Concatenation({{2}, {1}}, 0, {3});
  for (TensorSpec* spec : {&model.inputs[0], &model.inputs[1], &model.outputs[0]}) {
    spec->scale = 0.3f;
    spec->zero_point = 7;
  }
  ExpectOutput(model, {Int8List{1, 2}, Int8List{-128}}, Int8List{1, 2, -128});
}

TEST(Pack, JoinsAlongANewAxis) {
  ExpectMoved(Pack({{3}, {3}}, 0, {2, 3}), {{0, 1, 2, 3, 4, 5}});
  ExpectMoved(Pack({{3}, {3}}, 1, {3, 2}), {{0, 3, 1, 4, 2, 5}});
  ExpectMoved(Pack({{3}, {3}}, -2, {2, 3}), {{0, 1, 2, 3, 4, 5}});
  ExpectMoved(Pack({{2, 2}, {2, 2}, {2, 2}}, 1, {2, 3, 2}), {{0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11}});
  ExpectMoved(Pack({{}, {}, {}}, 0, {3}), {{0, 1, 2}});
  ExpectMoved(Pack({{2}}, -1, {2, 1}), {{0, 1}});
}

// ---- Refusals. Inputs of [2, 1] and [2, 2] become [2, 3]; two of [2] become [2, 2].

template <TensorType kType>
void Become(OpModel& m) {
  for (TensorSpec& spec : m.inputs) spec.type = kType;
  m.outputs[0].type = kType;
}

constexpr Refusal kConcatenationRefusals[] = {
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"an input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"float16", Become<TensorType::kFloat16>, Rule::kOperandType, Out(0), 1},
    {"an input of another type", SetInputType<1, TensorType::kInt16>, Rule::kTypesDiffer, 1, 7, 9},
    {"axis 2 of 2", [](OpModel& m) { m.options.axis = 2; }, Rule::kAxis, kNode, 2, 2},
    {"axis -3 of 2", [](OpModel& m) { m.options.axis = -3; }, Rule::kAxis, kNode, -3, 2},
};

constexpr Refusal kConcatenation[] = {
    {"no inputs", [](OpModel& m) { m.inputs.clear(); }, Rule::kInputCount, kNode, 0, 1},
    {"RELU", SetActivation<1>, Rule::kActivation, kNode, 1, 0},
    {"no room for the last",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 2};
     },
     Rule::kOperandShape, Out(0), 2},
    {"room that is left",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 4};
     },
     Rule::kOperandShape, Out(0), 4},
    {"an input of 3 rows",
     [](OpModel& m) {
       m.inputs[1].shape = {3, 2};
     },
     Rule::kOperandShape, 1, 3, 2},
    {"an input of another rank", [](OpModel& m) { m.inputs[1].shape = {2}; }, Rule::kOperandRank, 1, 1, 2},
    {"one scale", [](OpModel& m) { m.inputs[1].scale = 1; }, Rule::kQuantizationMissing, Out(0)},
    {"the output's scale alone", [](OpModel& m) { m.outputs[0].scale = 1; }, Rule::kQuantizationMissing, 0},
    {"scales that differ",
     [](OpModel& m) {
       m.outputs[0].scale = m.inputs[0].scale = 1;
       m.inputs[1].scale = 0.5f;
     },
     Rule::kSameQuantization, 1},
    {"zero points that differ",
     [](OpModel& m) {
       m.outputs[0].scale = m.inputs[0].scale = m.inputs[1].scale = 1;
       m.inputs[1].zero_point = -1;
     },
     Rule::kSameQuantization, 1, -1, 0},
};

constexpr Refusal kPack[] = {
    {"three are promised", [](OpModel& m) { m.options.count = 3; }, Rule::kInputCount, kNode, 2, 3},
    {"no inputs",
     [](OpModel& m) {
       m.inputs.clear();
       m.options.count = 0;
     },
     Rule::kInputCount, kNode, 0, 0},
    {"a new axis of 3",
     [](OpModel& m) {
       m.outputs[0].shape = {3, 2};
     },
     Rule::kOperandShape, Out(0), 3, 2},
    {"an input of 3", [](OpModel& m) { m.inputs[1].shape = {3}; }, Rule::kOperandShape, 1, 3, 2},
    {"an input of another rank",
     [](OpModel& m) {
       m.inputs[1].shape = {1, 2};
     },
     Rule::kOperandRank, 1, 2, 1},
};

TEST(Concatenation, Refusals) {
  const OpModel model = Concatenation({{2, 1}, {2, 2}}, 1, {2, 3});
  ExpectRefusals(model, kConcatenationRefusals);
  ExpectRefusals(model, kConcatenation);
}

TEST(Pack, Refusals) {
  const OpModel model = Pack({{2}, {2}}, 0, {2, 2});
  ExpectRefusals(model, kConcatenationRefusals);
  ExpectRefusals(model, kPack);
}

}  // namespace
}  // namespace lutra
