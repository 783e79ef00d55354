// SPDX-License-Identifier: Apache-2.0
// Constants as kernels read them, copied from the file's bytes, which are little-endian.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lutra/tensor_info.h"

namespace lutra {

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
inline constexpr bool kFilesHaveOurByteOrder = false;
#else
inline constexpr bool kFilesHaveOurByteOrder = true;
#endif

// Copies a constant that is not compressed.
inline void CopyConstant(const TensorInfo& info, uint8_t* to) {
  const auto bytes = static_cast<size_t>(info.bytes);
  memcpy(to, info.data.data(), bytes);
  if (kFilesHaveOurByteOrder) return;
  const auto element = static_cast<size_t>(ElementBytes(info.type));
  for (size_t at = 0; at < bytes; at += element) {
    for (size_t a = at, b = at + element - 1; a < b; ++a, --b) {
      const uint8_t swap = to[a];
      to[a] = to[b];
      to[b] = swap;
    }
  }
}

}  // namespace lutra
