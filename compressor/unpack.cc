// SPDX-License-Identifier: Apache-2.0
// Removes compression from a model, in either form.

#include "compressor/unpack.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "lutra/builtin_operator.h"
#include "lutra/compression/decode.h"
#include "lutra/compression/encoding.h"
#include "lutra/compression/format.h"
#include "lutra/cpu.h"
#include "lutra/rule.h"
#include "runtime/decoders.h"

namespace lutra::compressor {
namespace {

Bytes ValuesOf(const Encoding& encoding) {
  const size_t bytes = static_cast<size_t>(encoding.elements) * encoding.element_bytes;
  host::AlignedBytes values(bytes);
  Decode(encoding, CpuFeaturesHere(), values.data());
  return {values.data(), values.data() + bytes};
}

// Returns the axis of the value tables, or -1 for one table.
int AxisOf(const Encoding& encoding, const Shape& shape) {
  if (encoding.channels == 1) return -1;
  for (int axis = 0; axis < shape.rank; ++axis) {
    if (shape[axis] == encoding.channels && shape.Count(axis + 1, shape.rank) == encoding.inner) return axis;
  }
  return -1;
}

SpecEntry EntryOf(TensorId id, const Encoding& encoding, const TensorInfo& info) {
  SpecEntry entry = {.id = id, .codec = encoding.type};
  const CodecFacts codec = FactsOf(encoding.type);
  if (encoding.type == DecodeType::kLut) entry.index_bitwidth = encoding.width;
  if (codec.either_bit_order) entry.order = encoding.order;
  if (codec.tables != ValueTables::kPerChannel) return entry;
  const int axis = AxisOf(encoding, info.shape);
  const int quantized = info.scales.size() > 1 ? info.quantized_dimension : -1;
  if (axis == quantized) return entry;
  entry.tables = axis < 0 ? TableChoice::kPerTensor : TableChoice::kPerChannel;
  entry.axis = std::max(axis, 0);
  return entry;
}

// Returns whether the same bytes mean the same numbers in both tensors.
bool MeansTheSame(const edit::TensorT& a, const edit::TensorT& b) {
  const auto scales = [](const edit::TensorT& tensor) {
    const edit::QuantizationParametersT* q = tensor.quantization.get();
    return q == nullptr ? std::tuple(std::vector<float>(), std::vector<int64_t>(), 0)
                        : std::tuple(q->scale, q->zero_point, q->quantized_dimension);
  };
  return a.type == b.type && a.shape == b.shape && scales(a) == scales(b);
}

class Unpacker {
 public:
  explicit Unpacker(const host::ModelFile& file) : file_(file), result_{ModelEditor(file), {}} {}

  UnpackResult Run() {
    UnpackMetadata();
    for (int s = 0; s < result_.editor.subgraph_count(); ++s) UnpackDecode(s);
    DropUnusedCode();
    return std::move(result_);
  }

 private:
  void UnpackMetadata() {
    ModelEditor& editor = result_.editor;
    if (!editor.compression()) return;
    const auto& subgraphs = editor.compression()->subgraphs;
    for (int s = 0; s < static_cast<int>(subgraphs.size()); ++s) {
      for (const auto& lut : subgraphs[static_cast<size_t>(s)]->lut_tensors) {
        const Encoding encoding = file_.model.encoding(s, lut->tensor);
        result_.entries.push_back(EntryOf({s, lut->tensor}, encoding, file_.model.tensor(s, lut->tensor)));
        editor.tensor(s, lut->tensor).buffer = editor.AddBuffer(ValuesOf(encoding));
      }
    }
    editor.compression().reset();
  }

  void UnpackDecode(int s) {
    edit::SubGraphT& graph = result_.editor.subgraph(s);
    std::map<int32_t, int32_t> plain_of;  // Maps a decoded tensor to the one that has its values now.
    std::set<int32_t> added;              // Tensors that only TFLM_DECODE reads.
    std::vector<std::unique_ptr<edit::OperatorT>> operators;
    for (size_t n = 0; n < graph.operators.size(); ++n) {
      auto& op = graph.operators[n];
      if (result_.editor.NameOf(*op) == kDecodeCustomCode) {
        RestoreOutputs(s, static_cast<int>(n), *op, &plain_of);
        added.insert(op->outputs.begin(), op->outputs.end());
        for (size_t i = 1; i < op->inputs.size(); i += 2) added.insert(op->inputs[i]);
        continue;
      }
      ReplaceTensors(plain_of, &op->inputs);
      operators.push_back(std::move(op));
    }
    graph.operators = std::move(operators);
    if (plain_of.empty()) return;
    result_.editor.ReplaceOutputs(s, plain_of);
    DropUnusedAtTheEnd(added, &graph);
  }

  [[noreturn]] void Refuse(int s, int node, int32_t tensor, const Fault& fault) const {
    throw host::BadInput(host::DescribeRefusal(file_, Status::kInvalidModel,
                                               {.rule = fault.rule,
                                                .subgraph = static_cast<int16_t>(s),
                                                .node = node,
                                                .tensor = tensor,
                                                .found = fault.found,
                                                .required = fault.required}));
  }

  // Puts the decoded values into the encoded tensor, where the compressor found them, and lets it replace the
  // decoded tensor.
  void RestoreOutputs(int s, int node, const edit::OperatorT& op, std::map<int32_t, int32_t>* plain_of) {
    ModelEditor& editor = result_.editor;
    if (op.outputs.empty() || op.inputs.size() != 2 * op.outputs.size()) {
      Refuse(s, node, -1,
             {Rule::kDecodeOperands, static_cast<int32_t>(op.inputs.size()),
              static_cast<int32_t>(2 * op.outputs.size())});
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      const int32_t encoded = op.inputs[2 * i];
      const int32_t ancillary = op.inputs[2 * i + 1];
      if (encoded < 0 || ancillary < 0) Refuse(s, node, -1, {Rule::kInputMissing});
      const TensorInfo stream = file_.model.tensor(s, encoded);
      const TensorInfo tables = file_.model.tensor(s, ancillary);
      if (!stream.is_constant()) Refuse(s, node, encoded, {Rule::kConstantRequired});
      if (!tables.is_constant()) Refuse(s, node, ancillary, {Rule::kConstantRequired});
      const TensorInfo output = file_.model.tensor(s, op.outputs[i]);
      Encoding encoding;
      Fault fault = ReadDecodePair(BytesIn(stream), BytesIn(tables), output, &encoding);
      if (fault.rule == Rule::kNone) fault = CheckContents(encoding);
      if (fault.rule != Rule::kNone) Refuse(s, node, op.outputs[i], fault);
      const Bytes values = ValuesOf(encoding);
      if (restored_.insert({TensorId{s, encoded}, values}).second) {
        // It keeps the encoded tensor's name, and is otherwise the decoded tensor.
        edit::TensorT plain = editor.tensor(s, op.outputs[i]);
        plain.name = editor.tensor(s, encoded).name;
        plain.buffer = editor.AddBuffer(values);
        editor.tensor(s, encoded) = std::move(plain);
        result_.entries.push_back(EntryOf({s, encoded}, encoding, output));
        (*plain_of)[op.outputs[i]] = encoded;
      } else if (restored_.at({s, encoded}) == values &&
                 MeansTheSame(editor.tensor(s, encoded), editor.tensor(s, op.outputs[i]))) {
        (*plain_of)[op.outputs[i]] = encoded;
      } else {
        // If the same stream is also decoded with other tables, or to a tensor with another meaning, this one
        // becomes a constant itself.
        editor.tensor(s, op.outputs[i]).buffer = editor.AddBuffer(values);
        continue;
      }
      // In a stripped model only outputs of the graph have names.
      std::string& name = editor.tensor(s, encoded).name;
      if (name.empty()) name = editor.tensor(s, op.outputs[i]).name;
    }
  }

  // Drops unused tensors that were `added`: the model may have had unused ones before.
  static void DropUnusedAtTheEnd(const std::set<int32_t>& added, edit::SubGraphT* graph) {
    std::vector<bool> used(graph->tensors.size(), false);
    const auto use = [&used](const std::vector<int32_t>& list) {
      for (const int32_t t : list) {
        if (t >= 0) used[static_cast<size_t>(t)] = true;
      }
    };
    use(graph->inputs);
    use(graph->outputs);
    for (const auto& op : graph->operators) {
      use(op->inputs);
      use(op->outputs);
      use(op->intermediates);
    }
    const auto last = [graph] { return static_cast<int32_t>(graph->tensors.size()) - 1; };
    while (added.count(last()) != 0 && !used[static_cast<size_t>(last())]) graph->tensors.pop_back();
  }

  // Drops the operator code of TFLM_DECODE, which the compressor added last.
  void DropUnusedCode() {
    auto& codes = result_.editor.model().operator_codes;
    if (restored_.empty() || codes.back()->custom_code != kDecodeCustomCode) return;
    for (const auto& graph : result_.editor.model().subgraphs) {
      for (const auto& op : graph->operators) {
        if (op->opcode_index == codes.size() - 1) return;
      }
    }
    codes.pop_back();
  }

  const host::ModelFile& file_;
  UnpackResult result_;
  std::map<TensorId, Bytes> restored_;
};

}  // namespace

UnpackResult Unpack(const host::ModelFile& file) { return Unpacker(file).Run(); }

}  // namespace lutra::compressor
