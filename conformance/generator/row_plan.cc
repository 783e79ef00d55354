// SPDX-License-Identifier: Apache-2.0
// Draws the groups of a row plan, and computes its tables.

#include "conformance/generator/row_plan.h"

#include <algorithm>
#include <memory>

#include "conformance/oracle/arithmetic.h"
#include "conformance/oracle/model.h"
#include "lutra/row_groups.h"

namespace lutra::conformance {
namespace {

constexpr int32_t kWithoutTables = 1, kWithTables = 2;  // Versions of the format.
constexpr int32_t kMostOperators = 6;                   // Of a group.

// Returns pairs: the first operator of a group, and how many it has.
std::vector<int32_t> DrawGroups(Random& random, int32_t nodes) {
  std::vector<int32_t> pairs;
  for (int32_t n = 0; n + 1 < nodes;) {
    if (random.OneIn(4)) {
      ++n;
      continue;
    }
    const int32_t count = random.Int(2, std::min(nodes - n, kMostOperators));
    pairs.insert(pairs.end(), {n, count});
    n += count;
  }
  return pairs;
}

// `pairs` has operators and their channels, `multipliers` the value and the shift of each channel.
struct Tables {
  std::vector<int32_t> pairs, multipliers;
};

Tables TablesOf(const edit::ModelT& model) {
  const edit::SubGraphT& graph = *model.subgraphs[0];
  const auto scales_of = [&](int32_t tensor) -> const std::vector<float>& {
    return graph.tensors[static_cast<size_t>(tensor)]->quantization->scale;
  };
  Tables tables;
  for (size_t n = 0; n < graph.operators.size(); ++n) {
    const edit::OperatorT& op = *graph.operators[n];
    const std::string name = oracle::NameOf(model, op);
    if (name != "CONV_2D" && name != "DEPTHWISE_CONV_2D") continue;
    const double in = scales_of(op.inputs[0])[0], out = scales_of(op.outputs[0])[0];
    const std::vector<float>& filters = scales_of(op.inputs[1]);
    const int32_t channels = graph.tensors[static_cast<size_t>(op.outputs[0])]->shape.back();
    tables.pairs.insert(tables.pairs.end(), {static_cast<int32_t>(n), channels});
    for (int32_t c = 0; c < channels; ++c) {
      const double filter = filters[filters.size() == 1 ? 0 : static_cast<size_t>(c)];
      const oracle::Multiplier m = oracle::QuantizeMultiplier(in * filter / out);
      tables.multipliers.insert(tables.multipliers.end(), {static_cast<int32_t>(m.value), m.shift});
    }
  }
  return tables;
}

}  // namespace

void AddRowPlan(Random& random, edit::ModelT* model) {
  const auto nodes = static_cast<int32_t>(model->subgraphs[0]->operators.size());
  const std::vector<int32_t> groups = DrawGroups(random, nodes);
  const Tables tables = random.OneIn(3) ? TablesOf(*model) : Tables();
  const bool has_tables = !tables.pairs.empty();
  std::vector<int32_t> words = {has_tables ? kWithTables : kWithoutTables, nodes, 0,
                                static_cast<int32_t>(groups.size() / 2), 0};
  if (has_tables) words.push_back(static_cast<int32_t>(tables.pairs.size() / 2));
  for (const std::vector<int32_t>* part : {&groups, &tables.pairs, &tables.multipliers}) {
    words.insert(words.end(), part->begin(), part->end());
  }
  auto metadata = std::make_unique<edit::MetadataT>();
  metadata->name = kRowPlanName;
  metadata->buffer = static_cast<uint32_t>(model->buffers.size());
  model->buffers.push_back(std::make_unique<edit::BufferT>());
  model->buffers.back()->data = ToBytes(words);
  model->metadata.push_back(std::move(metadata));
}

}  // namespace lutra::conformance
