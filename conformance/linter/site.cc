// SPDX-License-Identifier: Apache-2.0
// Finds the operands of an operator by their roles, and collects findings.

#include "conformance/linter/site.h"

#include <fmt/format.h>

#include <cstring>
#include <map>

namespace lutra::conformance::linter {
namespace {

const edit::QuantizationParametersT& QuantizationOrNone(const edit::TensorT& tensor) {
  static const edit::QuantizationParametersT none;
  return tensor.quantization ? *tensor.quantization : none;
}

Role RoleAt(const std::string& roles, int i, bool variadic) {
  const auto at = static_cast<size_t>(i);
  if (at < roles.size()) return static_cast<Role>(roles[at]);
  return variadic ? static_cast<Role>(roles.back()) : kOther;
}

// Returns the fused activation of options of these types; 0 for others.
template <typename... Options>
int8_t FusedActivation(const edit::BuiltinOptionsUnion& options) {
  int8_t activation = 0;
  const auto look = [&]<typename T>(const T* held) {
    if (held != nullptr && edit::BuiltinOptionsUnionTraits<T>::enum_value == options.type) {
      activation = held->fused_activation_function;
    }
  };
  (look(static_cast<const Options*>(options.value)), ...);
  return activation;
}

}  // namespace

const std::vector<float>& Operand::scales() const { return QuantizationOrNone(*tensor).scale; }
const std::vector<int64_t>& Operand::zero_points() const { return QuantizationOrNone(*tensor).zero_point; }

std::string TypeName(int8_t type) {
  switch (type) {
    case oracle::kFloat32:
      return "FLOAT32";
    case oracle::kInt32:
      return "INT32";
    case oracle::kUint8:
      return "UINT8";
    case oracle::kInt64:
      return "INT64";
    case oracle::kBool:
      return "BOOL";
    case oracle::kInt16:
      return "INT16";
    case oracle::kInt8:
      return "INT8";
    default:
      break;
  }
  // The oracle has no names for these types.
  static const std::map<int, const char*> others = {
      {1, "FLOAT16"}, {5, "STRING"}, {8, "COMPLEX64"}, {10, "FLOAT64"}, {17, "INT4"}};
  const auto found = others.find(type);
  return found != others.end() ? found->second : fmt::format("type {}", type);
}

std::string Describe(const oracle::Quantization& quantization) {
  return fmt::format("scale {}, zero point {}", quantization.scale, quantization.zero_point);
}

Site::Site(const oracle::ModelObjects& model, int subgraph, int node, std::string name,
           std::vector<Finding>* findings)
    : model_(model),
      graph_(*model.subgraphs[static_cast<size_t>(subgraph)]),
      op_(*graph_.operators[static_cast<size_t>(node)]),
      subgraph_(subgraph),
      node_(node),
      name_(std::move(name)),
      signature_(FindSignature(name_)),
      findings_(findings) {}

Operand Site::input(int i) const {
  if (i >= input_count()) return {};
  const int index = op_.inputs[static_cast<size_t>(i)];
  if (index < 0) return {};
  const Role role =
      signature_ == nullptr ? kOther : RoleAt(signature_->inputs, i, signature_->variadic_inputs);
  return {index, role, graph_.tensors[static_cast<size_t>(index)].get()};
}

Operand Site::output(int i) const {
  if (i >= output_count()) return {};
  const int index = op_.outputs[static_cast<size_t>(i)];
  const Role role =
      signature_ == nullptr ? kOther : RoleAt(signature_->outputs, i, signature_->variadic_outputs);
  return {index, role, graph_.tensors[static_cast<size_t>(index)].get()};
}

std::vector<Operand> Site::Inputs(Role role) const {
  std::vector<Operand> found;
  for (int i = 0; i < input_count(); ++i) {
    if (const Operand operand = input(i); operand && operand.role == role) found.push_back(operand);
  }
  return found;
}

std::vector<Operand> Site::Outputs(Role role) const {
  std::vector<Operand> found;
  for (int i = 0; i < output_count(); ++i) {
    if (const Operand operand = output(i); operand.role == role) found.push_back(operand);
  }
  return found;
}

std::vector<Operand> Site::Activations() const {
  std::vector<Operand> found = Inputs(kActivation);
  for (const Operand& operand : Outputs(kActivation)) found.push_back(operand);
  return found;
}

Operand Site::FirstInput(Role role) const {
  const std::vector<Operand> found = Inputs(role);
  return found.empty() ? Operand{} : found[0];
}

bool Site::complete() const {
  for (size_t i = 0; i < signature_->inputs.size(); ++i) {
    const char role = signature_->inputs[i];
    if (!input(static_cast<int>(i)) && role != kBias && role != kAbsent) return false;
  }
  return output_count() >= 1;
}

bool Site::is_int8() const {
  const std::vector<Operand> found = Activations();
  return !found.empty() && found[0].is(oracle::kInt8);
}

const oracle::Bytes& Site::Constant(const Operand& operand) const {
  static const oracle::Bytes none;
  if (!operand) return none;
  const oracle::Bytes& data = oracle::DataOf(model_, *operand.tensor);
  try {
    const auto size = static_cast<size_t>(operand.count() * oracle::BytesOf(operand.tensor->type));
    return data.size() == size ? data : none;
  } catch (const oracle::Unspecified&) {
    return none;  // The type has no whole bytes.
  }
}

std::optional<std::vector<int64_t>> Site::Integers(const Operand& operand) const {
  if (!operand.is(oracle::kInt32) && !operand.is(oracle::kInt64)) return {};
  const oracle::Bytes& bytes = Constant(operand);
  if (bytes.empty()) return {};
  std::vector<int64_t> values;
  const size_t size = operand.is(oracle::kInt32) ? 4 : 8;
  for (size_t at = 0; at < bytes.size(); at += size) {
    int64_t wide = 0;
    int32_t narrow = 0;
    std::memcpy(size == 4 ? static_cast<void*>(&narrow) : &wide, &bytes[at], size);
    values.push_back(size == 4 ? narrow : wide);
  }
  return values;
}

int8_t Site::activation() const {
  return FusedActivation<edit::AddOptionsT, edit::SubOptionsT, edit::MulOptionsT, edit::DivOptionsT,
                         edit::Conv2DOptionsT, edit::DepthwiseConv2DOptionsT, edit::TransposeConvOptionsT,
                         edit::FullyConnectedOptionsT, edit::Pool2DOptionsT, edit::ConcatenationOptionsT,
                         edit::L2NormOptionsT, edit::SVDFOptionsT>(op_.builtin_options);
}

void Site::Report(const Operand& operand, std::string found, std::string required) const {
  findings_->push_back({RuleId(*rule_, rule_->operators == std::vector<std::string>{"ANY"} ? "ANY" : name_),
                        rule_->severity, subgraph_, node_, name_, operand.index,
                        operand ? operand.tensor->name : "", std::move(found), std::move(required),
                        rule_->explanation});
}

void CheckNoActivation(const Site& site) {
  if (site.activation() != 0) site.Report({}, fmt::format("fused activation {}", site.activation()), "NONE");
}

}  // namespace lutra::conformance::linter
