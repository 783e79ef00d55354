// SPDX-License-Identifier: Apache-2.0
// Copies blocks by their indices, which IndicesInside has checked.

#include "lutra/kernels/gather/gather.h"

namespace lutra {
namespace {

// Single bytes are common (int8 with a last axis); calling memcpy for each would take longer than copying.
inline void CopyBlock(const uint8_t* from, int32_t block_bytes, uint8_t* to) {
  if (block_bytes == 1) {
    *to = *from;
  } else {
    memcpy(to, from, static_cast<size_t>(block_bytes));
  }
}

}  // namespace

bool IndicesInside(const IndexList& indices, int32_t count, const int32_t* sizes, int32_t depth,
                   int32_t* bad) {
  int32_t dimension = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int64_t index = indices[i];
    if (index < 0 || index >= sizes[dimension]) {
      *bad = i;
      return false;
    }
    if (++dimension == depth) dimension = 0;
  }
  return true;
}

void GatherRef(const GatherArgs& args) {
  const intptr_t slice_bytes = static_cast<intptr_t>(args.axis_size) * args.block_bytes;
  const uint8_t* slice = args.input;
  uint8_t* output = args.output;
  for (int32_t batch = 0; batch < args.batches; ++batch) {
    const int32_t first = batch * args.index_count;
    for (int32_t outer = 0; outer < args.outer; ++outer, slice += slice_bytes) {
      for (int32_t i = 0; i < args.index_count; ++i, output += args.block_bytes) {
        const auto index = static_cast<intptr_t>(args.indices[first + i]);
        CopyBlock(slice + index * args.block_bytes, args.block_bytes, output);
      }
    }
  }
}

void GatherNdRef(const GatherNdArgs& args) {
  uint8_t* output = args.output;
  int32_t next = 0;
  for (int32_t tuple = 0; tuple < args.tuple_count; ++tuple, output += args.block_bytes) {
    intptr_t block = 0;
    for (int32_t d = 0; d < args.depth; ++d) {
      block = block * args.sizes[d] + static_cast<intptr_t>(args.indices[next++]);
    }
    CopyBlock(args.input + block * args.block_bytes, args.block_bytes, output);
  }
}

}  // namespace lutra
