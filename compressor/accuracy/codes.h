// SPDX-License-Identifier: Apache-2.0
// Elements of 8 bits as whole numbers.
//
//   if (Is8Bits(filter)) sum += CodeOf(filter, filter.data.data(), 5) - filter.zero_point;

#pragma once

#include <cstddef>
#include <cstdint>

#include "lutra/tensor_info.h"

namespace lutra::compressor {

inline bool Is8Bits(const TensorInfo& tensor) {
  return tensor.type == TensorType::kInt8 || tensor.type == TensorType::kUInt8;
}

// Returns the code as it is stored, with its zero point.
inline int CodeOf(const TensorInfo& tensor, const uint8_t* bytes, size_t element) {
  return tensor.type == TensorType::kUInt8 ? bytes[element] : static_cast<int8_t>(bytes[element]);
}

}  // namespace lutra::compressor
