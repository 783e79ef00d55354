// SPDX-License-Identifier: Apache-2.0
// Layers that multiply compressed weights (lutra/kernels/packed_weights.h), on devices whose best variant has
// a companion kernel for them.

#pragma once

#include <stdint.h>

#include "lutra/compression/encoding.h"
#include "lutra/kernels/packed_weights.h"
#include "lutra/micro_context.h"

#define LUTRA_HAS_PACKED(kernel) (LUTRA_HAS_VARIANTS(kernel, ARMDSP) && !LUTRA_HAS_VARIANTS(kernel, MVE))

namespace lutra {

#if LUTRA_HAVE_SCRATCH_LAYERS
// Returns whether values of `element_bytes` bytes are indices of four bits into tables that can be read as a
// whole.
inline bool HasNibbles(Span<const uint8_t> file, const Encoding& encoding, int32_t element_bytes) {
  const bool has_indices = encoding.type == DecodeType::kLut || encoding.type == DecodeType::kWideLut;
  if (!has_indices || encoding.width != 4 || encoding.order != BitOrder::kMsbFirst) return false;
  const intptr_t last =
      static_cast<intptr_t>(encoding.channels - 1) * encoding.lut.value_table_channel_stride;
  return encoding.element_bytes == element_bytes &&
         HasPackedValues(file, encoding.lut.value_table + last * element_bytes, element_bytes);
}

// Returns whether HasNibbles() holds and there is only one table.
inline bool IsPacked(Span<const uint8_t> file, const Encoding& encoding, int32_t element_bytes) {
  return encoding.channels == 1 && HasNibbles(file, encoding, element_bytes);
}
#endif

}  // namespace lutra
