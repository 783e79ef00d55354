// SPDX-License-Identifier: Apache-2.0
// Tests the facts that tools get: one row for each operator, multiply-accumulates counted by hand, and models
// that were not prepared.

#include "lutra/ops/facts.h"

#include <cstring>

#include "lutra/ops/ops.h"
#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

TEST(Facts, AreThoseOfTheOperators) {
  const Span<const OperatorFacts> facts = AllOperatorFacts();
  size_t builtin = 0;
  for (const Op& op : AllOps()) {
    if (op.code == BuiltinOperator::kCustom) continue;
    ++builtin;
    const OperatorFacts* found = FactsOf(op.code);
    ASSERT_NE(found, nullptr) << ToString(op.code);
    EXPECT_EQ(found->code, op.code);
    EXPECT_EQ(found->compressible_inputs, op.compressible_inputs) << ToString(op.code);
    // An input that prepare reads cannot be decoded later.
    if (op.compressible_inputs != kAllInputs) {
      EXPECT_EQ(found->compressible_inputs & found->constant_inputs, kNoInputs) << ToString(op.code);
    }
  }
  EXPECT_EQ(facts.size(), builtin);
  EXPECT_EQ(FactsOf(BuiltinOperator::kTile), nullptr);
  EXPECT_EQ(FactsOf(BuiltinOperator::kCustom), nullptr);
}

int64_t MacsOf(BuiltinOperator op, const std::vector<std::vector<int32_t>>& inputs,
               const std::vector<std::vector<int32_t>>& outputs, const OperatorOptions& options = {}) {
  OpModel model = {.op = op, .options = options};
  for (const std::vector<int32_t>& shape : inputs) model.inputs.push_back({.shape = shape});
  for (const std::vector<int32_t>& shape : outputs) model.outputs.push_back({.shape = shape});
  const Loaded file(Build(model));
  EXPECT_EQ(file.status, Status::kOk);
  return FactsOf(op)->macs(OperandShapes(file.model, 0, 0));
}

TEST(Facts, CountMultiplyAccumulates) {
  using Code = BuiltinOperator;
  // 5 x 4 pixels of 6 channels, each from 3 x 3 taps of 2 channels.
  EXPECT_EQ(MacsOf(Code::kConv2D, {{1, 5, 4, 2}, {6, 3, 3, 2}, {6}}, {{1, 5, 4, 6}}), 120 * 18);
  EXPECT_EQ(MacsOf(Code::kDepthwiseConv2D, {{1, 5, 4, 2}, {1, 3, 3, 6}, {6}}, {{1, 5, 4, 6}}), 120 * 9);
  // Each of 40 values is multiplied with 9 taps of 6 filters.
  EXPECT_EQ(MacsOf(Code::kTransposeConv, {{4}, {6, 3, 3, 2}, {1, 5, 4, 2}}, {{1, 10, 8, 6}}), 40 * 54);
  EXPECT_EQ(MacsOf(Code::kFullyConnected, {{3, 10}, {7, 10}}, {{3, 7}}), 3 * 7 * 10);
  EXPECT_EQ(MacsOf(Code::kBatchMatmul, {{2, 3, 5}, {5, 4}}, {{2, 3, 4}}), 24 * 5);
  EXPECT_EQ(MacsOf(Code::kBatchMatmul, {{2, 5, 3}, {5, 4}}, {{2, 3, 4}}, {.adj_x = true}), 24 * 5);
  // 2 sequences of 5 steps, 4 gates of 3 units with 7 inputs and 3 hidden values.
  std::vector<std::vector<int32_t>> lstm(9, {3, 3});
  lstm[0] = {2, 5, 7};
  lstm[1] = {3, 7};
  EXPECT_EQ(MacsOf(Code::kUnidirectionalSequenceLstm, lstm, {{2, 5, 3}}), 2 * 5 * 4 * 3 * (7 + 3));
  // 8 filters of 10 values and a memory of 4, for 2 batches.
  EXPECT_EQ(MacsOf(Code::kSvdf, {{2, 10}, {8, 10}, {8, 4}}, {{2, 8}}), 2 * (80 + 32));
}

// Operands that are missing or have another rank make the count 0.
TEST(Facts, TakeModelsThatNobodyPrepared) {
  using Code = BuiltinOperator;
  for (const Code op : {Code::kConv2D, Code::kDepthwiseConv2D, Code::kTransposeConv}) {
    EXPECT_EQ(MacsOf(op, {{1, 5, 4, 2}}, {{1, 5, 4, 6}}), 0);
    EXPECT_EQ(MacsOf(op, {{1, 5, 4, 2}, {18}}, {{1, 5, 4, 6}}), 0);
  }
  EXPECT_EQ(MacsOf(Code::kBatchMatmul, {{5}, {5, 4}}, {{4}}), 0);
  EXPECT_EQ(MacsOf(Code::kBatchMatmul, {{3, 5}, {5, 4}}, {{3, 4}}, {.table = OptionsTable::kForeign}), 0);
  EXPECT_GE(MacsOf(Code::kFullyConnected, {}, {}), 0);
  EXPECT_GE(MacsOf(Code::kSvdf, {}, {}), 0);
  EXPECT_EQ(MacsOf(Code::kUnidirectionalSequenceLstm, {}, {}), 0);
}

TEST(Facts, AreSortedByName) {
  const Span<const OperatorFacts> facts = AllOperatorFacts();
  const auto without_underscores = [](BuiltinOperator code) {
    std::string name;
    for (const char* c = ToString(code); *c != 0; ++c) {
      if (*c != '_') name += *c;
    }
    return name;
  };
  for (size_t i = 1; i < facts.size(); ++i) {
    EXPECT_LT(without_underscores(facts[i - 1].code), without_underscores(facts[i].code));
  }
}

}  // namespace
}  // namespace lutra
