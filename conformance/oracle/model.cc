// SPDX-License-Identifier: Apache-2.0
// Reads, checks and writes models.

#include "conformance/oracle/model.h"

#include <algorithm>

#include "compressor/field_check.h"

namespace lutra::conformance::oracle {
namespace {

// Tensors of more elements are refused: models for small machines have far fewer.
constexpr int64_t kMostElements = int64_t{1} << 28;
// The same holds for what is computed; constants have their bytes in the file.
constexpr int64_t kMostComputed = int64_t{1} << 24, kMostComputedOfAll = int64_t{1} << 27;

void Require(bool holds, const char* what) {
  if (!holds) throw Unspecified(what);
}

void CheckSubgraph(const ModelObjects& model, const edit::SubGraphT& graph) {
  const auto tensors = static_cast<int32_t>(graph.tensors.size());
  const auto check = [&](const std::vector<int32_t>& indices, int32_t least) {
    for (const int32_t index : indices) {
      Require(index >= least && index < tensors, "a tensor index out of range");
    }
  };
  check(graph.inputs, 0);
  check(graph.outputs, 0);
  for (const auto& tensor : graph.tensors) {
    Require(tensor->buffer < model.buffers.size(), "a buffer index out of range");
    int64_t count = 1;
    for (const int32_t dim : tensor->shape) {
      Require(dim >= 0 && (dim == 0 || count <= kMostElements / dim), "a shape out of range");
      count *= dim;
    }
  }
  for (const auto& op : graph.operators) {
    Require(op->opcode_index < model.operator_codes.size(), "an operator code out of range");
    check(op->inputs, -1);
    check(op->outputs, 0);
  }
}

}  // namespace

std::unique_ptr<ModelObjects> ReadModel(const Bytes& bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  Require(bytes.size() >= 8 && edit::VerifyModelBuffer(verifier), "not a .tflite model");
  const compressor::FieldProblems problems = compressor::CheckFields(bytes.data());
  Require(problems.broken.empty(), problems.broken.c_str());
  std::unique_ptr<ModelObjects> model(edit::GetModel(bytes.data())->UnPack());
  compressor::DropEmptyOptions(model.get());
  Require(!model->buffers.empty(), "no buffers");
  Require(!model->subgraphs.empty(), "no subgraph");
  for (const auto& graph : model->subgraphs) CheckSubgraph(*model, *graph);
  return model;
}

void RequireMemory(const ModelObjects& model) {
  int64_t computed = 0;
  for (const auto& graph : model.subgraphs) {
    for (const auto& tensor : graph->tensors) {
      if (!DataOf(model, *tensor).empty()) continue;
      const int64_t count = ElementCount(tensor->shape);
      computed += count;
      Require(count <= kMostComputed, "a tensor of more than 16,777,216 computed elements");
      Require(computed <= kMostComputedOfAll, "tensors of more than 134,217,728 computed elements together");
    }
  }
}

Bytes WriteModel(const ModelObjects& model) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(edit::Model::Pack(builder, &model), edit::ModelIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

edit::BuiltinOperator CodeOf(const ModelObjects& model, const edit::OperatorT& op) {
  const edit::OperatorCodeT& code = *model.operator_codes[op.opcode_index];
  return edit::BuiltinOperator{std::max<int32_t>(code.builtin_code, code.deprecated_builtin_code)};
}

edit::BuiltinOperator CodeNamed(std::string_view name) {
  for (const edit::BuiltinOperator code : edit::EnumValuesBuiltinOperator()) {
    if (name == edit::EnumNameBuiltinOperator(code)) return code;
  }
  throw Unspecified("no operator " + std::string(name));
}

std::string NameOf(const ModelObjects& model, const edit::OperatorT& op) {
  const edit::BuiltinOperator code = CodeOf(model, op);
  if (code == edit::BuiltinOperator::CUSTOM) {
    return "CUSTOM:" + model.operator_codes[op.opcode_index]->custom_code;
  }
  const std::string name = edit::EnumNameBuiltinOperator(code);
  return name.empty() ? "operator " + std::to_string(static_cast<int32_t>(code)) : name;
}

const Bytes& DataOf(const ModelObjects& model, const edit::TensorT& tensor) {
  return model.buffers[tensor.buffer]->data;
}

}  // namespace lutra::conformance::oracle
