// SPDX-License-Identifier: Apache-2.0
// Elements are little-endian in files and in checksums; in tensors they have the machine's byte order.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/tensor_info.h"

namespace lutra::host {

// Converts from one order to the other; changes nothing on a little-endian machine. `count` is in bytes, a
// whole number of elements.
inline void SwapToOrFromLittleEndian([[maybe_unused]] TensorType type, [[maybe_unused]] uint8_t* bytes,
                                     [[maybe_unused]] size_t count) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  const auto element = static_cast<size_t>(ElementBytes(type));
  if (element <= 1) return;
  for (size_t at = 0; at + element <= count; at += element) {
    for (size_t a = at, b = at + element - 1; a < b; ++a, --b) {
      const uint8_t swap = bytes[a];
      bytes[a] = bytes[b];
      bytes[b] = swap;
    }
  }
#endif
}

}  // namespace lutra::host
