// SPDX-License-Identifier: Apache-2.0
// Encoders of the codecs of runtime/compression/FORMAT.md, one function each. All are lossless:
// what ReadDecodePair and Decode make of the result equals `values.bytes` byte for byte.
//
//   const TensorValues filter{.type = TensorType::kInt8, .shape = {8, 3, 3, 4}, .bytes = bytes, .axis = 0};
//   const Encodable lut = EncodeLut(filter);
//   if (!lut.result) return Skip(lut.why_not);     // "more than 128 distinct values in one table, ..."
//   Write(lut.result->encoded, lut.result->ancillary);
//
// A tensor that a codec cannot hold is no error: `why_not` has the reason, for reports.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lutra/compression/codecs.h"
#include "lutra/compression/encoding.h"
#include "lutra/compression/format.h"
#include "lutra/tensor_info.h"

namespace lutra::compressor {

// A constant tensor, as in the file.
struct TensorValues {
  TensorType type = TensorType::kInt8;
  std::vector<int32_t> shape;
  std::span<const uint8_t> bytes;  // Little-endian, row-major: all elements.
  // The dimension each of whose indices has its own value table; -1: one table. Codecs without tables per
  // channel ignore it.
  int axis = -1;
  // The zero points, as many as scales: none for a tensor without quantisation, several along their axis.
  std::vector<int64_t> zero_points;
  int zero_point_axis = 0;
};

// The two inputs of TFLM_DECODE.
struct EncodedTensor {
  DecodeType type = DecodeType::kLut;
  std::vector<uint8_t> encoded;
  std::vector<uint8_t> ancillary;
  int bits = 0;      // Of an index or item, or of the longest Huffman code; 1 for a pruning map.
  int tables = 0;    // Value tables.
  int distinct = 0;  // Most values in one table; without tables: number of symbols. 0: not counted.
  size_t bytes() const { return encoded.size() + ancillary.size(); }
};

struct Encodable {
  std::optional<EncodedTensor> result;
  std::string why_not;  // One clause, no full stop. Empty if there is a result.
};

struct EncodeOptions {
  int width = 0;                         // EncodeLut: bits of an index, 1 to 7; 0: as few as will do.
  BitOrder order = BitOrder::kLsbFirst;  // For codecs whose streams may have either order.
  // EncodeSparseLut: also where each tile of so many indices of the first dimension begins; 0: one tile.
  int tile_rows = 0;
};

// Encode<name>() for each row of runtime/compression/format.h, each in the file of that name or of its
// family's.
#define LUTRA_DECLARE_ENCODER(name, ...) \
  Encodable Encode##name(const TensorValues& values, const EncodeOptions& options = {});
LUTRA_CODECS(LUTRA_DECLARE_ENCODER)
#undef LUTRA_DECLARE_ENCODER

// The function of that type.
Encodable Encode(DecodeType type, const TensorValues& values, const EncodeOptions& options = {});

// Value tables and the index of every element. From these come both forms of a lookup table:
// TFLM_DECODE's (EncodeLut) and COMPRESSION_METADATA's (PackIndices(), `values` as the value buffer).
struct LutTables {
  int width = 0;     // Bits of an index, at least 1.
  int stride = 0;    // Entries of a table: the most distinct values of any.
  int channels = 1;  // Tables.
  int axis = -1;
  std::vector<uint32_t> indices;  // One for each element.
  std::vector<uint8_t> values;    // channels * stride elements, each table ascending, then zeros.
};

// Values count as one only if their bits are equal, so that -0.0 and every NaN survive. Returns nullopt, and
// sets *why_not, if a table would have more than `max_entries` (1 to 256) values, for an axis that the shape
// lacks, for types other than BOOL, INT8 to INT64 and FLOAT32, and for a tensor without elements.
std::optional<LutTables> BuildLutTables(const TensorValues& values, int max_entries, std::string* why_not);

// The index stream of both forms, most significant bit first. width 0: tables.width; at least that.
std::vector<uint8_t> PackIndices(const LutTables& tables, int width = 0);

}  // namespace lutra::compressor
