// SPDX-License-Identifier: Apache-2.0
// StreamedRows: compressed weights as a kernel sees them that decodes them by itself, some rows at a time.
//
//   StreamPosition position;                       // One for each walk through the rows.
//   for (int32_t first = 0; first < rows.count; first += block) {
//     rows.Decode(first, block, &position, scratch);
//     ...
//   }
//
// The order of elements is the tensor's. A row has all elements of one index of the first dimension that is
// not 1: a filter of CONV_2D and TRANSPOSE_CONV, a row of FULLY_CONNECTED's weights, a tap of
// DEPTHWISE_CONV_2D's filter with a value for each output channel.
//
// A variant may look further: `encoding` says how the values are stored (lutra/compression/encoding.h). For
// DecodeType::kLut and kWideLut, element i is entry `index i` of the table at
//   lut.value_table + (i / inner % channels) * lut.value_table_channel_stride   (int8: one byte for each
//   entry)
// and index i is the `width` bits at bit i * width of `stream`, in bit order `order`. One table: channels
// is 1. A table for each filter or row of weights: inner is row_values. Tables along the last axis
// (DEPTHWISE_CONV_2D): inner is 1.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"

namespace lutra {

struct Encoding;

// Says how far a walk has come through a stream that can be read from its start only; a new one is at the
// start.
// Codecs that can be entered anywhere do not look at it.
struct StreamPosition {
  int32_t element = 0;  // The next one.
  int32_t kept = 0;     // How many before it were not pruned.
  uint64_t bit = 0;     // Where it begins.
};

struct StreamedRows {
  // Writes elements [first, first + count) in the machine's byte order to `values`, aligned to the element.
  // Calls may come in any order; if one goes back, codecs that are read from their start begin again there.
  using DecodeFn = void (*)(const Encoding& encoding, CpuFeatures features, int32_t first, int32_t count,
                            StreamPosition* position, void* values);

  const Encoding* encoding;  // Checked: every index has an entry, every code ends.
  CpuFeatures features;      // For the decoders.
  DecodeFn decode;
  int32_t count;       // Rows.
  int32_t row_values;  // Elements of a row.
  // True with policy at-init: a variant that prepares decodes the rows then, not at each run.
  bool only_once = false;

  // Decodes rows [first, first + rows).
  [[gnu::always_inline]] void Decode(int32_t first, int32_t rows, StreamPosition* position,
                                     void* values) const {
    decode(*encoding, features, first * row_values, rows * row_values, position, values);
  }
};

}  // namespace lutra
