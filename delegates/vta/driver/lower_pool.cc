// SPDX-License-Identifier: Apache-2.0
// Windows on tiles, divisors, and the stream.

#include "delegates/vta/driver/lower_pool.h"

#include "delegates/vta/driver/tiles.h"
#include "delegates/vta/driver/vector_ops.h"

namespace lutra::vta {
namespace {

constexpr uint32_t kAverageScratch = 2;
constexpr int32_t kLeast = INT8_MIN;

// The numbers from `first` to before `end`.
struct Interval {
  int64_t first, end;
  int64_t count() const { return end > first ? end - first : 0; }
};

// One dimension of a pool: output o has tap k at o * stride - pad + k.
struct Axis {
  int64_t stride, pad, taps, size;

  int64_t At(int64_t out, int64_t tap) const { return out * stride - pad + tap; }
  // Returns the outputs of `range` whose tap is inside.
  Interval Outputs(Interval range, int64_t tap) const {
    while (range.first < range.end && At(range.first, tap) < 0) ++range.first;
    while (range.first < range.end && At(range.end - 1, tap) >= size) --range.end;
    return range;
  }
  // Returns the inputs that the outputs of `range` read.
  Interval Inputs(Interval range) const {
    const int64_t first = At(range.first, 0), end = At(range.end - 1, taps);
    return {first < 0 ? 0 : first, end > size ? size : end};
  }
  // Returns the taps that are inside the image for an output of `range`.
  Interval Taps(Interval range) const {
    const int64_t first = -At(range.end - 1, 0), end = size - At(range.first, 0);
    return {first > 0 ? first : 0, end < taps ? end : taps};
  }
  int64_t CountAt(int64_t out) const { return Inputs({out, out + 1}).count(); }
};

struct PoolPlan {
  PoolProblem problem;
  Axis down, across;
  TileSize tile;
  uint32_t input_columns = 0;  // Of a tile.
};

bool ChooseTile(const Driver& driver, const Image& output, PoolPlan* plan) {
  const uint64_t depth = driver.config().Depth(Memory::kAcc);
  const uint64_t each = driver.options.threads + (plan->problem.is_average ? kAverageScratch : 0);
  const auto input = [plan](uint64_t columns) {
    const auto all = static_cast<uint64_t>(plan->across.size);
    const uint64_t seen =
        (columns - 1) * static_cast<uint64_t>(plan->across.stride) + static_cast<uint64_t>(plan->across.taps);
    return seen < all ? seen : all;
  };
  uint32_t columns = output.width;
  while (columns > 0 && each * columns + input(columns) > depth) --columns;
  if (columns == 0) return false;
  const uint64_t rows = depth / (each * columns + input(columns));
  plan->tile = {rows < output.height ? static_cast<uint32_t>(rows) : output.height, columns};
  plan->input_columns = static_cast<uint32_t>(input(columns));
  return true;
}

class PoolStream {
 public:
  PoolStream(const Driver& driver, const PoolPlan& plan, const Image& input, const Image& output,
             CommandStream& commands)
      : driver_(driver), plan_(plan), input_(input), output_(output), commands_(commands) {}

  Status Write() {
    StoreThreads threads(commands_, driver_.options.threads);
    const uint32_t most = plan_.tile.count();
    const uint32_t inputs = driver_.options.threads * most;
    scratch_ = inputs + plan_.tile.rows * plan_.input_columns;
    ForEachTile(driver_.config(), output_, plan_.tile, [&](const Tile& tile) {
      const uint32_t values = threads.Take() * most;
      PoolTile(tile, values, inputs);
      StoreTile(commands_, driver_.config(), output_, tile, values);
      threads.Give();
    });
    return threads.End();
  }

 private:
  void PoolTile(const Tile& tile, uint32_t values, uint32_t inputs) {
    VectorOps all(commands_, 1, tile.rows * tile.columns);
    all.Zero({values});
    if (!plan_.problem.is_average) all.WithNumber(AluOpcode::kMin, {values}, kLeast);
    const Interval taps = plan_.down.Taps({tile.y, int64_t{tile.y} + tile.rows});
    for (int64_t tap = taps.first; tap < taps.end; ++tap) TakeRow(tile, tap, values, inputs);
    if (plan_.problem.is_average) DivideTile(tile, values);
    if (plan_.problem.max < INT8_MAX) all.WithNumber(AluOpcode::kMin, {values}, plan_.problem.max);
    if (plan_.problem.min > kLeast) all.WithNumber(AluOpcode::kMax, {values}, plan_.problem.min);
  }

  // Takes a row of the filter: loads the image's rows for it, then applies each of its taps.
  void TakeRow(const Tile& tile, int64_t tap, uint32_t values, uint32_t inputs) {
    const Interval down = plan_.down.Outputs({tile.y, tile.y + tile.rows}, tap);
    const Interval columns = {tile.x, tile.x + tile.columns}, seen = plan_.across.Inputs(columns);
    if (down.count() == 0 || seen.count() == 0) return;
    const auto rows = static_cast<uint32_t>(down.count()), pitch = static_cast<uint32_t>(seen.count());
    const auto y = static_cast<uint32_t>(plan_.down.At(down.first, tap)),
               x = static_cast<uint32_t>(seen.first);
    (void)commands_.LoadBuffer2D(
        {.memory = Memory::kAcc8,
         .sram_index = inputs,
         .dram_index =
             input_.Index(driver_.config(), tile.group, tile.block, input_.top + y, input_.left + x),
         .x_size = pitch,
         .y_size = rows,
         .x_stride = rows == 1 ? 0 : Unsigned(plan_.problem.stride_h) * input_.columns});
    const AluOpcode opcode = plan_.problem.is_average ? AluOpcode::kAdd : AluOpcode::kMax;
    const Interval taps = plan_.across.Taps(columns);
    for (int64_t kx = taps.first; kx < taps.end; ++kx) {
      const Interval across = plan_.across.Outputs(columns, kx);
      if (across.count() == 0) continue;
      VectorOps on(commands_, rows, static_cast<uint32_t>(across.count()));
      const auto column = static_cast<uint32_t>(plan_.across.At(across.first, kx) - seen.first);
      on.WithVector(opcode, Place(tile, values, down.first, across.first),
                    {inputs + column, pitch, Unsigned(plan_.problem.stride_w)});
    }
  }

  static VectorRect Place(const Tile& tile, uint32_t base, int64_t y, int64_t x) {
    const auto row = static_cast<uint32_t>(y) - tile.y, column = static_cast<uint32_t>(x) - tile.x;
    return {base + row * tile.columns + column, tile.columns, 1};
  }

  // Divides the tile into rectangles of outputs whose windows have equally many codes.
  void DivideTile(const Tile& tile, uint32_t values) {
    const int64_t y_end = tile.y + tile.rows, x_end = tile.x + tile.columns;
    for (int64_t y = tile.y; y < y_end;) {
      const Interval rows = Run(plan_.down, y, y_end);
      for (int64_t x = tile.x; x < x_end;) {
        const Interval columns = Run(plan_.across, x, x_end);
        VectorOps on(commands_, static_cast<uint32_t>(rows.count()), static_cast<uint32_t>(columns.count()));
        Divide(on, static_cast<int32_t>(plan_.down.CountAt(y) * plan_.across.CountAt(x)),
               Place(tile, values, y, x), Place(tile, scratch_, y, x),
               Place(tile, scratch_ + plan_.tile.count(), y, x));
        x = columns.end;
      }
      y = rows.end;
    }
  }
  static Interval Run(const Axis& axis, int64_t first, int64_t end) {
    Interval run = {first, first + 1};
    while (run.end < end && axis.CountAt(run.end) == axis.CountAt(first)) ++run.end;
    return run;
  }

  static void Divide(VectorOps& on, int32_t count, VectorRect sum, VectorRect rest, VectorRect product) {
    const Divisor divisor = FindDivisor(count);
    const auto copy = [&on](VectorRect to, VectorRect from) {
      on.Zero(to);
      on.WithVector(AluOpcode::kAdd, to, from);
    };
    if (count == 1) return on.WithNumber(AluOpcode::kAdd, sum, 0);
    if (count % 2 == 0) {
      copy(rest, sum);
      on.WithNumber(AluOpcode::kShr, rest, 31);
      on.WithVector(AluOpcode::kAdd, sum, rest);
    }
    on.AddNumber(sum, count / 2 - kLeast * count);
    if (!divisor.is_exact) copy(rest, sum);
    on.WithNumber(AluOpcode::kMul, sum, divisor.multiplier);
    on.WithNumber(AluOpcode::kShr, sum, divisor.shift);
    if (!divisor.is_exact) {
      copy(product, sum);
      on.WithNumber(AluOpcode::kMul, product, -count);
      on.WithVector(AluOpcode::kAdd, rest, product);
      on.WithNumber(AluOpcode::kShr, rest, 31);
      on.WithVector(AluOpcode::kAdd, sum, rest);
    }
    on.WithNumber(AluOpcode::kAdd, sum, kLeast);
  }

  const Driver& driver_;
  const PoolPlan& plan_;
  const Image &input_, &output_;
  CommandStream& commands_;
  uint32_t scratch_ = 0;
};

LayerBound BoundOf(const Driver& driver, const PoolPlan& plan, const Image& input, const Image& output) {
  const Config& config = driver.config();
  const uint64_t planes = uint64_t{output.groups} * output.Blocks(config);
  const uint64_t vectors = planes * output.height * output.width;
  const auto taps = static_cast<uint64_t>(plan.down.taps * plan.across.taps);
  LayerBound bound;
  bound.alu_cycles = vectors * (1 + 2 * taps + (plan.problem.is_average ? 4 : 1));
  const uint64_t inputs = planes * input.height * input.width * config.lanes();
  bound.bus_cycles = inputs / config.bus_bytes();
  bound.bytes = inputs + vectors * config.lanes();
  return bound;
}

// Returns whether every window has a code, and none is padded by its own size or more.
bool IsWindow(const Axis& axis, uint32_t outputs) {
  return axis.stride > 0 && axis.taps > 0 && axis.pad >= 0 && axis.pad < axis.taps && outputs > 0 &&
         axis.At(outputs - 1, 0) < axis.size;
}

// Checks (v * m) >> k for v at both ends of every quotient.
bool IsExact(int64_t count, int64_t m, int32_t k) {
  for (int64_t q = 0; q <= 255; ++q) {
    const int64_t last = q < 255 ? q * count + count - 1 : q * count + count / 2;
    if (q * count * m >> k != q || last * m >> k != q) return false;
  }
  return true;
}

}  // namespace

Divisor FindDivisor(int32_t count) {
  const int64_t most = int64_t{255} * count + count / 2;
  for (int32_t k = 0; k <= 30; ++k) {
    const int64_t m = ((int64_t{1} << k) + count - 1) / count;
    if (m > INT16_MAX || most * m > INT32_MAX) break;
    if (IsExact(count, m, k)) return {static_cast<int32_t>(m), k, true};
  }
  if (count > INT16_MAX) return {};
  // v (m - 2^k / count) < 2^k: one too large at most.
  int32_t k = 0;
  while (int64_t{1} << k <= most) ++k;
  const int64_t m = ((int64_t{1} << k) + count - 1) / count;
  if (m > INT16_MAX || most * m > INT32_MAX) return {};
  return {static_cast<int32_t>(m), k, false};
}

Status LowerPool(const Driver& driver, const PoolProblem& problem, const Image& input, const Image& output,
                 LoweredLayer* layer) {
  PoolPlan plan = {.problem = problem,
                   .down = {problem.stride_h, problem.pad_top, problem.filter_height, input.height},
                   .across = {problem.stride_w, problem.pad_left, problem.filter_width, input.width}};
  if (input.groups != output.groups || input.channels != output.channels ||
      !IsWindow(plan.down, output.height) || !IsWindow(plan.across, output.width))
    return layer->Decline("windows without a code");
  if (output.columns > kMostStride || static_cast<uint64_t>(plan.down.stride) * input.columns > kMostStride)
    return layer->Decline("rows too long for a transfer's stride");
  const int64_t rows = plan.down.taps < plan.down.size ? plan.down.taps : plan.down.size;
  const int64_t columns = plan.across.taps < plan.across.size ? plan.across.taps : plan.across.size;
  if (problem.is_average &&
      (rows * columns > INT16_MAX || FindDivisor(static_cast<int32_t>(rows * columns)).multiplier == 0))
    return layer->Decline("windows of too many codes");
  if (!ChooseTile(driver, output, &plan)) return layer->Decline("buffers too small for one window");
  layer->bound = BoundOf(driver, plan, input, output);
  return WriteStream(
      driver,
      [&](CommandStream& commands) { return PoolStream(driver, plan, input, output, commands).Write(); },
      &layer->stream);
}

}  // namespace lutra::vta
