// SPDX-License-Identifier: Apache-2.0
// For the tests beside the operators: a model of one operator in a few lines, run or refused.
//
//   const OpModel add = {.op = BuiltinOperator::kAdd,
//                        .inputs = {{.shape = {2}, .scale = 1}, {.shape = {2}, .scale = 1}},
//                        .outputs = {{.shape = {2}, .scale = 1}}};
//   ExpectOutput(add, {Int8List{1, 2}, Int8List{3, 4}}, Int8List{4, 6});
//
//   constexpr Refusal kRefusals[] = {
//       {"one input", [](OpModel& m) { m.inputs.pop_back(); }, Rule::kInputCount, kNode, 1, 2}};
//   ExpectRefusals(add, kRefusals);

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "lutra/micro_interpreter.h"
#include "runtime/testing/hostile.h"
#include "runtime/testing/model_builder.h"

namespace lutra {

using ByteList = std::vector<uint8_t>;
using Int8List = std::vector<int8_t>;
using Int16List = std::vector<int16_t>;
using Int32List = std::vector<int32_t>;
using Int64List = std::vector<int64_t>;
using FloatList = std::vector<float>;

struct OpModel {
  BuiltinOperator op;
  // Inputs without data are fed when the model runs, in this order; variables keep what they hold.
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  OperatorOptions options;
  std::vector<int> left_out;  // Numbers of optional inputs that the operator does without.
  std::string custom_code;    // A kCustom operator has one.
  std::vector<uint8_t> custom_options;
};

// Tensors are numbered like the operands, inputs first; also those that are left out.
std::vector<uint8_t> Build(const OpModel& model);

// The elements of an input, as they stand in memory.
struct Values {
  template <typename T>
  Values(const std::vector<T>& list)  // NOLINT: lists stand for their values.
      : bytes(reinterpret_cast<const uint8_t*>(list.data()),
              reinterpret_cast<const uint8_t*>(list.data() + list.size())) {}
  ByteList bytes;
};
using ValueLists = std::vector<Values>;

template <typename T>
inline constexpr TensorType kTypeOf = TensorType::kInt8;
template <>
inline constexpr TensorType kTypeOf<uint8_t> = TensorType::kUInt8;
template <>
inline constexpr TensorType kTypeOf<int16_t> = TensorType::kInt16;
template <>
inline constexpr TensorType kTypeOf<int32_t> = TensorType::kInt32;
template <>
inline constexpr TensorType kTypeOf<int64_t> = TensorType::kInt64;
template <>
inline constexpr TensorType kTypeOf<uint32_t> = TensorType::kUInt32;
template <>
inline constexpr TensorType kTypeOf<uint64_t> = TensorType::kUInt64;
template <>
inline constexpr TensorType kTypeOf<float> = TensorType::kFloat32;

// The other way round: what stands in memory, as elements.
template <typename T>
std::vector<T> ListOf(const ByteList& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// A constant without quantisation.
template <typename T>
TensorSpec Constant(const std::vector<int32_t>& shape, const std::vector<T>& values) {
  return {.shape = shape, .type = kTypeOf<T>, .data = BytesOf(values)};
}

// 1, 2, 3, ... as elements of T, and again from the start where int8 ends.
template <typename T>
std::vector<T> Counting(int count) {
  std::vector<T> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 127 + 1);
  return values;
}

// i * factor % modulus about 0, for element i.
Int8List Pattern(int count, int factor, int modulus);

// [rows, depth] times the transpose of [columns, depth], clamped to int8.
Int8List ProductOf(const Int8List& rows, const Int8List& columns, int depth);

// A model with an interpreter and an arena full of `garbage`.
class ModelRun {
 public:
  static constexpr size_t kArenaBytes = 256 * 1024;

  explicit ModelRun(const std::vector<uint8_t>& file, const InterpreterOptions& options = {},
                    uint8_t garbage = 0xC3, size_t arena_bytes = kArenaBytes);
  // The status of Model::Load and AllocateTensors.
  Status status() const { return status_; }
  const Diagnosis& diagnosis() const;
  MicroInterpreter& interpreter() { return interpreter_; }
  // Fills the graph's inputs and runs.
  Status Invoke(const ValueLists& inputs);
  std::vector<ByteList> Outputs() const;

 private:
  Loaded file_;
  std::vector<uint64_t> arena_;
  MicroInterpreter interpreter_;
  Status status_;
};

// Says where a failure is reported: as a default argument, at the line of the call.
struct Caller {
  const char* file = __builtin_FILE();
  int line = __builtin_LINE();
};

// All outputs, each as bytes. Runs the model under both memory policies, with overlaps and without, twice
// each and in memory that holds different garbage; all of them have to agree.
std::vector<ByteList> RunOp(const OpModel& model, const ValueLists& inputs, Caller caller = {});

// The outputs have exactly these values.
void ExpectOutput(const OpModel& model, const ValueLists& inputs, const Values& expected, Caller caller = {});
void ExpectOutputs(const OpModel& model, const ValueLists& inputs, const ValueLists& expected,
                   Caller caller = {});
// Output 0, float32, has these values but for a share of `tolerance` (of 1 at least).
void ExpectNear(const OpModel& model, const ValueLists& inputs, const FloatList& expected, float tolerance,
                Caller caller = {});

// Output 0 with each fused activation: NONE, RELU, RELU_N1_TO_1, RELU6.
void ExpectActivations(OpModel model, const ValueLists& inputs, const ValueLists& expected,
                       Caller caller = {});

// For models that remember: a run for each element of `inputs`, whose output 0 is that of `expected`. The
// same comes again after ResetVariables, and under every policy.
void ExpectSequence(const std::vector<uint8_t>& file, const std::vector<ValueLists>& inputs,
                    const ValueLists& expected, Caller caller = {});

// For operators that move elements, whatever they are. All inputs that are fed and all outputs get each
// movable type in turn; output i then has the elements orders[i] of the inputs, which are numbered from 0
// through all of them. kFilled stands for a real 0.
inline constexpr int kFilled = -1;
using Order = std::vector<int>;
void ExpectMoved(const OpModel& model, const std::vector<Order>& orders, Caller caller = {});

// Bytes of the arena that activations need.
size_t ActivationBytes(const OpModel& model, bool overlap = true);

// Operands in diagnoses: input i is i, output i is Out(i), kNode stands for the node as a whole.
inline constexpr int kNode = -1;
constexpr int Out(int i) { return 1000 + i; }

// One thing that is wrong with a model, and what is said of it.
struct Refusal {
  const char* what;
  void (*change)(OpModel& model);
  Rule rule;
  int blamed = kNode;
  int32_t found = kNoValue;
  int32_t required = kNoValue;
};
// `valid` is prepared without complaint, but not in an arena that is too small; and with each of the
// changes it is refused in prepare, with this diagnosis.
void ExpectRefusals(const OpModel& valid, Span<const Refusal> refusals);

// Changes that are wrong for many operators.
void DropInput(OpModel& model);           // The last one.
void AddInput(OpModel& model);            // Another one like the last.
void AddOutput(OpModel& model);           // Another one like the last.
void LeaveOutInput0(OpModel& model);      // As if it were optional.
void GiveForeignOptions(OpModel& model);  // Those of another operator.
void RemoveScaleOfInput0(OpModel& model);
void RemoveScaleOfOutput(OpModel& model);
template <int kInput, TensorType kType>
void SetInputType(OpModel& model) {
  model.inputs[kInput].type = kType;
}
template <TensorType kType>
void SetOutputType(OpModel& model) {
  model.outputs[0].type = kType;
}
// Gives both inputs and the output this type.
template <TensorType kType>
void SetTypes(OpModel& model) {
  model.inputs[0].type = model.inputs[1].type = model.outputs[0].type = kType;
}
template <int kActivation>
void SetActivation(OpModel& model) {
  model.options.activation = kActivation;
}
// The number that a diagnosis has for a type.
constexpr int32_t NumberOf(TensorType type) { return static_cast<int32_t>(type); }

// The model is prepared, and with these inputs Invoke gives kInvalidInput and this diagnosis.
void ExpectInvalidInput(const OpModel& model, const ValueLists& inputs, const Refusal& expected);

}  // namespace lutra
