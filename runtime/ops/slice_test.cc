// SPDX-License-Identifier: Apache-2.0
// SLICE, STRIDED_SLICE: boxes, steps in both directions, masks.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

TensorSpec List(const Int32List& values) { return Constant({static_cast<int32_t>(values.size())}, values); }

OpModel Slice(const std::vector<int32_t>& shape, const Int32List& begin, const Int32List& size,
              const std::vector<int32_t>& out) {
  return {.op = BuiltinOperator::kSlice,
          .inputs = {{.shape = shape}, List(begin), List(size)},
          .outputs = {{.shape = out}}};
}

OpModel Strided(const std::vector<int32_t>& shape, const Int32List& begin, const Int32List& end,
                const Int32List& stride, const std::vector<int32_t>& out,
                const OperatorOptions& options = {}) {
  return {.op = BuiltinOperator::kStridedSlice,
          .inputs = {{.shape = shape}, List(begin), List(end), List(stride)},
          .outputs = {{.shape = out}},
          .options = options};
}

// ---- Values.

TEST(Slice, CutsABox) {
  ExpectMoved(Slice({6}, {1}, {3}, {3}), {{1, 2, 3}});
  ExpectMoved(Slice({3, 4}, {1, 1}, {2, 2}, {2, 2}), {{5, 6, 9, 10}});
  ExpectMoved(Slice({3, 4}, {0, 0}, {3, 4}, {3, 4}), {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}});
  ExpectMoved(Slice({2, 2, 3}, {1, 0, 2}, {1, 2, 1}, {1, 2, 1}), {{8, 11}});
}

TEST(Slice, MinusOneReachesTheEnd) {
  ExpectMoved(Slice({3, 4}, {1, 2}, {-1, -1}, {2, 2}), {{6, 7, 10, 11}});
  OpModel model = Slice({3, 4}, {}, {}, {2, 2});
  model.inputs[1] = Constant({2}, Int64List{1, 2});
  model.inputs[2] = Constant({2}, Int64List{-1, 2});
  ExpectMoved(model, {{6, 7, 10, 11}});
}

// A model whose begin and size are inputs.
OpModel ComputedSlice(const std::vector<int32_t>& out, TensorType type = TensorType::kInt32) {
  const TensorSpec list = {.shape = {2}, .type = type};
  return {
      .op = BuiltinOperator::kSlice, .inputs = {{.shape = {3, 4}}, list, list}, .outputs = {{.shape = out}}};
}
const Int8List kTwelve = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

TEST(Slice, CutsABoxWhosePlaceIsComputed) {
  ExpectOutput(ComputedSlice({2, 2}), {kTwelve, Int32List{1, 1}, Int32List{2, 2}}, Int8List{5, 6, 9, 10});
  ExpectOutput(ComputedSlice({2, 2}), {kTwelve, Int32List{0, 2}, Int32List{2, -1}}, Int8List{2, 3, 6, 7});
  ExpectOutput(ComputedSlice({1, 4}, TensorType::kInt64), {kTwelve, Int64List{2, 0}, Int64List{-1, 4}},
               Int8List{8, 9, 10, 11});
  OpModel model = ComputedSlice({1, 3});
  model.inputs[2] = List({1, 3});
  ExpectOutput(model, {kTwelve, Int32List{2, 1}}, Int8List{9, 10, 11});
}

TEST(Slice, ComputedPlacesOutsideAreErrorsOfTheRun) {
  for (const int32_t begin : {-1, 2, INT32_MAX, INT32_MIN}) {
    ExpectInvalidInput(
        ComputedSlice({2, 2}), {kTwelve, Int32List{begin, 1}, Int32List{2, 2}},
        {.what = "begin", .rule = Rule::kRuntimeIndex, .blamed = 1, .found = begin, .required = 2});
  }
  ExpectInvalidInput(
      ComputedSlice({2, 2}, TensorType::kInt64), {kTwelve, Int64List{int64_t{1} << 32, 1}, Int64List{2, 2}},
      {.what = "wide", .rule = Rule::kRuntimeIndex, .blamed = 1, .found = INT32_MAX, .required = 2});
  for (const int32_t size : {-2, 0, 1, 3, -1}) {
    ExpectInvalidInput(
        ComputedSlice({2, 2}), {kTwelve, Int32List{0, 1}, Int32List{size, 2}},
        {.what = "size", .rule = Rule::kRuntimeShape, .blamed = 2, .found = size, .required = 2});
  }
}

TEST(StridedSlice, StepsForward) {
  ExpectMoved(Strided({7}, {1}, {6}, {2}, {3}), {{1, 3, 5}});
  ExpectMoved(Strided({7}, {0}, {7}, {3}, {3}), {{0, 3, 6}});
  ExpectMoved(Strided({3, 4}, {0, 1}, {3, 4}, {2, 2}, {2, 2}), {{1, 3, 9, 11}});
  // A stride beyond the end takes one element.
  ExpectMoved(Strided({7}, {2}, {7}, {INT32_MAX}, {1}), {{2}});
}

TEST(StridedSlice, StepsBackward) {
  ExpectMoved(Strided({5}, {4}, {0}, {-1}, {4}), {{4, 3, 2, 1}});
  ExpectMoved(Strided({5}, {3}, {-6}, {-2}, {2}), {{3, 1}});
  ExpectMoved(Strided({5}, {9}, {-9}, {-1}, {5}), {{4, 3, 2, 1, 0}});
  ExpectMoved(Strided({2, 3}, {1, 2}, {-3, -4}, {-1, -1}, {2, 3}), {{5, 4, 3, 2, 1, 0}});
}

TEST(StridedSlice, CountsFromTheEnd) {
  ExpectMoved(Strided({5}, {-3}, {-1}, {1}, {2}), {{2, 3}});
  // Begins and ends outside the input are moved to its edge.
  ExpectMoved(Strided({5}, {-9}, {2}, {1}, {2}), {{0, 1}});
  ExpectMoved(Strided({5}, {3}, {9}, {1}, {2}), {{3, 4}});
}

TEST(StridedSlice, MasksTakeTheEdge) {
  ExpectMoved(Strided({2, 3}, {1, 1}, {2, 3}, {1, 1}, {2, 2}, {.begin_mask = 1}), {{1, 2, 4, 5}});
  ExpectMoved(Strided({2, 3}, {0, 1}, {1, 2}, {1, 1}, {1, 2}, {.end_mask = 2}), {{1, 2}});
  // With a step of -1, a masked begin is the last element, and a masked end lies before the first.
  ExpectMoved(Strided({4}, {1}, {2}, {-1}, {4}, {.begin_mask = 1, .end_mask = 1}), {{3, 2, 1, 0}});
}

TEST(StridedSlice, ShrinksAxes) {
  ExpectMoved(Strided({3, 4}, {1, 0}, {2, 4}, {1, 1}, {4}, {.shrink_axis_mask = 1}), {{4, 5, 6, 7}});
  // The end of a dropped dimension is ignored.
  ExpectMoved(Strided({3, 4}, {0, -1}, {3, 0}, {1, 1}, {3}, {.shrink_axis_mask = 2}), {{3, 7, 11}});
  ExpectMoved(Strided({3, 4}, {2, 1}, {3, 2}, {1, 1}, {}, {.shrink_axis_mask = 3}), {{9}});
}

TEST(StridedSlice, MayListTheFirstAxesOnly) {
  ExpectMoved(Strided({3, 2, 2}, {1}, {3}, {1}, {2, 2, 2}), {{4, 5, 6, 7, 8, 9, 10, 11}});
}

TEST(StridedSlice, EndsMayBeOffsets) {
  ExpectMoved(Strided({6}, {2}, {3}, {1}, {3}, {.offset = true}), {{2, 3, 4}});
}

// ---- Memory: rows of 16 bytes or more move within one place.

TEST(Slice, RowsAreMovedInPlace) {
  const OpModel rows = Slice({15, 16}, {5, 0}, {10, 16}, {10, 16});
  EXPECT_EQ(ActivationBytes(rows, false), 240u + 160);
  EXPECT_EQ(ActivationBytes(rows), 240u);
  Order order;
  for (int i = 80; i < 240; ++i) order.push_back(i);
  ExpectMoved(rows, {order});
  // Takes every third row, and some of its columns.
  order.clear();
  for (int row = 1; row < 15; row += 3) {
    for (int column = 4; column < 36; ++column) order.push_back(row * 40 + column);
  }
  const OpModel strided = Strided({1, 15, 40}, {0, 1, 4}, {1, 15, 36}, {1, 3, 1}, {1, 5, 32});
  ExpectMoved(strided, {order});
  EXPECT_EQ(ActivationBytes(strided), 608u);
}

TEST(Slice, ReversedRowsAreKeptApart) {
  const OpModel model = Strided({5, 16}, {4, 0}, {-6, 16}, {-1, 1}, {5, 16});
  EXPECT_EQ(ActivationBytes(model), 160u);
}

// ---- Refusals.

constexpr Refusal kSliceRefusals[] = {
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"the input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"an output of another type", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"an output of 3 columns",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 3};
     },
     Rule::kOperandShape, Out(0), 3, 2},
};

constexpr Refusal kComputedSlice[] = {
    {"three begins of 2", [](OpModel& m) { m.inputs[1] = {.shape = {3}, .type = TensorType::kInt32}; },
     Rule::kElementCount, 1, 3, 2},
    {"begins of int8", [](OpModel& m) { m.inputs[1] = {.shape = {2}}; }, Rule::kOperandType, 1, 9, 2},
    {"an output of one dimension", [](OpModel& m) { m.outputs[0].shape = {4}; }, Rule::kOperandRank, Out(0),
     1, 2},
    {"an output of 5 columns",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 5};
     },
     Rule::kOperandShape, Out(0), 5, 4},
};

constexpr Refusal kSlice[] = {
    {"two inputs", DropInput, Rule::kInputCount, kNode, 2, 3},
    {"four inputs", AddInput, Rule::kInputCount, kNode, 4, 3},
    {"one begin of 2", [](OpModel& m) { m.inputs[1] = List({1}); }, Rule::kElementCount, 1, 1, 2},
    {"three sizes of 2",
     [](OpModel& m) {
       m.inputs[2] = List({1, 1, 1});
     },
     Rule::kElementCount, 2, 3, 2},
    {"begin -1",
     [](OpModel& m) {
       m.inputs[1] = List({1, -1});
     },
     Rule::kSliceRange, 1, -1, 4},
    {"begin 4 of 4",
     [](OpModel& m) {
       m.inputs[1] = List({1, 4});
     },
     Rule::kSliceRange, 1, 4, 4},
    {"size 0",
     [](OpModel& m) {
       m.inputs[2] = List({0, 2});
     },
     Rule::kSliceRange, 2, 0, 2},
    {"size -2",
     [](OpModel& m) {
       m.inputs[2] = List({-2, 2});
     },
     Rule::kSliceRange, 2, -2, 2},
    {"size 3 of 2",
     [](OpModel& m) {
       m.inputs[2] = List({3, 2});
     },
     Rule::kSliceRange, 2, 3, 2},
};

constexpr Refusal kStrided[] = {
    {"a begin that is not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired,
     1},
    {"an end that is not constant", [](OpModel& m) { m.inputs[2].data.clear(); }, Rule::kConstantRequired, 2},
    {"three inputs", DropInput, Rule::kInputCount, kNode, 3, 4},
    {"five inputs", AddInput, Rule::kInputCount, kNode, 5, 4},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"an ellipsis", [](OpModel& m) { m.options.ellipsis_mask = 2; }, Rule::kOptionValue, kNode, 2, 0},
    {"a new axis", [](OpModel& m) { m.options.new_axis_mask = 1; }, Rule::kOptionValue, kNode, 1, 0},
    {"three begins of 2",
     [](OpModel& m) {
       m.inputs[1] = List({0, 0, 0});
     },
     Rule::kElementCount, 1, 3, 2},
    {"one end and two begins", [](OpModel& m) { m.inputs[2] = List({3}); }, Rule::kElementCount, 2, 1, 2},
    {"one stride and two begins", [](OpModel& m) { m.inputs[3] = List({1}); }, Rule::kElementCount, 3, 1, 2},
    {"a stride of 0",
     [](OpModel& m) {
       m.inputs[3] = List({1, 0});
     },
     Rule::kOptionValue, 3, 0},
    {"nothing between begin and end",
     [](OpModel& m) {
       m.inputs[2] = List({1, 4});
     },
     Rule::kSliceRange, 1, 1, 3},
    {"a begin behind the end",
     [](OpModel& m) {
       m.inputs[1] = List({7, 1});
     },
     Rule::kSliceRange, 1, 3, 3},
    {"a shrunk axis behind the end",
     [](OpModel& m) {
       m.inputs[1] = List({3, 1});
       m.options.shrink_axis_mask = 1;
     },
     Rule::kSliceRange, 1, 3, 3},
    {"a shrunk axis before the beginning",
     [](OpModel& m) {
       m.inputs[1] = List({-9, 1});
       m.inputs[3] = List({-1, 1});
       m.options.shrink_axis_mask = 1;
     },
     Rule::kSliceRange, 1, -1, 3},
};

TEST(Slice, Refusals) {
  ExpectRefusals(Slice({3, 4}, {1, 1}, {2, 2}, {2, 2}), kSliceRefusals);
  ExpectRefusals(Slice({3, 4}, {1, 1}, {2, 2}, {2, 2}), kSlice);
  ExpectRefusals(ComputedSlice({2, 2}), kComputedSlice);
}

TEST(StridedSlice, Refusals) {
  const OpModel model = Strided({3, 4}, {1, 1}, {3, 3}, {1, 1}, {2, 2});
  ExpectRefusals(model, kSliceRefusals);
  ExpectRefusals(model, kStrided);
}

}  // namespace
}  // namespace lutra
