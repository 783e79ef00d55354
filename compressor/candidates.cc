// SPDX-License-Identifier: Apache-2.0

#include "compressor/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lutra/compression/format.h"
#include "lutra/ops/ops.h"

namespace lutra::compressor {
namespace {

// Inputs whose values operators ask for while they are prepared: they must be constants, and what
// TFLM_DECODE makes is none. Numbers of inputs.
const std::map<std::string, std::vector<int>> kConstantInputs = {
    {"ARG_MAX", {1}},
    {"ARG_MIN", {1}},
    {"BATCH_TO_SPACE_ND", {1, 2}},
    {"BROADCAST_TO", {1}},
    {"CUMSUM", {1}},
    {"EXPAND_DIMS", {1}},
    {"FILL", {0}},
    {"GATHER", {1}},
    {"MEAN", {1}},
    {"MIRROR_PAD", {1}},
    {"ONE_HOT", {1, 2, 3}},
    {"PAD", {1}},
    {"PADV2", {1, 2}},
    {"REDUCE_MAX", {1}},
    {"REDUCE_MIN", {1}},
    {"RESHAPE", {1}},
    {"RESIZE_BILINEAR", {1}},
    {"RESIZE_NEAREST_NEIGHBOR", {1}},
    {"REVERSE_V2", {1}},
    {"SLICE", {1, 2}},
    {"SPACE_TO_BATCH_ND", {1, 2}},
    {"SPLIT", {0}},
    {"SPLIT_V", {1, 2}},
    {"STRIDED_SLICE", {1, 2, 3}},
    {"SUM", {1}},
    {"TILE", {1}},
    {"TOPK_V2", {1}},
    {"TRANSPOSE", {1}},
    {"TRANSPOSE_CONV", {0}},
};

bool TakesCompressed(int32_t code, int input) {
  for (const Op& op : AllOps()) {
    if (static_cast<int32_t>(op.code) != code || op.custom_code != nullptr) continue;
    return op.compressible_inputs == kAllInputs || (input < 32 && (op.compressible_inputs >> input & 1) != 0);
  }
  return false;
}

// Why this use forbids compression; empty if it does not.
std::string CheckUse(const ModelEditor& editor, int subgraph, const Use& use, Form form) {
  const edit::OperatorT& op = *editor.subgraph(subgraph).operators[static_cast<size_t>(use.op)];
  const std::string name = editor.NameOf(op);
  if (form == Form::kMetadata) {
    if (TakesCompressed(editor.CodeOf(op), use.input)) return "";
    return fmt::format("consumers: {} does not decompress input {}", name, use.input);
  }
  const auto constant = kConstantInputs.find(name);
  if (constant == kConstantInputs.end() ||
      std::find(constant->second.begin(), constant->second.end(), use.input) == constant->second.end()) {
    return "";
  }
  return fmt::format("consumers: {} reads input {} while it is prepared", name, use.input);
}

bool IsLutType(TensorType type) {
  switch (type) {
    case TensorType::kBool:
    case TensorType::kInt8:
    case TensorType::kInt16:
    case TensorType::kInt32:
    case TensorType::kInt64:
    case TensorType::kFloat32:
      return true;
    default:
      return false;
  }
}

bool Contains(const std::vector<int32_t>& list, int32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The first rule that fails.
std::string WhyNot(const ModelEditor& editor, const Constant& c, Form form) {
  const edit::SubGraphT& subgraph = editor.subgraph(c.id.subgraph);
  if (Contains(subgraph.inputs, c.id.tensor)) return "not-constant: it is an input of the graph";
  if (!IsLutType(c.type)) return fmt::format("type: {} is not compressed", ToString(c.type));
  if (c.shape.empty()) return "rank: a scalar is not compressed";
  const bool is_output = Contains(subgraph.outputs, c.id.tensor);
  if (is_output && form == Form::kMetadata) return "consumers: it is an output of the graph";
  if (c.uses.empty() && !is_output) return "consumers: nobody reads it";
  for (const Use& use : c.uses) {
    std::string why_not = CheckUse(editor, c.id.subgraph, use, form);
    if (!why_not.empty()) return why_not;
  }
  return "";
}

}  // namespace

std::vector<Constant> FindConstants(const ModelEditor& editor, Form form) {
  std::vector<Constant> constants;
  std::map<TensorId, size_t> places;
  for (int s = 0; s < editor.subgraph_count(); ++s) {
    const edit::SubGraphT& subgraph = editor.subgraph(s);
    for (int t = 0; t < static_cast<int>(subgraph.tensors.size()); ++t) {
      const edit::TensorT& tensor = editor.tensor(s, t);
      if (editor.data(s, t).empty() || tensor.is_variable) continue;
      Constant constant;
      constant.id = {s, t};
      constant.name = tensor.name;
      constant.type = static_cast<TensorType>(tensor.type);
      constant.shape = tensor.shape;
      constant.bytes = static_cast<int64_t>(editor.data(s, t).size());
      places[constant.id] = constants.size();
      constants.push_back(std::move(constant));
    }
    for (int n = 0; n < static_cast<int>(subgraph.operators.size()); ++n) {
      const auto& inputs = subgraph.operators[static_cast<size_t>(n)]->inputs;
      for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
        const auto place = places.find({s, inputs[static_cast<size_t>(i)]});
        if (place != places.end()) constants[place->second].uses.push_back({n, i});
      }
    }
  }
  std::map<Bytes, std::vector<size_t>, BytesLess> by_bytes;
  for (size_t i = 0; i < constants.size(); ++i) {
    by_bytes[editor.data(constants[i].id.subgraph, constants[i].id.tensor)].push_back(i);
    constants[i].why_not = WhyNot(editor, constants[i], form);
  }
  // What several tensors share goes away only if none of them needs it as it is.
  for (const auto& [bytes, members] : by_bytes) {
    const auto blocked =
        std::find_if(members.begin(), members.end(), [&](size_t i) { return !constants[i].why_not.empty(); });
    for (const size_t i : members) {
      for (const size_t other : members) {
        if (other != i) constants[i].aliases.push_back(constants[other].id);
      }
      if (blocked != members.end() && constants[i].why_not.empty()) {
        constants[i].why_not = fmt::format("alias: tensor {} has the same bytes and cannot be compressed",
                                           ToText(constants[*blocked].id));
      }
    }
  }
  return constants;
}

bool IsCompressed(const ModelEditor& editor) {
  if (editor.compression()) return true;
  for (int s = 0; s < editor.subgraph_count(); ++s) {
    for (const auto& op : editor.subgraph(s).operators) {
      if (editor.NameOf(*op) == kDecodeCustomCode) return true;
    }
  }
  return false;
}

}  // namespace lutra::compressor
