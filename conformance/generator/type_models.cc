// SPDX-License-Identifier: Apache-2.0
// Gives the operands of a correct model other types.

#include "conformance/generator/type_models.h"

#include <algorithm>

#include "conformance/generator/broken.h"

namespace lutra::conformance {
namespace {

using oracle::BuiltinOperator;
using oracle::Role;

constexpr int8_t kTypes[] = {oracle::kFloat32, oracle::kInt8,  oracle::kInt4,  oracle::kUint8,
                             oracle::kInt16,   oracle::kInt32, oracle::kInt64, oracle::kBool};

// Returns a row for an operator that the specification lacks.
constexpr oracle::Operator Unspecified(BuiltinOperator code, std::string_view inputs) {
  return {code, {inputs, "x"}, {oracle::kExact}, nullptr};
}
constexpr oracle::Operator kUnspecified[] = {
    Unspecified(BuiltinOperator::ADD_N, "x+"),     Unspecified(BuiltinOperator::CEIL, "x"),
    Unspecified(BuiltinOperator::COS, "x"),        Unspecified(BuiltinOperator::CUMSUM, "xp"),
    Unspecified(BuiltinOperator::EXP, "x"),        Unspecified(BuiltinOperator::FLOOR, "x"),
    Unspecified(BuiltinOperator::FLOOR_DIV, "xx"), Unspecified(BuiltinOperator::FLOOR_MOD, "xx"),
    Unspecified(BuiltinOperator::L2_POOL_2D, "x"), Unspecified(BuiltinOperator::LOG, "x"),
    Unspecified(BuiltinOperator::NEG, "x"),        Unspecified(BuiltinOperator::ROUND, "x"),
    Unspecified(BuiltinOperator::SIN, "x"),        Unspecified(BuiltinOperator::SQRT, "x"),
    Unspecified(BuiltinOperator::SQUARE, "x")};

// The other types of a model whose inputs have a given type.
struct Variation {
  int8_t output;
  int8_t bias;
  float output_scale;         // 0: unchanged.
  bool keeps_second = false;  // Input 1 keeps its type: slopes of int8 beside int16.
};

// int16 outputs have this scale if the operator's int8 outputs have a fixed one.
constexpr float kFixedInt16Scale = 1.0f / 32768;

// Returns whether the operator converts types. The outputs of others have the inputs' type, as runtimes that
// check one tensor alone would accept any.
bool Converts(BuiltinOperator code) {
  return code == BuiltinOperator::QUANTIZE || code == BuiltinOperator::DEQUANTIZE ||
         code == BuiltinOperator::CAST;
}

std::vector<Variation> VariationsOf(BuiltinOperator code, int8_t type) {
  const int8_t bias = type == oracle::kFloat32 ? oracle::kFloat32 : oracle::kInt32;
  std::vector<Variation> variations = {{type, bias, 0}};
  if (type == oracle::kInt16) {
    variations.push_back({type, oracle::kInt64, 0});
    variations.push_back({type, bias, kFixedInt16Scale});
    if (code == BuiltinOperator::PRELU) variations.push_back({type, bias, 0, true});
  }
  for (const int8_t output : {oracle::kInt8, oracle::kFloat32, oracle::kInt16}) {
    if (output != type && Converts(code)) variations.push_back({output, bias, 0});
  }
  return variations;
}

void SetType(edit::ModelT* model, edit::TensorT* tensor, int8_t type) {
  if (tensor->type == type) return;
  tensor->type = type;
  oracle::Bytes& data = model->buffers[tensor->buffer]->data;
  if (type == oracle::kInt4) return data.resize((data.size() + 1) / 2);
  if (!data.empty()) {
    data.assign(oracle::ByteCount(*tensor), 0);
  }
  if (tensor->quantization && oracle::BytesOf(type) > 1) {
    std::fill(tensor->quantization->zero_point.begin(), tensor->quantization->zero_point.end(), 0);
  }
}

bool HasOperand(const oracle::Operator& op, Role role) {
  return op.operands.inputs.find(role) != std::string_view::npos;
}

void Retype(const oracle::Operator& op, int8_t type, const Variation& variation, Broken* model) {
  const auto set = [&](edit::TensorT& tensor, int8_t to) {
    SetType(&model->model(), &tensor, to);
    // Converters give no scale to tensors without codes.
    const bool is_code =
        to == oracle::kInt8 || to == oracle::kInt4 || to == oracle::kUint8 || to == oracle::kInt16;
    if (!is_code && !Converts(op.code)) tensor.quantization.reset();
  };
  if (type == oracle::kInt4) {
    for (size_t i = 0; i < model->op().inputs.size(); ++i) {
      if (model->op().inputs[i] >= 0 && oracle::RoleAt(op.operands.inputs, i) == Role::kWeights)
        set(model->in(i), type);
    }
    return;
  }
  const bool is_float = type == oracle::kFloat32;
  const bool has_activation = HasOperand(op, Role::kActivation);
  // If the operator has no activations, all tensors of the first input's type keep having the same.
  const int8_t first = model->in(0).type;
  const auto follows = [&](Role role, const edit::TensorT& tensor) {
    return !has_activation && role == Role::kOther && tensor.type == first;
  };
  for (size_t i = 0; i < model->op().inputs.size(); ++i) {
    if (model->op().inputs[i] < 0) continue;
    const Role role = oracle::RoleAt(op.operands.inputs, i);
    if (i == 1 && variation.keeps_second) continue;
    // A hidden state has the activations' type.
    const bool is_hidden = role == Role::kState && model->in(i).type == first && type == oracle::kInt16;
    if (role == Role::kActivation || is_hidden || follows(role, model->in(i))) set(model->in(i), type);
    if (role == Role::kBias) SetType(&model->model(), &model->in(i), variation.bias);
    if ((role == Role::kWeights || role == Role::kState) && is_float) set(model->in(i), type);
  }
  for (size_t i = 0; i < model->op().outputs.size(); ++i) {
    const Role role = oracle::RoleAt(op.operands.outputs, i);
    if (follows(role, model->out(i))) set(model->out(i), type);
    if (role != Role::kActivation) continue;
    edit::TensorT& output = model->out(i);
    set(output, variation.output);
    if (variation.output_scale != 0 && output.quantization) {
      output.quantization->scale = {variation.output_scale};
    }
  }
}

// Returns 5, 6, 7, 5... as elements of the type; these exceed the zero points of broken.cc's models.
oracle::Bytes SmallNumbers(const edit::TensorT& tensor) {
  const int64_t count = oracle::ElementCount(tensor.shape);
  if (tensor.type == oracle::kBool) return oracle::Bytes(static_cast<size_t>(count), 1);
  const auto size = static_cast<size_t>(oracle::BytesOf(tensor.type));
  std::vector<float> reals;
  oracle::Bytes bytes(static_cast<size_t>(count) * size, 0);
  for (int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<uint8_t>(5 + i % 3);
    reals.push_back(number);
    bytes[static_cast<size_t>(i) * size] = number;
  }
  return tensor.type == oracle::kFloat32 ? FloatBytes(reals) : bytes;
}

}  // namespace

std::span<const int8_t> ModelTypes() { return kTypes; }

const std::vector<const oracle::Operator*>& TypedOperators() {
  static const std::vector<const oracle::Operator*> operators = [] {
    std::vector<const oracle::Operator*> all;
    for (const oracle::Operator* op : oracle::BuiltinOperators()) {
      if (op->variant.empty()) all.push_back(op);
    }
    for (const oracle::Operator& op : kUnspecified) all.push_back(&op);
    std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->name() < b->name(); });
    return all;
  }();
  return operators;
}

std::vector<edit::ModelT> ModelsOfType(const oracle::Operator& op, int8_t type) {
  std::vector<edit::ModelT> models;
  if (type == oracle::kInt4 && !HasOperand(op, Role::kWeights)) return models;
  const std::string name = edit::EnumNameBuiltinOperator(op.code);
  for (const Variation& variation : VariationsOf(op.code, type)) {
    Broken model(name);
    Retype(op, type, variation, &model);
    models.push_back(std::move(model.model()));
  }
  if (type == oracle::kUint8) {
    // Weights and zero points change, too.
    Broken model(name);
    model.BecomeUint8();
    // Tensors without codes keep their type.
    const auto is_uint8 = [&](const auto& tensor) { return tensor->type == oracle::kUint8; };
    const auto& tensors = model.graph().tensors;
    if (std::any_of(tensors.begin(), tensors.end(), is_uint8)) models.push_back(std::move(model.model()));
  }
  return models;
}

Case CaseOf(const edit::ModelT& model) {
  Case test = {.model = oracle::WriteModel(model)};
  for (const int32_t input : model.subgraphs[0]->inputs) {
    test.inputs.push_back(SmallNumbers(*model.subgraphs[0]->tensors[static_cast<size_t>(input)]));
  }
  return test;
}

std::vector<ComputedOperand> ComputedOperands(const oracle::Operator& op) {
  std::vector<ComputedOperand> operands;
  const std::string name = edit::EnumNameBuiltinOperator(op.code);
  const bool is_unspecified = op.evaluate == nullptr;
  const auto make = [&] {
    Broken model(name);
    if (is_unspecified) Retype(op, oracle::kFloat32, VariationsOf(op.code, oracle::kFloat32)[0], &model);
    return model;
  };
  Broken whole = make();
  for (size_t i = 0; i < whole.op().inputs.size(); ++i) {
    if (whole.op().inputs[i] < 0 || whole.Data(whole.in(i)).empty()) continue;
    Broken model = make();
    const oracle::Bytes data = model.Data(model.in(i));
    model.MakeInput(i);
    Case test = CaseOf(model.model());
    test.inputs.back() = data;
    operands.push_back({static_cast<int>(i), std::move(test)});
  }
  return operands;
}

}  // namespace lutra::conformance
