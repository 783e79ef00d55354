// SPDX-License-Identifier: Apache-2.0

#include "conformance/oracle/evaluate.h"

namespace lutra::conformance::oracle {
namespace {

constexpr int32_t kCallOnce = 129, kVarHandle = 142, kReadVariable = 143, kAssignVariable = 144;

// A tensor of real zeros.
Bytes Zeros(const edit::TensorT& tensor) {
  Bytes bytes(static_cast<size_t>(ElementCount(tensor.shape) * BytesOf(tensor.type)), 0);
  if (tensor.type == kInt8) {
    std::fill(bytes.begin(), bytes.end(), static_cast<uint8_t>(QuantizationOf(tensor).zero_point));
  }
  return bytes;
}

}  // namespace

// Which runtime follows which rule was measured (LiteRT 2.3.0, TensorFlow Lite Micro 90b983c2b, x86-64).
const std::vector<Profile>& Profiles() {
  static const std::vector<Profile> profiles = {
      {"tflm", "TensorFlow Lite Micro and CMSIS-NN: double rounding", {}},
      {"single-rounding", "the same, built with single rounding", {}, true},
      {"litert-reference",
       "LiteRT's reference kernels",
       {{"FULLY_CONNECTED", "DBL"},
        {"SUB", "DR-D"},
        {"MUL", "DR-F"},
        {"PRELU", "DR-F"},
        {"LOGISTIC", "TABLE"},
        {"TANH", "TABLE"},
        {"SUM", "U8"}}},
      {"xnnpack",
       "LiteRT with the XNNPACK delegate on x86-64",
       {{"CONV_2D", "FP32"},
        {"DEPTHWISE_CONV_2D", "FP32"},
        {"TRANSPOSE_CONV", "FP32"},
        {"FULLY_CONNECTED", "FP32"},
        {"ADD", "X-ADD"},
        {"SUB", "X-ADD"},
        {"MUL", "FP32"},
        {"PRELU", "DR-F"},
        {"MEAN", "X-RED"},
        {"SUM", "X-RED"},
        {"LOGISTIC", "TABLE"},
        {"TANH", "TABLE"},
        {"QUANTIZE", "X-CVT"},
        {"QUANTIZE.float32", "X-QUANT"},
        {"LEAKY_RELU", "X-LRELU"},
        {"RESIZE_BILINEAR", "X-RESIZE"}}},
      {"litert-optimized",
       "LiteRT's optimised kernels on x86-64, one thread; for information",
       {{"CONV_2D", "O-CONV"},
        {"DEPTHWISE_CONV_2D", "CH8"},
        {"TRANSPOSE_CONV", "CH8"},
        {"FULLY_CONNECTED", "DRU"},
        {"ADD", "O-ADD"},
        {"SUB", "DR-D"},
        {"MUL", "O-MUL"},
        {"PRELU", "DR-F"},
        {"MEAN", "O-MEAN"},
        {"SUM", "O-SUM"},
        {"LOGISTIC", "TABLE"},
        {"TANH", "TABLE"},
        {"QUANTIZE", "O-REQ"},
        {"QUANTIZE.float32", "O-QUANT"},
        {"DEQUANTIZE", "O-DEQ"}}},
  };
  return profiles;
}

const Profile* FindProfile(std::string_view name) {
  for (const Profile& profile : Profiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

const Rule& RuleOf(const Profile& profile, const Operator& op) {
  const auto found = profile.rules.find(op.name);
  if (found != profile.rules.end()) {
    const Rule* rule = FindRule(op, found->second);
    if (rule == nullptr) throw std::logic_error(std::string(op.name) + " has no such rule");
    return *rule;
  }
  if (profile.single_rounding) {
    // The counterpart of the first rule: DR becomes SR, DR-F SR-F.
    const Rule& first = op.rules[0];
    for (const Rule& rule : op.rules) {
      if (rule.rounding == Rounding::kSingle && rule.precision == first.precision) return rule;
    }
  }
  return op.rules[0];
}

RuleChoice RulesOf(const Profile& profile) {
  return [&profile](const Operator& op) -> const Rule& { return RuleOf(profile, op); };
}

Evaluation::Evaluation(const ModelObjects& model, RuleChoice rules)
    : model_(model), rules_(std::move(rules)) {
  for (const auto& graph : model.subgraphs) {
    std::vector<Bytes> values;
    for (const auto& tensor : graph->tensors) {
      values.push_back(tensor->is_variable ? Zeros(*tensor) : DataOf(model, *tensor));
    }
    values_.push_back(std::move(values));
  }
}

std::vector<Bytes> Evaluation::Invoke(const std::vector<Bytes>& inputs) {
  const edit::SubGraphT& graph = *model_.subgraphs[0];
  if (inputs.size() != graph.inputs.size()) throw Unspecified("another number of inputs");
  for (size_t i = 0; i < inputs.size(); ++i) {
    values_[0][static_cast<size_t>(graph.inputs[i])] = inputs[i];
  }
  RunSubgraph(0);
  std::vector<Bytes> outputs;
  for (const int32_t tensor : graph.outputs) outputs.push_back(values_[0][static_cast<size_t>(tensor)]);
  return outputs;
}

void Evaluation::RunSubgraph(size_t index) {
  for (const auto& op : model_.subgraphs[index]->operators) RunNode(index, *op);
}

void Evaluation::RunNode(size_t subgraph, const edit::OperatorT& op) {
  const int32_t code = CodeOf(model_, op);
  if (RunVariable(subgraph, op, code)) return;
  const Node node(model_, *model_.subgraphs[subgraph], op, &values_[subgraph]);
  const Operator& found = OperatorOf(model_, node);
  try {
    found.evaluate(node, rules_(found));
  } catch (const Unspecified& error) {
    throw Unspecified(std::string(found.name) + ": " + error.what());
  }
}

// Bytes that are kept, without arithmetic.
bool Evaluation::RunVariable(size_t subgraph, const edit::OperatorT& op, int32_t code) {
  if (code == kCallOnce) {
    const auto* options = op.builtin_options.AsCallOnceOptions();
    const int32_t target = options == nullptr ? 0 : options->init_subgraph_index;
    if (target <= 0 || static_cast<size_t>(target) >= model_.subgraphs.size()) {
      throw Unspecified("CALL_ONCE: no such subgraph");
    }
    if (!called_[&op]) {
      called_[&op] = true;
      for (const auto& inner : model_.subgraphs[static_cast<size_t>(target)]->operators) {
        if (CodeOf(model_, *inner) == kCallOnce) throw Unspecified("CALL_ONCE: nested");
      }
      RunSubgraph(static_cast<size_t>(target));
    }
    return true;
  }
  if (code != kVarHandle && code != kReadVariable && code != kAssignVariable) return false;
  std::vector<Bytes>& values = values_[subgraph];
  if (code == kVarHandle) {
    const auto* options = op.builtin_options.AsVarHandleOptions();
    const std::string key = options == nullptr ? "" : options->container + '\0' + options->shared_name;
    // The handle holds the name.
    values.at(static_cast<size_t>(op.outputs.at(0))).assign(key.begin(), key.end());
    return true;
  }
  const Bytes& handle = values.at(static_cast<size_t>(op.inputs.at(0)));
  Bytes& variable = variables_[std::string(handle.begin(), handle.end())];
  if (code == kAssignVariable) {
    variable = values.at(static_cast<size_t>(op.inputs.at(1)));
  } else {
    const auto output = static_cast<size_t>(op.outputs.at(0));
    values[output] = variable.empty() ? Zeros(*model_.subgraphs[subgraph]->tensors[output]) : variable;
  }
  return true;
}

}  // namespace lutra::conformance::oracle
