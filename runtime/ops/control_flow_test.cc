// SPDX-License-Identifier: Apache-2.0
// CALL_ONCE, IF, WHILE: how often subgraphs run, inputs and outputs of calls, state of subgraphs that are
// called twice, and graphs that are refused.

#include "lutra/diagnosis_text.h"
#include "runtime/testing/call_models.h"
#include "runtime/testing/custom_options.h"
#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using call_models::AddBranch;
using call_models::Constant;
using call_models::Doubled;
using call_models::kCount;
using call_models::kFlag;
using call_models::kPair;
using call_models::Nested;
using call_models::Twice;

constexpr BuiltinOperator kCallOnce = BuiltinOperator::kCallOnce;
constexpr BuiltinOperator kIf = BuiltinOperator::kIf;
constexpr BuiltinOperator kWhile = BuiltinOperator::kWhile;

// ---- CALL_ONCE.

// Subgraph 1 assigns a constant; two nodes can call it.
std::vector<uint8_t> Initialised(int calls) {
  const TensorSpec resource = {.shape = {1}, .type = TensorType::kResource};
  ModelBuilder builder;
  const int x = builder.AddTensor(kPair);
  const int handle = builder.AddTensor(resource);
  const int y = builder.AddTensor(kPair);
  for (int i = 0; i < calls; ++i) builder.AddOperator(kCallOnce, {}, {}, {.init_subgraph = 1});
  builder.AddOperator(BuiltinOperator::kVarHandle, {}, {handle});
  builder.AddOperator(BuiltinOperator::kReadVariable, {handle}, {y});
  builder.AddOperator(BuiltinOperator::kAssignVariable, {handle, x}, {});
  builder.EndSubgraph({x}, {y});
  const int inner = builder.AddTensor(resource);
  const int value = builder.AddTensor(Constant(kPair, {40, 50}));
  builder.AddOperator(BuiltinOperator::kVarHandle, {}, {inner});
  builder.AddOperator(BuiltinOperator::kAssignVariable, {inner, value}, {});
  return builder.Finish({}, {});
}

TEST(CallOnce, RunsAtTheFirstRunAlone) {
  for (const int calls : {1, 2}) {
    ExpectSequence(Initialised(calls), {{Int32List{1, 2}}, {Int32List{3, 4}}, {Int32List{5, 6}}},
                   {Int32List{40, 50}, Int32List{1, 2}, Int32List{3, 4}});
  }
}

// ---- IF.

// The inputs are a flag and a pair.
std::vector<uint8_t> Choice() {
  ModelBuilder builder;
  const int flag = builder.AddTensor(kFlag);
  const int x = builder.AddTensor(kPair);
  const int y = builder.AddTensor(kPair);
  const int twice = builder.AddTensor(kPair);
  builder.AddOperator(kIf, {flag, x}, {y}, {.called = {1, 2}});
  builder.AddOperator(BuiltinOperator::kAdd, {y, x}, {twice});
  builder.EndSubgraph({flag, x}, {twice});
  AddBranch(builder, 10);
  AddBranch(builder, 100);
  return builder.Finish({}, {});
}

TEST(If, RunsOneBranch) {
  ExpectSequence(
      Choice(),
      {{ByteList{1}, Int32List{1, 2}}, {ByteList{0}, Int32List{1, 2}}, {ByteList{2}, Int32List{3, 4}}},
      {Int32List{12, 15}, Int32List{102, 105}, Int32List{16, 19}});
}

// One branch returns its input, the other a constant and the other half of its input.
TEST(If, BranchesMayHaveNoOperators) {
  ModelBuilder builder;
  const int flag = builder.AddTensor(kFlag);
  const int a = builder.AddTensor(kPair);
  const int b = builder.AddTensor(kPair);
  const int y = builder.AddTensor(kPair);
  const int z = builder.AddTensor(kPair);
  builder.AddOperator(kIf, {flag, a, b}, {y, z}, {.called = {1, 2}});
  const int sum = builder.AddTensor(kPair);
  const int three = builder.AddTensor(Constant(kPair, {1000, 1000}));
  const int scaled = builder.AddTensor(kPair);
  builder.AddOperator(BuiltinOperator::kMul, {z, three}, {scaled});
  builder.AddOperator(BuiltinOperator::kAdd, {y, scaled}, {sum});
  builder.EndSubgraph({flag, a, b}, {sum});
  builder.AddTensor(kPair);
  builder.AddTensor(kPair);
  builder.EndSubgraph({0, 1}, {1, 0});
  builder.AddTensor(kPair);
  builder.AddTensor(kPair);
  builder.AddTensor(Constant(kPair, {-5, 7}));
  const std::vector<uint8_t> model = builder.Finish({0, 1}, {2, 1});
  ExpectSequence(
      model,
      {{ByteList{1}, Int32List{1, 2}, Int32List{3, 4}}, {ByteList{0}, Int32List{1, 2}, Int32List{3, 4}}},
      {Int32List{1003, 2004}, Int32List{2995, 4007}});
}

// ---- WHILE.

TEST(While, RunsAsLongAsItsConditionHolds) {
  const auto inputs = [](int32_t count, int32_t end) {
    return ValueLists{Int32List{count}, Int32List{end}, Int32List{3, -1}};
  };
  ExpectSequence(Doubled(), {inputs(0, 4), inputs(5, 5), inputs(7, 5), inputs(-1, 0), inputs(0, 20)},
                 {Int32List{48, -16}, Int32List{3, -1}, Int32List{3, -1}, Int32List{6, -2},
                  Int32List{3 << 20, -(1 << 20)}});
}

TEST(While, EndsAtTheLimit) {
  const ValueLists endless = {Int32List{0}, Int32List{1000}, Int32List{1, 1}};
  ModelRun run(Doubled(), {.loop_limit = 999});
  ASSERT_EQ(run.status(), Status::kOk);
  EXPECT_EQ(run.Invoke(endless), Status::kInvalidInput);
  EXPECT_STREQ(Describe(run.diagnosis().rule).name, "loop-limit");
  EXPECT_EQ(run.diagnosis().node, 0);
  ModelRun other(Doubled(), {.loop_limit = 1000});
  EXPECT_EQ(other.Invoke(endless), Status::kOk);
  // By default an endless loop is ended, too.
  ModelRun usual(Doubled());
  EXPECT_EQ(usual.Invoke({Int32List{0}, Int32List{INT32_MAX}, Int32List{1, 1}}), Status::kInvalidInput);
  EXPECT_EQ(usual.Invoke({Int32List{0}, Int32List{2}, Int32List{1, 1}}), Status::kOk);
}

TEST(While, BodiesMayCallToo) {
  ExpectSequence(
      Nested(),
      {{Int32List{0}, Int32List{3}, Int32List{1, 2}}, {Int32List{1}, Int32List{2}, Int32List{1, 2}}},
      {Int32List{21 * 21, 24 * 24}, Int32List{11, 13}});
}

// Each layer, before the loop and in it, computes the next pair of Fibonacci's numbers with weights of int4.
TEST(While, DecodesWeightsInEachTurn) {
  const TensorSpec row = {.shape = {1, 2}, .scale = 1};
  const TensorSpec weights = {.shape = {2, 2}, .type = TensorType::kInt4, .scale = 1, .data = {0x10, 0x11}};
  const auto add_layer = [&](ModelBuilder& builder, int x, int y) {
    const int w = builder.AddTensor(weights);
    builder.AddOperator(BuiltinOperator::kFullyConnected, {x, w}, {y});
  };
  ModelBuilder builder;
  for (const TensorSpec& spec : {kCount, kCount, row, row, kCount, kCount, row}) builder.AddTensor(spec);
  add_layer(builder, 2, 3);
  builder.AddOperator(kWhile, {0, 1, 3}, {4, 5, 6}, {.called = {1, 2}});
  builder.EndSubgraph({0, 1, 2}, {6});
  for (const TensorSpec& spec : {kCount, kCount, row, kFlag}) builder.AddTensor(spec);
  builder.AddOperator(BuiltinOperator::kLess, {0, 1}, {3});
  builder.EndSubgraph({0, 1, 2}, {3});
  for (const TensorSpec& spec : {kCount, kCount, row, kCount, row}) builder.AddTensor(spec);
  const int one = builder.AddTensor(Constant(kCount, {1}));
  builder.AddOperator(BuiltinOperator::kAdd, {0, one}, {3});
  add_layer(builder, 2, 4);
  const std::vector<uint8_t> model = builder.Finish({0, 1, 2}, {3, 1, 4});
  ExpectSequence(model,
                 {{Int32List{0}, Int32List{4}, Int8List{0, 1}}, {Int32List{0}, Int32List{7}, Int8List{0, 1}}},
                 {Int8List{5, 8}, Int8List{21, 34}});
}

// ---- Subgraphs that are called twice.

TEST(Calls, SubgraphsMayBeCalledTwice) {
  ExpectSequence(Twice(), {{ByteList{1}, Int32List{1, 2}}, {ByteList{0}, Int32List{1, 2}}},
                 {Int32List{122, 171}, Int32List{12, 17}});
}

// An operator has one state, whichever node calls its subgraph.
TEST(Calls, ASubgraphHasOneState) {
  const TensorSpec samples = {.shape = {2}, .type = TensorType::kInt16};
  ModelBuilder builder;
  for (const TensorSpec& spec : {kFlag, samples, samples, samples}) builder.AddTensor(spec);
  builder.AddOperator(kIf, {0, 1}, {2}, {.called = {1, 1}});
  builder.AddOperator(kIf, {0, 2}, {3}, {.called = {1, 1}});
  builder.EndSubgraph({0, 1}, {3});
  builder.AddTensor(samples);
  builder.AddTensor(samples);
  builder.AddCustomOperator("SignalDelay", {0}, {1}, FlexMap({{"delay_length", 2}}));
  const std::vector<uint8_t> model = builder.Finish({0}, {1});
  // The first call returns the second call's values of the inference before, the second call the first's of
  // this inference.
  ExpectSequence(
      model, {{ByteList{1}, Int16List{1, 2}}, {ByteList{0}, Int16List{3, 4}}, {ByteList{1}, Int16List{5, 6}}},
      {Int16List{1, 2}, Int16List{3, 4}, Int16List{5, 6}});
}

// ---- Refusals.

struct Wrong {
  const char* what;
  Rule rule;
  void (*change)(struct WrongCalls& calls);
  int32_t found = kNoValue;
  int32_t required = kNoValue;
};

// A model with one IF or WHILE; each row changes one thing.
struct WrongCalls {
  BuiltinOperator op = kIf;
  TensorSpec condition = kFlag;
  TensorSpec outer = kPair;
  TensorSpec inner_input = kPair;
  TensorSpec inner_output = kPair;
  std::vector<int> inputs = {0, 1};
  std::vector<int> outputs = {2};
  std::vector<int> inner_inputs = {0};
  std::vector<int> inner_outputs = {1};
  OperatorOptions options = {.called = {1, 1}};
  int inner_call = 0;  // Not 0: the subgraph calls this subgraph.

  std::vector<uint8_t> Build() const {
    ModelBuilder builder;
    for (const TensorSpec& spec : {condition, outer, outer, outer}) builder.AddTensor(spec);
    builder.AddOperator(op, inputs, outputs, options);
    builder.EndSubgraph({0, 1, 3}, outputs);
    builder.AddTensor(inner_input);
    builder.AddTensor(inner_output);
    builder.AddTensor(kFlag);
    builder.AddOperator(BuiltinOperator::kAdd, {0, 0}, {1});
    if (inner_call != 0) {
      const int y = builder.AddTensor(inner_output);
      const int flag = builder.AddTensor({.shape = {1}, .type = TensorType::kBool, .data = {1}});
      builder.AddOperator(kIf, {flag, 0}, {y}, {.called = {inner_call, inner_call}});
    }
    builder.EndSubgraph(inner_inputs, inner_outputs);
    builder.AddTensor(inner_input);
    builder.AddTensor(inner_output);
    builder.AddOperator(kIf, {}, {}, {.called = {1, 1}});
    return builder.Finish({0}, {1});
  }
};

TEST(Calls, Refusals) {
  const TensorSpec three = {.shape = {3}, .type = TensorType::kInt32};
  static const TensorSpec* wide = nullptr;
  wide = &three;
  const Wrong rows[] = {
      {"nobody", Rule::kOptionsMissing, [](WrongCalls& c) { c.options.table = OptionsTable::kNone; }},
      {"another subgraph than there are", Rule::kSubgraphCount,
       [](WrongCalls& c) { c.options.called[1] = 3; }, 3, 3},
      {"below 0", Rule::kSubgraphCount, [](WrongCalls& c) { c.options.called[0] = -1; }, -1, 3},
      {"the main graph", Rule::kRecursion, [](WrongCalls& c) { c.options.called[0] = 0; }},
      {"itself", Rule::kRecursion, [](WrongCalls& c) { c.inner_call = 1; }},
      {"one that calls it", Rule::kRecursion, [](WrongCalls& c) { c.inner_call = 2; }},
      {"no condition", Rule::kInputCount, [](WrongCalls& c) { c.inputs = {}; }, 0, 1},
      {"a condition of int32", Rule::kOperandType, [](WrongCalls& c) { c.condition = kCount; }, 2, 6},
      {"two conditions", Rule::kOperandShape, [](WrongCalls& c) { c.condition.shape = {2}; }, 2, 1},
      {"more inputs", Rule::kCalledSubgraph,
       [](WrongCalls& c) {
         c.inputs = {0, 1, 3};
       },
       1, 2},
      {"no output", Rule::kCalledSubgraph, [](WrongCalls& c) { c.outputs = {}; }, 1, 0},
      {"no inner output", Rule::kCalledSubgraph, [](WrongCalls& c) { c.inner_outputs = {}; }, 0, 1},
      {"another size", Rule::kCalledSubgraph, [](WrongCalls& c) { c.inner_input = c.inner_output = *wide; },
       12, 8},
      {"another type", Rule::kCalledSubgraph,
       [](WrongCalls& c) { c.inner_input.type = c.inner_output.type = TensorType::kFloat32; }, 8, 8},
      {"an output that nobody makes", Rule::kGraphOutput, [](WrongCalls& c) { c.inner_outputs = {2}; }},
      {"an input that is made", Rule::kProducedTwice,
       [](WrongCalls& c) {
         c.inner_inputs = {0, 1};
       }},
      {"a constant input", Rule::kConstantWritten,
       [](WrongCalls& c) {
         c.inner_input = Constant(kPair, {1, 2});
       }},
      {"a loop without a condition", Rule::kCalledSubgraph,
       [](WrongCalls& c) {
         c.op = kWhile;
         c.inputs = {1};
         c.inner_outputs = {1};
       },
       8, 1},
      {"a loop of other outputs", Rule::kCalledSubgraph,
       [](WrongCalls& c) {
         c.op = kWhile;
         c.inputs = {1};
         c.outputs = {};
         c.inner_outputs = {1};
       },
       1, 0},
  };
  for (const Wrong& row : rows) {
    SCOPED_TRACE(row.what);
    WrongCalls calls;
    row.change(calls);
    const ModelRun run(calls.Build());
    EXPECT_EQ(run.status(), Status::kInvalidModel);
    EXPECT_STREQ(Describe(run.diagnosis().rule).name, Describe(row.rule).name);
    EXPECT_EQ(run.diagnosis().found, row.found);
    EXPECT_EQ(run.diagnosis().required, row.required);
  }
  EXPECT_EQ(ModelRun(WrongCalls().Build()).status(), Status::kOk);
}

// A node that has one tensor twice among its outputs is refused, whether it calls subgraphs or not.
TEST(Calls, AnOperatorMakesATensorOnce) {
  for (const BuiltinOperator op : {BuiltinOperator::kSplit, kIf}) {
    ModelBuilder builder;
    builder.AddTensor(kFlag);
    builder.AddTensor({.shape = {2}, .type = TensorType::kInt32});
    builder.AddTensor({.shape = {}, .type = TensorType::kInt32, .data = BytesOf(std::vector<int32_t>{0})});
    builder.AddTensor({.shape = {1}, .type = TensorType::kInt32});
    const bool calls = op == kIf;
    builder.AddOperator(op, calls ? std::vector<int>{0, 1} : std::vector<int>{2, 1}, {3, 3},
                        {.called = {1, 1}});
    builder.EndSubgraph({0, 1}, {3});
    AddBranch(builder, 10);
    const ModelRun run(builder.Finish({}, {}));
    EXPECT_EQ(run.diagnosis().rule, Rule::kProducedTwice) << static_cast<int>(op);
  }
}

// Subgraph i calls subgraph i + 1.
std::vector<uint8_t> Chain(int calls) {
  ModelBuilder builder;
  for (int i = 0; i < calls; ++i) {
    for (const TensorSpec& spec : {kFlag, kPair, kPair}) builder.AddTensor(spec);
    const int flag = builder.AddTensor({.shape = {1}, .type = TensorType::kBool, .data = {1}});
    builder.AddOperator(kIf, {flag, 1}, {2}, {.called = {i + 1, i + 1}});
    builder.EndSubgraph({1}, {2});
  }
  AddBranch(builder, 10);
  return builder.Finish({}, {});
}

TEST(Calls, NestEightDeep) {
  ExpectSequence(Chain(8), {{Int32List{1, 2}}}, {Int32List{11, 13}});
  const ModelRun run(Chain(9));
  EXPECT_EQ(run.diagnosis().rule, Rule::kRecursion);
}

}  // namespace
}  // namespace lutra
