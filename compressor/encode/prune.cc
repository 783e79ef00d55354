// SPDX-License-Identifier: Apache-2.0
// Pruning stores a map of the elements that differ from the zero point, and these elements.

#include <fmt/format.h>

#include <algorithm>

#include "compressor/channels.h"
#include "compressor/encode/bit_writer.h"
#include "compressor/encode/elements.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {
namespace {

// Returns why a decoder cannot know the value of pruned elements; empty if it can.
std::string Unclear(const TensorValues& values) {
  const auto& zero_points = values.zero_points;
  if (values.type != TensorType::kInt8) {
    const bool zeros = std::all_of(zero_points.begin(), zero_points.end(), [](int64_t z) { return z == 0; });
    return zeros ? "" : "pruned elements are 0 in this type, its zero point is not";
  }
  for (int64_t zero_point : zero_points) {
    if (zero_point < INT8_MIN || zero_point > INT8_MAX) {
      return fmt::format("zero point {} is no int8", zero_point);
    }
  }
  if (zero_points.size() <= 1) return "";
  const int axis = values.zero_point_axis;
  const int rank = static_cast<int>(values.shape.size());
  if (rank == 0 || (axis != 0 && axis != rank - 1)) {
    return fmt::format("zero points along dimension {}, only the first and the last can be pruned", axis);
  }
  const auto channels = static_cast<size_t>(values.shape[static_cast<size_t>(axis)]);
  if (zero_points.size() != channels) {
    return fmt::format("{} zero points for {} channels", zero_points.size(), channels);
  }
  return "";
}

}  // namespace

Encodable EncodePrune(const TensorValues& values, const EncodeOptions&) {
  std::string why_not;
  if (!CanEncode(DecodeType::kPrune, values, &why_not)) return WhyNot(why_not);
  why_not = Unclear(values);
  if (!why_not.empty()) return WhyNot(why_not);
  const Elements elements(values);
  std::vector<int64_t> pruned = {0};
  Channels channels;
  if (values.type == TensorType::kInt8 && !values.zero_points.empty()) {
    pruned = values.zero_points;
    if (pruned.size() > 1) channels = ChannelsAlong(values.shape, values.zero_point_axis);
  }
  EncodedTensor tensor{.type = DecodeType::kPrune, .ancillary = Header(DecodeType::kPrune), .bits = 1};
  BitWriter map(BitOrder::kMsbFirst);
  for (size_t i = 0; i < elements.size(); ++i) {
    // Float32 is compared as bits, so that -0.0 is kept.
    const bool kept = elements.integer(i) != pruned[channels.Of(i)];
    map.Put(kept ? 1 : 0, 1);
    if (kept) Append(elements.bits(i), elements.element_bytes(), &tensor.ancillary);
  }
  tensor.encoded = map.bytes();
  return {std::move(tensor), {}};
}

}  // namespace lutra::compressor
