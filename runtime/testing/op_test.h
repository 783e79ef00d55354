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
  // Inputs without data are filled when the model runs, in this order; variables keep their values.
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  OperatorOptions options;
  std::vector<int> left_out;  // Numbers of optional inputs that are left out.
  std::string custom_code;    // The code of a kCustom operator.
  std::vector<uint8_t> custom_options;
};

// Tensors are numbered as the operands, inputs first; omitted ones count.
std::vector<uint8_t> Build(const OpModel& model);

// The elements of an input, as bytes in memory.
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

// Returns the elements of these bytes in memory.
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

// Returns 1, 2, 3, ... as elements of T, starting again at the end of int8.
template <typename T>
std::vector<T> Counting(int count) {
  std::vector<T> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 127 + 1);
  return values;
}

// Element i is i * factor % modulus, shifted to be around 0.
Int8List Pattern(int count, int factor, int modulus);

// [rows, depth] times the transpose of [columns, depth], clamped to int8.
Int8List ProductOf(const Int8List& rows, const Int8List& columns, int depth);

// A model with an interpreter and an arena that is filled with `garbage`.
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

// Returns all outputs, each as bytes. Runs the model under both memory policies, with overlaps and without,
// twice each and in memory with different garbage; all runs have to agree.
std::vector<ByteList> RunOp(const OpModel& model, const ValueLists& inputs, Caller caller = {});

// Expects exactly these outputs.
void ExpectOutput(const OpModel& model, const ValueLists& inputs, const Values& expected, Caller caller = {});
void ExpectOutputs(const OpModel& model, const ValueLists& inputs, const ValueLists& expected,
                   Caller caller = {});
// Expects these values of output 0, float32, within a share of `tolerance` (of 1 at least).
void ExpectNear(const OpModel& model, const ValueLists& inputs, const FloatList& expected, float tolerance,
                Caller caller = {});

// Expects output 0 with each fused activation: NONE, RELU, RELU_N1_TO_1, RELU6.
void ExpectActivations(OpModel model, const ValueLists& inputs, const ValueLists& expected,
                       Caller caller = {});

// For models with state: runs once for each element of `inputs`, and expects output 0 to be that of
// `expected`; again after ResetVariables, and under every policy.
void ExpectSequence(const std::vector<uint8_t>& file, const std::vector<ValueLists>& inputs,
                    const ValueLists& expected, Caller caller = {});

// For operators that move elements of any type. All inputs without data and all outputs get each movable type
// in turn; output i then has the elements orders[i] of the inputs, which are numbered from 0 through all of
// them. kFilled stands for real 0.
inline constexpr int kFilled = -1;
using Order = std::vector<int>;
void ExpectMoved(const OpModel& model, const std::vector<Order>& orders, Caller caller = {});

// Returns the bytes of the arena for activations.
size_t ActivationBytes(const OpModel& model, bool overlap = true);

// Operands in diagnoses: input i is i, output i is Out(i), kNode is the node as a whole.
inline constexpr int kNode = -1;
constexpr int Out(int i) { return 1000 + i; }

// One change that makes a model wrong, and its diagnosis.
struct Refusal {
  const char* what;
  void (*change)(OpModel& model);
  Rule rule;
  int blamed = kNode;
  int32_t found = kNoValue;
  int32_t required = kNoValue;
};
// Expects that `valid` is prepared without an error, but not in an arena that is too small; and that with
// each of the changes prepare refuses it, with this diagnosis.
void ExpectRefusals(const OpModel& valid, Span<const Refusal> refusals);

// Changes that make models of many operators wrong.
void DropInput(OpModel& model);           // Drops the last input.
void AddInput(OpModel& model);            // Adds another one like the last.
void AddOutput(OpModel& model);           // Adds another one like the last.
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
// Returns the number that a diagnosis has for a type.
constexpr int32_t NumberOf(TensorType type) { return static_cast<int32_t>(type); }

// Expects that the model is prepared, and that with these inputs Invoke gives kInvalidInput and this
// diagnosis.
void ExpectInvalidInput(const OpModel& model, const ValueLists& inputs, const Refusal& expected);

}  // namespace lutra
