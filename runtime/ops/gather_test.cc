// SPDX-License-Identifier: Apache-2.0
// GATHER and GATHER_ND: indices of 32 and 64 bits, constant or computed, batches, and indices out of range.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel Gather(const std::vector<int32_t>& shape, const TensorSpec& indices, int axis,
               const std::vector<int32_t>& out, int batch_dims = 0) {
  return {.op = BuiltinOperator::kGather,
          .inputs = {{.shape = shape}, indices},
          .outputs = {{.shape = out}},
          .options = {.axis = axis, .batch_dims = batch_dims}};
}

OpModel GatherNd(const std::vector<int32_t>& shape, const TensorSpec& indices,
                 const std::vector<int32_t>& out) {
  return {
      .op = BuiltinOperator::kGatherNd, .inputs = {{.shape = shape}, indices}, .outputs = {{.shape = out}}};
}

// ---- Values.

TEST(Gather, TakesSlicesAlongAnAxis) {
  ExpectMoved(Gather({4}, Constant({3}, Int32List{3, 0, 3}), 0, {3}), {{3, 0, 3}});
  ExpectMoved(Gather({3, 2}, Constant({2}, Int32List{2, 0}), 0, {2, 2}), {{4, 5, 0, 1}});
  ExpectMoved(Gather({2, 3}, Constant({2}, Int32List{2, 0}), 1, {2, 2}), {{2, 0, 5, 3}});
  ExpectMoved(Gather({2, 3}, Constant({2}, Int32List{2, 0}), -1, {2, 2}), {{2, 0, 5, 3}});
  ExpectMoved(Gather({2, 2, 2}, Constant({1}, Int32List{1}), 1, {2, 1, 2}), {{2, 3, 6, 7}});
}

TEST(Gather, IndicesHaveAnyShapeAndWidth) {
  ExpectMoved(Gather({4}, Constant({}, Int32List{2}), 0, {}), {{2}});
  ExpectMoved(Gather({4}, Constant({2, 2}, Int32List{3, 2, 1, 0}), 0, {2, 2}), {{3, 2, 1, 0}});
  ExpectMoved(Gather({2, 2}, Constant({1, 2}, Int64List{1, 1}), 0, {1, 2, 2}), {{2, 3, 2, 3}});
}

TEST(Gather, BatchesHaveIndicesOfTheirOwn) {
  const TensorSpec indices = Constant({2, 2}, Int32List{2, 0, 1, 1});
  ExpectMoved(Gather({2, 3}, indices, 1, {2, 2}, 1), {{2, 0, 4, 4}});
  ExpectMoved(Gather({2, 3}, indices, -1, {2, 2}, -1), {{2, 0, 4, 4}});
  // The input is [2, 2, 3], with two indices for each of 2 batches.
  ExpectMoved(Gather({2, 2, 3}, indices, 2, {2, 2, 2}, 1), {{2, 0, 5, 3, 7, 7, 10, 10}});
}

TEST(Gather, IndicesMayBeComputed) {
  const OpModel model = Gather({3, 2}, {.shape = {2}, .type = TensorType::kInt32}, 0, {2, 2});
  ExpectOutput(model, {Int8List{1, 2, 3, 4, 5, 6}, Int32List{2, 0}}, Int8List{5, 6, 1, 2});
  const OpModel wide = Gather({3, 2}, {.shape = {2}, .type = TensorType::kInt64}, 0, {2, 2});
  ExpectOutput(wide, {Int8List{1, 2, 3, 4, 5, 6}, Int64List{2, 0}}, Int8List{5, 6, 1, 2});
}

TEST(GatherNd, TakesPointsAndRows) {
  ExpectMoved(GatherNd({2, 3}, Constant({2, 2}, Int32List{1, 2, 0, 0}), {2}), {{5, 0}});
  ExpectMoved(GatherNd({2, 3}, Constant({2, 1}, Int32List{1, 0}), {2, 3}), {{3, 4, 5, 0, 1, 2}});
  ExpectMoved(GatherNd({2, 3}, Constant({2}, Int64List{1, 1}), {}), {{4}});
  ExpectMoved(GatherNd({2, 2, 2}, Constant({1, 2, 2}, Int32List{1, 0, 0, 1}), {1, 2, 2}), {{4, 5, 2, 3}});
}

TEST(GatherNd, IndicesMayBeComputed) {
  const OpModel model = GatherNd({2, 3}, {.shape = {2, 2}, .type = TensorType::kInt32}, {2});
  ExpectOutput(model, {Int8List{1, 2, 3, 4, 5, 6}, Int32List{1, 2, 0, 1}}, Int8List{6, 2});
}

// Elements of 16 bytes are moved as a whole.
TEST(Gather, MovesElementsOfAnyFixedSize) {
  OpModel model = Gather({2}, Constant({2}, Int32List{1, 0}), 0, {2});
  model.inputs[0].type = model.outputs[0].type = TensorType::kComplex128;
  ExpectOutput(model, {Int64List{1, 2, 3, 4}}, Int64List{3, 4, 1, 2});
}

// The low half of this index would be in range.
TEST(Gather, WideIndicesAreCheckedWhole) {
  const Int64List far = {(1ll << 32) + 1};
  const ModelRun constant(Build(Gather({3}, Constant({1}, far), 0, {1})));
  EXPECT_EQ(constant.diagnosis().rule, Rule::kIndex);
  ModelRun computed(Build(Gather({3}, {.shape = {1}, .type = TensorType::kInt64}, 0, {1})));
  ASSERT_EQ(computed.status(), Status::kOk);
  EXPECT_EQ(computed.Invoke({Int8List{1, 2, 3}, far}), Status::kInvalidInput);
}

// ---- Errors of the run.

TEST(Gather, ComputedIndicesOutOfRangeAreErrorsOfTheRun) {
  const OpModel model = Gather({3, 2}, {.shape = {2}, .type = TensorType::kInt32}, 0, {2, 2});
  const Int8List values = {1, 2, 3, 4, 5, 6};
  ExpectInvalidInput(model, {values, Int32List{0, 3}},
                     {.what = "3 of 3", .rule = Rule::kRuntimeIndex, .blamed = 1, .found = 3, .required = 3});
  ExpectInvalidInput(model, {values, Int32List{-1, 0}},
                     {.what = "-1", .rule = Rule::kRuntimeIndex, .blamed = 1, .found = -1, .required = 3});
  const OpModel points = GatherNd({2, 3}, {.shape = {2, 2}, .type = TensorType::kInt64}, {2});
  ExpectInvalidInput(
      points, {values, Int64List{1, 2, 0, 3}},
      {.what = "column 3", .rule = Rule::kRuntimeIndex, .blamed = 1, .found = 3, .required = 3});
  ExpectInvalidInput(points, {values, Int64List{2, 2, 0, 0}},
                     {.what = "row 2", .rule = Rule::kRuntimeIndex, .blamed = 1, .found = 2, .required = 2});
}

// After an error, the next run is valid again.
TEST(Gather, AnErrorIsForgotten) {
  ModelRun run(Build(Gather({3}, {.shape = {1}, .type = TensorType::kInt32}, 0, {1})));
  ASSERT_EQ(run.status(), Status::kOk);
  EXPECT_EQ(run.Invoke({Int8List{1, 2, 3}, Int32List{7}}), Status::kInvalidInput);
  EXPECT_EQ(run.Invoke({Int8List{1, 2, 3}, Int32List{1}}), Status::kOk);
  EXPECT_EQ(run.Outputs()[0], ByteList{2});
}

// ---- Refusals.

template <TensorType kType>
void Become(OpModel& m) {
  m.inputs[0].type = m.outputs[0].type = kType;
}

constexpr Refusal kGatherRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"no data at all", Become<TensorType::kResource>, Rule::kOperandType, 0, 13},
    {"an output of another type", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"indices of int16",
     [](OpModel& m) {
       m.inputs[1] = Constant({2, 1}, Int16List{1, 0});
     },
     Rule::kOperandType, 1, 7, 2},
    {"index 3 of 3",
     [](OpModel& m) {
       m.inputs[1] = Constant({2, 1}, Int32List{2, 3});
     },
     Rule::kIndex, 1, 3, 3},
    {"index -1",
     [](OpModel& m) {
       m.inputs[1] = Constant({2, 1}, Int64List{-1, 0});
     },
     Rule::kIndex, 1, -1, 3},
    {"an output of another shape", [](OpModel& m) { m.outputs[0].shape.back() = 9; }, Rule::kOperandShape,
     Out(0), 9, 2},
};

constexpr Refusal kGather[] = {
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"axis 2 of 2", [](OpModel& m) { m.options.axis = 2; }, Rule::kAxis, 0, 2, 2},
    {"axis -3 of 2", [](OpModel& m) { m.options.axis = -3; }, Rule::kAxis, 0, -3, 2},
    {"more batch dimensions than the axis", [](OpModel& m) { m.options.batch_dims = 1; }, Rule::kAxis, 1, 1,
     0},
    {"more batch dimensions than indices have",
     [](OpModel& m) {
       m.options.axis = 1;
       m.options.batch_dims = 3;
     },
     Rule::kAxis, 1, 3, 1},
    {"batch dimension -3 of 2", [](OpModel& m) { m.options.batch_dims = -3; }, Rule::kAxis, 1, -3, 0},
    {"batches of 3 and of 2",
     [](OpModel& m) {
       m.options.axis = 1;
       m.options.batch_dims = 1;
     },
     Rule::kOperandShape, 1, 2, 3},
    {"9 dimensions of the output",
     [](OpModel& m) {
       m.inputs[1] = Constant({1, 1, 1, 1, 1, 1, 1, 2}, Int32List{0, 0});
     },
     Rule::kOperandRank, 1, 8},
};

constexpr Refusal kGatherOfEight[] = {{"9 dimensions behind the axis",
                                       [](OpModel& m) { m.inputs[0].shape = {3, 1, 1, 1, 1, 1, 1, 2}; },
                                       Rule::kOperandRank, 1, 2}};

constexpr Refusal kGatherNd[] = {
    {"an index without dimensions", [](OpModel& m) { m.inputs[1] = Constant({}, Int32List{0}); },
     Rule::kOperandRank, 1, 0, 1},
    {"3 coordinates of 2",
     [](OpModel& m) {
       m.inputs[1] = Constant({1, 3}, Int32List{0, 0, 0});
     },
     Rule::kOperandShape, 1, 3, 2},
    {"9 dimensions of the output",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 1, 1, 3, 2};
       m.inputs[1] = Constant({1, 1, 1, 1, 2, 1}, Int32List{0, 0});
     },
     Rule::kOperandRank, 1, 6},
};

TEST(Gather, Refusals) {
  const OpModel gather = Gather({3, 2}, Constant({2, 1}, Int32List{2, 0}), 0, {2, 1, 2});
  ExpectRefusals(gather, kGatherRefusals);
  ExpectRefusals(gather, kGather);
  ExpectRefusals(gather, kGatherOfEight);
  const OpModel points = GatherNd({3, 2}, Constant({2, 1}, Int32List{2, 0}), {2, 2});
  ExpectRefusals(points, kGatherRefusals);
  ExpectRefusals(points, kGatherNd);
}

}  // namespace
}  // namespace lutra
