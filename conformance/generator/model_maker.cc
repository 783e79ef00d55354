// SPDX-License-Identifier: Apache-2.0
// Builds the tensors, operators and codes of the models of cases.

#include "conformance/generator/model_maker.h"

#include <flatbuffers/flexbuffers.h>
#include <fmt/format.h>

#include <cstring>

#include "conformance/oracle/operators.h"

namespace lutra::conformance {
namespace {

// The operator versions from which LiteRT takes int8 operands; operators that are not listed need version 2.
struct Version {
  std::string_view op;
  int version;
};
constexpr Version kVersions[] = {{"ABS", 1},
                                 {"BROADCAST_TO", 1},
                                 {"BROADCAST_ARGS", 1},
                                 {"CAST", 1},
                                 {"CONV_2D", 3},
                                 {"ELU", 1},
                                 {"DEPTHWISE_CONV_2D", 3},
                                 {"DYNAMIC_UPDATE_SLICE", 1},
                                 {"EMBEDDING_LOOKUP", 1},
                                 {"EXPAND_DIMS", 1},
                                 {"FILL", 1},
                                 {"FULLY_CONNECTED", 4},
                                 {"HARD_SWISH", 1},
                                 {"LOGICAL_AND", 1},
                                 {"LOGICAL_NOT", 1},
                                 {"LOGICAL_OR", 1},
                                 {"PRELU", 1},
                                 {"REDUCE_ALL", 1},
                                 {"RESHAPE", 1},
                                 {"RESIZE_NEAREST_NEIGHBOR", 3},
                                 {"SELECT_V2", 1},
                                 {"SHAPE", 1},
                                 {"SQUEEZE", 1},
                                 {"SVDF", 3},
                                 {"TRANSPOSE_CONV", 3},
                                 {"UNIDIRECTIONAL_SEQUENCE_LSTM", 3},
                                 {"ZEROS_LIKE", 1}};

int VersionOf(std::string_view op) {
  for (const Version& known : kVersions) {
    if (known.op == op) return known.version;
  }
  return 2;
}

}  // namespace

ModelMaker::ModelMaker() {
  model_.version = 3;
  model_.buffers.push_back(std::make_unique<edit::BufferT>());
  model_.subgraphs.push_back(std::make_unique<edit::SubGraphT>());
}

int ModelMaker::Activation(const MadeTensor& made) {
  auto tensor = std::make_unique<edit::TensorT>();
  tensor->shape = made.shape;
  tensor->type = made.type;
  tensor->name = fmt::format("t{}", graph().tensors.size());
  tensor->is_variable = made.is_variable;
  if (made.scale != 0 || !made.channel_scales.empty()) {
    auto quantization = std::make_unique<edit::QuantizationParametersT>();
    if (made.channel_scales.empty()) {
      quantization->scale = {made.scale};
      quantization->zero_point = {made.zero_point};
    } else {
      quantization->scale = made.channel_scales;
      quantization->zero_point = made.zero_points;
      quantization->zero_point.resize(made.channel_scales.size());
      quantization->quantized_dimension = made.quantized_dimension;
    }
    tensor->quantization = std::move(quantization);
  }
  graph().tensors.push_back(std::move(tensor));
  return static_cast<int>(graph().tensors.size()) - 1;
}

int ModelMaker::Input(const MadeTensor& made) {
  graph().inputs.push_back(Activation(made));
  return graph().inputs.back();
}

int ModelMaker::Output(const MadeTensor& made) {
  graph().outputs.push_back(Activation(made));
  return graph().outputs.back();
}

int ModelMaker::Constant(const MadeTensor& made, oracle::Bytes data) {
  const int index = Activation(made);
  auto buffer = std::make_unique<edit::BufferT>();
  buffer->data = std::move(data);
  model_.buffers.push_back(std::move(buffer));
  tensor(index).buffer = static_cast<uint32_t>(model_.buffers.size() - 1);
  return index;
}

int ModelMaker::Int32Constant(const std::vector<int32_t>& values, oracle::Shape shape) {
  return Constant({.shape = std::move(shape), .type = oracle::kInt32}, ToBytes(values));
}

int ModelMaker::Operand(const MadeTensor& made, oracle::Bytes data, bool is_constant) {
  if (is_constant) return Constant(made, std::move(data));
  operands_.push_back(std::move(data));
  return Input(made);
}

void ModelMaker::Op(std::string_view op, const std::vector<int>& inputs, const std::vector<int>& outputs) {
  const std::string_view code = op.substr(0, op.find('.'));
  AddOperator(model_, 0, oracle::CodeNamed(code), VersionOf(op), inputs, outputs);
}

void ModelMaker::CustomOp(std::string_view name, const std::vector<int>& inputs,
                          const std::vector<int>& outputs, const CustomOptions& options) {
  edit::OperatorT& op = AddOperator(model_, 0, edit::BuiltinOperator::CUSTOM, 1, inputs, outputs);
  model_.operator_codes.back()->custom_code = name;
  flexbuffers::Builder builder;
  builder.Map([&] {
    for (const auto& [key, value] : options) builder.Int(key, value);
  });
  builder.Finish();
  op.custom_options = builder.GetBuffer();
}

edit::OperatorT& AddOperator(edit::ModelT& model, size_t subgraph, edit::BuiltinOperator code, int version,
                             const std::vector<int>& inputs, const std::vector<int>& outputs) {
  const auto builtin_code = static_cast<int32_t>(code);
  size_t index = 0;
  while (index < model.operator_codes.size() && model.operator_codes[index]->builtin_code != builtin_code) {
    ++index;
  }
  if (index == model.operator_codes.size()) {
    auto entry = std::make_unique<edit::OperatorCodeT>();
    entry->builtin_code = builtin_code;
    // Codes above 126 stand in the newer field alone.
    entry->deprecated_builtin_code = static_cast<int8_t>(std::min(builtin_code, 127));
    entry->version = version;
    model.operator_codes.push_back(std::move(entry));
  }
  auto node = std::make_unique<edit::OperatorT>();
  node->opcode_index = static_cast<uint32_t>(index);
  node->inputs.assign(inputs.begin(), inputs.end());
  node->outputs.assign(outputs.begin(), outputs.end());
  auto& operators = model.subgraphs[subgraph]->operators;
  operators.push_back(std::move(node));
  return *operators.back();
}

oracle::Bytes FloatBytes(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return ToBytes(bits);
}

const char* TypeName(int8_t type) {
  static const std::map<int8_t, const char*> names = {
      {oracle::kFloat32, "float32"}, {oracle::kInt32, "int32"}, {oracle::kUint8, "uint8"},
      {oracle::kBool, "bool"},       {oracle::kInt4, "int4"},   {oracle::kInt16, "int16"},
      {oracle::kInt8, "int8"},       {oracle::kInt64, "int64"}, {oracle::kUint32, "uint32"},
      {oracle::kUint64, "uint64"}};
  return names.at(type);
}

oracle::Shape BroadcastShape(const oracle::Shape& a, const oracle::Shape& b) {
  oracle::Shape shape(std::max(a.size(), b.size()), 1);
  for (const oracle::Shape* operand : {&a, &b}) {
    const size_t missing = shape.size() - operand->size();
    for (size_t i = 0; i < operand->size(); ++i) {
      shape[missing + i] = std::max(shape[missing + i], (*operand)[i]);
    }
  }
  return shape;
}

const char* ToString(Values values) {
  constexpr const char* kNames[kDrawnValueKinds] = {
      "random",          "low",        "high",        "alternating", "ramp", "extremes",
      "near_zero_point", "mostly_low", "mostly_zero", "two_values"};
  return kNames[static_cast<int>(values)];
}

const std::vector<Values>& AllValues() {
  static const std::vector<Values> all = {Values::kRandom,       Values::kLow,  Values::kHigh,
                                          Values::kAlternating,  Values::kRamp, Values::kExtremes,
                                          Values::kNearZeroPoint};
  return all;
}

oracle::Bytes MakeCodes(Random& random, int64_t count, Values values, int64_t zero_point) {
  oracle::Bytes bytes(static_cast<size_t>(count));
  const bool has_two = values == Values::kTwoValues;
  const int64_t first = has_two ? random.Between(-128, 127) : 0,
                second = has_two ? random.Between(-128, 127) : 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    int64_t code = 0;
    switch (values) {
      case Values::kRandom:
        code = random.Between(-128, 127);
        break;
      case Values::kLow:
        code = -128;
        break;
      case Values::kHigh:
        code = 127;
        break;
      case Values::kAlternating:
        code = i % 2 == 0 ? -128 : 127;
        break;
      case Values::kRamp:
        code = static_cast<int64_t>(i % 256) - 128;
        break;
      case Values::kExtremes:
        code = random.OneIn(2) ? -128 : 127;
        break;
      case Values::kNearZeroPoint:
        code = oracle::Clamp(zero_point + random.Between(-3, 3), -128, 127);
        break;
      case Values::kMostlyLow:
        code = random.OneIn(10) ? random.Between(-128, 127) : -128;
        break;
      case Values::kMostlyZero:
        code = random.OneIn(20) ? random.Between(-128, 127) : oracle::Clamp(zero_point, -128, 127);
        break;
      case Values::kTwoValues:
        code = random.OneIn(2) ? second : first;
        break;
    }
    bytes[i] = static_cast<uint8_t>(code);
  }
  return bytes;
}

oracle::Bytes MakePeaks(Random& random, int64_t rows, int64_t row_count, int64_t peak) {
  oracle::Bytes codes;
  for (int64_t i = 1; i <= rows * row_count; ++i) {
    codes.push_back(static_cast<uint8_t>(i % row_count == 0 ? peak : random.Between(-50, 50)));
  }
  return codes;
}

Case WithPeaks(Random& random, Case test, int64_t rows, int64_t row_count, int64_t peak) {
  test.inputs = {MakePeaks(random, rows, row_count, peak)};
  return test;
}

std::string NumberedIds::operator()(const std::string& what) {
  return fmt::format("{}{}.{:04d}", prefix_, what, counts_[what]++);
}

}  // namespace lutra::conformance
