// SPDX-License-Identifier: Apache-2.0
// Tiles of an image for the ALU: some rows and columns of one block of channels, loaded as accumulators from
// codes of eight bits, and stored. The compute module loads them itself, so that threads separate only what
// is being stored.

#pragma once

#include "delegates/vta/driver/driver.h"

namespace lutra::vta {

struct Tile {
  uint32_t group = 0, block = 0;
  uint32_t y = 0, x = 0, rows = 0, columns = 0;
};

// The output is cut into tiles of these rows and columns; the last ones may be smaller.
struct TileSize {
  uint32_t rows = 0, columns = 0;

  uint32_t count() const { return rows * columns; }
  // Returns a tile size of at most `most` vectors, which is not 0.
  static TileSize Of(const Image& output, uint32_t most) {
    const uint32_t columns = Least(output.width, most);
    return {Least(most / columns, output.height), columns};
  }
};

// Visits tiles in the order of memory.
template <typename Visit>
void ForEachTile(const Config& config, const Image& output, TileSize size, const Visit& visit) {
  const uint32_t rows = size.rows, columns = size.columns;
  for (uint32_t group = 0; group < output.groups; ++group) {
    for (uint32_t block = 0; block < output.Blocks(config); ++block) {
      for (uint32_t y = 0; y < output.height; y += rows) {
        for (uint32_t x = 0; x < output.width; x += columns) {
          visit(Tile{.group = group,
                     .block = block,
                     .y = y,
                     .x = x,
                     .rows = Least(output.height - y, rows),
                     .columns = Least(output.width - x, columns)});
        }
      }
    }
  }
}

// Returns whether an operand can be loaded for tiles of the output: each extent is equal, or one for all; for
// channels, one block for all. Lanes are not moved.
bool IsTileable(const Config& config, const Image& operand, const Image& output);

// Loads the operand's codes for a tile of the output, row after row, as accumulators from `at` on; for an
// image with a table, the table's values.
void LoadTile(CommandStream& commands, const Config& config, const Image& operand, const Image& output,
              const Tile& tile, uint32_t at);
void StoreTile(CommandStream& commands, const Config& config, const Image& output, const Tile& tile,
               uint32_t at);

// Makes the accumulators of a tile wait until the previous tile in their part of SRAM is stored.
class StoreThreads {
 public:
  StoreThreads(CommandStream& commands, uint32_t threads) : commands_(commands), threads_(threads) {
    for (uint32_t i = 0; i < threads_; ++i) (void)commands_.DepPush(Stage::kStore, Stage::kCompute);
  }
  // Waits for a free part and returns its number.
  uint32_t Take() {
    (void)commands_.DepPop(Stage::kStore, Stage::kCompute);
    return next_++ % threads_;
  }
  // Call it after StoreTile.
  void Give() { (void)commands_.DepPush(Stage::kStore, Stage::kCompute); }
  Status End() {
    for (uint32_t i = 0; i < threads_; ++i) (void)commands_.DepPop(Stage::kStore, Stage::kCompute);
    return commands_.Synchronize();
  }

 private:
  CommandStream& commands_;
  uint32_t threads_, next_ = 0;
};

}  // namespace lutra::vta
