// SPDX-License-Identifier: Apache-2.0
// Value tables and their indices; TFLM_DECODE's lookup tables.

#include <fmt/format.h>

#include <algorithm>

#include "compressor/channels.h"
#include "compressor/encode/bit_writer.h"
#include "compressor/encode/elements.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {
std::optional<LutTables> BuildLutTables(const TensorValues& values, int max_entries, std::string* why_not) {
  if (!CanEncode(DecodeType::kLut, values, why_not)) return std::nullopt;
  const int rank = static_cast<int>(values.shape.size());
  if (values.axis < -1 || values.axis >= rank) {
    *why_not = fmt::format("no dimension {} for the tables, the tensor has {}", values.axis, rank);
    return std::nullopt;
  }
  LutTables tables;
  tables.axis = values.axis;
  const Channels channels = ChannelsAlong(values.shape, values.axis);
  tables.channels = static_cast<int>(channels.count);
  const Elements elements(values);
  std::vector<std::vector<uint64_t>> ranks(channels.count);
  for (size_t i = 0; i < elements.size(); ++i) {
    std::vector<uint64_t>& table = ranks[channels.Of(i)];
    const uint64_t value = elements.rank(i);
    const auto at = std::lower_bound(table.begin(), table.end(), value);
    if (at != table.end() && *at == value) continue;
    if (table.size() == static_cast<size_t>(max_entries)) {
      *why_not = TooManyValues(max_entries);
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
    const std::vector<uint64_t>& table = ranks[channels.Of(i)];
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

// Refuses tables along axis 0 if readers would take them for tables along the scales' axis (FORMAT.md, LUT,
// rule 3).
Encodable EncodeLut(const TensorValues& values, const EncodeOptions& options) {
  const int width = options.width;
  if (width < 0 || width > kLutMaxWidth) {
    return WhyNot(fmt::format("indices have 1 to {} bits, not {}", kLutMaxWidth, width));
  }
  std::string why_not;
  const std::optional<LutTables> tables = BuildLutTables(values, kLutMaxStride, &why_not);
  if (!tables) return WhyNot(why_not);
  if (width != 0 && tables->width > width) {
    return WhyNot(fmt::format("indices need {} bits, only {} are asked for", tables->width, width));
  }
  // Files without the axis field have 0 in its place, and the quantisation gives their axis.
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

}  // namespace lutra::compressor
