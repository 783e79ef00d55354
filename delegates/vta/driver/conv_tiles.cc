// SPDX-License-Identifier: Apache-2.0
// The search for the tile of the fewest estimated cycles.

#include "delegates/vta/driver/conv_plan.h"

namespace lutra::vta {
namespace {

// Neighbouring micro-ops must change different accumulators.
constexpr uint32_t kHazard = 3;

bool Fits(const Driver& driver, const ConvPlan& plan, const ConvTile& tile) {
  const Config& config = driver.config();
  const ConvShape& shape = plan.problem.shape;
  const uint64_t in_rows = InRows(shape, tile.rows, tile.filter_rows);
  const uint64_t in_columns = InColumns(shape, tile.columns, tile.filter_columns);
  const uint64_t pixels = uint64_t{tile.rows} * tile.columns;
  const uint64_t taps = uint64_t{tile.filter_rows} * tile.filter_columns;
  const uint64_t accumulators = uint64_t{plan.constant_rows} * tile.out_blocks + plan.scratch_rows * pixels +
                                driver.options.threads * pixels * tile.out_blocks;
  return in_rows * in_columns * tile.in_blocks <= Part(driver.options, Memory::kInp) &&
         taps * tile.in_blocks * tile.step_blocks <= Part(driver.options, Memory::kWgt) &&
         accumulators <= config.Depth(Memory::kAcc) &&
         ChooseForm(config, tile).uops <= config.Depth(Memory::kUop);
}

constexpr uint32_t kInstructionCycles = 9, kLoadCycles = 20;

// Returns the layer's estimated cycles, for choosing a tile.
uint64_t Cost(const Driver& driver, const ConvPlan& plan, const ConvTile& tile) {
  const Config& config = driver.config();
  const ConvShape& shape = plan.problem.shape;
  const uint64_t pixel_tiles = uint64_t{plan.output.groups} *
                               CeilDivide(Unsigned(shape.out_height), tile.rows) *
                               CeilDivide(Unsigned(shape.out_width), tile.columns);
  const uint64_t block_tiles = CeilDivide(plan.out_blocks, tile.out_blocks);
  const uint64_t chunks = uint64_t{CeilDivide(plan.in_blocks, tile.in_blocks)} *
                          CeilDivide(Unsigned(shape.filter_height), tile.filter_rows) *
                          CeilDivide(Unsigned(shape.filter_width), tile.filter_columns);
  const uint64_t steps = CeilDivide(tile.out_blocks, tile.step_blocks);
  const uint64_t bus = config.bus_bytes();
  const uint64_t in_rows = InRows(shape, tile.rows, tile.filter_rows);
  const uint64_t in_beats =
      in_rows *
          (InColumns(shape, tile.columns, tile.filter_columns) * config.ElementBytes(Memory::kInp) / bus +
           1) *
          tile.in_blocks +
      tile.in_blocks * kLoadCycles;
  const uint64_t tiles = pixel_tiles * block_tiles;
  const bool input_stays = chunks == 1 && !tile.blocks_outside && plan.in_blocks == plan.input.Blocks(config);
  const bool weights_stay = chunks == 1 && steps == 1 && (tile.blocks_outside || block_tiles == 1);
  const uint64_t in_cycles = (input_stays ? pixel_tiles : tiles) * chunks * in_beats;
  const uint64_t block_beats = config.ElementBytes(Memory::kWgt) / bus;
  const uint64_t weight_cycles = (weights_stay ? 1 : pixel_tiles) *
                                 (uint64_t{plan.out_blocks} * plan.in_blocks * Taps(shape) * block_beats +
                                  block_tiles * chunks * steps * kLoadCycles);
  const FormChoice form = ChooseForm(config, tile);
  const uint64_t lists = uint64_t{form.lists} * 4 * driver.options.threads * steps;
  const uint64_t uop_cycles =
      lists * form.uops > config.Depth(Memory::kUop) ? form.uops / 2 + kLoadCycles : 0;
  const uint64_t vectors =
      uint64_t{plan.output.groups} * Unsigned(shape.out_height) * Unsigned(shape.out_width) * plan.out_blocks;
  const uint64_t alu = AluCycles(plan.requantize[0]) + 1;
  const uint64_t instructions = plan.requantize[0].alu_instructions() + 2;
  const uint64_t compute =
      vectors * (uint64_t{plan.in_blocks} * Taps(shape) + alu + plan.scratch_rows) +
      tiles * (kInstructionCycles + chunks * steps * form.instructions * (kInstructionCycles + uop_cycles)) +
      pixel_tiles * plan.out_blocks * instructions * kInstructionCycles +
      (block_tiles == 1      ? 1
       : tile.blocks_outside ? block_tiles
                             : tiles) *
          tile.out_blocks * plan.constant_rows * config.ElementBytes(Memory::kAcc) / bus;
  const uint64_t loads = in_cycles + weight_cycles;
  if (driver.options.threads == 1) return loads + compute;
  return loads > compute ? loads + compute / 8 : compute + loads / 8;
}

// Returns n, then about n / 2, n / 3, ... down to 1.
uint32_t NextSmaller(uint32_t total, uint32_t value) {
  if (value <= 1) return 0;
  const uint32_t next = CeilDivide(total, CeilDivide(total, value) + 1);
  // Large numbers skip some divisors.
  return Least(next, value - 1 - value / 16);
}

// Finds the largest chunk and step that fit; returns false if not even the smallest fits.
bool FillTile(const Driver& driver, const ConvPlan& plan, bool is_dense, ConvTile* tile) {
  tile->step_blocks = 1;
  for (tile->in_blocks = plan.in_blocks; tile->in_blocks >= 1;
       tile->in_blocks = NextSmaller(plan.in_blocks, tile->in_blocks)) {
    if (Fits(driver, plan, *tile)) break;
  }
  if (tile->in_blocks == 0) return false;
  if (!is_dense) return true;
  for (uint32_t blocks = tile->out_blocks; blocks > 1; blocks = NextSmaller(tile->out_blocks, blocks)) {
    ConvTile more = *tile;
    more.step_blocks = blocks;
    if (!Fits(driver, plan, more) || ChooseForm(driver.config(), more).uops > 1024) continue;
    *tile = more;
    return true;
  }
  return true;
}

}  // namespace

FormChoice ChooseForm(const Config& config, const ConvTile& tile) {
  const uint32_t wide = tile.step_blocks * tile.columns, taps = tile.filter_rows * tile.filter_columns;
  const uint32_t most = Most(config.Depth(Memory::kUop) / 8, 8);
  if (wide >= kHazard || taps == 1) {
    if (wide * taps <= most) return {Form::kTaps, wide * taps, 1, 1};
    if (wide >= kHazard || tile.filter_columns == 1) {
      return {Form::kRow, wide * tile.filter_columns, tile.in_blocks, tile.in_blocks};
    }
  }
  return {Form::kPixels, wide * tile.rows, tile.filter_rows, tile.filter_rows};
}

bool ChooseTile(const Driver& driver, ConvPlan* plan) {
  const ConvShape& shape = plan->problem.shape;
  const bool is_dense = plan->in_blocks == plan->input.Blocks(driver.config());
  const uint32_t height = Unsigned(shape.out_height), width = Unsigned(shape.out_width);
  const uint32_t filters[][2] = {{Unsigned(shape.filter_height), Unsigned(shape.filter_width)},
                                 {1, Unsigned(shape.filter_width)},
                                 {1, 1}};
  uint64_t best = UINT64_MAX;
  for (const auto& filter : filters) {
    for (uint32_t blocks = is_dense ? plan->out_blocks : 1; blocks >= 1;
         blocks = NextSmaller(plan->out_blocks, blocks)) {
      for (uint32_t columns = width; columns >= 1; columns = NextSmaller(width, columns)) {
        for (uint32_t rows = height; rows >= 1; rows = NextSmaller(height, rows)) {
          ConvTile tile = {.rows = rows, .columns = columns, .out_blocks = blocks};
          tile.filter_rows = filter[0];
          tile.filter_columns = filter[1];
          if (!FillTile(driver, *plan, is_dense, &tile)) continue;
          for (int outside = 0; outside < 2; ++outside) {
            tile.blocks_outside = outside != 0;
            const uint64_t cost = Cost(driver, *plan, tile);
            if (cost >= best) continue;
            best = cost;
            plan->tile = tile;
          }
        }
      }
    }
    // Smaller chunks are tried only if the whole filter does not fit.
    if (best != UINT64_MAX) return true;
  }
  return false;
}

}  // namespace lutra::vta
