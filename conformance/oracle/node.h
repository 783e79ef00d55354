// SPDX-License-Identifier: Apache-2.0
// An operator of a model with the values of its tensors: what an evaluation function sees.
//
//   void EvalAbs(const Node& node, const ArithmeticRule& rule) {
//     Codes x = node.Get(0);
//     for (int64_t& q : x) q = ...;
//     node.Put(0, x);
//   }

#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/oracle/arithmetic_rule.h"
#include "tflite_edit_generated.h"

namespace lutra::conformance::oracle {

using Bytes = std::vector<uint8_t>;
using Codes = std::vector<int64_t>;
using Shape = std::vector<int32_t>;

// TensorType of the file format.
enum Type : int8_t {
  kFloat32 = 0,
  kInt32 = 2,
  kUint8 = 3,
  kInt64 = 4,
  kBool = 6,
  kInt16 = 7,
  kInt8 = 9,
  kUint64 = 12,
  kUint32 = 15,
  kInt4 = 17,  // Of constant weights alone.
};

// A model, an operator, a type or a value that the specification does not cover. what(): which, and why.
class Unspecified : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

int BytesOf(int8_t type);
int64_t ElementCount(const Shape& shape);
size_t ByteCount(const edit::TensorT& tensor);

// The quantisation of a tensor with one scale.
struct Quantization {
  float scale = 0;
  int64_t zero_point = 0;
};

class Node {
 public:
  // `values`: the bytes of each tensor of the subgraph; of constants too.
  // `memory`: what a custom operator keeps from one inference to the next; empty before the first.
  Node(const edit::SubGraphT& graph, const edit::OperatorT& op, std::vector<Bytes>* values,
       std::vector<Codes>* memory = nullptr)
      : graph_(graph), op_(op), values_(*values), memory_(memory) {}

  const edit::OperatorT& op() const { return op_; }
  int input_count() const { return static_cast<int>(op_.inputs.size()); }
  int output_count() const { return static_cast<int>(op_.outputs.size()); }
  bool has_input(int i) const { return i < input_count() && op_.inputs[static_cast<size_t>(i)] >= 0; }
  const edit::TensorT& input(int i) const;
  const edit::TensorT& output(int i) const;

  // Refuses operands of other types, and those that are missing.
  void RequireTypes(std::initializer_list<int8_t> inputs, std::initializer_list<int8_t> outputs) const;

  // Elements in row-major order, of any integer type or BOOL. Those of UINT64 count modulo 2^64.
  Codes Get(int input) const;
  void Put(int output, const Codes& codes) const;
  std::vector<float> GetFloats(int input) const;
  void PutFloats(int output, const std::vector<float>& values) const;
  const Bytes& GetBytes(int input) const;
  void PutBytes(int output, Bytes bytes) const;
  // State, which stays from one inference to the next: a variable tensor among the inputs.
  void PutState(int input, const Codes& codes) const;
  // Returns memory that the operator uses as it likes; empty at first.
  std::vector<Codes>& memory() const;
  // An option of a custom operator, an integer or a truth value.
  int64_t CustomOption(const char* name) const;

  [[noreturn]] void Refuse(const std::string& why) const;

 private:
  Bytes& value(int tensor) const;

  const edit::SubGraphT& graph_;
  const edit::OperatorT& op_;
  std::vector<Bytes>& values_;
  std::vector<Codes>* memory_;
};

// Returns the one scale and zero point; without any, scale 0.
Quantization QuantizationOf(const edit::TensorT& tensor);
// Returns a scale for each of `channels`; one scale stands for all.
std::vector<float> ScalesOf(const edit::TensorT& tensor, int channels);

// The options of an operator, or the defaults: OptionsOf(node.op().builtin_options.AsAddOptions()).
template <typename T>
const T& OptionsOf(const T* options) {
  static const T defaults{};
  return options != nullptr ? *options : defaults;
}

// ActivationFunctionType of the file format.
enum class Activation : int8_t { kNone = 0, kRelu = 1, kReluN1To1 = 2, kRelu6 = 3 };

struct Range {
  int64_t low, high;
};
// CalculateActivationRangeQuantized: codes of outputs, which reach as far as `codes`. The quotient is of
// float32.
Range ActivationRange(int8_t activation, Quantization output, Range codes = {-128, 127});
// The same range as XNNPACK computes it: the zero point is added before the rounding, which has ties to even.
Range XnnpackActivationRange(int8_t activation, Quantization output);

// Turns accumulators into codes: Requantizer(rule, s_in, s_w, output, activation).Apply(acc).
class Requantizer {
 public:
  // The real multiplier is s_a * s_b / s_output; `float_product`: s_a * s_b is rounded to float32 first
  // (fixed point only; the other methods have their own precision).
  Requantizer(const ArithmeticRule& rule, float s_a, float s_b, Quantization output, int8_t activation,
              bool float_product = false);
  // Scales the accumulator, adds the output's zero point, and clamps to the activation's range.
  int64_t Apply(int64_t accumulator) const;

 private:
  ArithmeticRule rule_;
  Multiplier multiplier_;
  double real_;
  float ratio_;
  int64_t zero_point_;
  Range range_;
};

}  // namespace lutra::conformance::oracle
