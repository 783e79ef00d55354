// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compressor/encode/bit_writer.h"
#include "compressor/encode/elements.h"

namespace lutra::compressor {
namespace {

std::string TooMany(int max_entries, int max_bits) {
  return fmt::format("more than {} distinct values in one table, the most that {} bits can name", max_entries,
                     max_bits);
}

constexpr std::initializer_list<TensorType> kPackedLutTypes = {
    TensorType::kBool, TensorType::kInt8, TensorType::kInt16, TensorType::kInt32, TensorType::kFloat32};

}  // namespace

std::optional<LutTables> BuildLutTables(const TensorValues& values, int max_entries, std::string* why_not) {
  if (!CanEncode(values, kLutTypes, why_not)) return std::nullopt;
  const int rank = static_cast<int>(values.shape.size());
  if (values.axis < -1 || values.axis >= rank) {
    *why_not = fmt::format("no dimension {} for the tables, the tensor has {}", values.axis, rank);
    return std::nullopt;
  }
  LutTables tables;
  tables.axis = values.axis;
  size_t inner = values.bytes.size();
  if (values.axis >= 0) {
    tables.channels = values.shape[static_cast<size_t>(values.axis)];
    inner = InnerCount(values.shape, values.axis);
  }
  const auto channels = static_cast<size_t>(tables.channels);
  const Elements elements(values);
  std::vector<std::vector<uint64_t>> ranks(channels);
  for (size_t i = 0; i < elements.size(); ++i) {
    std::vector<uint64_t>& table = ranks[i / inner % channels];
    const uint64_t value = elements.rank(i);
    const auto at = std::lower_bound(table.begin(), table.end(), value);
    if (at != table.end() && *at == value) continue;
    if (table.size() == static_cast<size_t>(max_entries)) {
      *why_not = TooMany(max_entries, IndexBits(static_cast<size_t>(max_entries)));
      return std::nullopt;
    }
    table.insert(at, value);
  }
  size_t stride = 0;
  for (const auto& table : ranks) stride = std::max(stride, table.size());
  tables.stride = static_cast<int>(stride);
  tables.width = IndexBits(stride);
  for (const auto& table : ranks) {
    for (uint64_t value : table) {
      Append(elements.BitsOfRank(value), elements.element_bytes(), &tables.values);
    }
    const size_t padding = (stride - table.size()) * static_cast<size_t>(elements.element_bytes());
    tables.values.insert(tables.values.end(), padding, 0);
  }
  tables.indices.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    const std::vector<uint64_t>& table = ranks[i / inner % channels];
    const auto at = std::lower_bound(table.begin(), table.end(), elements.rank(i));
    tables.indices.push_back(static_cast<uint32_t>(at - table.begin()));
  }
  return tables;
}

std::vector<uint8_t> PackIndices(const LutTables& tables, int width) {
  BitWriter writer(BitOrder::kMsbFirst);
  PutItems(tables.indices, width == 0 ? tables.width : width, &writer);
  return writer.bytes();
}

Encodable EncodeLut(const TensorValues& values, int width) {
  if (width < 0 || width > kLutMaxWidth) {
    return WhyNot(fmt::format("indices have 1 to {} bits, not {}", kLutMaxWidth, width));
  }
  std::string why_not;
  const std::optional<LutTables> tables = BuildLutTables(values, kLutMaxStride, &why_not);
  if (!tables) return WhyNot(why_not);
  if (width != 0 && tables->width > width) {
    return WhyNot(fmt::format("indices need {} bits, only {} are asked for", tables->width, width));
  }
  // Axis 0 is what a file without the axis field has there, and in those the quantisation tells.
  const size_t scales = values.zero_points.size();
  if (values.axis == 0 && scales > 1 && scales == static_cast<size_t>(tables->channels) &&
      values.zero_point_axis != 0) {
    return WhyNot(
        fmt::format("tables along dimension 0 would be taken for tables along {}, as the scales are",
                    values.zero_point_axis));
  }
  EncodedTensor tensor{.type = DecodeType::kLut,
                       .encoded = PackIndices(*tables, width),
                       .ancillary = Header(DecodeType::kLut),
                       .bits = width == 0 ? tables->width : width,
                       .tables = tables->channels,
                       .distinct = tables->stride};
  const int axis = tables->axis < 0 ? kLutOneTable : tables->axis;
  tensor.ancillary[kLutWidthByte] = static_cast<uint8_t>(axis << kLutAxisShift | tensor.bits);
  tensor.ancillary[kLutStrideByte] = static_cast<uint8_t>(tables->stride);
  tensor.ancillary.insert(tensor.ancillary.end(), tables->values.begin(), tables->values.end());
  return {std::move(tensor), {}};
}

Encodable EncodeWideLut(const TensorValues& values, BitOrder order) {
  std::string why_not;
  if (!CanEncode(values, kPackedLutTypes, &why_not)) return WhyNot(why_not);
  TensorValues together = values;
  together.axis = -1;
  const std::optional<LutTables> tables = BuildLutTables(together, 1 << kWideLutMaxWidth, &why_not);
  if (!tables) return WhyNot(why_not);
  BitWriter writer(order);
  PutItems(tables->indices, tables->width, &writer);
  EncodedTensor tensor{.type = DecodeType::kWideLut,
                       .encoded = writer.bytes(),
                       .ancillary = PackedHeader(DecodeType::kWideLut, tables->width, order, false),
                       .bits = tables->width,
                       .tables = 1,
                       .distinct = tables->stride};
  Store(static_cast<uint64_t>(tables->stride), 2, &tensor.ancillary[kPackEntriesByte]);
  tensor.ancillary.insert(tensor.ancillary.end(), tables->values.begin(), tables->values.end());
  return {std::move(tensor), {}};
}

Encodable EncodeSparseLut(const TensorValues& values, BitOrder order) {
  std::string why_not;
  if (!CanEncode(values, kPackedLutTypes, &why_not)) return WhyNot(why_not);
  constexpr size_t kMaxEntries = size_t{1} << kWideLutMaxWidth;
  const Elements elements(values);
  std::map<uint64_t, size_t> counts;
  for (size_t i = 0; i < elements.size(); ++i) {
    ++counts[elements.rank(i)];
    if (counts.size() > kMaxEntries + 1) {
      return WhyNot(TooMany(static_cast<int>(kMaxEntries), kWideLutMaxWidth) +
                    ", besides the special symbol");
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
  // A table has an entry, whether or not an index names it.
  if (table.empty()) Append(special_bits, elements.element_bytes(), &table);
  const size_t entries = table.size() / static_cast<size_t>(elements.element_bytes());
  std::vector<uint32_t> items;
  items.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) items.push_back(index_of[elements.rank(i)]);
  BitWriter writer(order);
  const int width = IndexBits(entries);
  PutSparseItems(items, width, &writer);
  EncodedTensor tensor{.type = DecodeType::kSparseLut,
                       .encoded = writer.bytes(),
                       .ancillary = PackedHeader(DecodeType::kSparseLut, width, order, false),
                       .bits = width,
                       .tables = 1,
                       .distinct = static_cast<int>(counts.size())};
  Store(entries, 2, &tensor.ancillary[kPackEntriesByte]);
  Store(special_bits, 4, &tensor.ancillary[kPackSpecialByte]);
  tensor.ancillary.insert(tensor.ancillary.end(), table.begin(), table.end());
  return {std::move(tensor), {}};
}

}  // namespace lutra::compressor
