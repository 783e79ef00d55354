// SPDX-License-Identifier: Apache-2.0
// Draws the groups and the places of a row plan, and computes its tables.

#include "conformance/generator/row_plan.h"

#include <algorithm>
#include <memory>

#include "conformance/generator/draw.h"
#include "conformance/oracle/arithmetic.h"
#include "conformance/oracle/model.h"
#include "lutra/row_groups.h"

namespace lutra::conformance {
namespace {

constexpr int32_t kWithoutTables = 1, kWithTables = 2;  // Versions of the format.
constexpr int32_t kMostOperators = 6;                   // The most operators of a group.

// Returns pairs: the first operator of a group, and its number of operators.
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

// `pairs`: operators and their numbers of channels; `multipliers`: value and shift of each channel.
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

// The first and the last operator that need the tensor.
struct Life {
  int32_t first = INT32_MAX, last = -1;
};

// Returns the life of each tensor of the graph. The operators of a group run together.
std::vector<Life> LivesOf(const edit::SubGraphT& graph, const std::vector<int32_t>& groups,
                          const std::vector<int32_t>& outputs) {
  const auto nodes = static_cast<int32_t>(graph.operators.size());
  std::vector<Life> lives(graph.tensors.size());
  const auto extend = [&](int32_t tensor, int32_t first, int32_t last) {
    if (tensor < 0) return;
    Life& life = lives[static_cast<size_t>(tensor)];
    life = {std::min(life.first, first), std::max(life.last, last)};
  };
  for (const int32_t tensor : graph.inputs) extend(tensor, 0, 0);
  for (const int32_t tensor : outputs) extend(tensor, nodes - 1, nodes - 1);
  for (int32_t n = 0; n < nodes; ++n) {
    int32_t first = n, last = n;
    for (size_t g = 0; g < groups.size(); g += 2) {
      if (n < groups[g] || n >= groups[g] + groups[g + 1]) continue;
      first = groups[g];
      last = groups[g] + groups[g + 1] - 1;
    }
    const edit::OperatorT& op = *graph.operators[static_cast<size_t>(n)];
    for (const int32_t tensor : op.inputs) extend(tensor, first, last);
    for (const int32_t tensor : op.outputs) extend(tensor, first, last);
  }
  return lives;
}

// The offset of each tensor, or -1, and the end of the last one.
struct Places {
  std::vector<int32_t> offsets;
  int32_t end = 0;
};

// Draws places. Tensors that live at the same time do not overlap; each takes the lowest free place from 0 or
// from a random offset on.
Places DrawPlaces(Random& random, const edit::ModelT& model, const std::vector<Life>& lives) {
  constexpr int32_t kAlignment = 16;
  const std::vector<std::unique_ptr<edit::TensorT>>& tensors = model.subgraphs[0]->tensors;
  Places places = {std::vector<int32_t>(tensors.size(), -1)};
  std::vector<int32_t> ends(tensors.size(), 0);
  for (const int32_t drawn : DrawOrder(random, static_cast<int32_t>(tensors.size()))) {
    const auto i = static_cast<size_t>(drawn);
    const edit::TensorT& tensor = *tensors[i];
    const bool is_constant = !model.buffers[tensor.buffer]->data.empty() || tensor.is_variable;
    if (is_constant || lives[i].last < 0 || random.OneIn(8)) continue;
    const auto bytes = static_cast<int32_t>(oracle::ByteCount(tensor));
    int32_t offset = random.OneIn(4) ? random.Int(0, 64) * kAlignment : 0;
    for (size_t k = 0; k < tensors.size();) {
      const bool meets = places.offsets[k] >= 0 && lives[k].first <= lives[i].last &&
                         lives[i].first <= lives[k].last && places.offsets[k] < offset + bytes &&
                         offset < ends[k];
      if (meets) offset = (ends[k] + kAlignment - 1) / kAlignment * kAlignment;
      k = meets ? 0 : k + 1;
    }
    places.offsets[i] = offset;
    ends[i] = offset + bytes;
    places.end = std::max(places.end, ends[i]);
  }
  return places;
}

}  // namespace

void AddRowPlan(Random& random, const std::vector<int32_t>& outputs, edit::ModelT* model) {
  const auto nodes = static_cast<int32_t>(model->subgraphs[0]->operators.size());
  // If a group cannot run by rows, the places are not used either.
  const bool has_groups = !random.OneIn(3);
  const std::vector<int32_t> groups = has_groups ? DrawGroups(random, nodes) : std::vector<int32_t>();
  Places places;
  if (!has_groups || random.OneIn(2)) {
    places = DrawPlaces(random, *model, LivesOf(*model->subgraphs[0], groups, outputs));
  }
  const Tables tables = random.OneIn(3) ? TablesOf(*model) : Tables();
  const bool has_tables = !tables.pairs.empty();
  // The head also holds the kernels' scratch.
  constexpr int32_t kScratch = 1 << 20;
  std::vector<int32_t> words = {
      has_tables ? kWithTables : kWithoutTables, nodes, static_cast<int32_t>(places.offsets.size()),
      static_cast<int32_t>(groups.size() / 2), places.offsets.empty() ? 0 : places.end + kScratch};
  if (has_tables) words.push_back(static_cast<int32_t>(tables.pairs.size() / 2));
  const std::vector<int32_t>* const parts[] = {&groups, &places.offsets, &tables.pairs, &tables.multipliers};
  for (const std::vector<int32_t>* part : parts) words.insert(words.end(), part->begin(), part->end());
  auto metadata = std::make_unique<edit::MetadataT>();
  metadata->name = kRowPlanName;
  metadata->buffer = static_cast<uint32_t>(model->buffers.size());
  model->buffers.push_back(std::make_unique<edit::BufferT>());
  model->buffers.back()->data = ToBytes(words);
  model->metadata.push_back(std::move(metadata));
}

}  // namespace lutra::conformance
