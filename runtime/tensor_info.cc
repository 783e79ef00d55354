// SPDX-License-Identifier: Apache-2.0
// Names and sizes of tensor types.

#include "lutra/tensor_info.h"

namespace lutra {

const char* ToString(TensorType type) {
  constexpr const char* kNames[] = {
      "float32",   "float16", "int32",    "uint8",      "int64",  "string",        "bool",       "int16",
      "complex64", "int8",    "float64",  "complex128", "uint64", "resource",      "variant",    "uint32",
      "uint16",    "int4",    "bfloat16", "int2",       "uint4",  "float8_e4m3fn", "float8_e5m2"};
  const auto index = static_cast<size_t>(type);
  return index < sizeof(kNames) / sizeof(kNames[0]) ? kNames[index] : "unknown";
}

int ElementBytes(TensorType type) {
  switch (type) {
    case TensorType::kInt8:
    case TensorType::kUInt8:
    case TensorType::kBool:
    case TensorType::kFloat8E4M3:
    case TensorType::kFloat8E5M2:
      return 1;
    case TensorType::kInt16:
    case TensorType::kUInt16:
    case TensorType::kFloat16:
    case TensorType::kBFloat16:
      return 2;
    case TensorType::kFloat32:
    case TensorType::kInt32:
    case TensorType::kUInt32:
      return 4;
    case TensorType::kInt64:
    case TensorType::kUInt64:
    case TensorType::kFloat64:
    case TensorType::kComplex64:
      return 8;
    case TensorType::kComplex128:
      return 16;
    default:
      return 0;
  }
}

}  // namespace lutra
