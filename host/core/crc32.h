// SPDX-License-Identifier: Apache-2.0
// Computes the CRC-32 of zlib and PNG bit by bit, which is small rather than fast.

#pragma once

#include <stddef.h>
#include <stdint.h>

namespace lutra::host {

// `before`: the CRC-32 of the bytes before these.
inline uint32_t Crc32(const uint8_t* bytes, size_t count, uint32_t before = 0) {
  uint32_t crc = ~before;
  for (size_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    }
  }
  return ~crc;
}

}  // namespace lutra::host
