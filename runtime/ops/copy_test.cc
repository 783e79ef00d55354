// SPDX-License-Identifier: Apache-2.0
// Tests the code of operators that only move data: types, and copies that are made row by row so that the
// output may overlap the input. SLICE and PAD stand for all of these operators.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel Slice(const std::vector<int32_t>& shape, const Int32List& begin, const std::vector<int32_t>& out) {
  const auto rank = static_cast<int32_t>(shape.size());
  return {.op = BuiltinOperator::kSlice,
          .inputs = {{.shape = shape}, Constant({rank}, begin), Constant({rank}, Int32List(out))},
          .outputs = {{.shape = out}}};
}

// ---- Rows.

// Rows of 15 bytes are too short to be copied with a call each; rows of 16 are long enough.
TEST(Copy, ShortRowsAreKeptApart) {
  EXPECT_EQ(ActivationBytes(Slice({16, 15}, {8, 0}, {8, 15})), 240u + 128);
  EXPECT_EQ(ActivationBytes(Slice({16, 16}, {8, 0}, {8, 16})), 256u);
}

TEST(Copy, DimensionsOfOneDoNotCountAsRows) {
  EXPECT_EQ(ActivationBytes(Slice({1, 1, 16, 16}, {0, 0, 8, 0}, {1, 1, 8, 16})), 256u);
  // All dimensions are 1: there is one element, and there are no rows.
  ExpectMoved(Slice({1, 1}, {0, 0}, {1, 1}), {{0}});
}

// Copies rows of elements of each size in place; ExpectMoved compares them with a copy out of place.
TEST(Copy, RowsOfEveryElementSize) {
  Order order;
  for (int row = 3; row < 11; ++row) {
    for (int i = 0; i < 2 * 9; ++i) order.push_back(row * 24 + i + 3);
  }
  ExpectMoved(Slice({12, 8, 3}, {3, 1, 0}, {8, 6, 3}), {order});
}

TEST(Copy, FillsElementsOfEverySize) {
  OpModel pad = {.op = BuiltinOperator::kPad,
                 .inputs = {{.shape = {3, 5}}, Constant({2, 2}, Int32List{1, 0, 2, 12})},
                 .outputs = {{.shape = {4, 19}, .scale = 1, .zero_point = 5}}};
  Order order(19, kFilled);
  for (int row = 0; row < 3; ++row) {
    for (int i = -2; i < 17; ++i) order.push_back(i < 0 || i >= 5 ? kFilled : row * 5 + i);
  }
  ExpectMoved(pad, {order});
  pad.op = BuiltinOperator::kPadv2;
  pad.inputs.push_back({.shape = {1}, .scale = 1, .zero_point = 5, .data = {77}});
  const auto filled = [&order](auto fill) {
    std::vector<decltype(fill)> list;
    for (const int from : order) list.push_back(from < 0 ? fill : static_cast<decltype(fill)>(from + 1));
    return list;
  };
  ExpectOutput(pad, {Counting<int8_t>(15)}, filled(int8_t{77}));
  const auto expect_fill = [&](auto fill) {
    using T = decltype(fill);
    pad.inputs[0].type = pad.outputs[0].type = kTypeOf<T>;
    pad.inputs[2] = Constant({1}, std::vector<T>{fill});
    ExpectOutput(pad, {Counting<T>(15)}, filled(fill));
  };
  expect_fill(int16_t{0x0102});
  expect_fill(int32_t{0x01020304});
  expect_fill(int64_t{0x0102030405060708});
  expect_fill(0.1f);
}

// ---- Types.

template <TensorType kType>
void Become(OpModel& m) {
  m.inputs[0].type = m.outputs[0].type = kType;
}

constexpr Refusal kTypes[] = {
    {"float16", Become<TensorType::kFloat16>, Rule::kOperandType, 0, 1},
    {"uint16", Become<TensorType::kUInt16>, Rule::kOperandType, 0, 16},
    {"uint32", Become<TensorType::kUInt32>, Rule::kOperandType, 0, 15},
    {"float64", Become<TensorType::kFloat64>, Rule::kOperandType, 0, 10},
    {"complex128", Become<TensorType::kComplex128>, Rule::kOperandType, 0, 11},
    {"a handle", Become<TensorType::kResource>, Rule::kOperandType, 0, 13},
};

TEST(Copy, RefusesTypesThatNobodyMoves) { ExpectRefusals(Slice({4}, {1}, {2}), kTypes); }

}  // namespace
}  // namespace lutra
