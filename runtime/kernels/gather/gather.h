// SPDX-License-Identifier: Apache-2.0
// Copies blocks of elements from places that indices name.
//
// Gather, along one axis of an input [batches, outer, axis, block]:
//   output[b, o, i, :] = input[b, o, indices[b, i], :]
// GatherNd, with tuples of indices into the first dimensions of the input:
//   output[i, :] = input[indices[i, 0], .., indices[i, depth - 1], :]
//
// Blocks are bytes, so that one kernel serves all element types. Indices are int32 or int64 and
// inside their dimension, which IndicesInside checks.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lutra/cpu.h"

namespace lutra {

struct IndexList {
  const void* values;
  bool wide;  // Indices are int64, else int32.

  int64_t operator[](int32_t i) const {
    if (wide) {
      int64_t value;
      memcpy(&value, static_cast<const uint8_t*>(values) + static_cast<size_t>(i) * sizeof(value),
             sizeof(value));
      return value;
    }
    int32_t value;
    memcpy(&value, static_cast<const uint8_t*>(values) + static_cast<size_t>(i) * sizeof(value),
           sizeof(value));
    return value;
  }
};

// Returns whether indices[i] is in [0, sizes[i % depth]) for each i below count. If not, sets *bad to the
// first i for which it is not.
bool IndicesInside(const IndexList& indices, int32_t count, const int32_t* sizes, int32_t depth,
                   int32_t* bad);

struct GatherArgs {
  const uint8_t* input;
  uint8_t* output;
  IndexList indices;  // [batches, index_count]
  int32_t batches;
  int32_t outer;
  int32_t axis_size;
  int32_t index_count;  // Indices of each batch.
  int32_t block_bytes;
};

struct GatherNdArgs {
  const uint8_t* input;
  uint8_t* output;
  IndexList indices;  // [tuple_count, depth]
  int32_t tuple_count;
  int32_t depth;
  const int32_t* sizes;  // [depth]: the dimensions that indices select from.
  int32_t block_bytes;
};

using GatherFn = void (*)(const GatherArgs& args);
using GatherNdFn = void (*)(const GatherNdArgs& args);

Kernel<GatherFn> GatherRef;
Kernel<GatherNdFn> GatherNdRef;

inline constexpr Variant<GatherFn> kGatherBlocks[] = {{"ref", kCpuAny, GatherRef}};
inline constexpr Variant<GatherNdFn> kGatherNdBlocks[] = {{"ref", kCpuAny, GatherNdRef}};

}  // namespace lutra
