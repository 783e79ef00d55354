// SPDX-License-Identifier: Apache-2.0
// The encoders share these: elements as plain numbers, checks, headers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compressor/encode/encode.h"

namespace lutra::compressor {

// The elements of a tensor, as their bits.
class Elements {
 public:
  // The bytes must hold whole elements, as CanEncode checks.
  explicit Elements(const TensorValues& values)
      : bytes_(values.bytes), element_bytes_(ElementBytes(values.type)), type_(values.type) {}

  size_t size() const { return bytes_.size() / static_cast<size_t>(element_bytes_); }
  int element_bytes() const { return element_bytes_; }
  uint64_t bits(size_t i) const {
    uint64_t value = 0;
    for (int byte = element_bytes_ - 1; byte >= 0; --byte) value = value << 8 | bytes_[At(i, byte)];
    return value;
  }
  // Sign extended; BOOL and FLOAT32: the bits.
  int64_t integer(size_t i) const;
  // Orders values ascending, and only equal bits are equal: -0.0 precedes 0.0, NaNs come at the ends.
  uint64_t rank(size_t i) const;
  uint64_t BitsOfRank(uint64_t rank) const;

 private:
  size_t At(size_t i, int byte) const {
    return i * static_cast<size_t>(element_bytes_) + static_cast<size_t>(byte);
  }
  uint64_t sign_bit() const { return uint64_t{1} << (8 * element_bytes_ - 1); }

  std::span<const uint8_t> bytes_;
  int element_bytes_;
  TensorType type_;
};

// Returns whether the tensor is of a type that the codec holds, has elements, and as many bytes as its shape
// says; if not, *why_not says so.
bool CanEncode(DecodeType codec, const TensorValues& values, std::string* why_not);

// Bits of an index below `entries`, at least 1.
int IndexBits(size_t entries);
// Returns the reason why a table of more values than `max_entries` cannot be written.
std::string TooManyValues(int max_entries);

// The header's 16 bytes, the type specific ones 0.
std::vector<uint8_t> Header(DecodeType type);
// The header of bit packing, wide and sparse LUTs, which have bytes 5 and 6, too.
std::vector<uint8_t> PackedHeader(DecodeType type, int width, BitOrder order, bool sign_extend);

// Little-endian.
void Append(uint64_t value, int bytes, std::vector<uint8_t>* to);
void Store(uint64_t value, int bytes, uint8_t* to);

Encodable WhyNot(std::string why_not);

}  // namespace lutra::compressor
