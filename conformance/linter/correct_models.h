// SPDX-License-Identifier: Apache-2.0
// A correct model of one operator, in which the linter finds nothing. Tests change one property of it.
//
//   Net net("CONV_2D");
//   net.input(1).quantization->zero_point = {1};
//   net.model();  // breaks S-CONV_2D-weights-zero-point

#pragma once

#include <string>

#include "conformance/linter/site.h"

namespace lutra::conformance::linter {

class Net {
 public:
  // An operator that the linter knows by name.
  explicit Net(const std::string& op);

  oracle::ModelObjects& model() { return model_; }
  edit::SubGraphT& graph() { return *model_.subgraphs[0]; }
  edit::OperatorT& op() { return *graph().operators[0]; }
  const std::string& name() const { return name_; }
  int input_count() { return static_cast<int>(op().inputs.size()); }
  edit::TensorT& input(int i) {
    return *graph().tensors[static_cast<size_t>(op().inputs[static_cast<size_t>(i)])];
  }
  edit::TensorT& output() { return *graph().tensors[static_cast<size_t>(op().outputs[0])]; }
  // Returns all inputs and outputs with this role.
  std::vector<edit::TensorT*> All(Role role);
  edit::TensorT& First(Role role) { return *All(role).at(0); }

  // Makes a tensor a constant.
  void SetData(edit::TensorT* tensor, oracle::Bytes data);
  void SetIntegers(edit::TensorT* tensor, const std::vector<int32_t>& values);
  oracle::Bytes& DataOf(const edit::TensorT& tensor) { return model_.buffers[tensor.buffer]->data; }
  void SetActivation(int8_t activation);

 private:
  int Add(int8_t type, oracle::Shape shape);
  int AddOperand(char role, int steering);
  void AddFixedParameters();

  std::string name_;
  oracle::ModelObjects model_;
};

}  // namespace lutra::conformance::linter
