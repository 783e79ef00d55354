// SPDX-License-Identifier: Apache-2.0
// A model's description of a tensor, as plain values.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lutra/span.h"

namespace lutra {

// Numbers as in the file (TFLite schema, TensorType).
enum class TensorType : uint8_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt32 = 2,
  kUInt8 = 3,
  kInt64 = 4,
  kString = 5,
  kBool = 6,
  kInt16 = 7,
  kComplex64 = 8,
  kInt8 = 9,
  kFloat64 = 10,
  kComplex128 = 11,
  kUInt64 = 12,
  kResource = 13,
  kVariant = 14,
  kUInt32 = 15,
  kUInt16 = 16,
  kInt4 = 17,
  kBFloat16 = 18,
  kInt2 = 19,
  kUInt4 = 20,
  kFloat8E4M3 = 21,
  kFloat8E5M2 = 22,
};

// "int8"; "unknown" for a number the schema lacks.
const char* ToString(TensorType type);

// Bytes of one element; 0 for types without a fixed whole number of bytes (strings, resources, int4).
int ElementBytes(TensorType type);

inline constexpr int kMaxRank = 8;

struct Shape {
  int32_t rank = 0;
  int32_t dims[kMaxRank] = {};

  int32_t operator[](int axis) const { return dims[axis]; }
  // Product of dims [first, last). Never overflows for a tensor of a loaded model.
  int32_t Count(int first, int last) const {
    int32_t count = 1;
    for (int i = first; i < last; ++i) count *= dims[i];
    return count;
  }
  int32_t Count() const { return Count(0, rank); }
  // The last dimension; 1 for a scalar.
  int32_t Depth() const { return rank == 0 ? 1 : dims[rank - 1]; }
  // All dimensions but the last.
  int32_t OuterCount() const { return rank == 0 ? 1 : Count(0, rank - 1); }

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i) {
      if (a.dims[i] != b.dims[i]) return false;
    }
    return true;
  }
};

// A list of little-endian numbers inside the file, at any alignment.
template <typename T>
struct PackedList {
  const uint8_t* bytes = nullptr;
  int32_t count = 0;

  int32_t size() const { return count; }
  T operator[](int32_t i) const {
    uint8_t raw[sizeof(T)];
    memcpy(raw, bytes + static_cast<size_t>(i) * sizeof(T), sizeof(T));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t a = 0, b = sizeof(T) - 1; a < b; ++a, --b) {
      const uint8_t swap = raw[a];
      raw[a] = raw[b];
      raw[b] = swap;
    }
#endif
    T value;
    memcpy(&value, raw, sizeof(T));
    return value;
  }
};

struct TensorInfo {
  TensorType type = TensorType::kFloat32;
  bool is_variable = false;
  bool is_compressed = false;  // `data` are not yet the values: Model::encoding() says how to make them.
  bool is_int4 = false;        // A constant of int4, which counts as compressed: `type` is kInt8.
  Shape shape;
  int32_t bytes = 0;         // All elements together.
  Span<const uint8_t> data;  // A constant's bytes in the file, little-endian; else empty.
  const char* name = "";
  // Quantisation. Without any, scale_count is 0 and scale is 0. `scale` and `zero_point` are the
  // first of each list, which for a per-tensor quantised tensor is all there is.
  float scale = 0;
  int32_t zero_point = 0;
  PackedList<float> scales;
  PackedList<int64_t> zero_points;
  int32_t quantized_dimension = 0;

  bool is_constant() const { return !data.empty(); }
  bool is_quantized() const { return scales.count > 0; }
};

}  // namespace lutra
