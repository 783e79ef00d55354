// SPDX-License-Identifier: Apache-2.0
// A decoder that takes one bit at a time, for tests to compare the kernels with. Host only.
//
//   EXPECT_EQ(DecodedBytes(encoding), PlainDecode(encoding));

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "lutra/compression/encoding.h"
#include "lutra/compression/format.h"

namespace lutra {

class PlainDecoder {
 public:
  explicit PlainDecoder(const Encoding& encoding) : e_(encoding) {}

  // Returns the values of all elements, in the byte order of the machine.
  std::vector<uint8_t> Run() {
    for (int32_t i = 0; i < e_.elements; ++i) PutElement(i / e_.inner % e_.channels);
    return values_;
  }

 private:
  void PutElement(int32_t channel) {
    switch (e_.type) {
      case DecodeType::kLut:
      case DecodeType::kWideLut:
        return Put(EntryOf(channel, ReadField(e_.width)));
      case DecodeType::kSparseLut:
        return ReadBit() == 0 ? PutNumber(e_.special) : Put(EntryOf(channel, ReadField(e_.width)));
      case DecodeType::kBitPack:
        return PutNumber(ReadItem());
      case DecodeType::kHuffman:
        return PutNumber(ReadSymbol());
      case DecodeType::kHuffmanLut:
        return Put(EntryOf(channel, ReadSymbol() & 0xFF));
      case DecodeType::kPrune:
        return ReadBit() == 0 ? PutNumber(ZeroPointOf(channel)) : Put(NextKept());
    }
  }

  // ---- Reads the stream.

  uint32_t ReadBit() {
    const size_t byte = position_ / 8;
    const size_t at = position_++ % 8;
    const int bits = byte < e_.stream.size() ? e_.stream[byte] : 0;
    return static_cast<uint32_t>(e_.order == BitOrder::kMsbFirst ? bits >> (7 - at) & 1 : bits >> at & 1);
  }
  uint32_t ReadField(int width) {
    uint32_t value = 0;
    for (int i = 0; i < width; ++i) {
      value = e_.order == BitOrder::kMsbFirst ? value << 1 | ReadBit() : value | ReadBit() << i;
    }
    return value;
  }
  uint32_t ReadItem() {
    uint32_t item = ReadField(e_.width);
    if (e_.sign_extend && (item >> (e_.width - 1)) != 0) item |= ~0u << (e_.width - 1);
    return item;
  }
  uint32_t ReadSymbol() {
    const int value_bits = e_.wide_codes ? 27 : 11;
    uint32_t at = 0;
    for (int bits = e_.width;;) {
      at += ReadField(bits);
      const uint32_t entry = CodeAt(at);
      const int count = static_cast<int>(entry >> value_bits & 15);
      const uint32_t value = entry & ((1u << value_bits) - 1);
      if ((entry >> (value_bits + 4)) != 0) {
        position_ -= static_cast<size_t>(bits - count);
        return value;
      }
      at += value;
      bits = count + 1;
    }
  }

  // ---- Reads the tables.

  uint32_t CodeAt(uint32_t i) const {
    const size_t bytes = e_.wide_codes ? 4 : 2;
    uint32_t entry = 0;
    for (size_t byte = 0; byte < bytes; ++byte) entry |= uint32_t{e_.codes[i * bytes + byte]} << (8 * byte);
    return entry;
  }
  const uint8_t* EntryOf(int32_t channel, uint32_t index) const {
    const auto stride = static_cast<size_t>(e_.lut.value_table_channel_stride);
    return e_.lut.value_table + (static_cast<size_t>(channel) * stride + index) * e_.element_bytes;
  }
  uint64_t ZeroPointOf(int32_t channel) const {
    return e_.zero_points.size() == 0 ? 0 : static_cast<uint64_t>(e_.zero_points[channel]);
  }
  const uint8_t* NextKept() { return e_.kept.data() + e_.element_bytes * kept_++; }

  // ---- Writes the values.

  void Put(const uint8_t* little_endian) {
    values_.insert(values_.end(), little_endian, little_endian + e_.element_bytes);
    if (std::endian::native == std::endian::big) {
      std::reverse(values_.end() - e_.element_bytes, values_.end());
    }
  }
  void PutNumber(uint64_t number) {
    uint8_t bytes[8];
    for (uint8_t& byte : bytes) {
      byte = static_cast<uint8_t>(number);
      number >>= 8;
    }
    Put(bytes);
  }

  Encoding e_;
  size_t position_ = 0;
  size_t kept_ = 0;
  std::vector<uint8_t> values_;
};

inline std::vector<uint8_t> PlainDecode(const Encoding& encoding) { return PlainDecoder(encoding).Run(); }

}  // namespace lutra
