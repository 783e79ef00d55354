// SPDX-License-Identifier: Apache-2.0
// Bit packing stores integers (and BOOL) in as few bits as the smallest and the largest need.

#include <fmt/format.h>

#include <algorithm>

#include "compressor/encode/bit_writer.h"
#include "compressor/encode/elements.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {

Encodable EncodeBitPack(const TensorValues& values, const EncodeOptions& options) {
  std::string why_not;
  if (!CanEncode(DecodeType::kBitPack, values, &why_not)) return WhyNot(why_not);
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
  // The bits without the sign: ~x for a negative x.
  const auto magnitude = static_cast<size_t>(std::max(largest, ~smallest));
  const int width = sign_extend ? (magnitude == 0 ? 1 : IndexBits(magnitude + 1) + 1)
                                : IndexBits(static_cast<size_t>(largest) + 1);
  if (width > kBitPackMaxWidth) {
    return WhyNot(fmt::format("values of {} bits, items have at most {}", width, kBitPackMaxWidth));
  }
  BitWriter writer(options.order);
  PutItems(items, width, &writer);
  EncodedTensor tensor{.type = DecodeType::kBitPack,
                       .encoded = writer.bytes(),
                       .ancillary = PackedHeader(DecodeType::kBitPack, width, options.order, sign_extend),
                       .bits = width};
  return {std::move(tensor), {}};
}

}  // namespace lutra::compressor
