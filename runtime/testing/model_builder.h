// SPDX-License-Identifier: Apache-2.0
// Builds small .tflite models for tests. Host only.
//
//   ModelBuilder builder;
//   const int x = builder.AddTensor({.shape = {1, 4}, .scale = 0.1f});
//   const int y = builder.AddTensor({.shape = {4}, .scale = 0.1f});
//   builder.AddOperator(BuiltinOperator::kReshape, {x}, {y});
//   std::vector<uint8_t> bytes = builder.Finish({x}, {y});

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lutra/builtin_operator.h"
#include "lutra/tensor_info.h"
#include "runtime/testing/operator_options.h"

namespace lutra {

struct TensorSpec {
  std::vector<int32_t> shape;
  TensorType type = TensorType::kInt8;
  float scale = 0;  // 0: no quantisation.
  int64_t zero_point = 0;
  std::vector<float> channel_scales;  // Instead of `scale`.
  int32_t quantized_dimension = 0;
  std::vector<int64_t> zero_points;  // Instead of `zero_point`, one for each scale.
  std::vector<uint8_t> data;         // Not empty: a constant.
  bool is_variable = false;
  std::string name = "t";
};

// The bytes of a constant: little-endian.
template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> bytes;
  for (const T& value : values) {
    const auto* begin = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(T));
    if (std::endian::native == std::endian::big) std::reverse(bytes.end() - sizeof(T), bytes.end());
  }
  return bytes;
}

// An entry of COMPRESSION_METADATA.
struct LutTensorSpec {
  int32_t tensor = 0;
  uint32_t value_buffer = 0;
  uint8_t index_bitwidth = 0;
};
using LutTensorList = std::optional<std::vector<LutTensorSpec>>;  // Empty: the list is left out.

// The bytes of COMPRESSION_METADATA, one list for each subgraph; without a value, no list at all.
std::vector<uint8_t> CompressionMetadata(const std::optional<std::vector<LutTensorList>>& subgraphs,
                                         uint32_t schema_version = 1);

class ModelBuilder {
 public:
  ModelBuilder();
  // Index of the tensor in the current subgraph.
  int AddTensor(const TensorSpec& spec);
  void AddOperator(BuiltinOperator code, const std::vector<int>& inputs, const std::vector<int>& outputs,
                   const OperatorOptions& options = {});
  void AddCustomOperator(const std::string& custom_code, const std::vector<int>& inputs,
                         const std::vector<int>& outputs, const std::vector<uint8_t>& custom_options = {});
  // Adds a buffer that belongs to no tensor (a value table). Returns its index.
  uint32_t AddBuffer(const std::vector<uint8_t>& data);
  // Ends this subgraph; the next calls belong to the next subgraph.
  void EndSubgraph(const std::vector<int>& inputs, const std::vector<int>& outputs);
  void AddMetadata(const std::string& name, const std::vector<int32_t>& values);
  void AddMetadataBytes(const std::string& name, const std::vector<uint8_t>& bytes);
  // Ends the last subgraph and returns the file.
  std::vector<uint8_t> Finish(const std::vector<int>& inputs, const std::vector<int>& outputs);

 private:
  struct OperatorSpec {
    BuiltinOperator code;
    std::vector<int> inputs;
    std::vector<int> outputs;
    OperatorOptions options;
    std::string custom_code;
    std::vector<uint8_t> custom_options;
  };
  struct SubgraphSpec {
    std::vector<TensorSpec> tensors;
    std::vector<OperatorSpec> operators;
    std::vector<int> inputs;
    std::vector<int> outputs;
  };
  std::vector<SubgraphSpec> subgraphs_;
  std::vector<std::vector<uint8_t>> buffers_;
  std::vector<std::pair<std::string, std::vector<uint8_t>>> metadata_;
};

// A model of one int8 chain: RELU after RELU, on tensors of `elements` bytes.
std::vector<uint8_t> ReluChain(int operators, int elements);

}  // namespace lutra
