// SPDX-License-Identifier: Apache-2.0
// The rules of the file format and of the specification that `fuzz --invalid` breaks, and how it breaks each.

#include "conformance/fuzz/break_case.h"

#include <flatbuffers/flexbuffers.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "conformance/generator/model_maker.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance {
namespace {

using Names = std::span<const std::string_view>;

// Operators whose arithmetic needs the scale of the first input, and of the output.
constexpr std::string_view kScaledInput[] = {
    "ADD",        "SUB",       "MUL",  "DIV",         "SQUARED_DIFFERENCE", "CONV_2D", "DEPTHWISE_CONV_2D",
    "SOFTMAX",    "ELU",       "SUM",  "LOG_SOFTMAX", "FULLY_CONNECTED",    "TANH",    "BATCH_MATMUL",
    "LEAKY_RELU", "GELU",      "MEAN", "HARD_SWISH",  "LOGISTIC",           "PRELU",   "EQUAL",
    "LESS",       "DEQUANTIZE"};
constexpr std::string_view kScaledOutput[] = {"ADD",
                                              "SUB",
                                              "MUL",
                                              "DIV",
                                              "SQUARED_DIFFERENCE",
                                              "SUM",
                                              "GELU",
                                              "CONV_2D",
                                              "DEPTHWISE_CONV_2D",
                                              "FULLY_CONNECTED",
                                              "BATCH_MATMUL",
                                              "LEAKY_RELU",
                                              "ELU",
                                              "MEAN",
                                              "PRELU",
                                              "HARD_SWISH"};
// Operators whose output is int8 if their inputs are.
constexpr std::string_view kInt8ToInt8[] = {
    "ADD",           "SUB",   "MUL",        "DIV",     "CONV_2D",         "DEPTHWISE_CONV_2D", "GELU",
    "TANH",          "ELU",   "RELU",       "MINIMUM", "FULLY_CONNECTED", "LOG_SOFTMAX",       "GATHER",
    "MAXIMUM",       "PRELU", "LOGISTIC",   "MEAN",    "AVERAGE_POOL_2D", "MAX_POOL_2D",       "RESHAPE",
    "TRANSPOSE",     "SLICE", "LEAKY_RELU", "PAD",     "RESIZE_BILINEAR", "CONCATENATION",     "HARD_SWISH",
    "SPACE_TO_DEPTH"};
// Operators whose output's shape follows from the inputs' shapes.
constexpr std::string_view kShaped[] = {"ADD",
                                        "MUL",
                                        "CONV_2D",
                                        "DEPTHWISE_CONV_2D",
                                        "FULLY_CONNECTED",
                                        "BATCH_MATMUL",
                                        "SOFTMAX",
                                        "LOGISTIC",
                                        "PRELU",
                                        "MEAN",
                                        "AVERAGE_POOL_2D",
                                        "MAX_POOL_2D",
                                        "CONCATENATION",
                                        "PAD",
                                        "TRANSPOSE",
                                        "SLICE",
                                        "GATHER",
                                        "SPACE_TO_DEPTH",
                                        "DEPTH_TO_SPACE",
                                        "RESIZE_BILINEAR",
                                        "PACK",
                                        "UNPACK",
                                        "ARG_MAX",
                                        "REVERSE_V2",
                                        "BROADCAST_TO",
                                        "STRIDED_SLICE",
                                        "SPLIT"};
constexpr std::string_view kBroadcast[] = {"ADD",  "SUB", "MUL", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE",
                                           "EQUAL"};

bool IsOneOf(Names names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A model, the node whose rule is broken, and the choices that are not used yet.
class Breaker {
 public:
  Breaker(edit::ModelT* model, uint64_t place) : model_(*model), graph_(*model->subgraphs[0]), place_(place) {
    node_ = Choose(graph_.operators.size());
    name_ = oracle::NameOf(model_, op());
    row_ = oracle::FindOperator(name_);
  }

  edit::ModelT& model() { return model_; }
  edit::SubGraphT& graph() { return graph_; }
  edit::OperatorT& op() { return *graph_.operators[node_]; }
  const std::string& name() const { return name_; }
  const oracle::Operator* row() const { return row_; }
  bool Is(Names names) const { return IsOneOf(names, name_); }

  // One of `count` things.
  size_t Choose(size_t count) {
    const uint64_t all = std::max<uint64_t>(count, 1);
    const auto chosen = static_cast<size_t>(place_ % all);
    place_ /= all;
    return chosen;
  }
  edit::TensorT* Input(size_t i) {
    if (i >= op().inputs.size() || op().inputs[i] < 0) return nullptr;
    return graph_.tensors[static_cast<size_t>(op().inputs[i])].get();
  }
  edit::TensorT& Output() { return *graph_.tensors[static_cast<size_t>(op().outputs[0])]; }
  bool IsConstant(const edit::TensorT& tensor) { return !model_.buffers[tensor.buffer]->data.empty(); }
  // The first input or, if there is none, nothing; of int8 with one scale.
  edit::TensorT* Scaled(bool is_output) {
    if (!Is(is_output ? Names(kScaledOutput) : Names(kScaledInput))) return nullptr;
    edit::TensorT* const tensor = is_output ? &Output() : Input(0);
    if (tensor == nullptr || tensor->type != oracle::kInt8 || !tensor->quantization) return nullptr;
    return tensor->quantization->scale.size() == 1 && tensor->quantization->zero_point.size() == 1 ? tensor
                                                                                                   : nullptr;
  }
  // Compressed constants have rules of their own.
  bool IsPlain() {
    return model_.metadata.empty() &&
           std::all_of(graph_.operators.begin(), graph_.operators.end(), [&](const auto& op) {
             return oracle::NameOf(model_, *op).find(':') == std::string::npos;
           });
  }
  bool IsAlone() const { return graph_.operators.size() == 1; }

 private:
  edit::ModelT& model_;
  edit::SubGraphT& graph_;
  uint64_t place_;
  size_t node_ = 0;
  std::string name_;
  const oracle::Operator* row_ = nullptr;
};

// A change returns a description of what it did; nothing if it does not apply to the model.
using Done = std::optional<std::string>;

// ---- The graph

Done BufferIndex(Breaker& b) {
  const auto buffer = static_cast<uint32_t>(b.model().buffers.size() + b.Choose(1000));
  edit::TensorT* const tensor = b.Input(b.Choose(b.op().inputs.size()));
  if (tensor == nullptr) return std::nullopt;
  tensor->buffer = buffer;
  return fmt::format("a tensor names buffer {}, which the file lacks", buffer);
}
Done OperatorCode(Breaker& b) {
  b.op().opcode_index = static_cast<uint32_t>(b.model().operator_codes.size() + b.Choose(1000));
  return "the operator's code is not there";
}
int32_t NoTensor(Breaker& b) {
  const bool is_negative = b.Choose(2) == 1;
  return is_negative ? -2 - static_cast<int32_t>(b.Choose(1000))
                     : static_cast<int32_t>(b.graph().tensors.size() + b.Choose(1000));
}
Done InputIndex(Breaker& b) {
  if (b.op().inputs.empty()) return std::nullopt;
  const size_t i = b.Choose(b.op().inputs.size());
  b.op().inputs[i] = NoTensor(b);
  return fmt::format("input {} is no tensor", i);
}
Done OutputIndex(Breaker& b) {
  const size_t i = b.Choose(b.op().outputs.size());
  b.op().outputs[i] = NoTensor(b);
  return fmt::format("output {} is no tensor", i);
}
Done GraphInputIndex(Breaker& b) {
  if (b.graph().inputs.empty()) return std::nullopt;
  b.graph().inputs[b.Choose(b.graph().inputs.size())] = NoTensor(b);
  return "an input of the graph is no tensor";
}
Done GraphOutputIndex(Breaker& b) {
  b.graph().outputs[b.Choose(b.graph().outputs.size())] = NoTensor(b);
  return "an output of the graph is no tensor";
}
Done InputMissing(Breaker& b) {
  if (b.row() == nullptr) return std::nullopt;
  const std::string_view roles = b.row()->operands.inputs;
  const size_t i = b.Choose(std::min(roles.size(), b.op().inputs.size()));
  if (i >= b.op().inputs.size() || b.op().inputs[i] < 0) return std::nullopt;
  if (roles[i] == oracle::kBias || roles[i] == '+') return std::nullopt;
  b.op().inputs[i] = -1;
  return fmt::format("input {} is left out", i);
}
Done NoInputs(Breaker& b) {
  if (b.op().inputs.empty()) return std::nullopt;
  b.op().inputs.clear();
  return "the operator has no inputs";
}
Done NoOutputs(Breaker& b) {
  b.op().outputs.clear();
  return "the operator has no outputs";
}
Done NotProduced(Breaker& b) {
  edit::TensorT* const tensor = b.Input(0);
  if (tensor == nullptr || tensor->is_variable || b.IsConstant(*tensor)) return std::nullopt;
  if (oracle::ElementCount(tensor->shape) == 0) return std::nullopt;
  b.graph().tensors.push_back(std::make_unique<edit::TensorT>(*tensor));
  b.op().inputs[0] = static_cast<int32_t>(b.graph().tensors.size()) - 1;
  return "nobody writes the first input";
}
// A variable is written by the operators that keep state in it, as often as they like.
bool WritesVariable(Breaker& b) { return !b.op().outputs.empty() && b.Output().is_variable; }
Done ReadsItself(Breaker& b) {
  if (b.op().inputs.empty() || b.op().outputs.empty() || WritesVariable(b)) return std::nullopt;
  b.op().inputs[0] = b.op().outputs[0];
  return "the operator reads what it writes";
}
Done WritesInput(Breaker& b) {
  if (b.graph().inputs.empty()) return std::nullopt;
  b.op().outputs[0] = b.graph().inputs[b.Choose(b.graph().inputs.size())];
  return "the operator writes an input of the graph";
}
Done WrittenTwice(Breaker& b) {
  if (b.op().outputs.empty() || WritesVariable(b)) return std::nullopt;
  b.graph().operators.push_back(std::make_unique<edit::OperatorT>(b.op()));
  return "two operators write one tensor";
}

// ---- Tensors

Done ByteMissing(Breaker& b) {
  edit::TensorT* const tensor = b.Input(b.Choose(b.op().inputs.size()));
  if (tensor == nullptr || !b.IsPlain() || !b.IsConstant(*tensor)) return std::nullopt;
  b.model().buffers[tensor->buffer]->data.pop_back();
  return "the last byte of a constant is missing";
}
Done NegativeDimension(Breaker& b) {
  edit::TensorT* const tensor = b.Input(b.Choose(b.op().inputs.size()));
  if (tensor == nullptr || tensor->shape.empty()) return std::nullopt;
  int32_t& dimension = tensor->shape[b.Choose(tensor->shape.size())];
  dimension = -1 - static_cast<int32_t>(b.Choose(9));
  return fmt::format("a dimension of {}", dimension);
}
Done OutputShape(Breaker& b) {
  oracle::Shape& shape = b.Output().shape;
  if (!b.Is(kShaped) || shape.empty()) return std::nullopt;
  const size_t d = b.Choose(shape.size());
  const int32_t before = shape[d];
  shape[d] += b.Choose(2) == 1 && before > 1 ? -1 : 1;
  return fmt::format("dimension {} of the output is {}, and follows to be {}", d, shape[d], before);
}
Done OutputType(Breaker& b) {
  const edit::TensorT* const in = b.Input(0);
  if (!b.Is(kInt8ToInt8) || in == nullptr || in->type != oracle::kInt8 || b.Output().type != oracle::kInt8) {
    return std::nullopt;
  }
  b.Output().type = b.Choose(2) == 1 ? oracle::kFloat32 : oracle::kInt16;
  return "an int8 input gives an output of another type";
}
Done Broadcast(Breaker& b) {
  edit::TensorT *const first = b.Input(0), *const second = b.Input(1);
  if (!b.Is(kBroadcast) || !b.IsAlone() || second == nullptr || first == second) return std::nullopt;
  if (first->shape.empty() || first->shape.back() < 2 || second->shape.empty() || b.IsConstant(*second)) {
    return std::nullopt;
  }
  second->shape.back() = first->shape.back() + 1 + static_cast<int32_t>(b.Choose(5));
  return fmt::format("rows of {} and of {}", first->shape.back(), second->shape.back());
}

// ---- Quantisation

Done Scale(Breaker& b) {
  edit::TensorT* const tensor = b.Scaled(b.Choose(2) == 1);
  if (tensor == nullptr) return std::nullopt;
  static constexpr float kScales[] = {0.0f, -0.5f, std::numeric_limits<float>::quiet_NaN(),
                                      std::numeric_limits<float>::infinity()};
  tensor->quantization->scale[0] = kScales[b.Choose(std::size(kScales))];
  return fmt::format("a scale of {}", tensor->quantization->scale[0]);
}
Done NotQuantized(Breaker& b) {
  edit::TensorT* const tensor = b.Scaled(b.Choose(2) == 1);
  if (tensor == nullptr) return std::nullopt;
  tensor->quantization.reset();
  return "an int8 tensor has no scale";
}
Done ZeroPoint(Breaker& b) {
  edit::TensorT* const tensor = b.Scaled(b.Choose(2) == 1);
  if (tensor == nullptr) return std::nullopt;
  const auto beyond = static_cast<int64_t>(b.Choose(1000));
  tensor->quantization->zero_point[0] = b.Choose(2) == 1 ? -129 - beyond : 128 + beyond;
  return fmt::format("an int8 zero point of {}", tensor->quantization->zero_point[0]);
}
Done ScaleCount(Breaker& b) {
  edit::TensorT* const tensor = b.Scaled(false);
  if (b.name() == "DEQUANTIZE") return std::nullopt;  // It may have several scales.
  if (tensor == nullptr || tensor->shape.empty() || tensor->shape.back() < 2) return std::nullopt;
  const auto channels = static_cast<size_t>(tensor->shape.back());
  tensor->quantization->scale.resize(channels, tensor->quantization->scale[0]);
  tensor->quantization->zero_point.resize(channels, tensor->quantization->zero_point[0]);
  tensor->quantization->quantized_dimension = static_cast<int32_t>(tensor->shape.size()) - 1;
  return "an activation with a scale of each channel";
}

// ---- Options

template <typename Options>
void SetStride(Breaker& b, Options* o, int32_t value) {
  (b.Choose(2) == 1 ? o->stride_h : o->stride_w) = value;
}
Done Stride(Breaker& b) {
  const int32_t value = b.Choose(2) == 1 ? -1 : 0;
  edit::BuiltinOptionsUnion& u = b.op().builtin_options;
  if (auto* o = u.AsConv2DOptions()) {
    SetStride(b, o, value);
  } else if (auto* depthwise = u.AsDepthwiseConv2DOptions()) {
    SetStride(b, depthwise, value);
  } else if (auto* transpose = u.AsTransposeConvOptions()) {
    SetStride(b, transpose, value);
  } else if (auto* pool = u.AsPool2DOptions()) {
    SetStride(b, pool, value);
  } else {
    return std::nullopt;
  }
  return fmt::format("a stride of {}", value);
}
Done Activation(Breaker& b) {
  const auto none = static_cast<int8_t>(4 + b.Choose(2));  // TANH, SIGN_BIT
  edit::BuiltinOptionsUnion& u = b.op().builtin_options;
  if (auto* o = u.AsConv2DOptions()) {
    o->fused_activation_function = none;
  } else if (auto* depthwise = u.AsDepthwiseConv2DOptions()) {
    depthwise->fused_activation_function = none;
  } else if (auto* connected = u.AsFullyConnectedOptions()) {
    connected->fused_activation_function = none;
  } else if (auto* pool = u.AsPool2DOptions()) {
    pool->fused_activation_function = none;
  } else if (auto* add = u.AsAddOptions()) {
    add->fused_activation_function = none;
  } else if (auto* sub = u.AsSubOptions()) {
    sub->fused_activation_function = none;
  } else if (auto* mul = u.AsMulOptions()) {
    mul->fused_activation_function = none;
  } else {
    return std::nullopt;
  }
  return "a fused activation that nobody has";
}
Done Axis(Breaker& b) {
  const edit::TensorT* const in = b.Input(0);
  if (in == nullptr) return std::nullopt;
  const auto rank = static_cast<int32_t>(in->shape.size());
  const bool is_negative = b.Choose(2) == 1;
  const auto beyond = static_cast<int32_t>(b.Choose(9));
  edit::BuiltinOptionsUnion& u = b.op().builtin_options;
  // PACK adds a dimension.
  const auto axis = [&](int32_t dims) { return is_negative ? -dims - 1 - beyond : dims + beyond; };
  if (auto* o = u.AsConcatenationOptions()) {
    o->axis = axis(rank);
  } else if (auto* pack = u.AsPackOptions()) {
    pack->axis = axis(rank + 1);
  } else if (auto* unpack = u.AsUnpackOptions()) {
    unpack->axis = axis(rank);
  } else if (auto* gather = u.AsGatherOptions()) {
    gather->axis = axis(rank);
  } else if (u.AsReducerOptions() != nullptr || u.AsArgMaxOptions() != nullptr) {
    edit::TensorT* const axes = b.Input(1);
    if (axes == nullptr || axes->type != oracle::kInt32 || !b.IsConstant(*axes)) return std::nullopt;
    oracle::Bytes& data = b.model().buffers[axes->buffer]->data;
    const oracle::Bytes bytes = ToBytes(std::vector<int32_t>{axis(rank)});
    std::copy(bytes.begin(), bytes.end(), data.begin());
  } else {
    return std::nullopt;
  }
  return fmt::format("an axis beyond {} dimensions", rank);
}

// Operators of the signal library need all of their options.
Done CustomOptions(Breaker& b) {
  oracle::Bytes& options = b.op().custom_options;
  if (!b.name().starts_with("CUSTOM:Signal") || options.empty()) return std::nullopt;
  if (flexbuffers::GetRoot(options).AsMap().size() == 0) return std::nullopt;
  options.resize(b.Choose(options.size()));
  return fmt::format("custom options cut to {} bytes", options.size());
}

struct Rule {
  const char* name;
  Done (*apply)(Breaker&);
};
constexpr Rule kRules[] = {{"buffer_index", BufferIndex},
                           {"operator_code", OperatorCode},
                           {"input_index", InputIndex},
                           {"output_index", OutputIndex},
                           {"graph_input_index", GraphInputIndex},
                           {"graph_output_index", GraphOutputIndex},
                           {"input_missing", InputMissing},
                           {"no_inputs", NoInputs},
                           {"no_outputs", NoOutputs},
                           {"not_produced", NotProduced},
                           {"reads_itself", ReadsItself},
                           {"writes_input", WritesInput},
                           {"written_twice", WrittenTwice},
                           {"byte_missing", ByteMissing},
                           {"negative_dimension", NegativeDimension},
                           {"output_shape", OutputShape},
                           {"output_type", OutputType},
                           {"broadcast", Broadcast},
                           {"scale", Scale},
                           {"not_quantized", NotQuantized},
                           {"zero_point", ZeroPoint},
                           {"scale_count", ScaleCount},
                           {"stride", Stride},
                           {"activation", Activation},
                           {"axis", Axis},
                           {"custom_options", CustomOptions}};

}  // namespace

BreakPlan DrawBreak(Random& random) {
  BreakPlan plan;
  plan.rule = static_cast<size_t>(random.Int(0, static_cast<int>(std::size(kRules)) - 1));
  plan.place = static_cast<uint64_t>(random.Between(0, int64_t{1} << 40));
  return plan;
}

bool Break(const BreakPlan& plan, Case* test) {
  for (size_t i = 0; i < std::size(kRules); ++i) {
    const Rule& rule = kRules[(plan.rule + i) % std::size(kRules)];
    const auto model = oracle::ReadModel(test->model);
    if (model->subgraphs[0]->operators.empty()) return false;
    Breaker breaker(model.get(), plan.place);
    const std::string name = breaker.name();
    const Done done = rule.apply(breaker);
    if (!done) continue;
    test->must_refuse = fmt::format("{}: {}: {}", rule.name, name, *done);
    test->plain_model = std::exchange(test->model, oracle::WriteModel(*model));
    return true;
  }
  return false;
}

std::string_view BrokenRule(const Case& test) {
  return std::string_view(test.must_refuse).substr(0, test.must_refuse.find(':'));
}

std::vector<std::string> BreakRules() {
  std::vector<std::string> names;
  for (const Rule& rule : kRules) names.emplace_back(rule.name);
  return names;
}

}  // namespace lutra::conformance
