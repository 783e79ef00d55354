// SPDX-License-Identifier: Apache-2.0
// Huffman codes of int8 or int16 values, or of indices into tables of up to 256 values; one code serves the
// indices of all tables.

#include <algorithm>
#include <numeric>

#include "compressor/channels.h"
#include "compressor/encode/elements.h"
#include "compressor/encode/huffman_code.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {
namespace {

// Builds the code and the stream of these symbols; lookup entries have 2 or 4 bytes, and `bytes_before` of
// the payload precede them.
EncodedTensor Code(DecodeType type, std::span<const uint32_t> symbols, int entry_bytes, size_t bytes_before,
                   HuffmanCode* code) {
  std::map<uint32_t, uint64_t> counts;
  for (uint32_t symbol : symbols) ++counts[symbol];
  *code = BuildHuffmanCode(counts, entry_bytes, kDecodeHeaderBytes + bytes_before);
  BitWriter writer(BitOrder::kMsbFirst);
  for (uint32_t symbol : symbols) {
    const HuffmanCode::Code& entry = code->codes[symbol];
    writer.Put(entry.bits, entry.length);
  }
  FinishHuffmanStream(&writer);
  EncodedTensor tensor{.type = type,
                       .encoded = writer.bytes(),
                       .ancillary = Header(type),
                       .bits = code->longest,
                       .distinct = static_cast<int>(counts.size())};
  tensor.ancillary[kHuffmanFlagsByte] = static_cast<uint8_t>(
      (code->first_bits - 1) << kHuffmanFirstBitsShift | (entry_bytes == 4 ? kHuffmanWideBit : 0));
  return tensor;
}

// Numbers the entries of each table by how often they occur, the most frequent first: no other numbering
// makes the indices of all tables together more uneven.
void SortByCount(const TensorValues& values, LutTables* tables) {
  const auto stride = static_cast<size_t>(tables->stride);
  const Channels channels = ChannelsAlong(values.shape, tables->axis);
  std::vector<uint32_t> counts(channels.count * stride, 0);
  for (size_t i = 0; i < tables->indices.size(); ++i) {
    ++counts[channels.Of(i) * stride + tables->indices[i]];
  }
  const auto bytes = static_cast<size_t>(ElementBytes(values.type));
  std::vector<uint32_t> index_of(counts.size());
  std::vector<uint8_t> sorted;
  for (size_t first = 0; first < counts.size(); first += stride) {
    std::vector<size_t> order(stride);
    std::iota(order.begin(), order.end(), first);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return counts[a] > counts[b]; });
    for (size_t i = 0; i < stride; ++i) {
      index_of[order[i]] = static_cast<uint32_t>(i);
      const auto value = tables->values.begin() + static_cast<std::ptrdiff_t>(order[i] * bytes);
      sorted.insert(sorted.end(), value, value + static_cast<std::ptrdiff_t>(bytes));
    }
  }
  for (size_t i = 0; i < tables->indices.size(); ++i) {
    tables->indices[i] = index_of[channels.Of(i) * stride + tables->indices[i]];
  }
  tables->values = std::move(sorted);
}

}  // namespace

Encodable EncodeHuffman(const TensorValues& values, const EncodeOptions&) {
  std::string why_not;
  if (!CanEncode(DecodeType::kHuffman, values, &why_not)) return WhyNot(why_not);
  const Elements elements(values);
  std::vector<uint32_t> symbols;
  symbols.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) symbols.push_back(static_cast<uint32_t>(elements.bits(i)));
  HuffmanCode code;
  EncodedTensor tensor = Code(DecodeType::kHuffman, symbols, 2 * elements.element_bytes(), 0, &code);
  tensor.ancillary.insert(tensor.ancillary.end(), code.table.begin(), code.table.end());
  return {std::move(tensor), {}};
}

Encodable EncodeHuffmanLut(const TensorValues& values, const EncodeOptions&) {
  std::string why_not;
  std::optional<LutTables> tables = BuildLutTables(values, 256, &why_not);
  if (!tables) return WhyNot(why_not);
  SortByCount(values, &*tables);
  std::vector<uint8_t> payload = std::move(tables->values);
  payload.resize((payload.size() + kHuffmanStreamUnit - 1) / kHuffmanStreamUnit * kHuffmanStreamUnit, 0);
  HuffmanCode code;
  EncodedTensor tensor = Code(DecodeType::kHuffmanLut, tables->indices, 2, payload.size(), &code);
  tensor.tables = tables->channels;
  tensor.distinct = tables->stride;
  tensor.ancillary[kHuffmanLutAxisByte] =
      static_cast<uint8_t>(tables->axis < 0 ? kLutOneTable : tables->axis);
  Store(static_cast<uint64_t>(tables->stride), 2, &tensor.ancillary[kHuffmanLutStrideByte]);
  Store(payload.size(), 4, &tensor.ancillary[kHuffmanLutCodesByte]);
  tensor.ancillary.insert(tensor.ancillary.end(), payload.begin(), payload.end());
  tensor.ancillary.insert(tensor.ancillary.end(), code.table.begin(), code.table.end());
  return {std::move(tensor), {}};
}

}  // namespace lutra::compressor
