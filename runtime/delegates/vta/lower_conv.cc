// SPDX-License-Identifier: Apache-2.0
// Weights and constants in VTA's layout, the search for a tile, and the stream.

#include "runtime/delegates/vta/lower_conv.h"

#include <string.h>

namespace lutra::vta {
namespace {

constexpr uint32_t kMostFrame = 1 << 15;
// What a transfer's stride can say, in elements.
constexpr uint32_t kMostStride = 0xFFFF;

uint32_t CeilDivide(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
uint32_t Most(uint32_t a, uint32_t b) { return a > b ? a : b; }
uint32_t Unsigned(int32_t value) { return static_cast<uint32_t>(value); }

// Which input channels an output channel sees: `width` of them from `first` on.
struct Channels {
  uint32_t first, width;
};
Channels ChannelsOf(const ConvProblem& problem, uint32_t out_channel) {
  const ConvShape& shape = problem.shape;
  const uint32_t width = problem.is_depthwise ? 1 : Unsigned(shape.filter_channels);
  const uint32_t groups = Unsigned(shape.in_channels) / width;
  const uint32_t out_per_group = Unsigned(shape.out_channels) / groups;
  return {out_channel / out_per_group * width, width};
}

struct BlockRange {
  uint32_t first, count;
};
BlockRange BlocksOf(const Config& config, const ConvProblem& problem, uint32_t out_block) {
  const uint32_t first = out_block << config.log_block;
  const uint32_t last = Least(first + config.block(), Unsigned(problem.shape.out_channels)) - 1;
  const Channels low = ChannelsOf(problem, first), high = ChannelsOf(problem, last);
  const uint32_t begin = low.first >> config.log_block;
  return {begin, ((high.first + high.width - 1) >> config.log_block) - begin + 1};
}

uint32_t Taps(const ConvShape& shape) { return Unsigned(shape.filter_height) * Unsigned(shape.filter_width); }

// The filter's value between two channels, which see each other.
int32_t FilterValue(const ConvProblem& problem, uint32_t out, uint32_t in_group, uint32_t tap) {
  const ConvShape& shape = problem.shape;
  const size_t taps = Taps(shape);
  if (problem.is_depthwise) return problem.filter[size_t{tap} * Unsigned(shape.out_channels) + out];
  return problem.filter[(out * taps + tap) * Unsigned(shape.filter_channels) + in_group];
}

void PackWeights(const Config& config, const ConvPlan& plan) {
  const ConvProblem& problem = plan.problem;
  const uint32_t block = config.block(), taps = Taps(problem.shape);
  for (uint32_t out = 0; out < Unsigned(problem.shape.out_channels); ++out) {
    const uint32_t out_block = out >> config.log_block;
    const Channels channels = ChannelsOf(problem, out);
    const uint32_t first = plan.FirstInBlock(config, out_block);
    for (uint32_t i = 0; i < channels.width; ++i) {
      const uint32_t in = channels.first + i;
      const uint64_t column = uint64_t{out_block} * plan.in_blocks + (in >> config.log_block) - first;
      for (uint32_t tap = 0; tap < taps; ++tap) {
        const uint64_t at = ((column * taps + tap) * block + out % block) * block + in % block;
        plan.weights.bytes[at] = static_cast<uint8_t>(FilterValue(problem, out, i, tap));
      }
    }
  }
}

// The bias with what the input's zero point adds, and the magnitude that no accumulator exceeds.
struct Sums {
  int64_t bias = 0, bound = 0;
};
Sums SumsOf(const ConvProblem& problem, uint32_t out) {
  const uint32_t taps = Taps(problem.shape);
  const Channels channels = ChannelsOf(problem, out);
  int64_t positive = 0, negative = 0;
  for (uint32_t tap = 0; tap < taps; ++tap) {
    for (uint32_t i = 0; i < channels.width; ++i) {
      const int32_t weight = FilterValue(problem, out, i, tap);
      (weight > 0 ? positive : negative) += weight;
    }
  }
  const int64_t bias = problem.bias == nullptr ? 0 : problem.bias[out];
  Sums sums = {.bias = bias - problem.input_zero_point * (positive + negative)};
  const int64_t high = 127 * positive - 128 * negative + sums.bias;
  const int64_t low = -128 * positive + 127 * negative + sums.bias;
  // Before the bias is added, too.
  const int64_t ends[] = {high, -high, low, -low, high - sums.bias, sums.bias - low, sums.bias, -sums.bias};
  for (const int64_t end : ends) sums.bound = end > sums.bound ? end : sums.bound;
  return sums;
}

constexpr int64_t kMostAccumulator = (int64_t{1} << 30) - 1;

// What an output block is requantised by: `lanes` and `biases` have a value for each lane of a vector.
Status ProblemOf(const Config& config, const ConvProblem& problem, uint32_t out_block, Span<Multiplier> lanes,
                 Span<int32_t> biases, RequantizeProblem* requantize) {
  const uint32_t block = config.block();
  int64_t bound = 0;
  for (uint32_t lane = 0; lane < block; ++lane) {
    const uint32_t out = out_block * block + lane;
    lanes[lane] = {0, 0};
    biases[lane] = 0;
    if (out >= Unsigned(problem.shape.out_channels)) continue;
    const Sums sums = SumsOf(problem, out);
    if (sums.bound > kMostAccumulator) return Status::kUnsupported;
    bound = sums.bound > bound ? sums.bound : bound;
    lanes[lane] = problem.multipliers[problem.multipliers.size() == 1 ? 0 : out];
    biases[lane] = static_cast<int32_t>(sums.bias);
  }
  for (uint32_t lane = block; lane < config.lanes(); ++lane) {
    lanes[lane] = lanes[lane - block];
    biases[lane] = biases[lane - block];
  }
  *requantize = {.lanes = lanes,
                 .zero_point = problem.zero_point,
                 .min = problem.min,
                 .max = problem.max,
                 .accumulator_bound = static_cast<int32_t>(bound),
                 .biases = biases};
  return Status::kOk;
}

// For each output block [bias, constants of the requantisation].
Status PlanConstants(const Driver& driver, ConvPlan* plan, LoweredLayer* layer) {
  const Config& config = driver.config();
  Span<Multiplier> lanes;
  Span<int32_t> biases;
  LUTRA_TRY(AllocateArray(driver, config.lanes(), &lanes));
  LUTRA_TRY(AllocateArray(driver, config.lanes(), &biases));
  LUTRA_TRY(AllocateArray(driver, plan->out_blocks, &plan->requantize));
  RequantizeProblem problem;
  for (uint32_t i = 0; i < plan->out_blocks; ++i) {
    if (ProblemOf(config, plan->problem, i, lanes, biases, &problem) != Status::kOk) {
      layer->reason = "accumulators of more than 30 bits";
      return Status::kUnsupported;
    }
    const bool is_fast = driver.options.mode == Mode::kFast;
    RequantizePlan& requantize = plan->requantize[i];
    if (const Status status =
            is_fast ? PlanFastRequantize(problem, &requantize) : PlanRequantize(problem, &requantize);
        status != Status::kOk) {
      layer->reason = "a scale that no sequence of ALU instructions is exact for";
      return Status::kUnsupported;
    }
    plan->constant_rows = Most(plan->constant_rows, 1 + requantize.constant_rows());
    plan->scratch_rows = Most(plan->scratch_rows, requantize.scratch_rows());
  }
  Span<int32_t> rows;
  LUTRA_TRY(AllocateArray(driver, uint64_t{plan->constant_rows} * config.lanes(), &rows));
  const uint64_t bytes = uint64_t{plan->constant_rows} * config.ElementBytes(Memory::kAcc);
  LUTRA_TRY(AllocateDram(driver, plan->out_blocks * bytes, &plan->constants));
  for (uint32_t i = 0; i < plan->out_blocks; ++i) {
    LUTRA_TRY(ProblemOf(config, plan->problem, i, lanes, biases, &problem));
    memset(rows.data(), 0, rows.size() * sizeof(int32_t));
    memcpy(rows.data(), biases.data(), config.lanes() * sizeof(int32_t));
    FillConstants(problem, plan->requantize[i], rows.Subspan(config.lanes(), rows.size() - config.lanes()));
    uint8_t* const to = plan->constants.bytes + i * bytes;
    for (size_t k = 0; k < rows.size(); ++k) StoreWord(to + 4 * k, static_cast<uint32_t>(rows[k]));
  }
  return Status::kOk;
}

// ---- Tiles.

uint32_t Part(const DriverOptions& options, Memory memory) {
  return options.config.Depth(memory) / options.threads;
}

// Rows that a chunk of `filter_rows` wants for `rows` rows of outputs. Of one filter row those between are
// not loaded.
uint32_t InRows(const ConvShape& shape, uint32_t rows, uint32_t filter_rows) {
  if (filter_rows == 1) return rows;
  return (rows - 1) * Unsigned(shape.stride_h) + (filter_rows - 1) * Unsigned(shape.dilation_h) + 1;
}
uint32_t InColumns(const ConvShape& shape, uint32_t columns, uint32_t filter_columns) {
  return (columns - 1) * Unsigned(shape.stride_w) + (filter_columns - 1) * Unsigned(shape.dilation_w) + 1;
}

// How micro-ops of a chunk are laid out: the inner list, and two loops around it.
enum class Form : uint8_t {
  kTaps,    // List: taps, output blocks, columns. Loops: input blocks, rows.
  kRow,     // List: taps of a row, output blocks, columns. Loops: filter rows, rows.
  kPixels,  // List: output blocks, rows, columns. Loops: input blocks, filter columns.
};
// Micro-ops that follow each other change different accumulators.
constexpr uint32_t kHazard = 3;

struct FormChoice {
  Form form;
  uint32_t uops, instructions, lists;
};
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

// Of a vector, with the bias: an ADD of a register.
uint32_t AluCycles(const RequantizePlan& requantize) {
  return requantize.alu_cycles() + (requantize.takes_bias() ? 0 : 2);
}

constexpr uint32_t kInstructionCycles = 9, kLoadCycles = 20;

// Estimated cycles of the layer, to choose by.
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

// n, then about n / 2, n / 3, ... down to 1.
uint32_t NextSmaller(uint32_t total, uint32_t value) {
  if (value <= 1) return 0;
  const uint32_t next = CeilDivide(total, CeilDivide(total, value) + 1);
  // Of large numbers not every divisor.
  return Least(next, value - 1 - value / 16);
}

// The largest chunk and step that fit; false if not even the smallest does.
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
    // Smaller chunks only where the whole filter does not fit.
    if (best != UINT64_MAX) return true;
  }
  return false;
}

// ---- The stream.

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

  // Where the tile is, and how large.
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

  // Of all output blocks of the tile, unless they are there.
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

  // Parts of SRAM are taken in turns; what the last one holds is not loaded again. The part before it has
  // been given back: steps since then have used the last.
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
    // Planes that are wanted whole lie behind each other.
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

  // Places of what a micro-op names.
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

  // A loop that is run once has no factors.
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

  // Bias, requantisation and stores of one output block of the tile.
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

LayerBound BoundOf(const Driver& driver, const ConvPlan& plan) {
  const Config& config = driver.config();
  const ConvShape& shape = plan.problem.shape;
  const uint64_t pixels =
      uint64_t{plan.output.groups} * Unsigned(shape.out_height) * Unsigned(shape.out_width);
  LayerBound bound;
  bound.gemm_cycles = pixels * plan.out_blocks * plan.in_blocks * Taps(shape);
  for (const RequantizePlan& requantize : plan.requantize) bound.alu_cycles += pixels * AluCycles(requantize);
  const uint64_t inputs = uint64_t{plan.input.groups} * plan.input.Blocks(config) * plan.input.height *
                          plan.input.width * config.ElementBytes(Memory::kInp);
  const uint64_t outputs = pixels * plan.out_blocks * config.ElementBytes(Memory::kOut);
  const uint64_t reads = inputs + plan.weights.size + plan.constants.size;
  bound.bus_cycles = (reads > outputs ? reads : outputs) / config.bus_bytes();
  bound.bytes = reads + outputs;
  const uint64_t filter_channels = plan.problem.is_depthwise ? 1 : Unsigned(shape.filter_channels);
  bound.macs = plan.output.count * filter_channels * Taps(shape);
  return bound;
}

bool IsInRange(const ConvPlan& plan) {
  const ConvShape& shape = plan.problem.shape;
  const uint64_t stride = uint64_t{plan.input.columns} * Unsigned(shape.stride_h);
  return stride <= kMostStride && plan.output.columns <= kMostStride;
}

}  // namespace

uint32_t ConvPlan::FirstInBlock(const Config& config, uint32_t out_block) const {
  return Least(BlocksOf(config, problem, out_block).first, input.Blocks(config) - in_blocks);
}

Status WidenForConv(const ConvShape& shape, Image* input) {
  const auto end = [](int32_t out, int32_t stride, int32_t taps, int32_t dilation, int32_t pad) {
    return (int64_t{out} - 1) * stride + (int64_t{taps} - 1) * dilation + 1 - pad;
  };
  const int64_t bottom =
      end(shape.out_height, shape.stride_h, shape.filter_height, shape.dilation_h, shape.pad_top);
  const int64_t right =
      end(shape.out_width, shape.stride_w, shape.filter_width, shape.dilation_w, shape.pad_left);
  if (shape.pad_top > int32_t{kMostFrame} || shape.pad_left > int32_t{kMostFrame} ||
      bottom > int64_t{shape.in_height} + kMostFrame || right > int64_t{shape.in_width} + kMostFrame) {
    return Status::kUnsupported;
  }
  WidenImage(*input, Unsigned(shape.pad_top), Unsigned(shape.pad_left),
             bottom > 0 ? static_cast<uint32_t>(bottom) : 0, right > 0 ? static_cast<uint32_t>(right) : 0);
  return Status::kOk;
}

Status LowerConv(const Driver& driver, const ConvProblem& problem, const Image& input, const Image& output,
                 LoweredLayer* layer) {
  const Config& config = driver.config();
  ConvPlan plan = {.problem = problem, .input = input, .output = output};
  plan.out_blocks = output.Blocks(config);
  for (uint32_t i = 0; i < plan.out_blocks; ++i) {
    plan.in_blocks = Most(plan.in_blocks, BlocksOf(config, problem, i).count);
  }
  if (!IsInRange(plan)) {
    layer->reason = "a row too long for a transfer's stride";
    return Status::kUnsupported;
  }
  LUTRA_TRY(PlanConstants(driver, &plan, layer));
  const uint64_t blocks = uint64_t{plan.out_blocks} * plan.in_blocks;
  if (blocks > UINT32_MAX / Taps(problem.shape)) {
    layer->reason = "weights too large";
    return Status::kUnsupported;
  }
  LUTRA_TRY(
      AllocateDram(driver, blocks * Taps(problem.shape) * config.ElementBytes(Memory::kWgt), &plan.weights));
  PackWeights(config, plan);
  if (!ChooseTile(driver, &plan)) {
    layer->reason = "buffers too small for one pixel";
    return Status::kUnsupported;
  }
  layer->bound = BoundOf(driver, plan);
  return WriteStream(
      driver, [&](CommandStream& commands) { return ConvStream(driver, plan, commands).Write(); },
      &layer->stream);
}

}  // namespace lutra::vta
