// SPDX-License-Identifier: Apache-2.0
// Transfers of tiles.

#include "delegates/vta/driver/tiles.h"

namespace lutra::vta {
namespace {

bool IsOneOrEqual(uint32_t operand, uint32_t output) { return operand == 1 || operand == output; }

}  // namespace

bool IsTileable(const Config& config, const Image& operand, const Image& output) {
  // The elements of a lane's image, from which the number of lanes follows.
  const auto elements = [](const Image& image) {
    return uint64_t{image.height} * image.width * (image.channel_stride == 0 ? 1 : image.channels);
  };
  const bool is_for_all_lanes = operand.lane_stride == 0 && operand.outer_count == 0;
  const bool are_lanes_there = config.batch() == 1 || is_for_all_lanes
                                   ? IsOneOrEqual(operand.groups, output.groups)
                                   : operand.groups == output.groups &&
                                         (operand.outer_count != 0 || operand.count * elements(output) ==
                                                                          output.count * elements(operand));
  const bool are_channels_there = operand.channel_stride == 0
                                      ? operand.Blocks(config) == 1 || operand.channels == output.channels
                                      : operand.channels == output.channels;
  const auto is_in_reach = [](const Image& image) { return image.rows == 1 || image.columns <= kMostStride; };
  return are_lanes_there && are_channels_there && IsOneOrEqual(operand.height, output.height) &&
         IsOneOrEqual(operand.width, output.width) && is_in_reach(operand) && is_in_reach(output);
}

void LoadTile(CommandStream& commands, const Config& config, const Image& operand, const Image& output,
              const Tile& tile, uint32_t at) {
  const bool one_row = operand.height != output.height, one_column = operand.width != output.width;
  const uint32_t group = operand.groups == output.groups ? tile.group : 0;
  const uint32_t y = operand.top + (one_row ? 0 : tile.y), x = operand.left + (one_column ? 0 : tile.x);
  const uint32_t block = operand.Blocks(config) == output.Blocks(config) ? tile.block : 0;
  const uint32_t from = operand.Index(config, group, block, y, x);
  const Memory memory = operand.table == nullptr ? Memory::kAcc8 : Memory::kAcc;
  if (!one_column) {
    (void)commands.LoadBuffer2D({.memory = memory,
                                 .sram_index = at,
                                 .dram_index = from,
                                 .x_size = tile.columns,
                                 .y_size = tile.rows,
                                 .x_stride = one_row || tile.rows == 1 ? 0 : operand.columns});
    return;
  }
  // Loads one vector repeatedly.
  for (uint32_t row = 0; row < tile.rows; ++row) {
    (void)commands.LoadBuffer2D({.memory = memory,
                                 .sram_index = at + row * tile.columns,
                                 .dram_index = from + (one_row ? 0 : row * operand.columns),
                                 .x_size = 1,
                                 .y_size = tile.columns,
                                 .x_stride = 0});
  }
}

void StoreTile(CommandStream& commands, const Config& config, const Image& output, const Tile& tile,
               uint32_t at) {
  (void)commands.DepPush(Stage::kCompute, Stage::kStore);
  (void)commands.DepPop(Stage::kCompute, Stage::kStore);
  const uint32_t y = output.top + tile.y, x = output.left + tile.x;
  (void)commands.StoreBuffer2D({.memory = Memory::kOut,
                                .sram_index = at,
                                .dram_index = output.Index(config, tile.group, tile.block, y, x),
                                .x_size = tile.columns,
                                .y_size = tile.rows,
                                .x_stride = tile.rows == 1 ? 0 : output.columns});
}

}  // namespace lutra::vta
