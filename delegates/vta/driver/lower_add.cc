// SPDX-License-Identifier: Apache-2.0
// Tiles, scaling of operands, and the stream.

#include "delegates/vta/driver/lower_add.h"

#include "delegates/vta/driver/tiles.h"
#include "delegates/vta/driver/vector_ops.h"
#include "lutra/fixed_point/fixed_point.h"

namespace lutra::vta {
namespace {

constexpr int kLeftShift = 20;
// v| 2^19 for two operands; v itself for one.
constexpr int32_t kSumBound = 2 * 256 * (1 << 19), kOneBound = 256;
// Bits of a sum that mode fast drops, so that its multiplier has more.
constexpr int kFastBits = 10;
// Constants of ADD itself: 32 mh and half of 2^n of each operand.
constexpr uint32_t kOwnRows = 4;

struct AddPlan {
  AddProblem problem;
  bool is_legacy = false;
  int dropped_bits = 0;
  RequantizePlan requantize;
  DramBuffer constants;
  uint32_t constant_rows = 0;
  uint32_t scratch_rows = 0;  // Vectors for each vector of a tile, beside the operands.
};

int32_t Low(Multiplier m) { return static_cast<int16_t>(static_cast<uint16_t>(m.value & 0xFFFF)); }
int32_t High(Multiplier m) { return static_cast<int32_t>((int64_t{m.value} - Low(m)) >> 16); }
bool IsHalf(Multiplier m) { return m.value == 1 << 30 && m.shift == 0; }

// Returns whether the multiplier is at most 1/2, so that the sequence is exact.
bool IsScalable(Multiplier m) {
  return m.value == 0 || (m.value >= 1 << 30 && m.shift <= 0 && m.shift >= -31);
}

// Rows of constants: ADD's own, then the requantisation's.
Status PlanConstants(const Driver& driver, AddPlan* plan, LoweredLayer* layer) {
  const Config& config = driver.config();
  const AddProblem& problem = plan->problem;
  const uint32_t lanes = config.lanes();
  Span<Multiplier> multipliers;
  LUTRA_TRY(AllocateArray(driver, lanes, &multipliers));
  if (driver.options.mode == Mode::kFast && problem.operands == 2 && problem.output.shift <= -kFastBits)
    plan->dropped_bits = kFastBits;
  const Multiplier output = {problem.output.value, problem.output.shift + plan->dropped_bits};
  for (Multiplier& m : multipliers) m = output;
  const RequantizeProblem requantize = {
      .lanes = multipliers,
      .zero_point = problem.zero_point,
      .min = problem.min,
      .max = problem.max,
      .accumulator_bound = problem.operands == 2 ? kSumBound >> plan->dropped_bits : kOneBound};
  if (FactsOf(driver.options.mode).requantize(requantize, &plan->requantize) != Status::kOk)
    return layer->Decline("a scale that no sequence of ALU instructions is exact for");
  plan->constant_rows = kOwnRows + plan->requantize.constant_rows();
  const uint32_t scratch = plan->requantize.scratch_rows();
  plan->scratch_rows = scratch < 2 ? 2 : scratch;
  Span<int32_t> rows;
  LUTRA_TRY(AllocateArray(driver, uint64_t{plan->constant_rows} * lanes, &rows));
  const Multiplier both[] = {problem.a.multiplier, problem.b.multiplier};
  for (uint32_t i = 0; i < 2 * lanes; ++i) {
    const Multiplier m = both[i / lanes];
    rows[i] = 32 * High(m);
    rows[2 * lanes + i] = m.shift < 0 ? static_cast<int32_t>(uint32_t{1} << (-m.shift - 1)) : 0;
  }
  FillConstants(requantize, plan->requantize, rows.Subspan(kOwnRows * lanes, rows.size() - kOwnRows * lanes));
  LUTRA_TRY(AllocateDram(driver, uint64_t{plan->constant_rows} * config.ElementBytes(Memory::kAcc),
                         &plan->constants));
  for (size_t k = 0; k < rows.size(); ++k) {
    StoreWord(plan->constants.bytes + 4 * k, static_cast<uint32_t>(rows[k]));
  }
  return Status::kOk;
}

Status PlanLegacy(AddPlan* plan, LoweredLayer* layer) {
  if (plan->problem.operands != 2) return layer->Decline("the mode has no such operator");
  plan->is_legacy = true;
  plan->scratch_rows = 1;
  return Status::kOk;
}

class AddStream {
 public:
  AddStream(const Driver& driver, const AddPlan& plan, const Image& a, const Image& b, const Image& output,
            CommandStream& commands)
      : driver_(driver), plan_(plan), a_(a), b_(b), output_(output), commands_(commands) {}

  // A tile's vectors: stored ones for each thread; the other operand and scratch once.
  static uint32_t MostVectors(const Driver& driver, const AddPlan& plan) {
    const uint32_t depth = driver.config().Depth(Memory::kAcc);
    const uint32_t each = driver.options.threads + 1 + plan.scratch_rows;
    return depth <= plan.constant_rows ? 0 : (depth - plan.constant_rows) / each;
  }

  Status Write() {
    const uint32_t most = MostVectors(driver_, plan_);
    if (plan_.constant_rows != 0) {
      (void)commands_.LoadBuffer2D({.memory = Memory::kAcc,
                                    .dram_index = plan_.constants.Index(driver_.config(), Memory::kAcc),
                                    .x_size = plan_.constant_rows});
    }
    StoreThreads threads(commands_, driver_.options.threads);
    ForEachTile(driver_.config(), output_, TileSize::Of(output_, most), [&](const Tile& tile) {
      const uint32_t first = plan_.constant_rows;
      const uint32_t a = first + threads.Take() * most, b = first + driver_.options.threads * most;
      AddTile(tile, a, b, b + most);
      StoreTile(commands_, driver_.config(), output_, tile, a);
      threads.Give();
    });
    return threads.End();
  }

 private:
  void AddTile(const Tile& tile, uint32_t a, uint32_t b, uint32_t scratch) {
    const uint32_t count = tile.rows * tile.columns;
    VectorOps on(commands_, 1, count);
    LoadTile(commands_, driver_.config(), a_, output_, tile, a);
    if (plan_.problem.operands == 1) {
      on.AddNumber({a}, -plan_.problem.a.zero_point);
    } else {
      LoadTile(commands_, driver_.config(), b_, output_, tile, b);
      if (plan_.is_legacy) return AddLegacy(on, a, b, scratch);
      if (a_.table == nullptr) Scale(on, 0, plan_.problem.a, a, scratch, count);
      if (b_.table == nullptr) Scale(on, 1, plan_.problem.b, b, scratch, count);
      on.WithVector(AluOpcode::kAdd, {a}, {b});
      if (plan_.dropped_bits != 0) on.WithNumber(AluOpcode::kShr, {a}, plan_.dropped_bits);
    }
    (void)PushRequantize(commands_, plan_.requantize,
                         {.first = a, .count = count, .constants = kOwnRows, .scratch = scratch});
  }

  void AddLegacy(VectorOps& on, uint32_t a, uint32_t b, uint32_t scratch) {
    const Legacy16Add& legacy = plan_.problem.legacy;
    if (a_.table == nullptr) PushLegacy16Operand(on, legacy.a, legacy.zero_point_a, a, scratch);
    if (b_.table == nullptr) PushLegacy16Operand(on, legacy.b, legacy.zero_point_b, b, scratch);
    PushLegacy16Sum(on, legacy, plan_.problem.min, plan_.problem.max, a, b);
  }

  // Codes at `at` become v * 2^20 * m, rounded.
  void Scale(VectorOps& on, uint32_t which, const AddProblem::Operand& operand, uint32_t at, uint32_t scratch,
             uint32_t count) {
    const Multiplier m = operand.multiplier;
    const uint32_t low = scratch, sign = scratch + count;
    on.AddNumber({at}, -operand.zero_point);
    if (IsHalf(m)) return on.WithNumber(AluOpcode::kShr, {at}, 1 - kLeftShift);
    if (m.value == 0) return on.WithNumber(AluOpcode::kMul, {at}, 0);
    on.Zero({low});
    on.WithVector(AluOpcode::kAdd, {low}, {at});
    if (m.shift < 0) {
      on.Zero({sign});
      on.WithVector(AluOpcode::kAdd, {sign}, {at});
      on.WithNumber(AluOpcode::kShr, {sign}, 31);
    }
    on.WithNumber(AluOpcode::kMul, {low}, Low(m));
    on.WithNumber(AluOpcode::kAdd, {low}, 1 << 10);
    on.WithNumber(AluOpcode::kShr, {low}, 11);
    on.WithConstant(AluOpcode::kMul, {at}, which);
    on.WithVector(AluOpcode::kAdd, {at}, {low});
    if (m.shift == 0) return;
    on.WithVector(AluOpcode::kAdd, {at}, {sign});
    on.WithConstant(AluOpcode::kAdd, {at}, 2 + which);
    on.WithNumber(AluOpcode::kShr, {at}, -m.shift);
  }

  const Driver& driver_;
  const AddPlan& plan_;
  const Image &a_, &b_, &output_;
  CommandStream& commands_;
};

// Bytes of an operand's vector, and cycles of the ALU to scale it.
struct OperandCost {
  uint64_t bytes, cycles;
};
OperandCost CostOf(const Config& config, const Image& image) {
  constexpr uint64_t kScaleCycles = 10;
  return {config.ElementBytes(image.memory()), image.table == nullptr ? kScaleCycles : 0};
}

LayerBound BoundOf(const Driver& driver, const AddPlan& plan, const Image& a, const Image& b,
                   const Image& output) {
  const Config& config = driver.config();
  const uint64_t vectors = uint64_t{output.groups} * output.Blocks(config) * output.height * output.width;
  LayerBound bound;
  OperandCost operands = {config.lanes(), 1};
  if (plan.problem.operands == 2) {
    const OperandCost one = CostOf(config, a), other = CostOf(config, b);
    // Both addends of the sum are registers.
    operands = {one.bytes + other.bytes, 2 + one.cycles + other.cycles};
  }
  bound.alu_cycles =
      vectors * (operands.cycles + (plan.is_legacy ? kLegacy16SumCycles : plan.requantize.alu_cycles()));
  bound.bytes = vectors * (config.lanes() + operands.bytes);
  bound.bus_cycles = vectors * operands.bytes / config.bus_bytes();
  return bound;
}

}  // namespace

AddProblem AddProblem::OfSum(float scale_a, int32_t zero_a, float scale_b, int32_t zero_b, float scale,
                             int32_t zero_point) {
  const auto a = static_cast<double>(scale_a), b = static_cast<double>(scale_b),
             out = static_cast<double>(scale);
  const double twice = 2.0 * (a > b ? a : b);
  AddProblem problem;
  problem.a = {zero_a, QuantizeMultiplier(a / twice)};
  problem.b = {zero_b, QuantizeMultiplier(b / twice)};
  problem.output = QuantizeMultiplier(twice / (static_cast<double>(1 << kLeftShift) * out));
  problem.zero_point = zero_point;
  problem.legacy = Legacy16Add::Of(a, zero_a, b, zero_b, out, zero_point);
  return problem;
}

int32_t AddProblem::Scaled(int operand, int8_t code, Mode mode) const {
  const bool is_first = operand == 0;
  if (mode == Mode::kLegacy16) {
    const int32_t zero_point_16 = is_first ? legacy.zero_point_a : legacy.zero_point_b;
    return Legacy16Operand(code - zero_point_16, is_first ? legacy.a : legacy.b);
  }
  const Operand& one = is_first ? a : b;
  return MultiplyDoubleRounding((code - one.zero_point) * (1 << kLeftShift), one.multiplier);
}

AddProblem AddProblem::OfOne(float scale_a, int32_t zero_a, float scale, int32_t zero_point) {
  AddProblem problem;
  problem.operands = 1;
  problem.a.zero_point = zero_a;
  problem.output = QuantizeMultiplier(static_cast<double>(scale_a) / static_cast<double>(scale));
  problem.zero_point = zero_point;
  return problem;
}

Status LowerAdd(const Driver& driver, const AddProblem& problem, const Image& a, const Image& b,
                const Image& output, LoweredLayer* layer) {
  AddPlan plan = {.problem = problem};
  const Config& config = driver.config();
  if (!IsTileable(config, a, output) || (problem.operands == 2 && !IsTileable(config, b, output)))
    return layer->Decline("operands that do not fit tiles of the output, or rows too long for a transfer");
  if (driver.options.mode == Mode::kLegacy16) {
    LUTRA_TRY(PlanLegacy(&plan, layer));
  } else {
    const auto is_scaled = [](const AddProblem::Operand& operand, const Image& image) {
      return image.table != nullptr || IsScalable(operand.multiplier);
    };
    if (problem.operands == 2 && !(is_scaled(problem.a, a) && is_scaled(problem.b, b)))
      return layer->Decline("a scale that no sequence of ALU instructions is exact for");
    LUTRA_TRY(PlanConstants(driver, &plan, layer));
  }
  if (AddStream::MostVectors(driver, plan) == 0) return layer->Decline("buffers too small for one vector");
  layer->bound = BoundOf(driver, plan, a, b, output);
  return WriteStream(
      driver,
      [&](CommandStream& commands) { return AddStream(driver, plan, a, b, output, commands).Write(); },
      &layer->stream);
}

}  // namespace lutra::vta
