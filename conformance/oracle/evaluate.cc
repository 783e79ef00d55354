// SPDX-License-Identifier: Apache-2.0
// Defines profiles, and runs models operator by operator; state and control flow do not depend on rules.

#include "conformance/oracle/evaluate.h"

#include <algorithm>

namespace lutra::conformance::oracle {
namespace {

// This profile has a rule for uint8.
constexpr char kReference[] = "litert-reference";

constexpr BuiltinOperator kStateOperators[] = {
    BuiltinOperator::CALL_ONCE,     BuiltinOperator::IF,
    BuiltinOperator::WHILE,         BuiltinOperator::VAR_HANDLE,
    BuiltinOperator::READ_VARIABLE, BuiltinOperator::ASSIGN_VARIABLE};

// Returns a tensor of real zeros.
Bytes Zeros(const edit::TensorT& tensor) {
  Bytes bytes(ByteCount(tensor), 0);
  if (tensor.type == kInt8) {
    std::fill(bytes.begin(), bytes.end(), static_cast<uint8_t>(QuantizationOf(tensor).zero_point));
  }
  return bytes;
}

}  // namespace

// The rules of runtimes were measured (LiteRT 2.3.0, TensorFlow Lite Micro 90b983c2b, x86-64).
const std::vector<Profile>& Profiles() {
  static const std::vector<Profile> profiles = {
      {.name = "tflm",
       .description = "TensorFlow Lite Micro and CMSIS-NN: double rounding",
       .rules = {},
       .judge_of_uint8 = kReference},
      {.name = "tflm-as-is",
       .description = "the same with its defects, as TensorFlow Lite Micro's reference kernels compute today",
       .rules = {{"DEQUANTIZE", "FIRST"},
                 {"RELU6", "CLAMP"},
                 {"RELU6.int16", "CLAMP"},
                 {"SPACE_TO_BATCH_ND", "PAD-0"}},
       .with_defects = true,
       .judge_of_uint8 = kReference},
      // PyPI's tflite-micro 0.dev20261023182759, of commit 8f6596d, computes these otherwise.
      {.name = "tflm-8f6596d",
       .description = "tflm-as-is with scales combined in double: TensorFlow Lite Micro as PyPI's "
                      "tflite-micro of commit 8f6596d computes",
       .rules = {{"BATCH_MATMUL", "DR-D"},
                 {"DEQUANTIZE", "FIRST"},
                 {"DIV", "DR-D"},
                 {"FULLY_CONNECTED", "DR-D"},
                 {"FULLY_CONNECTED.int16", "DR-D"},
                 {"LEAKY_RELU", "DR-D"},
                 {"RELU", "DR-D"},
                 {"RELU6", "CLAMP"},
                 {"RELU6.int16", "CLAMP"},
                 {"SPACE_TO_BATCH_ND", "PAD-0"},
                 {"SUB", "DR-D"},
                 {"SVDF", "DR-D"},
                 {"UNIDIRECTIONAL_SEQUENCE_LSTM", "DR-D"},
                 {"UNIDIRECTIONAL_SEQUENCE_LSTM.int16", "DR-D"}},
       .with_defects = true,
       .judge_of_uint8 = kReference},
      {"single-rounding", "tflm, built with single rounding", {}, true},
      {kReference,
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
       {{"CONV_2D", {"O-CONV", "the weights are int4", "FP32"}},
        {"DEPTHWISE_CONV_2D", {"CH8", "the weights are int4", "FP32"}},
        {"TRANSPOSE_CONV", {"CH8", "padding is SAME and the filter smaller than the stride", "FP32"}},
        {"FULLY_CONNECTED", {"DRU", "the weights are int4 in rows of an odd length", "FP32"}},
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
        {"RESIZE_BILINEAR", "X-RESIZE"},
        // LiteRT's optimised kernels run the nodes that the delegate does not take.
        {"BATCH_MATMUL", {"FP32", "the second operand's zero point is 0", "DR"}},
        {"ELU", "X-ELU"},
        {"LOG_SOFTMAX", "O-TABLE"},
        {"RESIZE_NEAREST_NEIGHBOR", "O-NEAREST"},
        {"SOFTMAX", "O-TABLE"}}},
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
        {"DEQUANTIZE", "O-DEQ"},
        {"LOG_SOFTMAX", "O-TABLE"},
        {"RESIZE_NEAREST_NEIGHBOR", "O-NEAREST"},
        {"SOFTMAX", "O-TABLE"}}},
      {.name = "vta-legacy16",
       .description = "the first delegate for VTA, by its 16-bit multipliers; what it does not take, as tflm",
       .rules = {{"ADD", "V16"}, {"CONV_2D", "V16"}},
       .is_frozen = false,
       .judge_of_uint8 = kReference},
  };
  return profiles;
}

const Profile* FindProfile(std::string_view name) {
  for (const Profile& profile : Profiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

namespace {

const ArithmeticRule& RuleNamed(const Operator& op, std::string_view name) {
  const ArithmeticRule* rule = FindRule(op, name);
  if (rule == nullptr) throw std::logic_error(op.name() + " has no rule " + std::string(name));
  return *rule;
}

// Returns the rule for an operator that the profile does not name.
const ArithmeticRule& DefaultRule(const Profile& profile, const Operator& op) {
  const ArithmeticRule& first = op.rules[0];
  if (!profile.single_rounding) return first;
  // With single rounding it is the counterpart of the first rule: DR becomes SR, DR-F becomes SR-F.
  const auto found = std::find_if(op.rules.begin(), op.rules.end(), [&first](const ArithmeticRule& rule) {
    return rule.rounding == Rounding::kSingle && rule.precision == first.precision;
  });
  return found == op.rules.end() ? first : *found;
}

}  // namespace

bool HasRule(const Profile& profile, const Operator& op) {
  // LiteRT computes these operators otherwise. Profiles that follow TensorFlow Lite Micro leave uint8, and
  // the other rounding, to other profiles.
  const bool is_lstm = op.code == BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM;
  const bool is_custom = op.code == BuiltinOperator::CUSTOM;
  if (is_lstm || is_custom || op.variant == kInt16Variant)
    return !profile.judge_of_uint8.empty() || profile.single_rounding;
  return op.variant != kUint8Variant || profile.name == std::string_view(kReference);
}

const Profile& JudgeOf(const Profile& profile, const Operator& op) {
  if (HasRule(profile, op) || profile.judge_of_uint8.empty()) return profile;
  return *FindProfile(profile.judge_of_uint8);
}

const ArithmeticRule& RuleOf(const Profile& profile, const Operator& op, const Node& node) {
  if (!HasRule(profile, op)) throw Unspecified(std::string(profile.name) + " has no rule for it");
  const auto found = profile.rules.find(op.name());
  if (found == profile.rules.end()) return DefaultRule(profile, op);
  const RuleNames& names = found->second;
  if (names.where.empty()) return RuleNamed(op, names.rule);
  const Trait* trait = FindTrait(names.where);
  if (trait == nullptr) throw std::logic_error("no trait " + std::string(names.where));
  return RuleNamed(op, trait->holds(node) ? names.rule : names.otherwise);
}

std::vector<const ArithmeticRule*> RulesOf(const Profile& profile, const Operator& op) {
  if (!HasRule(profile, op)) return {};
  const auto found = profile.rules.find(op.name());
  if (found == profile.rules.end()) return {&DefaultRule(profile, op)};
  const RuleNames& names = found->second;
  std::vector<const ArithmeticRule*> rules = {&RuleNamed(op, names.rule)};
  if (!names.where.empty()) rules.push_back(&RuleNamed(op, names.otherwise));
  return rules;
}

std::string DescribeRule(const Profile& profile, const Operator& op) {
  const std::vector<const ArithmeticRule*> rules = RulesOf(profile, op);
  if (rules.empty()) return "none";
  std::string text = rules[0]->name;
  if (rules.size() == 1) return text;
  return text.append(" where ")
      .append(profile.rules.at(op.name()).where)
      .append(", else ")
      .append(rules[1]->name);
}

std::span<const BuiltinOperator> StateOperators() { return kStateOperators; }

RuleChoice Following(const Profile& profile) {
  return [&profile](const Operator& op, const Node& node) -> const ArithmeticRule& {
    return RuleOf(profile, op, node);
  };
}

RuleChoice Judging(const Profile& profile) {
  return [&profile](const Operator& op, const Node& node) -> const ArithmeticRule& {
    return RuleOf(JudgeOf(profile, op), op, node);
  };
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
  loops_ = 0;
  RunSubgraph(0);
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < graph.outputs.size(); ++i) outputs.push_back(WholeValue(0, graph.outputs, i));
  return outputs;
}

const Bytes& Evaluation::WholeValue(size_t subgraph, const std::vector<int32_t>& tensors, size_t i) {
  const Bytes& value = ValueOf(subgraph, tensors, i);
  const edit::TensorT& tensor = *model_.subgraphs[subgraph]->tensors[static_cast<size_t>(tensors[i])];
  if (!value.empty() && value.size() != ByteCount(tensor)) {
    throw Unspecified("tensor \"" + tensor.name + "\" has " + std::to_string(value.size()) + " bytes");
  }
  return value;
}

void Evaluation::RunSubgraph(size_t index) {
  const auto& operators = model_.subgraphs[index]->operators;
  for (size_t i = 0; i < operators.size(); ++i) {
    if (index == 0 && skip_) {
      RunOrSkip(i);
    } else {
      RunNode(index, *operators[i]);
    }
  }
}

void Evaluation::RunOrSkip(size_t node) {
  const edit::OperatorT& op = *model_.subgraphs[0]->operators[node];
  for (const int32_t output : op.outputs) values_[0][static_cast<size_t>(output)].clear();
  try {
    RunNode(0, op);
  } catch (const Unspecified& why) {
    skip_(node, why);
  }
}

void Evaluation::RunNode(size_t subgraph, const edit::OperatorT& op) {
  switch (CodeOf(model_, op)) {
    case BuiltinOperator::CALL_ONCE:
      return CallOnce(op);
    case BuiltinOperator::IF:
      return RunIf(subgraph, op);
    case BuiltinOperator::WHILE:
      return RunWhile(subgraph, op);
    case BuiltinOperator::VAR_HANDLE:
      return NameVariable(subgraph, op);
    case BuiltinOperator::READ_VARIABLE:
      return ReadVariable(subgraph, op);
    case BuiltinOperator::ASSIGN_VARIABLE:
      variables_[NameIn(subgraph, op)] = WholeValue(subgraph, op.inputs, 1);
      return;
    default:
      break;
  }
  const Node node(*model_.subgraphs[subgraph], op, &values_[subgraph], &memory_[&op]);
  const Operator& found = OperatorOf(model_, node);
  try {
    found.evaluate(node, rules_(found, node));
  } catch (const Unspecified& error) {
    throw Unspecified(found.name() + ": " + error.what());
  }
}

void Evaluation::CallOnce(const edit::OperatorT& op) {
  const auto* options = op.builtin_options.AsCallOnceOptions();
  const int32_t target = options == nullptr ? 0 : options->init_subgraph_index;
  if (target <= 0 || static_cast<size_t>(target) >= model_.subgraphs.size()) {
    throw Unspecified("CALL_ONCE: no such subgraph");
  }
  if (called_[&op]) return;
  called_[&op] = true;
  for (const auto& inner : model_.subgraphs[static_cast<size_t>(target)]->operators) {
    if (CodeOf(model_, *inner) == BuiltinOperator::CALL_ONCE) throw Unspecified("CALL_ONCE: nested");
  }
  RunSubgraph(static_cast<size_t>(target));
}

// Bytes are passed unchanged: scales are not checked.
std::vector<Bytes> Evaluation::Call(int32_t target, const std::vector<Bytes>& inputs) {
  constexpr int kMostCalls = 8;
  if (target <= 0 || static_cast<size_t>(target) >= model_.subgraphs.size() || depth_ == kMostCalls) {
    throw Unspecified("a call of no other subgraph, or too deep");
  }
  const auto index = static_cast<size_t>(target);
  const edit::SubGraphT& graph = *model_.subgraphs[index];
  if (graph.inputs.size() != inputs.size()) throw Unspecified("a call with another number of inputs");
  for (size_t i = 0; i < inputs.size(); ++i) {
    values_[index][static_cast<size_t>(graph.inputs[i])] = inputs[i];
  }
  ++depth_;
  RunSubgraph(index);
  --depth_;
  return ValuesOf(index, graph.outputs, 0);
}

Bytes& Evaluation::ValueOf(size_t subgraph, const std::vector<int32_t>& tensors, size_t i) {
  if (i >= tensors.size() || tensors[i] < 0)
    throw Unspecified("operand " + std::to_string(i) + " is missing");
  return values_[subgraph][static_cast<size_t>(tensors[i])];
}

std::vector<Bytes> Evaluation::ValuesOf(size_t subgraph, const std::vector<int32_t>& tensors, size_t first) {
  std::vector<Bytes> values;
  for (size_t i = first; i < tensors.size(); ++i) {
    values.push_back(ValueOf(subgraph, tensors, i));
  }
  return values;
}

namespace {

bool IsTrue(const Bytes& value) {
  if (value.size() != 1) throw Unspecified("a condition that is not one bool");
  return value[0] != 0;
}

}  // namespace

void Evaluation::RunIf(size_t subgraph, const edit::OperatorT& op) {
  const auto* options = op.builtin_options.AsIfOptions();
  if (options == nullptr || op.inputs.empty()) throw Unspecified("IF: no options or no condition");
  const bool holds = IsTrue(ValueOf(subgraph, op.inputs, 0));
  const std::vector<Bytes> outputs = Call(holds ? options->then_subgraph_index : options->else_subgraph_index,
                                          ValuesOf(subgraph, op.inputs, 1));
  if (outputs.size() != op.outputs.size()) throw Unspecified("IF: another number of outputs");
  for (size_t i = 0; i < outputs.size(); ++i)
    values_[subgraph][static_cast<size_t>(op.outputs[i])] = outputs[i];
}

void Evaluation::RunWhile(size_t subgraph, const edit::OperatorT& op) {
  const auto* options = op.builtin_options.AsWhileOptions();
  if (options == nullptr) throw Unspecified("WHILE: no options");
  constexpr int kMostLoops = 1 << 20;
  std::vector<Bytes> values = ValuesOf(subgraph, op.inputs, 0);
  for (;;) {
    const std::vector<Bytes> condition = Call(options->cond_subgraph_index, values);
    if (condition.empty() || !IsTrue(condition[0])) break;
    if (++loops_ > kMostLoops) throw Unspecified("WHILE: too many loops");
    values = Call(options->body_subgraph_index, values);
  }
  if (values.size() != op.outputs.size()) throw Unspecified("WHILE: another number of outputs");
  for (size_t i = 0; i < values.size(); ++i)
    values_[subgraph][static_cast<size_t>(op.outputs[i])] = values[i];
}

void Evaluation::NameVariable(size_t subgraph, const edit::OperatorT& op) {
  const auto* options = op.builtin_options.AsVarHandleOptions();
  const std::string key = options == nullptr ? "" : options->container + '\0' + options->shared_name;
  ValueOf(subgraph, op.outputs, 0).assign(key.begin(), key.end());
}

std::string Evaluation::NameIn(size_t subgraph, const edit::OperatorT& op) {
  const Bytes& handle = ValueOf(subgraph, op.inputs, 0);
  return {handle.begin(), handle.end()};
}

void Evaluation::ReadVariable(size_t subgraph, const edit::OperatorT& op) {
  Bytes& value = ValueOf(subgraph, op.outputs, 0);
  const edit::TensorT& tensor = *model_.subgraphs[subgraph]->tensors[static_cast<size_t>(op.outputs[0])];
  const auto variable = variables_.find(NameIn(subgraph, op));
  if (variable != variables_.end() && variable->second.empty() && ElementCount(tensor.shape) != 0) {
    throw Unspecified("READ_VARIABLE: a value that is not known was assigned");
  }
  value = variable == variables_.end() ? Zeros(tensor) : variable->second;
}

}  // namespace lutra::conformance::oracle
