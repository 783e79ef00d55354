// SPDX-License-Identifier: Apache-2.0
// Tiles: where parts of a sparse LUT's stream begin, for an engine that reads them one by one. The runtime's
// decoders read streams from their start and ignore tiles.
//
//   const Tiles tiles = ReadTiles(ancillary, tensor.shape);
//   for (int32_t t = 0; t < tiles.count; ++t) Start(tiles.first_bit(t));

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/compression/format.h"
#include "lutra/span.h"
#include "lutra/tensor_info.h"

namespace lutra {

// kSparseLut: bytes 10 and 11 = indices of the first dimension in a tile; 0: the whole tensor is one tile.
inline constexpr int kPackTileRowsByte = 10;
inline constexpr int kMostTileRows = UINT16_MAX;
// Behind the table, from a multiple of 4 on, each tile has an offset: the bit at which it begins.
inline constexpr int kTileOffsetBytes = 4;

// A tile for GAP9 takes at most this many bytes when decoded, a quarter of the memory of its cluster.
inline constexpr int64_t kGap9TileBytes = 32 * 1024;

// Returns how many indices of the first dimension fit into `tile_bytes`, at least 1.
inline int64_t RowsOfTile(int64_t rows, int64_t tensor_bytes, int64_t tile_bytes) {
  const int64_t row_bytes = rows > 0 && tensor_bytes > rows ? tensor_bytes / rows : 1;
  return tile_bytes > row_bytes ? tile_bytes / row_bytes : 1;
}

struct Tiles {
  int32_t rows = 0;  // 0: the file says nothing of tiles.
  int32_t count = 1;
  const uint8_t* offsets = nullptr;

  uint32_t first_bit(int32_t tile) const {
    if (offsets == nullptr) return 0;
    const uint8_t* const at = offsets + tile * kTileOffsetBytes;
    return static_cast<uint32_t>(at[0]) | static_cast<uint32_t>(at[1]) << 8 |
           static_cast<uint32_t>(at[2]) << 16 | static_cast<uint32_t>(at[3]) << 24;
  }
};

// Reads the tiles from the second of a pair of inputs of TFLM_DECODE, for a tensor of this shape. If the
// input ends within the offsets, the result is as for a file without tiles.
inline Tiles ReadTiles(Span<const uint8_t> ancillary, int element_bytes, const Shape& shape) {
  if (ancillary.size() < static_cast<size_t>(kDecodeHeaderBytes) || shape.rank == 0) return {};
  const uint8_t* const header = ancillary.data();
  const int32_t rows = header[kPackTileRowsByte] | header[kPackTileRowsByte + 1] << 8;
  if (header[0] != static_cast<uint8_t>(DecodeType::kSparseLut) || rows == 0 || shape[0] <= rows) return {};
  const int32_t entries = header[kPackEntriesByte] | header[kPackEntriesByte + 1] << 8;
  const size_t table_bytes = static_cast<size_t>(entries) * static_cast<size_t>(element_bytes);
  const size_t at =
      kDecodeHeaderBytes + (table_bytes + kTileOffsetBytes - 1) / kTileOffsetBytes * kTileOffsetBytes;
  Tiles tiles;
  tiles.rows = rows;
  tiles.count = (shape[0] - 1) / rows + 1;
  if (at + static_cast<size_t>(tiles.count) * kTileOffsetBytes > ancillary.size()) return {};
  tiles.offsets = header + at;
  return tiles;
}

}  // namespace lutra
