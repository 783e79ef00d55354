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

namespace lutra {

// The values of all elements, in the byte order of the machine.
inline std::vector<uint8_t> PlainDecode(const Encoding& e) {
  size_t position = 0;
  const auto bit = [&] {
    const size_t byte = position / 8;
    const size_t at = position++ % 8;
    const int bits = byte < e.stream.size() ? e.stream[byte] : 0;
    return static_cast<uint32_t>(e.order == BitOrder::kMsbFirst ? bits >> (7 - at) & 1 : bits >> at & 1);
  };
  const auto field = [&](int width) {
    uint32_t value = 0;
    for (int i = 0; i < width; ++i) {
      value = e.order == BitOrder::kMsbFirst ? value << 1 | bit() : value | bit() << i;
    }
    return value;
  };
  const auto symbol = [&] {
    const size_t entry_bytes = e.wide_codes ? 4 : 2;
    const int value_bits = e.wide_codes ? 27 : 11;
    uint32_t at = 0;
    for (int bits = e.width;;) {
      at += field(bits);
      uint32_t entry = 0;
      for (size_t i = 0; i < entry_bytes; ++i) entry |= uint32_t{e.codes[at * entry_bytes + i]} << (8 * i);
      const int count = static_cast<int>(entry >> value_bits & 15);
      const uint32_t value = entry & ((1u << value_bits) - 1);
      if ((entry >> (value_bits + 4)) != 0) {
        position -= static_cast<size_t>(bits - count);
        return value;
      }
      at += value;
      bits = count + 1;
    }
  };
  std::vector<uint8_t> values;
  const auto put = [&](const uint8_t* little_endian) {
    values.insert(values.end(), little_endian, little_endian + e.element_bytes);
    if (std::endian::native == std::endian::big) std::reverse(values.end() - e.element_bytes, values.end());
  };
  const auto put_number = [&](uint64_t number) {
    uint8_t bytes[8];
    for (uint8_t& byte : bytes) {
      byte = static_cast<uint8_t>(number);
      number >>= 8;
    }
    put(bytes);
  };
  size_t kept = 0;
  for (int32_t i = 0; i < e.elements; ++i) {
    const int32_t channel = i / e.inner % e.channels;
    const auto entry = [&](uint32_t index) {
      const size_t at =
          static_cast<size_t>(channel) * static_cast<size_t>(e.lut.value_table_channel_stride) + index;
      return e.lut.value_table + at * e.element_bytes;
    };
    switch (e.type) {
      case DecodeType::kLut:
      case DecodeType::kWideLut:
        put(entry(field(e.width)));
        break;
      case DecodeType::kSparseLut:
        if (bit() == 0) {
          put_number(e.special);
        } else {
          put(entry(field(e.width)));
        }
        break;
      case DecodeType::kBitPack: {
        uint32_t item = field(e.width);
        if (e.sign_extend && (item >> (e.width - 1)) != 0) item |= ~0u << (e.width - 1);
        put_number(item);
        break;
      }
      case DecodeType::kHuffman: {
        put_number(symbol());
        break;
      }
      case DecodeType::kHuffmanLut:
        put(entry(symbol() & 0xFF));
        break;
      case DecodeType::kPrune: {
        const int64_t zero_point = e.zero_points.size() == 0 ? 0 : e.zero_points[channel];
        if (bit() != 0) {
          put(e.kept.data() + e.element_bytes * kept++);
        } else {
          put_number(static_cast<uint64_t>(zero_point));
        }
        break;
      }
    }
  }
  return values;
}

}  // namespace lutra
