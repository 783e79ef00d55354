// SPDX-License-Identifier: Apache-2.0
// The functions that the rows of format.h name, and what several of them need.

#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "lutra/compression/codecs.h"
#include "lutra/compression/decode.h"
#include "lutra/compression/encoding.h"

namespace lutra {

// A row's functions.
//
// `read` checks the 16 bytes of the header and the payload behind them, and fills in `e`. Its caller has
// checked the header's common fields, and set type, stream, elements and element_bytes. `check` reads the
// whole stream: a stream that passes can be decoded without further checks. `decode` writes all elements;
// `part`, a DecodePartFn, writes some.
#define LUTRA_DECLARE_CODEC(name, number, text, method, tflm, types, tables, order, read, check, decode,     \
                            part)                                                                            \
  Fault read(const uint8_t* header, Span<const uint8_t> payload, const TensorInfo& output, Encoding* e);     \
  Fault check(const Encoding& e);                                                                            \
  void decode(const Encoding& e, CpuFeatures features, void* output);                                        \
  void part(const Encoding& e, CpuFeatures features, int32_t first, int32_t count, StreamPosition* position, \
            void* output);
LUTRA_CODECS(LUTRA_DECLARE_CODEC)
#undef LUTRA_DECLARE_CODEC

inline constexpr Fault kSound = {};

inline Fault Fails(Rule rule, int64_t found = kNoValue, int64_t required = kNoValue) {
  const auto figure = [](int64_t value) {
    return value > INT32_MAX ? INT32_MAX : static_cast<int32_t>(value);
  };
  return {rule, figure(found), figure(required)};
}

inline Fault RequireType(TypeSet types, TensorType type) {
  if (Contains(types, type)) return kSound;
  // A build with uint8 would take it.
  const bool lacks_uint8 = !LUTRA_HAVE_UINT8 && type == TensorType::kUInt8;
  return Fails(lacks_uint8 ? Rule::kUint8 : Rule::kCompressionType, static_cast<int32_t>(type));
}

inline Fault RequireStreamBits(const Encoding& e, int64_t bits) {
  const int64_t bytes = (bits + 7) / 8;
  const auto held = static_cast<int64_t>(e.stream.size());
  return held < bytes ? Fails(Rule::kCompressionStream, held, bytes) : kSound;
}

inline uint32_t LittleEndian(const uint8_t* bytes, int count) {
  uint32_t value = 0;
  for (int i = count - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

// Sets the tables to one for each channel of `axis`.
inline void SplitByAxis(const Shape& shape, int axis, Encoding* e) {
  e->channels = shape[axis];
  e->inner = shape.Count(axis + 1, shape.rank);
}

// Reads bytes 5 and 6 of the headers of bit packing, wide and sparse LUTs.
inline void ReadPackedHeader(const uint8_t* header, Encoding* e) {
  const int flags = header[kPackFlagsByte];
  e->width = header[kPackWidthByte];
  e->order = (flags & kPackMsbFirstBit) != 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
  e->sign_extend = (flags & kPackSignBit) != 0;
}

// An element at any alignment, by its bytes.
inline uint64_t ElementAt(const uint8_t* table, size_t index, int element_bytes) {
  uint64_t value = 0;
  const uint8_t* const bytes = table + index * static_cast<size_t>(element_bytes);
  for (int i = element_bytes - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

// Calls make(zero) with a zero of the unsigned type that has `element_bytes` bytes, at most those of Largest.
template <typename Largest, typename Make>
void WithElement(int element_bytes, const Make& make) {
  if (element_bytes == 1) return make(uint8_t{0});
  if constexpr (sizeof(Largest) > 2) {
    if (element_bytes == 2) return make(uint16_t{0});
  }
  if constexpr (sizeof(Largest) > 4) {
    if (element_bytes == 4) return make(uint32_t{0});
  }
  make(Largest{0});
}

inline void PutElement(uint64_t value, int element_bytes, int32_t index, void* output) {
  WithElement<uint64_t>(element_bytes,
                        [&]<typename T>(T) { static_cast<T*>(output)[index] = static_cast<T>(value); });
}

// Decodes a part of a stream that is read from its start: next(position) returns the element that begins
// there and moves the position behind it. Elements between the position and `first` are dropped.
template <typename Next>
void DecodeInOrder(const Encoding& e, int32_t first, int32_t count, StreamPosition* position, void* output,
                   const Next& next) {
  StreamPosition at = *position;
  if (at.element > first) at = StreamPosition();
  for (; at.element < first; ++at.element) next(&at);
  for (int32_t i = 0; i < count; ++i, ++at.element) PutElement(next(&at), e.element_bytes, i, output);
  *position = at;
}

// Returns the number of an element's table or zero point.
inline size_t ChannelOf(const Encoding& e, int32_t element) {
  return static_cast<size_t>(element / e.inner % e.channels);
}
inline uint64_t TableEntry(const Encoding& e, int32_t element, size_t index) {
  const size_t table = e.channels == 1 ? 0 : ChannelOf(e, element);
  return ElementAt(e.lut.value_table, table * static_cast<size_t>(e.lut.value_table_channel_stride) + index,
                   e.element_bytes);
}

// Reads a stream field by field, for checks. Kernels decode.
class FieldReader {
 public:
  FieldReader(Span<const uint8_t> stream, BitOrder order) : stream_(stream), order_(order) {}

  // The next `width` bits, at most 31; bits past the end read as 0.
  uint32_t Read(int width) {
    uint32_t field = 0;
    for (int i = 0; i < width; ++i, ++position_) {
      const auto byte = static_cast<size_t>(position_ / 8);
      const int in_byte = static_cast<int>(position_ % 8);
      const int bits = byte < stream_.size() ? stream_[byte] : 0;
      if (order_ == BitOrder::kMsbFirst) {
        field = field << 1 | (bits >> (7 - in_byte) & 1);
      } else {
        field |= static_cast<uint32_t>(bits >> in_byte & 1) << i;
      }
    }
    return field;
  }
  void Unread(int bits) { position_ -= bits; }
  bool past_end() const { return position_ > static_cast<int64_t>(stream_.size()) * 8; }

 private:
  Span<const uint8_t> stream_;
  BitOrder order_;
  int64_t position_ = 0;
};

}  // namespace lutra
