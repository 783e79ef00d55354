// SPDX-License-Identifier: Apache-2.0
// Reads words of a bit stream, for the decoders. Nothing behind the stream's last byte is read: bits there
// are 0. The functions are static so that a file compiled for one instruction set keeps its own copy.
//
//   const uint64_t window = MsbWindow(stream, bytes, 13);   // bit 13 is the highest of the window
//   const uint32_t field = window >> (64 - width);          // width up to 57

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace lutra {

// Loads a little-endian element at any alignment.
template <typename T>
static inline T LoadElement(const uint8_t* bytes) {
  T value = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<T>(bytes[i]) << (8 * i));
#else
  memcpy(&value, bytes, sizeof(T));
#endif
  return value;
}

// Loads eight bytes, the first as the highest (big-endian) or the lowest (little-endian).
static inline uint64_t LoadBig64(const uint8_t* b) {
  return uint64_t{b[0]} << 56 | uint64_t{b[1]} << 48 | uint64_t{b[2]} << 40 | uint64_t{b[3]} << 32 |
         uint64_t{b[4]} << 24 | uint64_t{b[5]} << 16 | uint64_t{b[6]} << 8 | uint64_t{b[7]};
}
static inline uint64_t LoadLittle64(const uint8_t* bytes) { return LoadElement<uint64_t>(bytes); }

// Loads the 8 bytes at `at` of a stream that may end before; zeros follow the stream.
[[gnu::noinline]] static inline uint64_t LoadLittle64AtEnd(const uint8_t* stream, size_t bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8 && at + i < bytes; ++i) value |= uint64_t{stream[at + i]} << (8 * i);
  return value;
}
static inline uint64_t LoadBig64Within(const uint8_t* stream, size_t bytes, size_t at) {
  if (at <= bytes && bytes - at >= 8) return LoadBig64(stream + at);
  return __builtin_bswap64(LoadLittle64AtEnd(stream, bytes, at));
}
static inline uint32_t LoadBig32Within(const uint8_t* stream, size_t bytes, size_t at) {
  if (at <= bytes && bytes - at >= 4) return __builtin_bswap32(LoadElement<uint32_t>(stream + at));
  return __builtin_bswap32(static_cast<uint32_t>(LoadLittle64AtEnd(stream, bytes, at)));
}
static inline uint64_t LoadLittle64Within(const uint8_t* stream, size_t bytes, size_t at) {
  if (at <= bytes && bytes - at >= 8) return LoadLittle64(stream + at);
  return LoadLittle64AtEnd(stream, bytes, at);
}

// Loads at least kWindowBits bits from bit `bit` on; the first is the highest bit of the word (Msb) or the
// lowest (Lsb).
inline constexpr int kWindowBits = 57;
static inline uint64_t MsbWindow(const uint8_t* stream, size_t bytes, uint64_t bit) {
  return LoadBig64Within(stream, bytes, static_cast<size_t>(bit / 8)) << (bit % 8);
}
static inline uint64_t LsbWindow(const uint8_t* stream, size_t bytes, uint64_t bit) {
  return LoadLittle64Within(stream, bytes, static_cast<size_t>(bit / 8)) >> (bit % 8);
}

}  // namespace lutra
