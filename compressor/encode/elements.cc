// SPDX-License-Identifier: Apache-2.0
// Reads the elements of tensors for the encoders.

#include "compressor/encode/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "lutra/compression/format.h"

namespace lutra::compressor {

int64_t Elements::integer(size_t i) const {
  const uint64_t value = bits(i);
  if (type_ == TensorType::kBool || type_ == TensorType::kFloat32) return static_cast<int64_t>(value);
  return static_cast<int64_t>((value ^ sign_bit()) - sign_bit());
}

uint64_t Elements::rank(size_t i) const {
  const uint64_t value = bits(i);
  if (type_ == TensorType::kBool) return value;
  if (type_ == TensorType::kFloat32 && (value & sign_bit()) != 0) return value ^ (2 * sign_bit() - 1);
  return value ^ sign_bit();
}

uint64_t Elements::BitsOfRank(uint64_t rank) const {
  if (type_ == TensorType::kBool) return rank;
  if (type_ == TensorType::kFloat32 && (rank & sign_bit()) == 0) return rank ^ (2 * sign_bit() - 1);
  return rank ^ sign_bit();
}

bool CanEncode(DecodeType codec, const TensorValues& values, std::string* why_not) {
  if (!Contains(FactsOf(codec).types, values.type)) {
    *why_not = fmt::format("no decoder of this format makes {}", ToString(values.type));
    return false;
  }
  size_t elements = 1;
  for (int32_t dim : values.shape) elements *= static_cast<size_t>(std::max(dim, 0));
  if (elements == 0) {
    *why_not = "the tensor is empty";
    return false;
  }
  const size_t required = elements * static_cast<size_t>(ElementBytes(values.type));
  if (values.bytes.size() != required) {
    *why_not =
        fmt::format("the buffer has {} bytes, the tensor's shape needs {}", values.bytes.size(), required);
    return false;
  }
  return true;
}

int IndexBits(size_t entries) { return std::max(1, static_cast<int>(std::bit_width(entries - 1))); }

std::string TooManyValues(int max_entries) {
  return fmt::format("more than {} distinct values in one table, the most that {} bits can name", max_entries,
                     IndexBits(static_cast<size_t>(max_entries)));
}

std::vector<uint8_t> Header(DecodeType type) {
  std::vector<uint8_t> header(kDecodeHeaderBytes, 0);
  header[kDecodeTypeByte] = static_cast<uint8_t>(type);
  header[kDecodeVersionByte] = kDecodeVersion;
  header[kDecodeTypeVersionByte] = kDecodeTypeVersion;
  return header;
}

std::vector<uint8_t> PackedHeader(DecodeType type, int width, BitOrder order, bool sign_extend) {
  std::vector<uint8_t> header = Header(type);
  header[kPackWidthByte] = static_cast<uint8_t>(width);
  header[kPackFlagsByte] = static_cast<uint8_t>((order == BitOrder::kMsbFirst ? kPackMsbFirstBit : 0) |
                                                (sign_extend ? kPackSignBit : 0));
  return header;
}

void Store(uint64_t value, int bytes, uint8_t* to) {
  for (int i = 0; i < bytes; ++i) to[i] = static_cast<uint8_t>(value >> (8 * i));
}

void Append(uint64_t value, int bytes, std::vector<uint8_t>* to) {
  to->resize(to->size() + static_cast<size_t>(bytes));
  Store(value, bytes, to->data() + to->size() - bytes);
}

Encodable WhyNot(std::string why_not) { return {std::nullopt, std::move(why_not)}; }

}  // namespace lutra::compressor
