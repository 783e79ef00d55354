// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE, REVERSE_V2.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel Transpose(const std::vector<int32_t>& shape, const Int32List& permutation,
                  const std::vector<int32_t>& out) {
  return {.op = BuiltinOperator::kTranspose,
          .inputs = {{.shape = shape}, Constant({static_cast<int32_t>(permutation.size())}, permutation)},
          .outputs = {{.shape = out}}};
}

OpModel Reverse(const std::vector<int32_t>& shape, const Int32List& axes) {
  return {.op = BuiltinOperator::kReverseV2,
          .inputs = {{.shape = shape}, Constant({static_cast<int32_t>(axes.size())}, axes)},
          .outputs = {{.shape = shape}}};
}

TEST(Transpose, ExchangesAxes) {
  ExpectMoved(Transpose({2, 3}, {1, 0}, {3, 2}), {{0, 3, 1, 4, 2, 5}});
  ExpectMoved(Transpose({2, 3}, {0, 1}, {2, 3}), {{0, 1, 2, 3, 4, 5}});
  ExpectMoved(Transpose({2, 2, 3}, {2, 0, 1}, {3, 2, 2}), {{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}});
  ExpectMoved(Transpose({2, 2, 3}, {1, 2, 0}, {2, 3, 2}), {{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}});
  ExpectMoved(Transpose({2, 2, 3}, {1, 0, 2}, {2, 2, 3}), {{0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11}});
  ExpectMoved(Transpose({4}, {0}, {4}), {{0, 1, 2, 3}});
}

TEST(Transpose, TakesUpToEightDimensions) {
  ExpectMoved(Transpose({1, 2, 1, 1, 3, 1, 1, 2}, {7, 6, 5, 4, 3, 2, 1, 0}, {2, 1, 1, 3, 1, 1, 2, 1}),
              {{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}});
}

// Transposes an image of 7 x 5 with 40 channels to channels first.
TEST(Transpose, MovesImages) {
  Order order;
  for (int c = 0; c < 40; ++c) {
    for (int pixel = 0; pixel < 35; ++pixel) order.push_back(pixel * 40 + c);
  }
  ExpectMoved(Transpose({1, 7, 5, 40}, {0, 3, 1, 2}, {1, 40, 7, 5}), {order});
}

TEST(Transpose, TakesAPermutationOf64BitsAndFromTheRight) {
  OpModel model = Transpose({2, 3}, {}, {3, 2});
  model.inputs[1] = Constant({2}, Int64List{-1, -2});
  ExpectMoved(model, {{0, 3, 1, 4, 2, 5}});
}

TEST(Reverse, TurnsAxesAround) {
  ExpectMoved(Reverse({6}, {0}), {{5, 4, 3, 2, 1, 0}});
  ExpectMoved(Reverse({2, 3}, {0}), {{3, 4, 5, 0, 1, 2}});
  ExpectMoved(Reverse({2, 3}, {-1}), {{2, 1, 0, 5, 4, 3}});
  ExpectMoved(Reverse({2, 3}, {1, 0}), {{5, 4, 3, 2, 1, 0}});
  ExpectMoved(Reverse({2, 2, 2}, {2, 0}), {{5, 4, 7, 6, 1, 0, 3, 2}});
}

// ---- Refusals.

void BecomeFloat16(OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kFloat16; }

constexpr Refusal kTransposeRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"float16", BecomeFloat16, Rule::kOperandType, 0, 1},
    {"an output of another type", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"axes that are not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired, 1},
    {"9 axes", [](OpModel& m) { m.inputs[1] = Constant({9}, Int32List(9)); }, Rule::kElementCount, 1, 9, 8},
    {"an output of another shape",
     [](OpModel& m) {
       m.outputs[0].shape = {3, 3};
     },
     Rule::kOperandShape, Out(0), 3, 2},
};

constexpr Refusal kTranspose[] = {
    {"one axis of 2", [](OpModel& m) { m.inputs[1] = Constant({1}, Int32List{0}); }, Rule::kPermutation, 1, 1,
     2},
    {"an axis twice",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int32List{1, 1});
     },
     Rule::kPermutation, 1, 1},
    {"axis 2",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int32List{0, 2});
     },
     Rule::kPermutation, 1, 2},
};

constexpr Refusal kReverse[] = {
    {"an axis twice",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int32List{1, -1});
     },
     Rule::kAxis, 1, -1, 2},
    {"axis 2 of 2", [](OpModel& m) { m.inputs[1] = Constant({1}, Int32List{2}); }, Rule::kAxis, 1, 2, 2},
    {"axis -3 of 2", [](OpModel& m) { m.inputs[1] = Constant({1}, Int32List{-3}); }, Rule::kAxis, 1, -3, 2},
};

TEST(Transpose, Refusals) {
  ExpectRefusals(Transpose({2, 2}, {1, 0}, {2, 2}), kTransposeRefusals);
  ExpectRefusals(Transpose({2, 2}, {1, 0}, {2, 2}), kTranspose);
}

TEST(Reverse, Refusals) {
  ExpectRefusals(Reverse({2, 2}, {1, 0}), kTransposeRefusals);
  ExpectRefusals(Reverse({2, 2}, {1, 0}), kReverse);
}

}  // namespace
}  // namespace lutra
