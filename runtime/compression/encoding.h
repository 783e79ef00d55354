// SPDX-License-Identifier: Apache-2.0
// Encoding: how one tensor is compressed, as plain values, checked.
//
//   Encoding encoding;
//   Fault fault = ReadDecodePair(encoded.data, ancillary.data, output_info, &encoding);
//   if (fault.rule == Rule::kNone) fault = CheckContents(encoding);
//   if (fault.rule != Rule::kNone) return Refuse(fault);
//   Decode(encoding, CpuFeaturesHere(), output);     // output_info.bytes bytes; compression/decode.h
//
// An encoding that passes both checks can be decoded: no index is outside its table, no code runs past
// the stream. The bytes that were read must outlive the Encoding. FORMAT.md has the layouts.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/compression/codecs.h"
#include "lutra/compression/format.h"
#include "lutra/cpu.h"
#include "lutra/diagnosis.h"
#include "lutra/rule.h"
#include "lutra/span.h"
#include "lutra/tensor_info.h"

namespace lutra {

// Value tables, one after the other, little-endian, at any alignment.
struct LookupTableData {
  const uint8_t* value_table = nullptr;
  size_t value_table_bytes = 0;
  int32_t value_table_channel_stride = 0;  // Entries from one table to the next.
};

struct Encoding {
  DecodeType type = DecodeType::kLut;
  BitOrder order = BitOrder::kMsbFirst;
  uint8_t element_bytes = 0;  // 1, 2, 4 or 8.
  uint8_t width = 0;          // Bits of an index or item; kHuffman...: of the first lookup.
  bool sign_extend = false;   // kBitPack.
  bool wide_codes = false;    // kHuffman...: entries of 32 bits.
  int32_t elements = 0;
  // Element i belongs to channel i / inner % channels: its value table, or its zero point.
  int32_t channels = 1;
  int32_t inner = 1;
  Span<const uint8_t> stream;       // Indices, items or codes; kPrune: the bit map.
  LookupTableData lut;              // Of all codecs that have tables.
  uint32_t special = 0;             // kSparseLut.
  Span<const uint8_t> codes;        // kHuffman...: the code table, little-endian.
  Span<const uint8_t> kept;         // kPrune: the values that remain, little-endian.
  PackedList<int64_t> zero_points;  // kPrune of int8: those of the pruned elements; else empty.
};

// Returns whether a stream can be decoded from any element on; else it is read from its start.
static inline bool CanBeEntered(DecodeType type) {
  return type == DecodeType::kLut || type == DecodeType::kWideLut || type == DecodeType::kBitPack;
}

// The fault of an encoding; Rule::kNone: it has none.
struct Fault {
  Rule rule = Rule::kNone;
  int32_t found = kNoValue;
  int32_t required = kNoValue;
};

// Reads a pair of inputs of TFLM_DECODE for an output of this type, shape and quantisation. Checks
// all but the stream's contents. Takes constant time, but for kPrune, whose zero points are read one by one.
Fault ReadDecodePair(Span<const uint8_t> encoded, Span<const uint8_t> ancillary, const TensorInfo& output,
                     Encoding* encoding);

// Reads an entry of COMPRESSION_METADATA: indices of `width` bits into the bytes of `values`. Checks
// all but the stream's contents.
Fault ReadLutTensor(Span<const uint8_t> indices, Span<const uint8_t> values, int width,
                    const TensorInfo& tensor, Encoding* encoding);

// Checks the stream: its length, and that every index has an entry, every code ends, and every element that
// is not pruned has a value. Called once, at load; takes at most the time of decoding bit by bit. Links the
// checks of all codecs; CheckLut, for encodings of ReadLutTensor, links only that of lookup tables.
Fault CheckContents(const Encoding& encoding);
Fault CheckLut(const Encoding& encoding);

}  // namespace lutra
