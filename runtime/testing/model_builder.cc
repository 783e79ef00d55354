// SPDX-License-Identifier: Apache-2.0
// Writes the specs as a FlatBuffer.

#include "runtime/testing/model_builder.h"

#include "compression_generated.h"
#include "flatbuffers/flatbuffers.h"
#include "runtime/schema/tflite.h"
#include "runtime/testing/options_writer.h"

namespace lutra {
namespace fb = flatbuffers;

ModelBuilder::ModelBuilder() : subgraphs_(1) {}

int ModelBuilder::AddTensor(const TensorSpec& spec) {
  subgraphs_.back().tensors.push_back(spec);
  return static_cast<int>(subgraphs_.back().tensors.size()) - 1;
}

void ModelBuilder::AddOperator(BuiltinOperator code, const std::vector<int>& inputs,
                               const std::vector<int>& outputs, const OperatorOptions& options) {
  OperatorSpec& spec = subgraphs_.back().operators.emplace_back();
  spec.code = code;
  spec.inputs = inputs;
  spec.outputs = outputs;
  spec.options = options;
}

void ModelBuilder::EndSubgraph(const std::vector<int>& inputs, const std::vector<int>& outputs) {
  subgraphs_.back().inputs = inputs;
  subgraphs_.back().outputs = outputs;
  subgraphs_.emplace_back();
}

void ModelBuilder::AddMetadata(const std::string& name, const std::vector<int32_t>& values) {
  metadata_.emplace_back(name, BytesOf(values));
}

void ModelBuilder::AddMetadataBytes(const std::string& name, const std::vector<uint8_t>& bytes) {
  metadata_.emplace_back(name, bytes);
}

void ModelBuilder::AddCustomOperator(const std::string& custom_code, const std::vector<int>& inputs,
                                     const std::vector<int>& outputs,
                                     const std::vector<uint8_t>& custom_options) {
  AddOperator(BuiltinOperator::kCustom, inputs, outputs);
  subgraphs_.back().operators.back().custom_code = custom_code;
  subgraphs_.back().operators.back().custom_options = custom_options;
}

uint32_t ModelBuilder::AddBuffer(const std::vector<uint8_t>& data) {
  buffers_.push_back(data);
  return static_cast<uint32_t>(buffers_.size());  // Buffer 0 is the empty one.
}

std::vector<uint8_t> ModelBuilder::Finish(const std::vector<int>& inputs, const std::vector<int>& outputs) {
  subgraphs_.back().inputs = inputs;
  subgraphs_.back().outputs = outputs;
  fb::FlatBufferBuilder builder;
  std::vector<fb::Offset<schema::Buffer>> buffers = {schema::CreateBuffer(builder)};
  const auto add_buffer = [&](const std::vector<uint8_t>& data) {
    builder.ForceVectorAlignment(data.size(), 1, 16);
    buffers.push_back(schema::CreateBuffer(builder, builder.CreateVector(data)));
    return static_cast<uint32_t>(buffers.size() - 1);
  };
  for (const std::vector<uint8_t>& data : buffers_) add_buffer(data);
  std::vector<fb::Offset<schema::OperatorCode>> codes;
  std::vector<fb::Offset<schema::SubGraph>> subgraphs;
  for (const SubgraphSpec& subgraph : subgraphs_) {
    std::vector<fb::Offset<schema::Tensor>> tensors;
    for (const TensorSpec& spec : subgraph.tensors) {
      fb::Offset<schema::QuantizationParameters> quantization = 0;
      const std::vector<float> scales = spec.channel_scales.empty() && spec.scale != 0
                                            ? std::vector<float>{spec.scale}
                                            : spec.channel_scales;
      if (!scales.empty()) {
        const std::vector<int64_t> zero_points = spec.zero_points.empty()
                                                     ? std::vector<int64_t>(scales.size(), spec.zero_point)
                                                     : spec.zero_points;
        quantization = schema::CreateQuantizationParametersDirect(
            builder, nullptr, nullptr, &scales, &zero_points, schema::QuantizationDetails::NONE, 0,
            spec.quantized_dimension);
      }
      const uint32_t buffer = spec.data.empty() ? 0 : add_buffer(spec.data);
      tensors.push_back(schema::CreateTensorDirect(builder, &spec.shape, static_cast<int8_t>(spec.type),
                                                   buffer, spec.name.c_str(), quantization,
                                                   spec.is_variable));
    }
    std::vector<fb::Offset<schema::Operator>> operators;
    for (const OperatorSpec& spec : subgraph.operators) {
      const auto code = static_cast<int32_t>(spec.code);
      const auto custom_code =
          spec.custom_code.empty() ? fb::Offset<fb::String>() : builder.CreateString(spec.custom_code);
      codes.push_back(schema::CreateOperatorCode(builder, static_cast<int8_t>(code < 127 ? code : 127),
                                                 custom_code, 1, code));
      const WrittenOptions options = WriteOptions(builder, spec.code, spec.options);
      operators.push_back(schema::CreateOperatorDirect(
          builder, static_cast<uint32_t>(codes.size() - 1), &spec.inputs, &spec.outputs, options.type,
          options.offset, spec.custom_options.empty() ? nullptr : &spec.custom_options));
    }
    subgraphs.push_back(schema::CreateSubGraphDirect(builder, &tensors, &subgraph.inputs, &subgraph.outputs,
                                                     &operators, "g"));
  }
  std::vector<fb::Offset<schema::Metadata>> metadata;
  for (const auto& [name, bytes] : metadata_) {
    const uint32_t buffer = add_buffer(bytes);
    metadata.push_back(schema::CreateMetadataDirect(builder, name.c_str(), buffer));
  }
  const auto model =
      schema::CreateModelDirect(builder, 3, &codes, &subgraphs, "test", &buffers, nullptr, &metadata);
  builder.Finish(model, "TFL3");
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<uint8_t> CompressionMetadata(const std::optional<std::vector<LutTensorList>>& subgraphs,
                                         uint32_t schema_version) {
  fb::FlatBufferBuilder builder;
  std::vector<fb::Offset<compression_schema::Subgraph>> lists;
  if (subgraphs) {
    for (const LutTensorList& tensors : *subgraphs) {
      std::vector<fb::Offset<compression_schema::LutTensor>> entries;
      if (tensors) {
        for (const LutTensorSpec& spec : *tensors) {
          entries.push_back(compression_schema::CreateLutTensor(builder, spec.tensor, spec.value_buffer,
                                                                spec.index_bitwidth));
        }
      }
      lists.push_back(compression_schema::CreateSubgraphDirect(builder, tensors ? &entries : nullptr));
    }
  }
  builder.Finish(
      compression_schema::CreateMetadataDirect(builder, schema_version, subgraphs ? &lists : nullptr));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<uint8_t> ReluChain(int operators, int elements) {
  ModelBuilder builder;
  const TensorSpec spec = {.shape = {1, elements}, .scale = 0.1f};
  const int first = builder.AddTensor(spec);
  int last = first;
  for (int i = 0; i < operators; ++i) {
    const int next = builder.AddTensor(spec);
    builder.AddOperator(BuiltinOperator::kRelu, {last}, {next});
    last = next;
  }
  return builder.Finish({first}, {last});
}

}  // namespace lutra
