// SPDX-License-Identifier: Apache-2.0
// Wide and sparse LUTs have one table of up to 256 values. A sparse one stores the most frequent value in one
// bit, the others as a flag and an index.

#include <algorithm>
#include <map>

#include "compressor/encode/bit_writer.h"
#include "compressor/encode/elements.h"
#include "lutra/compression/format.h"
#include "runtime/compression/tiles.h"

namespace lutra::compressor {

Encodable EncodeWideLut(const TensorValues& values, const EncodeOptions& options) {
  std::string why_not;
  if (!CanEncode(DecodeType::kWideLut, values, &why_not)) return WhyNot(why_not);
  TensorValues together = values;
  together.axis = -1;
  const std::optional<LutTables> tables = BuildLutTables(together, 1 << kWideLutMaxWidth, &why_not);
  if (!tables) return WhyNot(why_not);
  BitWriter writer(options.order);
  PutItems(tables->indices, tables->width, &writer);
  EncodedTensor tensor{.type = DecodeType::kWideLut,
                       .encoded = writer.bytes(),
                       .ancillary = PackedHeader(DecodeType::kWideLut, tables->width, options.order, false),
                       .bits = tables->width,
                       .tables = 1,
                       .distinct = tables->stride};
  Store(static_cast<uint64_t>(tables->stride), 2, &tensor.ancillary[kPackEntriesByte]);
  tensor.ancillary.insert(tensor.ancillary.end(), tables->values.begin(), tables->values.end());
  return {std::move(tensor), {}};
}

namespace {

// Appends the bit at which each tile begins, if there are several.
void AddTiles(const std::vector<uint32_t>& items, int width, const std::vector<int32_t>& shape, int rows,
              EncodedTensor* tensor) {
  if (rows == 0 || shape.empty() || shape[0] <= rows) return;
  Store(static_cast<uint64_t>(rows), 2, &tensor->ancillary[kPackTileRowsByte]);
  while (tensor->ancillary.size() % kTileOffsetBytes != 0) tensor->ancillary.push_back(0);
  const size_t of_tile = items.size() / static_cast<size_t>(shape[0]) * static_cast<size_t>(rows);
  uint64_t bit = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i % of_tile == 0) Append(bit, kTileOffsetBytes, &tensor->ancillary);
    bit += items[i] == kSpecialItem ? 1 : 1 + static_cast<uint64_t>(width);
  }
}

}  // namespace

Encodable EncodeSparseLut(const TensorValues& values, const EncodeOptions& options) {
  std::string why_not;
  if (!CanEncode(DecodeType::kSparseLut, values, &why_not)) return WhyNot(why_not);
  constexpr size_t kMaxEntries = size_t{1} << kWideLutMaxWidth;
  const Elements elements(values);
  std::map<uint64_t, size_t> counts;
  for (size_t i = 0; i < elements.size(); ++i) {
    ++counts[elements.rank(i)];
    if (counts.size() > kMaxEntries + 1) {
      return WhyNot(TooManyValues(static_cast<int>(kMaxEntries)) + ", besides the special symbol");
    }
  }
  const auto special =
      std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) { return a.second < b.second; });
  const uint64_t special_bits = elements.BitsOfRank(special->first);
  std::map<uint64_t, uint32_t> index_of;
  std::vector<uint8_t> table;
  for (const auto& [rank, count] : counts) {
    if (rank == special->first) {
      index_of[rank] = kSpecialItem;
      continue;
    }
    index_of[rank] = static_cast<uint32_t>(table.size() / static_cast<size_t>(elements.element_bytes()));
    Append(elements.BitsOfRank(rank), elements.element_bytes(), &table);
  }
  // A table has at least one entry, even if no index names it.
  if (table.empty()) Append(special_bits, elements.element_bytes(), &table);
  const size_t entries = table.size() / static_cast<size_t>(elements.element_bytes());
  std::vector<uint32_t> items;
  items.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) items.push_back(index_of[elements.rank(i)]);
  BitWriter writer(options.order);
  const int width = IndexBits(entries);
  PutSparseItems(items, width, &writer);
  EncodedTensor tensor{.type = DecodeType::kSparseLut,
                       .encoded = writer.bytes(),
                       .ancillary = PackedHeader(DecodeType::kSparseLut, width, options.order, false),
                       .bits = width,
                       .tables = 1,
                       .distinct = static_cast<int>(counts.size())};
  Store(entries, 2, &tensor.ancillary[kPackEntriesByte]);
  Store(special_bits, 4, &tensor.ancillary[kPackSpecialByte]);
  tensor.ancillary.insert(tensor.ancillary.end(), table.begin(), table.end());
  AddTiles(items, width, values.shape, options.tile_rows, &tensor);
  return {std::move(tensor), {}};
}

}  // namespace lutra::compressor
