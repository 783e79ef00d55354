// SPDX-License-Identifier: Apache-2.0
// Counts the bytes that one inference would move between the memories of GAP9: from outside the chip (L3) to
// its memory (L2) to that of its cluster (L1), where a decompression engine stands between the last two.
//
//   const host::TrafficResult traffic = Gap9Traffic(file.model);
//   traffic.total.l2_l1_bytes   // beside l2_l1_plain_bytes, without compression
//
// The bytes are counted, not simulated. Each layer's weights come from L3 once; its inputs go from L2 to L1
// and its outputs back once; rows that neighbouring tiles share count once. Weights are cut into tiles of
// whole filters of at most 32 KB, a quarter of L1. The engine reads items of fixed width (bitpack: T1),
// tables of one or several lookups whose values have at most 16 bits (lut, wide_lut: T2) and sparse ones
// (sparse_lut: T3); other codecs count as not compressed, and their tensors are named. Where a tile of T3
// begins depends on the data, which costs four bytes for each unless it is the only one. A file's own tiles
// (FORMAT.md, 130) are used if it has any.

#pragma once

#include <cstdint>

#include "host/result.h"
#include "lutra/model.h"
#include "runtime/compression/tiles.h"

namespace lutra::bench {

// Counts subgraph 0, in the order of its operators; those that only decode are not among them.
host::TrafficResult Gap9Traffic(const Model& model, int64_t tile_bytes = kGap9TileBytes);

}  // namespace lutra::bench
