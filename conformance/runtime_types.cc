// SPDX-License-Identifier: Apache-2.0
// Gives the operands of a correct int8 model other types, and asks the runtime whether it takes them.

#include "conformance/runtime_types.h"

#include <algorithm>

#include "conformance/generator/broken.h"
#include "host/model_file.h"
#include "lutra/micro_interpreter.h"
#include "lutra/node_info.h"
#include "lutra/ops/ops.h"

namespace lutra::conformance {
namespace {

using oracle::Role;

constexpr int8_t kTypes[] = {oracle::kFloat32, oracle::kInt8,  oracle::kInt4,  oracle::kUint8,
                             oracle::kInt16,   oracle::kInt32, oracle::kInt64, oracle::kBool};

// The types that go with the type of the inputs.
struct Variation {
  int8_t output;
  int8_t bias;
  float output_scale;  // 0: as it is.
};

// Where int8 outputs have one scale, int16 ones have this.
constexpr float kFixedInt16Scale = 1.0f / 32768;

std::vector<Variation> VariationsOf(int8_t type) {
  const int8_t bias = type == oracle::kFloat32 ? oracle::kFloat32 : oracle::kInt32;
  std::vector<Variation> variations = {{type, bias, 0}};
  if (type == oracle::kInt16) {
    variations.push_back({type, oracle::kInt64, 0});
    variations.push_back({type, bias, kFixedInt16Scale});
  }
  for (const int8_t output : {oracle::kInt8, oracle::kFloat32, oracle::kInt16}) {
    if (output != type) variations.push_back({output, bias, 0});
  }
  return variations;
}

void SetType(edit::ModelT* model, edit::TensorT* tensor, int8_t type) {
  if (tensor->type == type) return;
  tensor->type = type;
  oracle::Bytes& data = model->buffers[tensor->buffer]->data;
  if (type == oracle::kInt4) return data.resize((data.size() + 1) / 2);
  if (!data.empty()) {
    data.assign(static_cast<size_t>(oracle::ElementCount(tensor->shape) * oracle::BytesOf(type)), 0);
  }
  if (tensor->quantization && oracle::BytesOf(type) > 1) {
    std::fill(tensor->quantization->zero_point.begin(), tensor->quantization->zero_point.end(), 0);
  }
}

Role RoleAt(std::string_view letters, size_t i) {
  const bool is_variadic = letters.back() == '+';
  if (is_variadic) letters.remove_suffix(1);
  if (i < letters.size()) return static_cast<Role>(letters[i]);
  return is_variadic ? static_cast<Role>(letters.back()) : Role::kOther;
}

void Retype(const oracle::Operator& op, int8_t type, const Variation& variation, Broken* model) {
  // Weights and zero points are others, too.
  if (type == oracle::kUint8 && op.variant == oracle::kUint8Variant) return model->BecomeUint8();
  const auto set = [&](edit::TensorT& tensor, int8_t to) { SetType(&model->model(), &tensor, to); };
  if (type == oracle::kInt4) {
    for (size_t i = 0; i < model->op().inputs.size(); ++i) {
      if (model->op().inputs[i] >= 0 && RoleAt(op.operands.inputs, i) == Role::kWeights)
        set(model->in(i), type);
    }
    return;
  }
  const bool is_float = type == oracle::kFloat32;
  const bool has_activation = op.operands.inputs.find(Role::kActivation) != std::string_view::npos;
  for (size_t i = 0; i < model->op().inputs.size(); ++i) {
    if (model->op().inputs[i] < 0) continue;
    const Role role = RoleAt(op.operands.inputs, i);
    if (role == Role::kActivation || (!has_activation && i == 0)) set(model->in(i), type);
    if (role == Role::kBias) set(model->in(i), variation.bias);
    if ((role == Role::kWeights || role == Role::kState) && is_float) set(model->in(i), type);
  }
  for (size_t i = 0; i < model->op().outputs.size(); ++i) {
    if (RoleAt(op.operands.outputs, i) != Role::kActivation) continue;
    edit::TensorT& output = model->out(i);
    set(output, variation.output);
    if (variation.output_scale != 0 && output.quantization) {
      output.quantization->scale = {variation.output_scale};
    }
  }
}

// Whether the oracle's row is the one for this model.
bool IsOf(const oracle::Operator& op, Broken* model) {
  std::vector<oracle::Bytes> values(model->graph().tensors.size());
  try {
    return &oracle::OperatorOf(model->model(), oracle::Node(model->graph(), model->op(), &values)) == &op;
  } catch (const oracle::Unspecified&) {
    return false;
  }
}

bool IsPrepared(const edit::ModelT& model) {
  const oracle::Bytes bytes = oracle::WriteModel(model);
  const host::AlignedBytes file(bytes.size());
  std::copy(bytes.begin(), bytes.end(), file.data());
  Model loaded;
  Diagnosis diagnosis;
  if (Model::Load(file.span(), &loaded, &diagnosis) != Status::kOk) return false;
  constexpr size_t kArenaBytes = 64 * 1024;
  const host::AlignedBytes arena(kArenaBytes);
  MicroInterpreter interpreter(loaded, AllOps(), arena.span());
  return interpreter.AllocateTensors() == Status::kOk;
}

bool Runs(const oracle::Operator& op, int8_t type) {
  if (type == oracle::kInt4 && op.operands.inputs.find(Role::kWeights) == std::string_view::npos)
    return false;
  const std::vector<Variation> variations = VariationsOf(type);
  return std::any_of(variations.begin(), variations.end(), [&](const Variation& variation) {
    Broken model(edit::EnumNameBuiltinOperator(op.code));
    Retype(op, type, variation, &model);
    return IsOf(op, &model) && IsPrepared(model.model());
  });
}

}  // namespace

std::vector<int8_t> TypesThatTheRuntimeRuns(const oracle::Operator& op) {
  std::vector<int8_t> types;
  std::copy_if(std::begin(kTypes), std::end(kTypes), std::back_inserter(types),
               [&](int8_t type) { return Runs(op, type); });
  return types;
}

}  // namespace lutra::conformance
