// SPDX-License-Identifier: Apache-2.0
// Lists a model's constants, and says why some may not be compressed.

#include "compressor/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lutra/compression/codecs.h"
#include "lutra/node_info.h"
#include "lutra/ops/facts.h"

namespace lutra::compressor {
namespace {

// Operators that TensorFlow Lite Micro has and the runtime has not, with the inputs whose values they read
// while they are prepared.
struct ForeignOperator {
  BuiltinOperator code;
  InputSet constant_inputs;
};
constexpr ForeignOperator kForeignOperators[] = {
    {BuiltinOperator::kCumsum, Inputs(1)},       {BuiltinOperator::kFill, Inputs(0)},
    {BuiltinOperator::kOneHot, Inputs(1, 2, 3)}, {BuiltinOperator::kTile, Inputs(1)},
    {BuiltinOperator::kTopkV2, Inputs(1)},
};

// Returns the obstacle to compression in this use.
Obstacle CheckUse(const ModelEditor& editor, int subgraph, const Use& use, Form form) {
  const edit::OperatorT& op = *editor.subgraph(subgraph).operators[static_cast<size_t>(use.op)];
  const std::string name = editor.NameOf(op);
  const auto code = static_cast<BuiltinOperator>(editor.CodeOf(op));
  if (form == Form::kMetadata) {
    const OperatorFacts* const facts = FactsOf(code);
    if (facts != nullptr && lutra::Contains(facts->compressible_inputs, use.input)) return {};
    return {Obstacle::kConsumer, fmt::format("consumers: {} does not decompress input {}", name, use.input)};
  }
  if (!lutra::Contains(ConstantInputs(code), use.input)) return {};
  return {Obstacle::kConsumer,
          fmt::format("consumers: {} reads input {} while it is prepared", name, use.input)};
}

bool Lists(const std::vector<int32_t>& list, int32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Returns the first reason why this constant, taken alone, cannot be compressed.
Obstacle FindObstacle(const ModelEditor& editor, const Constant& c, Form form) {
  const edit::SubGraphT& subgraph = editor.subgraph(c.id.subgraph);
  if (Lists(subgraph.inputs, c.id.tensor)) {
    return {Obstacle::kGraphInput, "not-constant: it is an input of the graph"};
  }
  if (!lutra::Contains(kCompressibleTypes, c.type)) {
    return {Obstacle::kType, fmt::format("type: {} is not compressed", ToString(c.type))};
  }
  if (c.shape.empty()) return {Obstacle::kScalar, "rank: a scalar is not compressed"};
  const bool is_output = Lists(subgraph.outputs, c.id.tensor);
  if (is_output && form == Form::kMetadata) {
    return {Obstacle::kConsumer, "consumers: it is an output of the graph"};
  }
  if (c.uses.empty() && !is_output) return {Obstacle::kUnread, "consumers: nobody reads it"};
  for (const Use& use : c.uses) {
    Obstacle obstacle = CheckUse(editor, c.id.subgraph, use, form);
    if (obstacle) return obstacle;
  }
  return {};
}

}  // namespace

// The outputs of TFLM_DECODE are no constants.
InputSet ConstantInputs(BuiltinOperator code) {
  if (const OperatorFacts* facts = FactsOf(code)) return facts->constant_inputs;
  for (const ForeignOperator& foreign : kForeignOperators) {
    if (foreign.code == code) return foreign.constant_inputs;
  }
  return kNoInputs;
}

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
    constants[i].obstacle = FindObstacle(editor, constants[i], form);
  }
  // Bytes that several tensors share are removed only if none of the tensors needs them.
  for (const auto& [bytes, members] : by_bytes) {
    const auto blocked =
        std::find_if(members.begin(), members.end(), [&](size_t i) { return bool{constants[i].obstacle}; });
    for (const size_t i : members) {
      for (const size_t other : members) {
        if (other != i) constants[i].aliases.push_back(constants[other].id);
      }
      if (blocked == members.end() || constants[i].obstacle) continue;
      constants[i].obstacle = {Obstacle::kAlias,
                               fmt::format("alias: tensor {} has the same bytes and cannot be compressed",
                                           ToText(constants[*blocked].id))};
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

void RequireUncompressed(const ModelEditor& editor) {
  if (!IsCompressed(editor)) return;
  throw host::BadInput(
      fmt::format("{}: compressed: found compressed tensors, required: a model without; "
                  "run compress unpack first",
                  editor.path()));
}

}  // namespace lutra::compressor
