// SPDX-License-Identifier: Apache-2.0
// The stream of a layer: tiles, chunks and their tokens.

#include "delegates/vta/driver/conv_plan.h"

namespace lutra::vta {
namespace {

struct Chunk {
  uint32_t in_block, in_blocks, filter_row, filter_rows, filter_column, filter_columns;
};

class ConvStream {
 public:
  ConvStream(const Driver& driver, const ConvPlan& plan, CommandStream& commands)
      : driver_(driver), config_(driver.config()), plan_(plan), commands_(commands) {
    constants_ = 0;
    scratch_ = plan.constant_rows * plan.tile.out_blocks;
    values_ = scratch_ + plan.scratch_rows * plan.tile.rows * plan.tile.columns;
  }

  Status Write() {
    BeginThreads(commands_, driver_.options.threads);
    const ConvTile& tile = plan_.tile;
    const uint32_t pixel_tiles = PixelTiles(), block_tiles = CeilDivide(plan_.out_blocks, tile.out_blocks);
    if (tile.blocks_outside) {
      for (uint32_t b = 0; b < block_tiles; ++b) {
        for (uint32_t p = 0; p < pixel_tiles; ++p) WriteTile(p, b);
      }
    } else {
      for (uint32_t p = 0; p < pixel_tiles; ++p) {
        for (uint32_t b = 0; b < block_tiles; ++b) WriteTile(p, b);
      }
    }
    return EndThreads(commands_, driver_.options.threads);
  }

 private:
  static constexpr uint64_t kNothing = UINT64_MAX;

  uint32_t RowTiles() const { return CeilDivide(Unsigned(plan_.problem.shape.out_height), plan_.tile.rows); }
  uint32_t ColumnTiles() const {
    return CeilDivide(Unsigned(plan_.problem.shape.out_width), plan_.tile.columns);
  }
  uint32_t PixelTiles() const { return plan_.output.groups * RowTiles() * ColumnTiles(); }

  // Sets the tile's place and size.
  void Enter(uint32_t pixel_tile, uint32_t block_tile) {
    const ConvTile& tile = plan_.tile;
    const ConvShape& shape = plan_.problem.shape;
    pixel_tile_ = pixel_tile;
    x_ = pixel_tile % ColumnTiles() * tile.columns;
    y_ = pixel_tile / ColumnTiles() % RowTiles() * tile.rows;
    group_ = pixel_tile / ColumnTiles() / RowTiles();
    columns_ = Least(tile.columns, Unsigned(shape.out_width) - x_);
    rows_ = Least(tile.rows, Unsigned(shape.out_height) - y_);
    block_ = block_tile * tile.out_blocks;
    blocks_ = Least(tile.out_blocks, plan_.out_blocks - block_);
    accumulators_ = values_ + tiles_ % driver_.options.threads * tile.rows * tile.columns * tile.out_blocks;
    ++tiles_;
  }

  void WriteTile(uint32_t pixel_tile, uint32_t block_tile) {
    if (commands_.status() != Status::kOk) return;
    Enter(pixel_tile, block_tile);
    (void)commands_.DepPop(Stage::kStore, Stage::kCompute);
    (void)commands_.UopLoopBegin(blocks_ * rows_ * columns_, 1, 0, 0);
    (void)commands_.UopPush({accumulators_, 0, 0});
    (void)commands_.UopLoopEnd();
    (void)commands_.PushGemmOp(true);
    const ConvShape& shape = plan_.problem.shape;
    const ConvTile& tile = plan_.tile;
    Chunk chunk = {};
    uint32_t number = 0;
    for (uint32_t ky = 0; ky < Unsigned(shape.filter_height); ky += tile.filter_rows) {
      chunk.filter_row = ky;
      chunk.filter_rows = Least(tile.filter_rows, Unsigned(shape.filter_height) - ky);
      for (uint32_t kx = 0; kx < Unsigned(shape.filter_width); kx += tile.filter_columns) {
        chunk.filter_column = kx;
        chunk.filter_columns = Least(tile.filter_columns, Unsigned(shape.filter_width) - kx);
        for (uint32_t i = 0; i < plan_.in_blocks; i += tile.in_blocks, ++number) {
          chunk.in_block = i;
          chunk.in_blocks = Least(tile.in_blocks, plan_.in_blocks - i);
          WriteChunk(chunk, number);
        }
      }
    }
    LoadConstants();
    for (uint32_t i = 0; i < blocks_; ++i) Finish(i);
  }

  // Loads the constants of all output blocks of the tile, unless they were loaded.
  void LoadConstants() {
    if (constants_of_ == block_) return;
    constants_of_ = block_;
    (void)commands_.LoadBuffer2D(
        {.memory = Memory::kAcc,
         .sram_index = constants_,
         .dram_index = plan_.constants.Index(config_, Memory::kAcc) + block_ * plan_.constant_rows,
         .x_size = blocks_ * plan_.constant_rows});
  }

  void WriteChunk(const Chunk& chunk, uint32_t number) {
    for (uint32_t first = 0; first < blocks_; first += plan_.tile.step_blocks) {
      const uint32_t count = Least(plan_.tile.step_blocks, blocks_ - first);
      (void)commands_.DepPop(Stage::kCompute, Stage::kLoad);
      LoadInput(chunk, number);
      LoadWeights(chunk, number, first, count);
      (void)commands_.DepPush(Stage::kLoad, Stage::kCompute);
      (void)commands_.DepPop(Stage::kLoad, Stage::kCompute);
      Multiply(chunk, first, count);
      (void)commands_.DepPush(Stage::kCompute, Stage::kLoad);
    }
  }

  // Parts of SRAM are used in turns; data in the last one is not loaded again. The part before it has been
  // given back: steps since then have used the last.
  uint32_t in_rows(const Chunk& chunk) const { return InRows(plan_.problem.shape, rows_, chunk.filter_rows); }
  uint32_t in_columns(const Chunk& chunk) const {
    return InColumns(plan_.problem.shape, columns_, chunk.filter_columns);
  }

  void LoadInput(const Chunk& chunk, uint32_t number) {
    const uint32_t first = plan_.FirstInBlock(config_, block_) + chunk.in_block;
    const uint64_t key = (uint64_t{pixel_tile_} << 32 | number) * plan_.input.Blocks(config_) + first;
    if (key == input_key_) return;
    input_key_ = key;
    input_ = inputs_++ % driver_.options.threads * Part(driver_.options, Memory::kInp);
    const ConvShape& shape = plan_.problem.shape;
    const uint32_t rows = in_rows(chunk), columns = in_columns(chunk);
    const uint32_t y = y_ * Unsigned(shape.stride_h) + chunk.filter_row * Unsigned(shape.dilation_h) +
                       plan_.input.top - Unsigned(shape.pad_top);
    const uint32_t x = x_ * Unsigned(shape.stride_w) + chunk.filter_column * Unsigned(shape.dilation_w) +
                       plan_.input.left - Unsigned(shape.pad_left);
    const uint32_t stride = plan_.input.columns * (chunk.filter_rows == 1 ? Unsigned(shape.stride_h) : 1);
    const bool is_whole = columns == plan_.input.columns && stride == columns;
    const uint32_t block_elements = rows * columns;
    // Planes that are loaded as a whole are contiguous.
    const bool is_one = is_whole && rows == plan_.input.rows;
    for (uint32_t i = 0; i < chunk.in_blocks; i += is_one ? chunk.in_blocks : 1) {
      Transfer2D load = {.memory = Memory::kInp,
                         .sram_index = input_ + i * block_elements,
                         .dram_index = plan_.input.Index(config_, group_, first + i, y, x),
                         .x_size = columns,
                         .y_size = rows,
                         .x_stride = rows == 1 ? 0 : stride};
      if (is_whole) {
        load.x_size = block_elements * (is_one ? chunk.in_blocks : 1);
        load.y_size = 1;
        load.x_stride = 0;
      }
      (void)commands_.LoadBuffer2D(load);
    }
  }

  void LoadWeights(const Chunk& chunk, uint32_t number, uint32_t first, uint32_t count) {
    const uint64_t key = (uint64_t{block_ + first} << 32) | number;
    if (key == weights_key_) return;
    weights_key_ = key;
    weights_ = weight_loads_++ % driver_.options.threads * Part(driver_.options, Memory::kWgt);
    const ConvShape& shape = plan_.problem.shape;
    const uint32_t taps = Taps(shape), width = Unsigned(shape.filter_width);
    const uint32_t base = plan_.weights.Index(config_, Memory::kWgt);
    const uint32_t block_elements = plan_.in_blocks * taps;
    const uint32_t chunk_taps = chunk.filter_rows * chunk.filter_columns;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t from = base + (block_ + first + i) * block_elements + chunk.in_block * taps;
      const uint32_t to = weights_ + i * chunk.in_blocks * chunk_taps;
      if (chunk_taps == taps) {
        (void)commands_.LoadBuffer2D(
            {.memory = Memory::kWgt, .sram_index = to, .dram_index = from, .x_size = chunk.in_blocks * taps});
        continue;
      }
      for (uint32_t in = 0; in < chunk.in_blocks; ++in) {
        (void)commands_.LoadBuffer2D(
            {.memory = Memory::kWgt,
             .sram_index = to + in * chunk_taps,
             .dram_index = from + in * taps + chunk.filter_row * width + chunk.filter_column,
             .x_size = chunk.filter_columns,
             .y_size = chunk.filter_rows,
             .x_stride = width});
      }
    }
  }

  // Indices of the operands of a micro-op.
  uint32_t Source(const Chunk& chunk, uint32_t in, uint32_t ky, uint32_t kx, uint32_t row,
                  uint32_t column) const {
    const ConvShape& shape = plan_.problem.shape;
    const uint32_t y =
        chunk.filter_rows == 1 ? row : row * Unsigned(shape.stride_h) + ky * Unsigned(shape.dilation_h);
    const uint32_t x = column * Unsigned(shape.stride_w) + kx * Unsigned(shape.dilation_w);
    return input_ + (in * in_rows(chunk) + y) * in_columns(chunk) + x;
  }
  uint32_t Weight(const Chunk& chunk, uint32_t out, uint32_t in, uint32_t ky, uint32_t kx) const {
    return weights_ + ((out * chunk.in_blocks + in) * chunk.filter_rows + ky) * chunk.filter_columns + kx;
  }
  uint32_t Value(uint32_t out, uint32_t row, uint32_t column) const {
    return accumulators_ + (out * rows_ + row) * columns_ + column;
  }

  // A loop that runs once has no factors.
  void Loop(uint32_t extent, uint32_t dst, uint32_t src, uint32_t wgt) {
    const uint32_t used = extent == 1 ? 0 : 1;
    (void)commands_.UopLoopBegin(extent, dst * used, src * used, wgt * used);
  }

  void Multiply(const Chunk& chunk, uint32_t first, uint32_t count) {
    ConvTile now = plan_.tile;
    now.rows = rows_;
    now.columns = columns_;
    now.step_blocks = count;
    now.in_blocks = chunk.in_blocks;
    now.filter_rows = chunk.filter_rows;
    now.filter_columns = chunk.filter_columns;
    const FormChoice form = ChooseForm(config_, now);
    for (uint32_t i = 0; i < form.instructions; ++i) {
      switch (form.form) {
        case Form::kTaps:
          MultiplyTaps(chunk, first, count);
          break;
        case Form::kRow:
          MultiplyRow(chunk, first, count, i);
          break;
        case Form::kPixels:
          MultiplyPixels(chunk, first, count, i);
          break;
      }
    }
  }

  void MultiplyTaps(const Chunk& chunk, uint32_t first, uint32_t count) {
    Loop(chunk.in_blocks, 0, Source(chunk, 1, 0, 0, 0, 0) - input_, Weight(chunk, 0, 1, 0, 0) - weights_);
    Loop(rows_, columns_, Source(chunk, 0, 0, 0, 1, 0) - input_, 0);
    for (uint32_t ky = 0; ky < chunk.filter_rows; ++ky) PushTapRow(chunk, first, count, 0, ky);
    End();
  }

  void MultiplyRow(const Chunk& chunk, uint32_t first, uint32_t count, uint32_t in) {
    Loop(chunk.filter_rows, 0, Source(chunk, 0, 1, 0, 0, 0) - input_, Weight(chunk, 0, 0, 1, 0) - weights_);
    Loop(rows_, columns_, Source(chunk, 0, 0, 0, 1, 0) - input_, 0);
    PushTapRow(chunk, first, count, in, 0);
    End();
  }

  void PushTapRow(const Chunk& chunk, uint32_t first, uint32_t count, uint32_t in, uint32_t ky) {
    for (uint32_t kx = 0; kx < chunk.filter_columns; ++kx) {
      for (uint32_t out = 0; out < count; ++out) {
        for (uint32_t column = 0; column < columns_; ++column) {
          (void)commands_.UopPush({Value(first + out, 0, column), Source(chunk, in, ky, kx, 0, column),
                                   Weight(chunk, out, in, ky, kx)});
        }
      }
    }
  }

  void MultiplyPixels(const Chunk& chunk, uint32_t first, uint32_t count, uint32_t ky) {
    Loop(chunk.in_blocks, 0, Source(chunk, 1, 0, 0, 0, 0) - input_, Weight(chunk, 0, 1, 0, 0) - weights_);
    Loop(chunk.filter_columns, 0, Source(chunk, 0, 0, 1, 0, 0) - input_, 1);
    for (uint32_t out = 0; out < count; ++out) {
      for (uint32_t row = 0; row < rows_; ++row) {
        for (uint32_t column = 0; column < columns_; ++column) {
          (void)commands_.UopPush({Value(first + out, row, column), Source(chunk, 0, ky, 0, row, column),
                                   Weight(chunk, out, 0, ky, 0)});
        }
      }
    }
    End();
  }

  void End() {
    (void)commands_.UopLoopEnd();
    (void)commands_.UopLoopEnd();
    (void)commands_.PushGemmOp();
  }

  // Writes bias, requantisation and stores of one output block of the tile.
  void Finish(uint32_t i) {
    const uint32_t pixels = rows_ * columns_, constants = constants_ + i * plan_.constant_rows;
    const uint32_t first = accumulators_ + i * pixels;
    const RequantizePlan& requantize = plan_.requantize[block_ + i];
    if (!requantize.takes_bias()) {
      (void)commands_.UopLoopBegin(pixels, 1, 0, 0);
      (void)commands_.UopPush({first, constants, 0});
      (void)commands_.UopLoopEnd();
      (void)commands_.PushAluOp(AluOpcode::kAdd);
    }
    (void)PushRequantize(commands_, requantize,
                         {.first = first, .count = pixels, .constants = constants + 1, .scratch = scratch_});
    (void)commands_.DepPush(Stage::kCompute, Stage::kStore);
    (void)commands_.DepPop(Stage::kCompute, Stage::kStore);
    const Image& output = plan_.output;
    const bool is_whole = columns_ == output.columns;
    (void)commands_.StoreBuffer2D(
        {.memory = Memory::kOut,
         .sram_index = first,
         .dram_index = output.Index(config_, group_, block_ + i, output.top + y_, output.left + x_),
         .x_size = is_whole ? pixels : columns_,
         .y_size = is_whole ? 1 : rows_,
         .x_stride = is_whole || rows_ == 1 ? 0 : output.columns});
    if (i + 1 == blocks_) (void)commands_.DepPush(Stage::kStore, Stage::kCompute);
  }

  const Driver& driver_;
  const Config& config_;
  const ConvPlan& plan_;
  CommandStream& commands_;
  // Accumulators: constants, scratch, values.
  uint32_t constants_, scratch_, values_;
  uint32_t pixel_tile_ = 0, group_ = 0, y_ = 0, x_ = 0, rows_ = 0, columns_ = 0, block_ = 0, blocks_ = 0;
  uint32_t accumulators_ = 0;
  uint32_t constants_of_ = UINT32_MAX;
  uint32_t tiles_ = 0, inputs_ = 0, weight_loads_ = 0;
  uint32_t input_ = 0, weights_ = 0;
  uint64_t input_key_ = kNothing, weights_key_ = kNothing;
};

}  // namespace

Status WriteConvStream(const Driver& driver, const ConvPlan& plan, CommandStream& commands) {
  return ConvStream(driver, plan, commands).Write();
}

}  // namespace lutra::vta
