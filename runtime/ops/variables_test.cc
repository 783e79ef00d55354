// SPDX-License-Identifier: Apache-2.0
// VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE: handles that name one variable, the value of a new variable,
// and graphs that are refused.

#include "lutra/diagnosis_text.h"
#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

constexpr BuiltinOperator kHandle = BuiltinOperator::kVarHandle;
constexpr BuiltinOperator kRead = BuiltinOperator::kReadVariable;
constexpr BuiltinOperator kAssign = BuiltinOperator::kAssignVariable;

const TensorSpec kResource = {.shape = {1}, .type = TensorType::kResource};
const TensorSpec kValue = {.shape = {2}, .scale = 0.5f, .zero_point = -7};

// Reads the variable's value to the output, then assigns the input. The two handles are tensors 1 and 2.
struct Exchange {
  OperatorOptions read_names = {.shared_name = "v"};
  OperatorOptions assign_names = {.shared_name = "v"};
  TensorSpec value = kValue;

  std::vector<uint8_t> Build() const {
    ModelBuilder builder;
    builder.AddTensor(value);
    builder.AddTensor(kResource);
    builder.AddTensor(kResource);
    builder.AddTensor(value);
    builder.AddOperator(kHandle, {}, {1}, read_names);
    builder.AddOperator(kHandle, {}, {2}, assign_names);
    builder.AddOperator(kRead, {1}, {3});
    builder.AddOperator(kAssign, {2, 0}, {});
    return builder.Finish({0}, {3});
  }
};

// ---- Values.

TEST(Variables, HoldWhatWasAssignedAndRealZeroAtFirst) {
  ExpectSequence(Exchange().Build(), {{Int8List{1, 2}}, {Int8List{3, 4}}, {Int8List{5, 6}}},
                 {Int8List{-7, -7}, Int8List{1, 2}, Int8List{3, 4}});
  const TensorSpec wide = {.shape = {2}, .type = TensorType::kInt32};
  ExpectSequence(Exchange{.value = wide}.Build(), {{Int32List{70000, 2}}, {Int32List{3, 4}}},
                 {Int32List{0, 0}, Int32List{70000, 2}});
}

TEST(Variables, HaveAContainerAndAName) {
  const std::vector<ValueLists> steps = {{Int8List{1, 2}}, {Int8List{3, 4}}};
  const Int8List zero = {-7, -7};
  Exchange exchange;
  exchange.assign_names.shared_name = "w";
  ExpectSequence(exchange.Build(), steps, {zero, zero});
  exchange.read_names.shared_name = "w";
  ExpectSequence(exchange.Build(), steps, {zero, Int8List{1, 2}});
  exchange.read_names.container = "c";
  ExpectSequence(exchange.Build(), steps, {zero, zero});
  exchange.assign_names.container = "c";
  ExpectSequence(exchange.Build(), steps, {zero, Int8List{1, 2}});
}

// Without options a handle's names are empty, and identify a variable.
TEST(Variables, NamesMayBeLeftOut) {
  Exchange exchange;
  exchange.read_names.table = exchange.assign_names.table = OptionsTable::kNone;
  ExpectSequence(exchange.Build(), {{Int8List{1, 2}}, {Int8List{3, 4}}}, {Int8List{-7, -7}, Int8List{1, 2}});
}

// ---- Refusals.

// Tensors 0 (a value), 1 (a handle, written by operator 0), 2 (the value that was read), and one more
// operator.
struct Broken {
  const char* what;
  BuiltinOperator op;
  std::vector<int> inputs;
  std::vector<int> outputs;
  Rule rule;
  int tensor = -1;
  int32_t found = kNoValue;
  int32_t required = kNoValue;
  OperatorOptions options;
};

TEST(Variables, Refusals) {
  const OperatorOptions foreign = {.table = OptionsTable::kForeign};
  const OperatorOptions none = {.table = OptionsTable::kNone};
  const int32_t resource = NumberOf(TensorType::kResource);
  const int32_t int8 = NumberOf(TensorType::kInt8);
  const Broken rows[] = {
      {"a handle of something", kHandle, {0}, {3}, Rule::kInputCount, -1, 1, 0},
      {"two handles", kHandle, {}, {3, 2}, Rule::kOutputCount, -1, 2, 1},
      {"a handle of int8", kHandle, {}, {2}, Rule::kOperandType, 2, int8, resource},
      {"a handle with foreign options",
       kHandle,
       {},
       {3},
       Rule::kOptionsMissing,
       -1,
       kNoValue,
       kNoValue,
       foreign},
      {"reading nothing", kRead, {}, {2}, Rule::kInputCount, -1, 0, 1},
      {"reading two", kRead, {1, 1}, {2}, Rule::kInputCount, -1, 2, 1},
      {"reading to nowhere", kRead, {1}, {}, Rule::kOutputCount, -1, 0, 1},
      {"reading a value", kRead, {0}, {2}, Rule::kOperandType, 0, int8, resource},
      {"reading what no handle made", kRead, {4}, {2}, Rule::kVariable, 4},
      {"assigning nothing", kAssign, {1}, {}, Rule::kInputCount, -1, 1, 2},
      {"assigning and giving", kAssign, {1, 0}, {2}, Rule::kOutputCount, -1, 1, 0},
      {"assigning to a value", kAssign, {0, 0}, {}, Rule::kOperandType, 0, int8, resource},
      {"assigning to what no handle made", kAssign, {4, 0}, {}, Rule::kVariable, 4},
  };
  for (const Broken& row : rows) {
    SCOPED_TRACE(row.what);
    ModelBuilder builder;
    for (const TensorSpec& spec : {kValue, kResource, kValue, kResource, kResource}) builder.AddTensor(spec);
    builder.AddOperator(kHandle, {}, {1});
    builder.AddOperator(row.op, row.inputs, row.outputs, row.options);
    builder.EndSubgraph({0, 4}, {});
    const ModelRun run(builder.Finish({}, {}));
    EXPECT_EQ(run.status(), Status::kInvalidModel);
    const Diagnosis& diagnosis = run.diagnosis();
    EXPECT_STREQ(Describe(diagnosis.rule).name, Describe(row.rule).name);
    EXPECT_EQ(diagnosis.node, 1);
    EXPECT_EQ(diagnosis.tensor, row.tensor);
    EXPECT_EQ(diagnosis.found, row.found);
    EXPECT_EQ(diagnosis.required, row.required);
  }
}

// A variable keeps the size and type of its first use.
TEST(Variables, HaveOneSizeAndType) {
  for (const TensorSpec& other :
       {TensorSpec{.shape = {3}}, TensorSpec{.shape = {2}, .type = TensorType::kBool}}) {
    ModelBuilder builder;
    builder.AddTensor(kValue);
    builder.AddTensor(kResource);
    builder.AddTensor(other);
    builder.AddOperator(kHandle, {}, {1});
    builder.AddOperator(kAssign, {1, 0}, {});
    builder.AddOperator(kRead, {1}, {2});
    const ModelRun run(builder.Finish({0}, {2}));
    EXPECT_EQ(run.diagnosis().rule, Rule::kVariable);
    EXPECT_EQ(run.diagnosis().node, 2);
    EXPECT_EQ(run.diagnosis().tensor, 1);
    EXPECT_EQ(run.diagnosis().found, other.shape[0]);
    EXPECT_EQ(run.diagnosis().required, 2);
  }
}

}  // namespace
}  // namespace lutra
