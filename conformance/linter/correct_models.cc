// SPDX-License-Identifier: Apache-2.0
// Builds a correct model of any operator from the roles of its operands.

#include "conformance/linter/correct_models.h"

#include <fmt/format.h>

#include <cstring>
#include <map>

#include "conformance/oracle/operators.h"

namespace lutra::conformance::linter {
namespace {

constexpr float kScale = 0.125f, kWeightScale = 0.01f;
constexpr char kLstm[] = "UNIDIRECTIONAL_SEQUENCE_LSTM";

std::unique_ptr<edit::QuantizationParametersT> Quantized(std::vector<float> scales, int axis = 0) {
  auto quantization = std::make_unique<edit::QuantizationParametersT>();
  quantization->zero_point.assign(scales.size(), 0);
  quantization->scale = std::move(scales);
  quantization->quantized_dimension = axis;
  return quantization;
}

// Returns axes, sizes, paddings and so on that keep an input of [1, 4, 4, 4], or reduce its last dimension.
std::vector<std::vector<int32_t>> Steering(const std::string& op) {
  const std::vector<int32_t> shape = {1, 4, 4, 4}, zeros(4), paddings(8);
  static const std::map<std::string, std::vector<std::vector<int32_t>>> steering = {
      {"BATCH_TO_SPACE_ND", {{1, 1}, zeros}},
      {"BROADCAST_TO", {shape}},
      {"EXPAND_DIMS", {{0}}},
      {"FILL", {shape}},
      {"GATHER", {{0}}},
      {"GATHER_ND", {{0}}},
      {"MIRROR_PAD", {paddings}},
      {"PAD", {paddings}},
      {"PADV2", {paddings}},
      {"RESIZE_BILINEAR", {{4, 4}}},
      {"RESIZE_NEAREST_NEIGHBOR", {{4, 4}}},
      {"SLICE", {zeros, shape}},
      {"SPACE_TO_BATCH_ND", {{1, 1}, zeros}},
      {"SPLIT_V", {{4}, {3}}},
      {"STRIDED_SLICE", {zeros, shape, {1, 1, 1, 1}}},
      {"TRANSPOSE", {{0, 1, 2, 3}}},
      {"TRANSPOSE_CONV", {shape}},
  };
  const auto found = steering.find(op);
  return found == steering.end() ? std::vector<std::vector<int32_t>>{{3}} : found->second;
}

oracle::Shape WeightShape(const std::string& op) {
  if (op == "DEPTHWISE_CONV_2D") return {1, 1, 1, 4};
  if (op == "FULLY_CONNECTED") return {4, 64};
  if (op == "SVDF" || op == kLstm) return {4, 4};
  return {4, 1, 1, 4};
}

bool IsOneOf(const std::string& name, std::initializer_list<const char*> names) {
  for (const char* other : names) {
    if (name == other) return true;
  }
  return false;
}

}  // namespace

Net::Net(const std::string& op) : name_(op) {
  model_.version = 3;
  model_.buffers.push_back(std::make_unique<edit::BufferT>());
  model_.operator_codes.push_back(std::make_unique<edit::OperatorCodeT>());
  model_.operator_codes[0]->builtin_code = static_cast<int32_t>(oracle::CodeNamed(op));
  model_.subgraphs.push_back(std::make_unique<edit::SubGraphT>());
  graph().operators.push_back(std::make_unique<edit::OperatorT>());
  const Signature* signature = FindSignature(op);
  int steering = 0;
  for (const char role : signature == nullptr ? "x" : signature->inputs) {
    const int operand = AddOperand(role, steering);
    this->op().inputs.push_back(role == kAbsent ? -1 : operand);
    steering += role == kSteering;
  }
  for (const char role : signature == nullptr ? "x" : signature->outputs) {
    this->op().outputs.push_back(AddOperand(role, 0));
  }
  AddFixedParameters();
}

int Net::Add(int8_t type, oracle::Shape shape) {
  auto tensor = std::make_unique<edit::TensorT>();
  tensor->type = type;
  tensor->shape = std::move(shape);
  tensor->name = fmt::format("t{}", graph().tensors.size());
  graph().tensors.push_back(std::move(tensor));
  return static_cast<int>(graph().tensors.size()) - 1;
}

int Net::AddOperand(char role, int steering) {
  const bool has_one_scale = name_ == "SVDF" || name_ == kLstm;
  const std::vector<float> scales(has_one_scale ? 1 : 4, kWeightScale);
  int index = Add(oracle::kInt8, {1, 4, 4, 4});
  edit::TensorT& tensor = *graph().tensors.back();
  switch (role) {
    case kActivation:
      tensor.quantization = Quantized({kScale});
      break;
    case kWeights:
      tensor.shape = WeightShape(name_);
      tensor.quantization = Quantized(scales, name_ == "DEPTHWISE_CONV_2D" ? 3 : 0);
      SetData(&tensor, oracle::Bytes(static_cast<size_t>(oracle::ElementCount(tensor.shape)), 1));
      break;
    case kBias:
      tensor.type = oracle::kInt32;
      tensor.quantization = Quantized(std::vector<float>(scales.size(), kScale * kWeightScale));
      SetIntegers(&tensor, {1, 2, 3, 4});
      break;
    case kState:
      tensor.type = oracle::kInt16;
      tensor.quantization = Quantized({kScale});
      tensor.is_variable = true;
      break;
    case kSteering:
      tensor.type = oracle::kInt32;
      SetIntegers(&tensor, Steering(name_).at(static_cast<size_t>(steering)));
      break;
    default:
      tensor.type = oracle::kInt32;
  }
  return index;
}

// Adds parameters that an operator needs besides its operands.
void Net::AddFixedParameters() {
  const auto set_output = [&](float scale, int64_t zero_point) {
    output().quantization->scale = {scale};
    output().quantization->zero_point = {zero_point};
  };
  if (IsOneOf(name_, {"LOGISTIC", "SOFTMAX"})) set_output(1.0f / 256, -128);
  if (IsOneOf(name_, {"TANH", "L2_NORMALIZATION", "DIV"})) set_output(1.0f / 128, 0);
  if (name_ == "LOG_SOFTMAX") set_output(1.0f / 16, 127);
  if (name_ == "MUL") set_output(kScale * kScale, 0);
  if (name_ == "BATCH_MATMUL") set_output(2, 0);
  if (IsOneOf(name_, {"LOGISTIC", "TANH"})) input(0).quantization->scale = {0.1f};
  if (IsOneOf(name_, {"MEAN", "SUM"})) set_output(64 * kScale, 0);
  if (IsOneOf(name_, {"MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"})) output().shape = {1, 4, 4, 1};
  edit::BuiltinOptionsUnion& options = op().builtin_options;
  if (name_ == "SOFTMAX") {
    edit::SoftmaxOptionsT softmax;
    softmax.beta = 1;
    options.Set(std::move(softmax));
  } else if (name_ == "LEAKY_RELU") {
    edit::LeakyReluOptionsT leaky;
    leaky.alpha = 1;
    options.Set(std::move(leaky));
  } else if (name_ == "SPACE_TO_DEPTH") {
    edit::SpaceToDepthOptionsT space;
    space.block_size = 1;
    options.Set(std::move(space));
  } else if (name_ == "DEPTH_TO_SPACE") {
    edit::DepthToSpaceOptionsT depth;
    depth.block_size = 1;
    options.Set(std::move(depth));
  } else if (name_ == "SVDF") {
    edit::SVDFOptionsT svdf;
    svdf.rank = 1;
    svdf.fused_activation_function = 1;
    options.Set(std::move(svdf));
    for (edit::TensorT* tensor : All(kActivation)) tensor->shape = {1, 4};
  } else if (name_ == kLstm) {
    constexpr int8_t kTanh = 4;
    edit::UnidirectionalSequenceLSTMOptionsT lstm;
    lstm.fused_activation_function = kTanh;
    options.Set(std::move(lstm));
    for (edit::TensorT* tensor : All(kActivation)) tensor->shape = {1, 3, 4};
    // The hidden state precedes that of the cells.
    for (edit::TensorT* tensor : All(kState)) tensor->shape = {1, 4};
    All(kState)[0]->type = oracle::kInt8;
    All(kState)[1]->quantization->scale = {0x1p-11f};
  }
}

std::vector<edit::TensorT*> Net::All(Role role) {
  const Signature* signature = FindSignature(name_);
  const std::string roles = signature == nullptr ? "xx" : signature->inputs + signature->outputs;
  std::vector<edit::TensorT*> found;
  for (size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == role) found.push_back(graph().tensors[i].get());
  }
  return found;
}

void Net::SetData(edit::TensorT* tensor, oracle::Bytes data) {
  tensor->buffer = static_cast<uint32_t>(model_.buffers.size());
  model_.buffers.push_back(std::make_unique<edit::BufferT>());
  model_.buffers.back()->data = std::move(data);
}

void Net::SetIntegers(edit::TensorT* tensor, const std::vector<int32_t>& values) {
  oracle::Bytes bytes(4 * values.size());
  std::memcpy(bytes.data(), values.data(), bytes.size());
  tensor->shape = {static_cast<int32_t>(values.size())};
  SetData(tensor, std::move(bytes));
}

void Net::SetActivation(int8_t activation) {
  const auto set = [&](auto options) {
    options.fused_activation_function = activation;
    op().builtin_options.Set(std::move(options));
  };
  if (name_ == "ADD") set(edit::AddOptionsT());
  if (name_ == "SUB") set(edit::SubOptionsT());
  if (name_ == "MUL") set(edit::MulOptionsT());
  if (name_ == "DIV") set(edit::DivOptionsT());
  if (name_ == "CONV_2D") set(edit::Conv2DOptionsT());
  if (name_ == "DEPTHWISE_CONV_2D") set(edit::DepthwiseConv2DOptionsT());
  if (name_ == "TRANSPOSE_CONV") set(edit::TransposeConvOptionsT());
  if (name_ == "FULLY_CONNECTED") set(edit::FullyConnectedOptionsT());
  if (IsOneOf(name_, {"AVERAGE_POOL_2D", "MAX_POOL_2D"})) set(edit::Pool2DOptionsT());
  if (name_ == "CONCATENATION") set(edit::ConcatenationOptionsT());
  if (name_ == "L2_NORMALIZATION") set(edit::L2NormOptionsT());
  if (name_ == "SVDF") set(edit::SVDFOptionsT());
}

}  // namespace lutra::conformance::linter
