// SPDX-License-Identifier: Apache-2.0
// Code that all tests of operators share is compiled once.

#include "runtime/testing/op_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "lutra/diagnosis_text.h"
#include "lutra/ops/ops.h"

namespace lutra {
namespace {

bool IsLeftOut(const OpModel& model, int input) {
  return std::find(model.left_out.begin(), model.left_out.end(), input) != model.left_out.end();
}

int TensorOf(const OpModel& model, int operand) {
  if (operand < Out(0)) return operand;
  return static_cast<int>(model.inputs.size()) + operand - Out(0);
}

void ExpectDiagnosis(const OpModel& model, const Diagnosis& diagnosis, const Refusal& expected) {
  EXPECT_STREQ(Describe(diagnosis.rule).name, Describe(expected.rule).name) << expected.what;
  if (diagnosis.rule != expected.rule) return;
  EXPECT_EQ(diagnosis.subgraph, 0) << expected.what;
  EXPECT_EQ(diagnosis.node, 0) << expected.what;
  EXPECT_EQ(diagnosis.tensor, TensorOf(model, expected.blamed)) << expected.what;
  EXPECT_EQ(diagnosis.found, expected.found) << expected.what;
  EXPECT_EQ(diagnosis.required, expected.required) << expected.what;
}

template <typename T>
std::string TextOf(const ByteList& bytes) {
  std::string text;
  for (const T value : ListOf<T>(bytes)) text += " " + std::to_string(value);
  return text;
}

// The elements, for messages.
std::string Text(TensorType type, const ByteList& bytes) {
  switch (type) {
    case TensorType::kInt8:
      return TextOf<int8_t>(bytes);
    case TensorType::kInt16:
      return TextOf<int16_t>(bytes);
    case TensorType::kInt32:
      return TextOf<int32_t>(bytes);
    case TensorType::kInt64:
      return TextOf<int64_t>(bytes);
    case TensorType::kFloat32:
      return TextOf<float>(bytes);
    default:
      return TextOf<uint8_t>(bytes);
  }
}

// Calls visit(options, garbage) for both memory policies, with overlaps and without; the garbage in memory is
// different each time.
template <typename Visit>
void ForEachPolicy(const Visit& visit) {
  uint8_t garbage = 0x13;
  for (const MemoryPolicy policy : {MemoryPolicy::kFast, MemoryPolicy::kSmall}) {
    for (const bool overlap : {true, false}) {
      visit(InterpreterOptions{.policy = policy, .overlap = overlap}, garbage);
      garbage = static_cast<uint8_t>(garbage * 5 + 3);
    }
  }
}

std::string NameOf(const InterpreterOptions& options) {
  return std::string(options.policy == MemoryPolicy::kFast ? "fast" : "small") +
         (options.overlap ? ", overlapping" : "");
}

}  // namespace

std::vector<uint8_t> Build(const OpModel& model) {
  ModelBuilder builder;
  std::vector<int> inputs;
  std::vector<int> fed;
  for (const TensorSpec& spec : model.inputs) {
    const int tensor = builder.AddTensor(spec);
    const bool left_out = IsLeftOut(model, tensor);
    inputs.push_back(left_out ? -1 : tensor);
    // A list without elements is a constant, too.
    const bool is_list = spec.shape == std::vector<int32_t>{0};
    if (!left_out && spec.data.empty() && !spec.is_variable && !is_list) fed.push_back(tensor);
  }
  std::vector<int> outputs;
  for (const TensorSpec& spec : model.outputs) outputs.push_back(builder.AddTensor(spec));
  if (model.op == BuiltinOperator::kCustom) {
    builder.AddCustomOperator(model.custom_code, inputs, outputs, model.custom_options);
  } else {
    builder.AddOperator(model.op, inputs, outputs, model.options);
  }
  return builder.Finish(fed, outputs);
}

Int8List Pattern(int count, int factor, int modulus) {
  Int8List values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<int8_t>(i * factor % modulus - modulus / 2));
  return values;
}

Int8List ProductOf(const Int8List& rows, const Int8List& columns, int depth) {
  Int8List product;
  for (auto row = rows.begin(); row != rows.end(); row += depth) {
    for (auto column = columns.begin(); column != columns.end(); column += depth) {
      const int sum = std::inner_product(row, row + depth, column, 0);
      product.push_back(static_cast<int8_t>(std::clamp(sum, -128, 127)));
    }
  }
  return product;
}

ModelRun::ModelRun(const std::vector<uint8_t>& file, const InterpreterOptions& options, uint8_t garbage,
                   size_t arena_bytes)
    : file_(file),
      arena_((arena_bytes + 7) / 8, 0x0101010101010101u * garbage),
      interpreter_(file_.model, AllOps(), {reinterpret_cast<uint8_t*>(arena_.data()), arena_bytes}, options),
      status_(file_.status) {
  if (status_ == Status::kOk) status_ = interpreter_.AllocateTensors();
}

const Diagnosis& ModelRun::diagnosis() const {
  return file_.status == Status::kOk ? interpreter_.diagnosis() : file_.diagnosis;
}

Status ModelRun::Invoke(const ValueLists& inputs) {
  EXPECT_EQ(inputs.size(), static_cast<size_t>(interpreter_.input_count()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor input = interpreter_.input(static_cast<int>(i));
    EXPECT_EQ(inputs[i].bytes.size(), static_cast<size_t>(input.info.bytes)) << "input " << i;
    std::memcpy(input.data, inputs[i].bytes.data(), inputs[i].bytes.size());
  }
  return interpreter_.Invoke();
}

std::vector<ByteList> ModelRun::Outputs() const {
  std::vector<ByteList> outputs;
  for (int i = 0; i < interpreter_.output_count(); ++i) {
    const Tensor output = interpreter_.output(i);
    const auto* bytes = static_cast<const uint8_t*>(output.data);
    outputs.emplace_back(bytes, bytes + output.info.bytes);
  }
  return outputs;
}

std::vector<ByteList> RunOp(const OpModel& model, const ValueLists& inputs, Caller caller) {
  const std::vector<uint8_t> bytes = Build(model);
  std::vector<ByteList> expected;
  ForEachPolicy([&](const InterpreterOptions& options, uint8_t garbage) {
    ModelRun run(bytes, options, garbage);
    for (int i = 0; i < 2; ++i) {
      if (run.status() != Status::kOk || run.Invoke(inputs) != Status::kOk) {
        ADD_FAILURE_AT(caller.file, caller.line) << "refused: " << Describe(run.diagnosis().rule).name;
        expected.resize(model.outputs.size());
        return;
      }
      const std::vector<ByteList> outputs = run.Outputs();
      if (expected.empty()) expected = outputs;
      if (outputs == expected) continue;
      ADD_FAILURE_AT(caller.file, caller.line) << "run " << i << " differs: " << NameOf(options);
    }
  });
  return expected;
}

void ExpectSequence(const std::vector<uint8_t>& file, const std::vector<ValueLists>& inputs,
                    const ValueLists& expected, Caller caller) {
  ASSERT_EQ(inputs.size(), expected.size());
  ForEachPolicy([&](const InterpreterOptions& options, uint8_t garbage) {
    ModelRun run(file, options, garbage);
    if (run.status() != Status::kOk) {
      ADD_FAILURE_AT(caller.file, caller.line) << "refused: " << Describe(run.diagnosis().rule).name;
      return;
    }
    const TensorType type = run.interpreter().output(0).info.type;
    for (size_t i = 0; i < 2 * inputs.size(); ++i) {
      const size_t step = i % inputs.size();
      if (step == 0 && i > 0) run.interpreter().ResetVariables();
      EXPECT_EQ(run.Invoke(inputs[step]), Status::kOk);
      const ByteList found = run.Outputs()[0];
      if (found == expected[step].bytes) continue;
      ADD_FAILURE_AT(caller.file, caller.line) << "run " << i << " gives" << Text(type, found) << "\nand not"
                                               << Text(type, expected[step].bytes) << ": " << NameOf(options);
    }
  });
}

void ExpectOutputs(const OpModel& model, const ValueLists& inputs, const ValueLists& expected,
                   Caller caller) {
  const std::vector<ByteList> outputs = RunOp(model, inputs, caller);
  ASSERT_EQ(outputs.size(), expected.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == expected[i].bytes) continue;
    const TensorType type = model.outputs[i].type;
    ADD_FAILURE_AT(caller.file, caller.line)
        << "output " << i << " is" << Text(type, outputs[i]) << "\nand not" << Text(type, expected[i].bytes);
  }
}

void ExpectOutput(const OpModel& model, const ValueLists& inputs, const Values& expected, Caller caller) {
  ExpectOutputs(model, inputs, {expected}, caller);
}

void ExpectActivations(OpModel model, const ValueLists& inputs, const ValueLists& expected, Caller caller) {
  for (const Values& values : expected) {
    SCOPED_TRACE(testing::Message() << "activation " << model.options.activation);
    ExpectOutput(model, inputs, values, caller);
    ++model.options.activation;
  }
}

void ExpectNear(const OpModel& model, const ValueLists& inputs, const FloatList& expected, float tolerance,
                Caller caller) {
  const FloatList found = ListOf<float>(RunOp(model, inputs, caller)[0]);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const float scale = std::max(std::fabs(expected[i]), 1.0f);
    if (std::fabs(found[i] - expected[i]) <= tolerance * scale) continue;
    ADD_FAILURE_AT(caller.file, caller.line)
        << "element " << i << " is " << found[i] << " and not " << expected[i];
  }
}

void ExpectMoved(const OpModel& model, const std::vector<Order>& orders, Caller caller) {
  constexpr TensorType kMovable[] = {TensorType::kBool,   TensorType::kInt8,  TensorType::kUInt8,
                                     TensorType::kInt16,  TensorType::kInt32, TensorType::kInt64,
                                     TensorType::kFloat32};
  for (const TensorType type : kMovable) {
    SCOPED_TRACE(ToString(type));
    OpModel typed = model;
    if (type == TensorType::kUInt8) {
      for (std::vector<TensorSpec>* specs : {&typed.inputs, &typed.outputs}) {
        for (TensorSpec& spec : *specs) {
          spec.zero_point &= UINT8_MAX;
          if (spec.scale == 0) spec.scale = 1;
        }
      }
    }
    const auto bytes = static_cast<size_t>(ElementBytes(type));
    ByteList all;
    ValueLists inputs;
    for (TensorSpec& spec : typed.inputs) {
      if (!spec.data.empty()) continue;
      spec.type = type;
      size_t count = bytes;
      for (const int32_t dim : spec.shape) count *= static_cast<size_t>(dim);
      ByteList values(count);
      for (size_t i = 0; i < count; ++i) {
        const size_t number = all.size() + i + 1;
        values[i] = static_cast<uint8_t>(number * 37 + number / 251);
      }
      all.insert(all.end(), values.begin(), values.end());
      inputs.emplace_back(values);
    }
    const int64_t zero_point = model.outputs[0].zero_point;
    const bool is_code = type == TensorType::kInt8 || type == TensorType::kUInt8;
    const ByteList fill(bytes, is_code ? static_cast<uint8_t>(zero_point) : uint8_t{0});
    ValueLists expected;
    for (size_t i = 0; i < orders.size(); ++i) {
      typed.outputs[i].type = type;
      ByteList values;
      for (const int from : orders[i]) {
        const uint8_t* element =
            from == kFilled ? fill.data() : all.data() + static_cast<size_t>(from) * bytes;
        values.insert(values.end(), element, element + bytes);
      }
      expected.emplace_back(values);
    }
    ExpectOutputs(typed, inputs, expected, caller);
    if (testing::Test::HasFailure()) return;
  }
}

size_t ActivationBytes(const OpModel& model, bool overlap) {
  ModelRun run(Build(model), {.overlap = overlap});
  EXPECT_EQ(run.status(), Status::kOk) << Describe(run.diagnosis().rule).name;
  return run.interpreter().memory().activation_bytes;
}

// Lets every allocation of prepare fail once.
void ExpectSmallArenasRefused(const OpModel& model) {
  const std::vector<uint8_t> file = Build(model);
  for (const MemoryPolicy policy : {MemoryPolicy::kFast, MemoryPolicy::kSmall}) {
    for (size_t bytes = 0;; bytes += 8) {
      ASSERT_LE(bytes, ModelRun::kArenaBytes);
      const ModelRun run(file, {.policy = policy}, 0xC3, bytes);
      if (run.status() == Status::kOk) break;
      ASSERT_EQ(run.status(), Status::kArenaTooSmall) << Describe(run.diagnosis().rule).name;
      ASSERT_GT(run.diagnosis().wanted_bytes, bytes);
    }
  }
}

void ExpectRefusals(const OpModel& valid, Span<const Refusal> refusals) {
  ExpectSmallArenasRefused(valid);
  for (const Refusal& refusal : refusals) {
    OpModel model = valid;
    refusal.change(model);
    const ModelRun run(Build(model));
    EXPECT_STREQ(ToString(run.status()), ToString(Status::kInvalidModel)) << refusal.what;
    ExpectDiagnosis(model, run.diagnosis(), refusal);
  }
}

void DropInput(OpModel& model) { model.inputs.pop_back(); }
void AddInput(OpModel& model) { model.inputs.push_back(model.inputs.back()); }
void AddOutput(OpModel& model) { model.outputs.push_back(model.outputs.back()); }
void LeaveOutInput0(OpModel& model) { model.left_out.push_back(0); }
void GiveForeignOptions(OpModel& model) { model.options.table = OptionsTable::kForeign; }
void RemoveScaleOfInput0(OpModel& model) { model.inputs[0].scale = 0; }
void RemoveScaleOfOutput(OpModel& model) { model.outputs[0].scale = 0; }

void ExpectInvalidInput(const OpModel& model, const ValueLists& inputs, const Refusal& expected) {
  ModelRun run(Build(model));
  ASSERT_EQ(run.status(), Status::kOk) << expected.what << ": " << Describe(run.diagnosis().rule).name;
  EXPECT_EQ(run.Invoke(inputs), Status::kInvalidInput) << expected.what;
  ExpectDiagnosis(model, run.diagnosis(), expected);
}

}  // namespace lutra
