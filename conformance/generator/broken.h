// SPDX-License-Identifier: Apache-2.0
// Models that every runtime must refuse: a correct model of one operator, with one change.
//
//   const Refusal kRows[] = {
//       {"ADD", "output_scale_zero", "the output's scale is 0", [](Broken& m) { m.Scale(m.out()) = 0; }},
//       {"ADD", "types", "int8 and uint8", InputType(1, oracle::kUint8)}};
//   Refuse(kRows);   // int8.refused.add.output_scale_zero.0000

#pragma once

#include <span>

#include "conformance/generator/layers.h"

namespace lutra::conformance {

class Broken {
 public:
  // Makes a model of this operator that every runtime takes. `op`: the file format's name, "CONV_2D".
  explicit Broken(std::string_view op);

  edit::ModelT& model() { return model_; }
  edit::SubGraphT& graph() { return *model_.subgraphs[0]; }
  edit::TensorT& tensor(int32_t index) { return *graph().tensors[static_cast<size_t>(index)]; }
  edit::OperatorT& op() { return *graph().operators[0]; }
  edit::TensorT& in(size_t i = 0) { return tensor(op().inputs[i]); }
  edit::TensorT& out(size_t i = 0) { return tensor(op().outputs[i]); }
  float& Scale(edit::TensorT& t) { return t.quantization->scale[0]; }
  int64_t& ZeroPoint(edit::TensorT& t) { return t.quantization->zero_point[0]; }
  oracle::Bytes& Data(edit::TensorT& t) { return model_.buffers[t.buffer]->data; }
  template <typename Options>
  Options& options() {
    return *static_cast<Options*>(op().builtin_options.value);
  }
  // A constant's new values; its shape becomes {count} if it is not given.
  void SetInt32(size_t input, const std::vector<int32_t>& values);
  void SetInt32(size_t input, const std::vector<int32_t>& values, const oracle::Shape& shape);
  // Makes a constant an input of the graph.
  void MakeInput(size_t input);
  // Gives the tensor `count` scales, all equal to its first.
  void SetScaleCount(edit::TensorT& t, size_t count);
  int AddTensor(const edit::TensorT& like);
  // Changes the model to the scheme before int8: codes of int8 become uint8, 128 higher, with one scale.
  void BecomeUint8();

 private:
  edit::ModelT model_;
};

using Change = std::function<void(Broken& model)>;

// These are the changes that many rows make. `input` is the place of an operand among the operator's.
Change InputShape(size_t input, oracle::Shape shape);
Change OutputShape(oracle::Shape shape);
Change InputType(size_t input, int8_t type);
Change OutputType(int8_t type);
// Gives a constant other values, as Broken::SetInt32 does.
Change Integers(size_t input, std::vector<int32_t> values);
Change Integers(size_t input, std::vector<int32_t> values, oracle::Shape shape);
Change NotQuantized(size_t input);
Change ScaleCount(size_t input, size_t count);
Change ByteMissing(size_t input);
// Returns a change that makes all of these, one after the other.
Change All(std::vector<Change> changes);

struct Refusal {
  std::string_view op;
  std::string_view rule;  // Words of the id: "missing_quantization".
  const char* why;
  Change change;
};

// Makes the cases, with inputs of zeros for runtimes that run them although they must not.
class Refuser {
 public:
  explicit Refuser(const CaseSink& sink) : sink_(sink), ids_("int8.refused.") {}
  void Add(const Refusal& refusal);
  void Add(std::span<const Refusal> refusals) {
    for (const Refusal& refusal : refusals) Add(refusal);
  }
  // Adds a file that is no model, or that has not exactly one operator.
  void AddFile(const std::string& rule, const char* why, oracle::Bytes bytes);

 private:
  const CaseSink& sink_;
  NumberedIds ids_;
};

// broken_products.cc, broken_values.cc, broken_moves.cc, broken_file.cc
void RefuseProducts(Refuser& refuser);
void RefuseValues(Refuser& refuser);
void RefuseMoves(Refuser& refuser);
void RefuseFiles(Refuser& refuser);
// uint8.cc
void RefuseUint8(Refuser& refuser);

}  // namespace lutra::conformance
