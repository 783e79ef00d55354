// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "compressor/encode/bit_writer.h"
#include "compressor/encode/elements.h"

namespace lutra::compressor {

Encodable EncodeBitPack(const TensorValues& values, BitOrder order) {
  std::string why_not;
  if (!CanEncode(values, {TensorType::kBool, TensorType::kInt8, TensorType::kInt16, TensorType::kInt32},
                 &why_not)) {
    return WhyNot(why_not);
  }
  const Elements elements(values);
  int64_t smallest = 0;
  int64_t largest = 0;
  std::vector<uint32_t> items;
  items.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    const int64_t value = elements.integer(i);
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
    items.push_back(static_cast<uint32_t>(value));
  }
  const bool sign_extend = smallest < 0;
  // Bits without the sign: ~x of a negative x.
  const auto magnitude = static_cast<size_t>(std::max(largest, ~smallest));
  const int width = sign_extend ? (magnitude == 0 ? 1 : IndexBits(magnitude + 1) + 1)
                                : IndexBits(static_cast<size_t>(largest) + 1);
  if (width > kBitPackMaxWidth) {
    return WhyNot(fmt::format("values of {} bits, items have at most {}", width, kBitPackMaxWidth));
  }
  BitWriter writer(order);
  PutItems(items, width, &writer);
  EncodedTensor tensor{.type = DecodeType::kBitPack,
                       .encoded = writer.bytes(),
                       .ancillary = PackedHeader(DecodeType::kBitPack, width, order, sign_extend),
                       .bits = width};
  return {std::move(tensor), {}};
}

}  // namespace lutra::compressor
