// SPDX-License-Identifier: Apache-2.0
// MAXIMUM and MINIMUM: codes and numbers are compared as they are, whatever scales the tensors have.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

constexpr BuiltinOperator kBoth[] = {BuiltinOperator::kMaximum, BuiltinOperator::kMinimum};

OpModel MinMaxModel(BuiltinOperator op, TensorType type) {
  return {.op = op,
          .inputs = {{.shape = {4}, .type = type}, {.shape = {4}, .type = type}},
          .outputs = {{.shape = {4}, .type = type}}};
}

template <typename T>
void ExpectExtremes(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& larger,
                    const std::vector<T>& smaller) {
  ExpectOutput(MinMaxModel(BuiltinOperator::kMaximum, kTypeOf<T>), {a, b}, larger);
  ExpectOutput(MinMaxModel(BuiltinOperator::kMinimum, kTypeOf<T>), {a, b}, smaller);
}

TEST(MinMax, TakesEachType) {
  ExpectExtremes<int8_t>({-128, 5, 0, 7}, {127, 5, -1, 6}, {127, 5, 0, 7}, {-128, 5, -1, 6});
  ExpectExtremes<int16_t>({-300, 5, 0, 256}, {300, 5, -1, 255}, {300, 5, 0, 256}, {-300, 5, -1, 255});
  ExpectExtremes<int32_t>({-70000, 5, 0, 65536}, {70000, 5, -1, 1}, {70000, 5, 0, 65536}, {-70000, 5, -1, 1});
  ExpectExtremes<int64_t>({1ll << 40, 5, 0, -(1ll << 40)}, {3, 5, -1, 2}, {1ll << 40, 5, 0, 2},
                          {3, 5, -1, -(1ll << 40)});
  ExpectExtremes<float>({-0.5f, 5, 0.25f, 1e30f}, {0.5f, 5, 0.125f, 2}, {0.5f, 5, 0.25f, 1e30f},
                        {-0.5f, 5, 0.125f, 2});
}

TEST(MinMax, ComparesCodesAndNotReals) {
  OpModel model = MinMaxModel(BuiltinOperator::kMaximum, TensorType::kInt8);
  model.inputs[0].scale = 1;
  model.inputs[1].scale = 0.01f;
  model.inputs[1].zero_point = 100;
  ExpectOutput(model, {Int8List{1, 2, 3, 4}, Int8List{2, 1, 100, -100}}, Int8List{2, 2, 100, 4});
}

TEST(MinMax, Broadcasts) {
  OpModel model = MinMaxModel(BuiltinOperator::kMinimum, TensorType::kInt16);
  model.inputs[0].shape = {2, 1};
  model.inputs[1].shape = {3};
  model.outputs[0].shape = {2, 3};
  ExpectOutput(model, {Int16List{2, 500}, Int16List{1, 2, 300}}, Int16List{1, 2, 2, 1, 2, 300});
}

TEST(MinMax, EqualShapesAreComputedInPlace) {
  OpModel model = MinMaxModel(BuiltinOperator::kMaximum, TensorType::kInt8);
  model.inputs[0].shape = model.inputs[1].shape = model.outputs[0].shape = {240};
  EXPECT_EQ(ActivationBytes(model, false), 3u * 240);
  EXPECT_EQ(ActivationBytes(model), 2u * 240);
}

void BecomeBool(OpModel& m) { m.inputs[0].type = m.inputs[1].type = m.outputs[0].type = TensorType::kBool; }

constexpr Refusal kMinMaxRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"int8 and int16", SetInputType<1, TensorType::kInt16>, Rule::kTypesDiffer, 1, 7, 9},
    {"an int16 output", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"bool", BecomeBool, Rule::kOperandType, 0, NumberOf(TensorType::kBool), NumberOf(TensorType::kInt8)},
    {"4 and 3 elements", [](OpModel& m) { m.inputs[1].shape = {3}; }, Rule::kBroadcast, 1},
    {"an output of 3 elements", [](OpModel& m) { m.outputs[0].shape = {3}; }, Rule::kOperandShape, Out(0), 3,
     4},
};

TEST(MinMax, Refusals) {
  for (const BuiltinOperator op : kBoth) {
    SCOPED_TRACE(ToString(op));
    ExpectRefusals(MinMaxModel(op, TensorType::kInt8), kMinMaxRefusals);
  }
}

}  // namespace
}  // namespace lutra
