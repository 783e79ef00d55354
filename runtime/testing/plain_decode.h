// SPDX-License-Identifier: Apache-2.0
// A decoder that takes one bit at a time, for tests to compare the kernels with. Host only.
//
//   EXPECT_EQ(DecodedBytes(encoding), PlainDecode(encoding));

#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/compression/encoding.h"

namespace lutra {

// The values of all elements, in the byte order of the file.
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
      std::memcpy(&entry, e.codes.data() + at * entry_bytes, entry_bytes);
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
  const auto put = [&](const void* bytes) {
    const auto* from = static_cast<const uint8_t*>(bytes);
    values.insert(values.end(), from, from + e.element_bytes);
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
        put(bit() == 0 ? reinterpret_cast<const uint8_t*>(&e.special) : entry(field(e.width)));
        break;
      case DecodeType::kBitPack: {
        uint32_t item = field(e.width);
        if (e.sign_extend && (item >> (e.width - 1)) != 0) item |= ~0u << (e.width - 1);
        put(&item);
        break;
      }
      case DecodeType::kHuffman: {
        const uint32_t value = symbol();
        put(&value);
        break;
      }
      case DecodeType::kHuffmanLut:
        put(entry(symbol() & 0xFF));
        break;
      case DecodeType::kPrune: {
        const int64_t zero_point = e.zero_points.size() == 0 ? 0 : e.zero_points[channel];
        put(bit() != 0 ? e.kept.data() + e.element_bytes * kept++
                       : reinterpret_cast<const uint8_t*>(&zero_point));
        break;
      }
    }
  }
  return values;
}

}  // namespace lutra
