// SPDX-License-Identifier: Apache-2.0
// BATCH_MATMUL: both sides transposed or not, batches broadcast, both zero points.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

// The scales make each sum the output's code.
OpModel BatchMatmulModel(const std::vector<int32_t>& lhs, const std::vector<int32_t>& rhs,
                         const std::vector<int32_t>& output) {
  return {.op = BuiltinOperator::kBatchMatmul,
          .inputs = {{.shape = lhs, .scale = 0.5f}, {.shape = rhs, .scale = 0.25f}},
          .outputs = {{.shape = output, .scale = 0.125f}}};
}

// ---- Values.

// [1 2 3; 4 5 6] by [1 -1; 2 0; 3 1] is [14 2; 32 2].
TEST(BatchMatmul, Int8) {
  OpModel model = BatchMatmulModel({2, 3}, {3, 2}, {2, 2});
  model.inputs[0].zero_point = 10;
  model.inputs[1].zero_point = -20;
  model.outputs[0].zero_point = 5;
  const Int8List lhs = {11, 12, 13, 14, 15, 16};
  const Int8List rhs = {-19, -21, -18, -20, -17, -19};
  ExpectOutput(model, {lhs, rhs}, Int8List{19, 7, 37, 7});
}

TEST(BatchMatmul, EitherSideMayBeTransposed) {
  const Int8List lhs = {1, 2, 3, 4, 5, 6};
  const Int8List lhs_transposed = {1, 4, 2, 5, 3, 6};
  const Int8List rhs = {1, -1, 2, 0, 3, 1};
  const Int8List rhs_transposed = {1, 2, 3, -1, 0, 1};
  const Int8List product = {14, 2, 32, 2};
  ExpectOutput(BatchMatmulModel({2, 3}, {3, 2}, {2, 2}), {lhs, rhs}, product);
  OpModel model = BatchMatmulModel({3, 2}, {3, 2}, {2, 2});
  model.options.adj_x = true;
  ExpectOutput(model, {lhs_transposed, rhs}, product);
  model.inputs[1].shape = {2, 3};
  model.options.adj_y = true;
  ExpectOutput(model, {lhs_transposed, rhs_transposed}, product);
  model.inputs[0].shape = {2, 3};
  model.options.adj_x = false;
  ExpectOutput(model, {lhs, rhs_transposed}, product);
}

TEST(BatchMatmul, BatchesAreBroadcast) {
  // Rows of one element: matrices 1, 2, ... by 10, 20, ... give one product each.
  const auto expect = [](const std::vector<int32_t>& a, const std::vector<int32_t>& b,
                         const std::vector<int32_t>& out, const Int8List& expected) {
    int a_count = 1;
    for (const int32_t dim : a) a_count *= dim;
    int b_count = 1;
    for (const int32_t dim : b) b_count *= dim;
    Int8List tens = Counting<int8_t>(b_count);
    for (int8_t& value : tens) value = static_cast<int8_t>(value * 10);
    ExpectOutput(BatchMatmulModel(a, b, out), {Counting<int8_t>(a_count), tens}, expected);
  };
  expect({3, 1, 1}, {3, 1, 1}, {3, 1, 1}, {10, 40, 90});
  expect({3, 1, 1}, {1, 1}, {3, 1, 1}, {10, 20, 30});
  expect({1, 1}, {3, 1, 1}, {3, 1, 1}, {10, 20, 30});
  expect({2, 1, 1, 1}, {3, 1, 1}, {2, 3, 1, 1}, {10, 20, 30, 20, 40, 60});
  expect({2, 1, 2, 1, 1}, {3, 1, 1, 1}, {2, 3, 2, 1, 1}, {10, 20, 20, 40, 30, 60, 30, 40, 60, 80, 90, 120});
}

TEST(BatchMatmul, BatchesOfMatrices) {
  // [1 2; 3 4] and [5 6; 7 8] are both multiplied by [1 10; 0 1].
  ExpectOutput(BatchMatmulModel({2, 2, 2}, {2, 2}, {2, 2, 2}), {Counting<int8_t>(8), Int8List{1, 10, 0, 1}},
               Int8List{1, 12, 3, 34, 5, 56, 7, 78});
}

// Some depths and numbers of columns fill the kernel's blocks, others do not.
TEST(BatchMatmul, TakesAnySize) {
  for (const int32_t depth : {1, 17, 128, 129, 200}) {
    for (const int32_t columns : {1, 10, 64, 65}) {
      SCOPED_TRACE(testing::Message() << depth << " to " << columns);
      const Int8List lhs = Pattern(2 * depth, 11, 7);
      const Int8List rhs = Pattern(columns * depth, 7, 5);
      const Int8List product = ProductOf(lhs, rhs, depth);
      OpModel model = BatchMatmulModel({2, depth}, {columns, depth}, {2, columns});
      model.options.adj_y = true;
      ExpectOutput(model, {lhs, rhs}, product);
      Int8List plain;
      for (int32_t i = 0; i < depth * columns; ++i) plain.push_back(rhs[i % columns * depth + i / columns]);
      ExpectOutput(BatchMatmulModel({2, depth}, {depth, columns}, {2, columns}), {lhs, plain}, product);
    }
  }
}

// The product of the scales is rounded to float32: in double, the sum 204429 would give 36 (int8-ops 1.9).
TEST(BatchMatmul, FactorsAreFloat32) {
  Int8List lhs(14, 127);
  lhs[13] = 86;
  Int8List rhs(14, 127);
  rhs[12] = 85;
  rhs[13] = 1;
  OpModel model = BatchMatmulModel({1, 14}, {14, 1}, {1, 1});
  model.inputs[0].scale = 0.00787343643605709f;
  model.inputs[1].scale = 0.009589510038495064f;
  model.outputs[0].scale = 0.4228748381137848f;
  ExpectOutput(model, {lhs, rhs}, Int8List{37});
}

TEST(BatchMatmul, Float) {
  OpModel model = BatchMatmulModel({2, 1, 2}, {2, 2}, {2, 1, 2});
  for (TensorSpec* spec : {&model.inputs[0], &model.inputs[1], &model.outputs[0]}) {
    spec->type = TensorType::kFloat32;
  }
  ExpectOutput(model, {FloatList{1, 2, -3, 0.5f}, FloatList{1, 0.25f, -1, 2}},
               FloatList{-1, 4.25f, -3.5f, 0.25f});
}

TEST(BatchMatmul, TheRightSideMayBeConstant) {
  OpModel model = BatchMatmulModel({1, 2}, {2, 1}, {1, 1});
  model.inputs[1].data = {3, 4};
  ExpectOutput(model, {Int8List{5, 6}}, Int8List{39});
}

// ---- Refusals.

constexpr Refusal kBatchMatmulRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"a list", [](OpModel& m) { m.inputs[0].shape = {3}; }, Rule::kOperandRank, 0, 1, 2},
    {"6 dimensions", [](OpModel& m) { m.inputs[1].shape = {1, 1, 1, 1, 3, 2}; }, Rule::kOperandRank, 1, 6, 5},
    {"depths of 3 and of 2",
     [](OpModel& m) {
       m.inputs[1].shape = {2, 2};
     },
     Rule::kOperandShape, 1, 2, 3},
    {"a side that is not transposed", [](OpModel& m) { m.options.adj_x = true; }, Rule::kOperandShape, 1, 3,
     2},
    {"2 and 3 matrices",
     [](OpModel& m) {
       m.inputs[0].shape = {2, 2, 3};
       m.inputs[1].shape = {3, 3, 2};
     },
     Rule::kBroadcast, 1},
    {"an output of 3 columns",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 3};
     },
     Rule::kOperandShape, Out(0), 3, 2},
    {"an output of another rank",
     [](OpModel& m) {
       m.outputs[0].shape = {1, 2, 2};
     },
     Rule::kOperandRank, Out(0), 3, 2},
};

constexpr Refusal kBatchMatmulInt8[] = {
    {"a hybrid", SetInputType<0, TensorType::kFloat32>, Rule::kHybrid, 1},
    {"int32", SetInputType<0, TensorType::kInt32>, Rule::kOperandType, 0, 2, 9},
    {"uint8", SetInputType<1, TensorType::kUInt8>, Rule::kUint8, 1},
    {"an int32 output", SetOutputType<TensorType::kInt32>, Rule::kOperandType, Out(0), 2, 9},
    {"no scale in front", RemoveScaleOfInput0, Rule::kQuantizationMissing, 0},
    {"no scale behind", [](OpModel& m) { m.inputs[1].scale = 0; }, Rule::kQuantizationMissing, 1},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"a factor of 2^31", [](OpModel& m) { m.outputs[0].scale = 0x1p-34f; }, Rule::kMultiplierRange, Out(0)},
};

constexpr Refusal kBatchMatmulFloat[] = {
    {"an int8 output", SetOutputType<TensorType::kInt8>, Rule::kOperandType, Out(0), 9, 0}};

TEST(BatchMatmul, Refusals) {
  OpModel model = BatchMatmulModel({2, 3}, {3, 2}, {2, 2});
  ExpectRefusals(model, kBatchMatmulRefusals);
  ExpectRefusals(model, kBatchMatmulInt8);
  for (TensorSpec* spec : {&model.inputs[0], &model.inputs[1], &model.outputs[0]}) {
    spec->type = TensorType::kFloat32;
  }
  ExpectRefusals(model, kBatchMatmulRefusals);
  ExpectRefusals(model, kBatchMatmulFloat);
}

}  // namespace
}  // namespace lutra
