// SPDX-License-Identifier: Apache-2.0
// Checks and descriptions that all operators on XNNPACK share.

#include "conformance/adapters/xnnpack/case.h"

#include <algorithm>
#include <cmath>

#include "conformance/oracle/operators.h"

namespace lutra::conformance::xnnpack {

void Check(xnn_status status) {
  switch (status) {
    case xnn_status_success:
      return;
    case xnn_status_unsupported_parameter:
    case xnn_status_unsupported_hardware:
      throw Unsupported("XNNPACK: unsupported parameter");
    case xnn_status_invalid_parameter:
      throw Refused("XNNPACK: invalid parameter");
    default:
      throw std::runtime_error("XNNPACK: status " + std::to_string(status));
  }
}

void Require(bool holds, const std::string& why) {
  if (!holds) throw Refused(why);
}

void Support(bool holds, const std::string& why) {
  if (!holds) throw Unsupported(why);
}

Network::~Network() {
  for (const xnn_operator_t op : operators_) xnn_delete_operator(op);
}

namespace {
size_t WordsFor(size_t bytes) { return (bytes + XNN_EXTRA_BYTES + 7) / 8; }
}  // namespace

void* Network::MemoryOf(int32_t tensor, size_t bytes) {
  Words& words = memory_[static_cast<size_t>(tensor)];
  if (words.empty()) words.resize(WordsFor(bytes));
  // Operators hold pointers into it.
  Require(words.size() == WordsFor(bytes), "a tensor of two sizes");
  return words.data();
}

void* Network::Scratch(size_t bytes) { return scratch_.emplace_back(WordsFor(bytes)).data(); }

void Network::Append(xnn_operator_t op) {
  operators_.push_back(op);
  Check(xnn_run_operator(op, nullptr));
}

void Network::Run() {
  for (const xnn_operator_t op : operators_) Check(xnn_run_operator(op, nullptr));
}

Call::~Call() {
  if (op_ != nullptr) xnn_delete_operator(op_);
}

Source::Source(const Node& node, int index, oracle::Type type) {
  Require(node.has_input(index), "input " + std::to_string(index) + " is missing");
  const int8_t actual = node.input(index).type;
  Support(actual == type, "input " + std::to_string(index) + " of type " + std::to_string(actual));
  const oracle::Bytes& bytes = node.GetBytes(index);
  Support(!bytes.empty(), "an empty input");
  count_ = bytes.size() / static_cast<size_t>(oracle::BytesOf(type));
  const int32_t tensor = node.op().inputs[static_cast<size_t>(index)];
  Require(tensor != node.op().outputs[0], "a node that writes what it reads");
  void* const memory = node.network().MemoryOf(tensor, bytes.size());
  std::memcpy(memory, bytes.data(), bytes.size());
  data_ = memory;
}

Quantization QuantizationOf(const edit::TensorT& tensor) {
  Support(tensor.type == kInt8, "\"" + tensor.name + "\" of type " + std::to_string(tensor.type));
  const oracle::Quantization found = oracle::QuantizationOf(tensor);
  Require(std::isnormal(found.scale) && found.scale > 0, "\"" + tensor.name + "\" has no scale");
  Require(tensor.quantization->scale.size() == 1, "\"" + tensor.name + "\" has several scales");
  Require(found.zero_point >= -128 && found.zero_point <= 127, "\"" + tensor.name + "\": zero point");
  return {found.scale, static_cast<int8_t>(found.zero_point)};
}

Range ActivationRange(int8_t activation, Quantization output) {
  const auto code = [&](float real) {
    const float position = real / output.scale + static_cast<float>(output.zero_point);
    return static_cast<int8_t>(std::lrint(std::min(std::max(position, -128.0f), 127.0f)));
  };
  Range range = {-128, 127};
  switch (static_cast<oracle::Activation>(activation)) {
    case oracle::Activation::kNone:
      break;
    case oracle::Activation::kRelu:
      range.low = code(0);
      break;
    case oracle::Activation::kRelu6:
      range = {code(0), code(6)};
      break;
    case oracle::Activation::kReluN1To1:
      range = {code(-1), code(1)};
      break;
    default:
      throw Unsupported("fused activation " + std::to_string(activation));
  }
  // XNNPACK calls it an invalid parameter.
  Support(range.low < range.high, "an activation of a single code");
  return range;
}

Image ImageOf(const edit::TensorT& tensor) {
  Require(tensor.shape.size() == 4, "\"" + tensor.name + "\" has not four dimensions");
  const std::vector<size_t> dims = DimensionsOf(tensor);
  return {dims[0], dims[1], dims[2], dims[3]};
}

Padding WindowPadding(int8_t padding, size_t in, size_t out, int filter, int stride, int dilation) {
  const auto size = static_cast<int64_t>(in), windows = static_cast<int64_t>(out);
  const int64_t reach = int64_t{filter - 1} * dilation + 1;
  int64_t total = 0;
  if (padding == kSame) {
    total = std::max<int64_t>(0, (windows - 1) * stride + reach - size);
    Require(windows == (size + stride - 1) / stride, "an output of another size");
  } else {
    Require(size >= reach && windows == (size - reach) / stride + 1, "an output of another size");
  }
  Support(total < (1 << 20), "a filter too large");
  return {static_cast<uint32_t>(total / 2), static_cast<uint32_t>(total - total / 2)};
}

uint32_t Positive(int value, const char* what) {
  Require(value >= 1, std::string(what) + " below 1");
  Support(value < (1 << 20), std::string(what) + " too large");
  return static_cast<uint32_t>(value);
}

std::vector<size_t> DimensionsOf(const edit::TensorT& tensor) {
  std::vector<size_t> dims;
  for (const int32_t dim : tensor.shape) {
    Support(dim > 0, "\"" + tensor.name + "\" is empty");
    dims.push_back(static_cast<size_t>(dim));
  }
  return dims;
}

namespace {

struct Entry {
  edit::BuiltinOperator code;
  Function function;
};

constexpr Entry kFunctions[] = {
    {edit::BuiltinOperator::ADD, RunAdd},
    {edit::BuiltinOperator::CONCATENATION, RunConcatenation},
    {edit::BuiltinOperator::CONV_2D, RunConv2D},
    {edit::BuiltinOperator::DEPTHWISE_CONV_2D, RunDepthwiseConv2D},
    {edit::BuiltinOperator::DEQUANTIZE, RunDequantize},
    {edit::BuiltinOperator::ELU, RunElu},
    {edit::BuiltinOperator::EXPAND_DIMS, RunCopy},
    {edit::BuiltinOperator::FULLY_CONNECTED, RunFullyConnected},
    {edit::BuiltinOperator::LOGISTIC, RunLogistic},
    {edit::BuiltinOperator::MAX_POOL_2D, RunMaxPool2D},
    {edit::BuiltinOperator::MEAN, RunMean},
    {edit::BuiltinOperator::MUL, RunMul},
    {edit::BuiltinOperator::PAD, RunPad},
    {edit::BuiltinOperator::PADV2, RunPad},
    {edit::BuiltinOperator::QUANTIZE, RunQuantize},
    {edit::BuiltinOperator::RELU, RunRelu},
    {edit::BuiltinOperator::RELU6, RunRelu6},
    {edit::BuiltinOperator::RESHAPE, RunCopy},
    {edit::BuiltinOperator::RESIZE_BILINEAR, RunResizeBilinear},
    {edit::BuiltinOperator::SQUEEZE, RunCopy},
    {edit::BuiltinOperator::SUB, RunSub},
    {edit::BuiltinOperator::TANH, RunTanh},
    {edit::BuiltinOperator::TRANSPOSE_CONV, RunTransposeConv},
};

}  // namespace

Function FunctionFor(edit::BuiltinOperator code) {
  for (const Entry& entry : kFunctions) {
    if (entry.code == code) return entry.function;
  }
  return nullptr;
}

Function StandInFor(edit::BuiltinOperator code) {
  if (code == edit::BuiltinOperator::AVERAGE_POOL_2D) return RunAveragePool2D;
  return code == edit::BuiltinOperator::SOFTMAX ? RunSoftmax : nullptr;
}

}  // namespace lutra::conformance::xnnpack
