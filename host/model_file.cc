// SPDX-License-Identifier: Apache-2.0
// Reads and writes files, and describes why a model is refused.

#include "host/model_file.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <string_view>

#include "host/output_file.h"
#include "lutra/diagnosis_text.h"
#include "lutra/node_info.h"
#include "lutra/rule.h"

namespace lutra::host {
namespace {

bool IsTypeRule(Rule rule) {
  return rule == Rule::kOperandType || rule == Rule::kTypesDiffer || rule == Rule::kCompressionType;
}

// Describes a scale that breaks a rule, as the numbers of a Diagnosis are integers.
std::string ScaleText(const TensorInfo& tensor) {
  for (int32_t i = 0; i < tensor.scales.count; ++i) {
    const float scale = tensor.scales[i];
    if (std::isnan(scale)) return "a scale that is not a number";
    if (std::isinf(scale)) return scale > 0 ? "an infinite scale" : "a negative infinite scale";
    if (!(scale > 0)) return fmt::format("scale {:g}", scale);
  }
  return "";
}

// Describes a zero point that breaks a rule, which a file stores in 64 bits.
std::string ZeroPointText(const TensorInfo& tensor) {
  int64_t low = INT32_MIN, high = INT32_MAX;
  if (tensor.type == TensorType::kInt8) low = INT8_MIN, high = INT8_MAX;
  if (tensor.type == TensorType::kUInt8) low = 0, high = UINT8_MAX;
  if (tensor.type == TensorType::kInt16) low = INT16_MIN, high = INT16_MAX;
  for (int32_t i = 0; i < tensor.zero_points.count; ++i) {
    const int64_t zero_point = tensor.zero_points[i];
    if (zero_point < low || zero_point > high)
      return fmt::format("zero point {}, required {} to {}", zero_point, low, high);
  }
  return "";
}

// Returns "found int8, required float32": names for rules about types, else numbers.
std::string FoundText(const Model& model, int subgraph, const Diagnosis& diagnosis) {
  if (model.subgraph_count() > 0 && diagnosis.tensor >= 0) {
    const TensorInfo tensor = model.tensor(subgraph, diagnosis.tensor);
    std::string broken;
    if (diagnosis.rule == Rule::kScaleValue) broken = ScaleText(tensor);
    if (diagnosis.rule == Rule::kZeroPointValue) broken = ZeroPointText(tensor);
    if (!broken.empty()) return "found " + broken;
  }
  const auto text = [&diagnosis](int32_t value) -> std::string {
    if (IsTypeRule(diagnosis.rule)) return ToString(static_cast<TensorType>(value));
    return std::to_string(value);
  };
  std::string line;
  if (diagnosis.found != kNoValue) line += "found " + text(diagnosis.found);
  if (diagnosis.required != kNoValue) {
    line += (line.empty() ? "required " : ", required ") + text(diagnosis.required);
  }
  return line;
}

std::string TensorText(const Model& model, int subgraph, int tensor) {
  if (model.subgraph_count() == 0) return fmt::format("tensor {}", tensor);
  const TensorInfo info = model.tensor(subgraph, tensor);
  return fmt::format("tensor {} \"{}\" ({})", tensor, info.name, ToString(info.type));
}

// Advice for models that have a custom operator whose name begins with `prefix`.
struct CustomAdvice {
  std::string_view prefix;
  const char* next;
};
constexpr CustomAdvice kCustomAdvice[] = {
    {"ethos-u", "Vela has compiled this model for an Ethos-U NPU: use the .tflite from before Vela"},
    {"edgetpu-custom-op", "the Edge TPU compiler has compiled this model: use the .tflite from before it"},
    {"XC_", "xcore's compiler has compiled this model: use the .tflite from before it"},
    {"Flex",
     "this operator needs TensorFlow itself: convert again with TFLITE_BUILTINS alone, recurrent layers "
     "with a fixed batch size"},
};

// Returns advice for the next step; for some nodes it is more specific than the rule's.
std::string NextText(const Model& model, int subgraph, const Diagnosis& diagnosis, const RuleText& text) {
  if (diagnosis.rule == Rule::kOperandType && diagnosis.found == static_cast<int32_t>(TensorType::kFloat16)) {
    return "convert the model again without float16 weights";
  }
  if (diagnosis.rule == Rule::kOperatorUnknown && model.subgraph_count() > 0 && diagnosis.node >= 0) {
    const NodeInfo node = model.node(subgraph, diagnosis.node);
    for (const CustomAdvice& advice : kCustomAdvice) {
      if (node.code == BuiltinOperator::kCustom &&
          std::string_view(node.custom_code).starts_with(advice.prefix)) {
        return advice.next;
      }
    }
  }
  // Recurrent layers without a fixed batch size compute the shape of their first state.
  if (diagnosis.rule == Rule::kConstantRequired && diagnosis.node >= 0 &&
      model.node(subgraph, diagnosis.node).code == BuiltinOperator::kFill) {
    return "give dynamic dimensions a size and convert again";
  }
  // Converters write -1 for a dimension that may change.
  if (diagnosis.rule == Rule::kTensorDimension && diagnosis.found < 0) {
    return "give dynamic dimensions a size and convert again";
  }
  return text.next;
}

}  // namespace

AlignedBytes::AlignedBytes(size_t size) : size_(size) {
  try {
    memory_ = std::make_unique<Block[]>(size / sizeof(Block) + (size % sizeof(Block) != 0));
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(size);
  }
}

AlignedBytes ReadFileBytes(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw BadInput(fmt::format("{}: this is a folder; name a file", path.string()));
  }
  if (std::filesystem::is_other(path, error)) {
    throw BadInput(fmt::format(
        "{}: this is a device or a pipe, required: a regular file; write what it gives to a file first",
        path.string()));
  }
  RefuseToReadOutput(path);
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) {
    throw BadInput(
        fmt::format("{}: cannot open the file; check the path and its permissions", path.string()));
  }
  AlignedBytes bytes(size);
  if (size > 0 && !file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    throw BadInput(fmt::format("{}: cannot read all of its {} bytes", path.string(), size));
  }
  return bytes;
}

std::string ReadFileText(const std::filesystem::path& path) {
  const AlignedBytes bytes = ReadFileBytes(path);
  return {bytes.span().begin(), bytes.span().end()};
}

std::string ReadInputText(const std::filesystem::path& path) {
  std::string text = ReadFileText(path);
  if (text.empty()) {
    throw BadInput(fmt::format("{}: the file is empty; check what wrote it", path.string()));
  }
  return text;
}

ModelFile ReadModelFile(const std::filesystem::path& path) {
  return CheckModelFile(path.string(), ReadFileBytes(path));
}

ModelFile CheckModelFile(const std::string& path, AlignedBytes bytes) {
  ModelFile file;
  file.path = path;
  file.bytes = std::move(bytes);
  Diagnosis diagnosis;
  const Status status = Model::Load(file.bytes.span(), &file.model, &diagnosis);
  if (status != Status::kOk) throw BadInput(DescribeRefusal(file, status, diagnosis));
  return file;
}

std::string DescribeRefusal(const ModelFile& file, Status status, const Diagnosis& diagnosis) {
  std::string line = file.path + ": ";
  const bool loaded = file.model.subgraph_count() > 0;
  const int subgraph = diagnosis.subgraph < 0 ? 0 : diagnosis.subgraph;
  if (subgraph > 0) line += fmt::format("subgraph {}: ", subgraph);
  if (diagnosis.node >= 0) {
    line += fmt::format("node {}", diagnosis.node);
    if (loaded) {
      const NodeInfo node = file.model.node(subgraph, diagnosis.node);
      line += fmt::format(" ({})", NameOf(node.code, node.custom_code));
    }
    line += ": ";
  }
  if (diagnosis.rule == Rule::kArenaTooSmall) {
    return line + fmt::format("arena-too-small: at least {} bytes are needed; give a larger arena",
                              diagnosis.wanted_bytes);
  }
  if (diagnosis.rule == Rule::kNone) return line + ToString(status);
  const RuleText text = Describe(diagnosis.rule);
  line += fmt::format("{}: ", text.name);
  std::string found = FoundText(file.model, subgraph, diagnosis);
  if (diagnosis.tensor >= 0) {
    std::string where = TensorText(file.model, subgraph, diagnosis.tensor);
    if (diagnosis.other_tensor >= 0) {
      where += " and " + TensorText(file.model, subgraph, diagnosis.other_tensor);
    }
    found += (found.empty() ? "" : " in ") + where;
  }
  if (!found.empty()) line += found + "; ";
  return line +
         fmt::format("required: {}; {}", text.requirement, NextText(file.model, subgraph, diagnosis, text));
}

}  // namespace lutra::host
