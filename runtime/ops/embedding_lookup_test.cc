// SPDX-License-Identifier: Apache-2.0
// EMBEDDING_LOOKUP.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

OpModel EmbeddingLookupModel(TensorType table, TensorType output) {
  return {.op = BuiltinOperator::kEmbeddingLookup,
          .inputs = {{.shape = {3}, .type = TensorType::kInt32}, {.shape = {2, 1, 2}, .type = table}},
          .outputs = {{.shape = {3, 1, 2}, .type = output}}};
}

TEST(EmbeddingLookup, CopiesRows) {
  ExpectOutput(EmbeddingLookupModel(TensorType::kFloat32, TensorType::kFloat32),
               {Int32List{1, 0, 1}, FloatList{1, 2, 3, 4}}, FloatList{3, 4, 1, 2, 3, 4});
  ExpectOutput(EmbeddingLookupModel(TensorType::kInt8, TensorType::kInt8),
               {Int32List{0, 0, 1}, Int8List{1, 2, -3, 4}}, Int8List{1, 2, 1, 2, -3, 4});
}

TEST(EmbeddingLookup, MakesRealsOfCodes) {
  OpModel model = EmbeddingLookupModel(TensorType::kInt8, TensorType::kFloat32);
  model.inputs[1].scale = 0.25f;
  ExpectOutput(model, {Int32List{1, 0, 1}, Int8List{1, -2, 127, -128}},
               FloatList{31.75f, -32, 0.25f, -0.5f, 31.75f, -32});
}

TEST(EmbeddingLookup, IdsOutsideAreAnErrorOfTheRun) {
  for (const int32_t id : {-1, 2, INT32_MIN}) {
    ExpectInvalidInput(
        EmbeddingLookupModel(TensorType::kInt8, TensorType::kInt8),
        {Int32List{0, id, 0}, Int8List{1, 2, 3, 4}},
        {.what = "outside", .rule = Rule::kRuntimeIndex, .blamed = 0, .found = id, .required = 2});
  }
}

constexpr Refusal kEmbeddingLookupRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"int64 ids", SetInputType<0, TensorType::kInt64>, Rule::kOperandType, 0, 4, 2},
    {"a matrix of ids",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 3};
     },
     Rule::kOperandRank, 0, 2, 1},
    {"a list", [](OpModel& m) { m.inputs[1].shape = {4}; }, Rule::kOperandRank, 1, 1, 2},
    {"int16", SetInputType<1, TensorType::kInt16>, Rule::kOperandType, 1, 7, 0},
    {"float32 to int8", SetOutputType<TensorType::kInt8>, Rule::kTypesDiffer, Out(0), 9, 0},
    {"codes without a scale, to reals", SetInputType<1, TensorType::kInt8>, Rule::kQuantizationMissing, 1},
    {"a zero point",
     [](OpModel& m) {
       m.inputs[1].type = TensorType::kInt8;
       m.inputs[1].scale = 1;
       m.inputs[1].zero_point = 3;
     },
     Rule::kZeroPointZero, 1, 3, 0},
    {"an output of 2 rows",
     [](OpModel& m) {
       m.outputs[0].shape = {2, 1, 2};
     },
     Rule::kOperandShape, Out(0), 2, 3},
};
TEST(EmbeddingLookup, Refusals) {
  ExpectRefusals(EmbeddingLookupModel(TensorType::kFloat32, TensorType::kFloat32), kEmbeddingLookupRefusals);
}

}  // namespace
}  // namespace lutra
