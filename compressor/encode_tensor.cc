// SPDX-License-Identifier: Apache-2.0
// Encodes a tensor of a model, and replaces it by the result.

#include "compressor/encode_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lutra/builtin_operator.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {
namespace {

const std::vector<float>& ScalesOf(const edit::TensorT& tensor) {
  static const std::vector<float> kNone;
  return tensor.quantization ? tensor.quantization->scale : kNone;
}

// Returns the axis of the value tables, or -1 for one table; nullopt if `form` does not allow it.
std::optional<int> ChooseAxis(const edit::TensorT& tensor, const SpecEntry& entry, Form form,
                              Obstacle* obstacle) {
  const auto refuse = [obstacle](std::string text) {
    *obstacle = {Obstacle::kAxis, std::move(text)};
    return std::nullopt;
  };
  const auto scales = ScalesOf(tensor).size();
  const int quantized = scales > 1 ? tensor.quantization->quantized_dimension : -1;
  const int last = static_cast<int>(tensor.shape.size()) - 1;
  int axis = quantized;
  if (entry.tables == TableChoice::kPerTensor) axis = -1;
  if (entry.tables == TableChoice::kPerChannel) axis = entry.axis;
  if (axis > last) return refuse(fmt::format("axis: the tensor has {} dimensions", tensor.shape.size()));
  if (form == Form::kMetadata && axis != quantized) {
    return refuse(
        fmt::format("axis: COMPRESSION_METADATA takes the tables from the quantisation, which has {} scale{}",
                    scales, scales == 1 ? "" : "s"));
  }
  if (axis > 0 && axis < last) {
    return refuse(fmt::format("axis: tables on axis {}, neither the first nor the last", axis));
  }
  if (quantized >= 0 && axis == quantized &&
      static_cast<int32_t>(scales) != tensor.shape[static_cast<size_t>(quantized)]) {
    return refuse(
        fmt::format("axis: {} scales for {} channels", scales, tensor.shape[static_cast<size_t>(quantized)]));
  }
  return axis;
}

// Returns the input of an encoder for the tensor.
TensorValues ValuesOf(const ModelEditor& editor, TensorId id) {
  const edit::TensorT& tensor = editor.tensor(id.subgraph, id.tensor);
  TensorValues values;
  values.type = static_cast<TensorType>(tensor.type);
  values.shape = tensor.shape;
  const Bytes& data = editor.data(id.subgraph, id.tensor);
  size_t bytes = static_cast<size_t>(ElementBytes(values.type));
  for (const int32_t dim : tensor.shape) bytes *= static_cast<size_t>(dim);
  values.bytes = std::span<const uint8_t>(data).first(std::min(bytes, data.size()));
  if (tensor.quantization) {
    values.zero_points = tensor.quantization->zero_point;
    values.zero_point_axis = tensor.quantization->quantized_dimension;
  }
  return values;
}

// Makes the indices and value tables of COMPRESSION_METADATA.
bool EncodeForMetadata(const TensorValues& values, CodedTensor* coded, Obstacle* obstacle) {
  const SpecEntry& entry = coded->entry;
  if (entry.codec != kMetadataCodec) {
    *obstacle = {Obstacle::kCodec, "codec: COMPRESSION_METADATA holds lookup tables only"};
    return false;
  }
  std::string why_not;
  const auto tables = BuildLutTables(values, 1 << kLutMaxWidth, &why_not);
  if (!tables) {
    *obstacle = {Obstacle::kValues, why_not};
    return false;
  }
  if (entry.index_bitwidth != 0 && entry.index_bitwidth < tables->width) {
    *obstacle = {Obstacle::kValues, fmt::format("unique: {} bits needed, but only {} specified",
                                                tables->width, entry.index_bitwidth)};
    return false;
  }
  coded->bits = std::max(tables->width, entry.index_bitwidth);
  coded->stream = PackIndices(*tables, coded->bits);
  coded->tables = tables->values;
  coded->distinct = tables->stride;
  return true;
}

bool EncodeForDecode(const TensorValues& values, CodedTensor* coded, Obstacle* obstacle) {
  const SpecEntry& entry = coded->entry;
  Encodable encodable =
      Encode(entry.codec, values,
             {.width = entry.index_bitwidth, .order = entry.order, .tile_rows = entry.tile_rows});
  if (!encodable.result) {
    *obstacle = {Obstacle::kValues, "unique: " + encodable.why_not};
    return false;
  }
  coded->stream = std::move(encodable.result->encoded);
  coded->tables = std::move(encodable.result->ancillary);
  coded->bits = encodable.result->bits;
  coded->distinct = encodable.result->distinct;
  return true;
}

// Returns a tensor of uint8 with these bytes.
edit::TensorT ByteTensor(ModelEditor* editor, const std::string& name, const Bytes& bytes) {
  edit::TensorT tensor;
  tensor.name = name;
  tensor.type = static_cast<int8_t>(TensorType::kUInt8);
  tensor.shape = {static_cast<int32_t>(bytes.size())};
  tensor.buffer = editor->AddBuffer(bytes);
  return tensor;
}

// Inserts the decoding operators of one subgraph.
struct Insertion {
  ModelEditor* editor;
  int subgraph;
  std::map<int32_t, edit::TensorT> originals;              // Key: the tensor's index.
  std::map<int32_t, int32_t> ancillary_of;                 // Key: the tensor's index.
  std::map<Bytes, int32_t, BytesLess> ancillary_by_bytes;  // Tensors of equal bytes are one.
  std::vector<int32_t> order;                              // As in the spec.
  uint32_t decode_code = 0;
  Parts parts = Parts::kShared;

  void Add(const CodedTensor& coded) {
    const int32_t t = coded.entry.id.tensor;
    edit::TensorT& tensor = editor->tensor(subgraph, t);
    originals.emplace(t, tensor);
    order.push_back(t);
    auto known = ancillary_by_bytes.find(coded.tables);
    if (known == ancillary_by_bytes.end()) {
      const std::string name = parts == Parts::kRepeated ? tensor.name + "_ancillary" : "";
      const int32_t added = editor->AddTensor(subgraph, ByteTensor(editor, name, coded.tables));
      known = ancillary_by_bytes.emplace(coded.tables, added).first;
    }
    ancillary_of[t] = known->second;
    const std::string name = originals.at(t).name;
    editor->tensor(subgraph, t) = ByteTensor(editor, name, coded.stream);
  }

  // Returns the operator that decodes these tensors; adds the decoded tensor of each to `*decoded`.
  std::unique_ptr<edit::OperatorT> MakeDecode(const std::vector<int32_t>& tensors,
                                              std::map<int32_t, int32_t>* decoded) {
    auto op = std::make_unique<edit::OperatorT>();
    op->opcode_index = decode_code;
    for (const int32_t t : tensors) {
      edit::TensorT output = originals.at(t);
      if (parts == Parts::kRepeated) output.name += "_decoded";
      output.buffer = 0;
      // TFLM's decoder takes one scale only with axis 0.
      if (ScalesOf(output).size() == 1) output.quantization->quantized_dimension = 0;
      (*decoded)[t] = editor->AddTensor(subgraph, std::move(output));
      op->inputs.push_back(t);
      op->inputs.push_back(ancillary_of.at(t));
      op->outputs.push_back(decoded->at(t));
    }
    return op;
  }

  // Returns the coded tensors that `list` contains, in the order of the spec.
  std::vector<int32_t> CodedAmong(const std::vector<int32_t>& list) const {
    std::vector<int32_t> coded;
    for (const int32_t t : order) {
      if (std::find(list.begin(), list.end(), t) != list.end()) coded.push_back(t);
    }
    return coded;
  }

  void Insert() {
    edit::SubGraphT& graph = editor->subgraph(subgraph);
    std::vector<std::unique_ptr<edit::OperatorT>> operators;
    for (auto& op : graph.operators) {
      const std::vector<int32_t> coded = CodedAmong(op->inputs);
      if (!coded.empty()) {
        std::map<int32_t, int32_t> decoded;
        operators.push_back(MakeDecode(coded, &decoded));
        ReplaceTensors(decoded, &op->inputs);
      }
      operators.push_back(std::move(op));
    }
    const std::vector<int32_t> coded = CodedAmong(graph.outputs);
    if (!coded.empty()) {
      std::map<int32_t, int32_t> decoded;
      operators.push_back(MakeDecode(coded, &decoded));
      editor->ReplaceOutputs(subgraph, decoded);
    }
    graph.operators = std::move(operators);
  }
};

}  // namespace

int64_t CodedTensor::stored_bytes(Placement placement) const {
  const bool at_16 = placement == Placement::kAligned || form == Form::kMetadata;
  return PlacedBytes(stream.size(), at_16) + PlacedBytes(tables.size(), at_16);
}

std::optional<CodedTensor> EncodeTensor(const ModelEditor& editor, const SpecEntry& entry, Form form,
                                        Obstacle* obstacle) {
  const CodecFacts codec = FactsOf(entry.codec);
  TensorValues values = ValuesOf(editor, entry.id);
  if (codec.tables == ValueTables::kPerChannel) {
    const auto axis = ChooseAxis(editor.tensor(entry.id.subgraph, entry.id.tensor), entry, form, obstacle);
    if (!axis) return std::nullopt;
    values.axis = *axis;
  }
  CodedTensor coded = {.entry = entry, .form = form};
  if (!codec.either_bit_order) coded.entry.order = BitOrder::kLsbFirst;
  const bool holds = form == Form::kMetadata ? EncodeForMetadata(values, &coded, obstacle)
                                             : EncodeForDecode(values, &coded, obstacle);
  if (!holds) return std::nullopt;
  if (entry.codec == DecodeType::kLut) coded.entry.index_bitwidth = coded.bits;
  return coded;
}

void InsertDecode(ModelEditor* editor, const std::vector<CodedTensor>& tensors, Parts parts) {
  if (tensors.empty()) return;
  const uint32_t decode_code = editor->FindOrAddCustomCode(kDecodeCustomCode);
  for (int s = 0; s < editor->subgraph_count(); ++s) {
    Insertion insertion = {.editor = editor, .subgraph = s, .decode_code = decode_code, .parts = parts};
    for (const CodedTensor& coded : tensors) {
      if (coded.entry.id.subgraph == s) insertion.Add(coded);
    }
    if (!insertion.order.empty()) insertion.Insert();
  }
}

void AddMetadata(ModelEditor* editor, const std::vector<CodedTensor>& tensors) {
  if (tensors.empty()) return;
  auto& metadata = editor->compression().emplace();
  for (const CodedTensor& coded : tensors) {
    const TensorId id = coded.entry.id;
    while (metadata.subgraphs.size() <= static_cast<size_t>(id.subgraph)) {
      metadata.subgraphs.push_back(std::make_unique<compression_edit::SubgraphT>());
    }
    editor->tensor(id.subgraph, id.tensor).buffer = editor->AddBuffer(coded.stream);
    auto entry = std::make_unique<compression_edit::LutTensorT>();
    entry->tensor = id.tensor;
    entry->value_buffer = editor->AddBuffer(coded.tables);
    entry->index_bitwidth = static_cast<uint8_t>(coded.bits);
    metadata.subgraphs[static_cast<size_t>(id.subgraph)]->lut_tensors.push_back(std::move(entry));
  }
  for (size_t s = 0; s < metadata.subgraphs.size(); ++s) {
    if (!metadata.subgraphs[s]->lut_tensors.empty()) continue;
    throw host::BadInput(fmt::format(
        "{}: subgraph {}: found no tensor to compress before subgraph {}, required: a tensor in each "
        "subgraph up to the last compressed one, for COMPRESSION_METADATA; use --format=decode",
        editor->path(), s, metadata.subgraphs.size() - 1));
  }
}

void Apply(ModelEditor* editor, Form form, const std::vector<CodedTensor>& tensors, Parts parts) {
  form == Form::kDecode ? InsertDecode(editor, tensors, parts) : AddMetadata(editor, tensors);
}

}  // namespace lutra::compressor
