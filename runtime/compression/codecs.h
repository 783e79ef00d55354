// SPDX-License-Identifier: Apache-2.0
// The rows of format.h as values, for tools that ask about codecs.
//
//   for (const lutra::CodecFacts& codec : lutra::AllCodecs()) Print(codec.name);

#pragma once

#include <stdint.h>

#include "lutra/compression/format.h"
#include "lutra/options.h"
#include "lutra/span.h"
#include "lutra/tensor_info.h"

namespace lutra {

// A set of element types, bit n for the type of number n.
using TypeSet = uint32_t;

template <typename... T>
constexpr TypeSet TypesOf(T... types) {
  return ((TypeSet{1} << static_cast<int>(types)) | ...);
}

constexpr bool Contains(TypeSet set, TensorType type) {
  return static_cast<int>(type) < 32 && (set >> static_cast<int>(type) & 1) != 0;
}

// A compressed tensor's elements are of one of these types.
inline constexpr TypeSet kCompressibleTypes =
    TypesOf(TensorType::kBool, TensorType::kInt8, TensorType::kInt16, TensorType::kInt32, TensorType::kInt64,
            TensorType::kFloat32) |
    (LUTRA_HAVE_UINT8 ? TypesOf(TensorType::kUInt8) : 0);
// GAP9's engine makes elements of up to 32 bits.
inline constexpr TypeSet kPackedTableTypes = kCompressibleTypes & ~TypesOf(TensorType::kInt64);
inline constexpr TypeSet kItemTypes = kPackedTableTypes & ~TypesOf(TensorType::kFloat32);
inline constexpr TypeSet kSymbolTypes = TypesOf(TensorType::kInt8, TensorType::kInt16);

enum class ValueTables : uint8_t {
  kNone,
  kOne,            // For the whole tensor.
  kOneAndSpecial,  // For the whole tensor, and a special symbol that is not in the table.
  kPerChannel,     // For the whole tensor, or for each channel of an axis.
};

struct CodecFacts {
  DecodeType type;
  const char* name;    // "sparse-lut": in reports, in JSON and on command lines.
  const char* method;  // "sparse_lut": in the compressor's spec.
  bool read_by_tflm;   // TensorFlow Lite Micro reads it, too.
  TypeSet types;       // The types that elements may have.
  ValueTables tables;
  bool either_bit_order;  // Else MSB first.
};

// All codecs, the cheapest to decode first.
Span<const CodecFacts> AllCodecs();

// `type` may be any number that a file holds: if it is no codec's, the name is "unknown" and there are no
// types.
constexpr CodecFacts FactsOf(DecodeType type) {
  switch (type) {
#define LUTRA_CODEC_FACTS(name, number, text, method, tflm, types, tables, either_order, ...) \
  case DecodeType::k##name:                                                                   \
    return {DecodeType::k##name, text, method, tflm, types, ValueTables::tables, either_order};
    LUTRA_CODECS(LUTRA_CODEC_FACTS)
#undef LUTRA_CODEC_FACTS
  }
  return {type, "unknown", "unknown", false, 0, ValueTables::kNone, false};
}

constexpr bool IsCodec(DecodeType type) { return FactsOf(type).types != 0; }

inline const char* ToString(DecodeType type) { return FactsOf(type).name; }

}  // namespace lutra
