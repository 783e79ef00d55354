// SPDX-License-Identifier: Apache-2.0
// Counts bytes by layer: plain weights, weights in the form that the engine reads, tiles, commands.

#include "bench/traffic.h"

#include <algorithm>
#include <vector>

#include "lutra/compression/encoding.h"
#include "lutra/compression/format.h"
#include "lutra/node_info.h"
#include "lutra/ops/facts.h"
#include "lutra/rule.h"
#include "runtime/decoders.h"

namespace lutra::bench {
namespace {

constexpr int64_t kMostItems = 65535;  // Of a command.
constexpr int64_t kAddressBits =
    32;  // L2's addresses are multiples of 4; the rest goes to the start registers.
constexpr int64_t kLutEntryBytes = 2;

bool EntriesFitTheLut(const Encoding& encoding) {
  if (encoding.element_bytes <= 2) return true;
  const LookupTableData& lut = encoding.lut;
  for (size_t i = 0; i + encoding.element_bytes <= lut.value_table_bytes; i += encoding.element_bytes) {
    // The bytes above the lower two are copies of the sign.
    const uint8_t sign = (lut.value_table[i + 1] & 0x80) != 0 ? 0xFF : 0;
    for (size_t byte = 2; byte < encoding.element_bytes; ++byte) {
      if (lut.value_table[i + byte] != sign) return false;
    }
  }
  return true;
}

bool EngineReads(const Encoding& encoding, const TensorInfo& tensor) {
  // Tables for each element of the last axis would have to change at every item.
  const bool runs_of_one = encoding.channels > 1 && encoding.inner == 1;
  if (tensor.type == TensorType::kFloat32 || encoding.element_bytes > 4 || runs_of_one) return false;
  switch (encoding.type) {
    case DecodeType::kBitPack:
      return true;
    case DecodeType::kLut:
    case DecodeType::kWideLut:
    case DecodeType::kSparseLut:
      return EntriesFitTheLut(encoding);
    default:
      return false;
  }
}

// Returns the bits of the stream at which these items begin. Items ascend.
std::vector<int64_t> StartBits(const Encoding& encoding, const std::vector<int64_t>& items) {
  std::vector<int64_t> bits;
  if (encoding.type != DecodeType::kSparseLut) {
    for (const int64_t item : items) bits.push_back(item * encoding.width);
    return bits;
  }
  int64_t at = 0, item = 0;
  for (const int64_t wanted : items) {
    for (; item < wanted; ++item) {
      const uint8_t byte = encoding.stream[static_cast<size_t>(at / 8)];
      const int64_t bit = encoding.order == BitOrder::kLsbFirst ? at % 8 : 7 - at % 8;
      at += (byte >> bit & 1) != 0 ? 1 + encoding.width : 1;
    }
    bits.push_back(at);
  }
  return bits;
}

struct Weights {
  TensorInfo tensor;
  std::optional<Encoding> encoding;  // Empty: it is not compressed.
  Tiles tiles;                       // The tiles in the file.
};

Span<const uint8_t> AncillaryOf(const Model& model, const Decoder& decoder) {
  const NodeInfo node = model.node(0, decoder.node);
  int pair = 0;
  while (node.outputs[pair] != decoder.tensor) ++pair;
  return model.tensor(0, node.inputs[2 * pair + 1]).data;
}

// Returns the weights of an input, if it is a constant.
std::optional<Weights> WeightsOf(const Model& model, int tensor) {
  Weights weights = {.tensor = model.tensor(0, tensor), .encoding = {}};
  if (weights.tensor.is_compressed) {
    weights.encoding = model.encoding(0, tensor);
    return weights;
  }
  const Decoder decoder = FindDecoder(model, 0, tensor);
  if (decoder.node >= 0) {
    const NodeInfo node = model.node(0, decoder.node);
    if (node.inputs.size() < 2 * node.outputs.size()) return std::nullopt;
    for (int32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] < 0 || !model.tensor(0, node.inputs[i]).is_constant()) return std::nullopt;
    }
    Encoding encoding;
    Fault fault = ReadDecoder(model, 0, decoder, &encoding);
    if (fault.rule == Rule::kNone) fault = CheckContents(encoding);
    if (fault.rule != Rule::kNone) return std::nullopt;  // The model would not run, either.
    weights.encoding = encoding;
    weights.tiles = ReadTiles(AncillaryOf(model, decoder), encoding.element_bytes, weights.tensor.shape);
    return weights;
  }
  if (!weights.tensor.is_constant() || weights.tensor.is_variable) return std::nullopt;
  return weights;
}

bool IsReadByEngine(const Weights& weights) {
  return weights.encoding && EngineReads(*weights.encoding, weights.tensor);
}

void Count(const Weights& weights, int64_t tile_bytes, host::LayerTraffic* layer) {
  const int64_t bytes = weights.tensor.bytes;
  layer->l3_l2_plain_bytes += bytes;
  const int64_t filters = weights.tensor.shape.rank == 0 ? 1 : std::max(weights.tensor.shape[0], 1);
  const int64_t filters_of_tile =
      weights.tiles.rows > 0 ? weights.tiles.rows : RowsOfTile(filters, bytes, tile_bytes);
  const int64_t tiles = (filters + filters_of_tile - 1) / filters_of_tile;
  layer->tiles += tiles;
  if (!IsReadByEngine(weights)) {
    layer->l3_l2_bytes += bytes;
    return;
  }
  const Encoding& encoding = *weights.encoding;
  const int64_t items = encoding.elements;
  std::vector<int64_t> first;
  for (int64_t t = 0; t < tiles; ++t) first.push_back(t * filters_of_tile * (items / filters));
  const bool is_sparse = encoding.type == DecodeType::kSparseLut;
  const int64_t offset_bytes = is_sparse && tiles > 1 ? tiles * kTileOffsetBytes : 0;
  layer->l3_l2_bytes +=
      static_cast<int64_t>(encoding.stream.size() + encoding.lut.value_table_bytes) + offset_bytes;
  layer->offset_bytes += offset_bytes;
  layer->lut_bytes +=
      static_cast<int64_t>(encoding.lut.value_table_bytes) / encoding.element_bytes * kLutEntryBytes;
  for (const int64_t bit : StartBits(encoding, first))
    layer->unaligned_starts += bit % kAddressBits != 0 ? 1 : 0;
  for (size_t t = 0; t < first.size(); ++t) {
    const int64_t end = t + 1 < first.size() ? first[t + 1] : items;
    // Each filter's table takes a command of its own.
    const int64_t runs = encoding.channels > 1 ? (end - first[t]) / std::max(encoding.inner, 1) : 1;
    const int64_t of_run = (end - first[t]) / std::max<int64_t>(1, runs);
    layer->commands += runs * ((of_run + kMostItems - 1) / kMostItems);
  }
}

void Add(const host::LayerTraffic& layer, host::LayerTraffic* total) {
  for (const auto member :
       {&host::LayerTraffic::l3_l2_plain_bytes, &host::LayerTraffic::l3_l2_bytes,
        &host::LayerTraffic::l2_l1_plain_bytes, &host::LayerTraffic::l2_l1_bytes,
        &host::LayerTraffic::l1_l2_bytes, &host::LayerTraffic::lut_bytes, &host::LayerTraffic::offset_bytes,
        &host::LayerTraffic::tiles, &host::LayerTraffic::commands, &host::LayerTraffic::unaligned_starts}) {
    total->*member += layer.*member;
  }
}

}  // namespace

host::TrafficResult Gap9Traffic(const Model& model, int64_t tile_bytes) {
  host::TrafficResult result;
  result.engine = "gap9";
  result.total.type = "total";
  for (int n = 0; n < model.node_count(0); ++n) {
    const NodeInfo node = model.node(0, n);
    if (IsDecoder(node)) continue;
    host::LayerTraffic layer = {.index = n, .type = NameOf(node.code, node.custom_code), .name = ""};
    const OperatorFacts* const facts = FactsOf(node.code);
    int64_t input_bytes = 0;
    for (int32_t i = 0; i < node.inputs.size(); ++i) {
      const int input = node.inputs[i];
      // An input that prepare reads is used only by the processor.
      if (input < 0 || (facts != nullptr && Contains(facts->constant_inputs, i))) continue;
      if (const std::optional<Weights> weights = WeightsOf(model, input)) {
        Count(*weights, tile_bytes, &layer);
        const bool is_new = std::none_of(result.unread.begin(), result.unread.end(),
                                         [&](const host::UnreadTensor& t) { return t.index == input; });
        if (is_new && weights->encoding && !IsReadByEngine(*weights)) {
          result.unread.push_back({input, weights->tensor.name, ToString(weights->encoding->type)});
        }
      } else {
        input_bytes += model.tensor(0, input).bytes;
      }
    }
    for (int32_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] < 0) continue;
      const TensorInfo output = model.tensor(0, node.outputs[i]);
      if (layer.name.empty()) layer.name = output.name;
      layer.l1_l2_bytes += output.bytes;
    }
    layer.l2_l1_plain_bytes = layer.l3_l2_plain_bytes + input_bytes;
    layer.l2_l1_bytes = layer.l3_l2_bytes + input_bytes;
    Add(layer, &result.total);
    result.layers.push_back(std::move(layer));
  }
  return result;
}

}  // namespace lutra::bench
