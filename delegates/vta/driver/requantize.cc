// SPDX-License-Identifier: Apache-2.0
// Plans are proved for their lanes by the largest values that can occur in each step.

#include "delegates/vta/driver/requantize.h"

#include "delegates/vta/driver/vector_ops.h"
#include "lutra/fixed_point/fixed_point.h"

namespace lutra::vta {
namespace {

constexpr int32_t kMostShift = 22;  // With larger shifts zero point times 2^n may not fit.
constexpr int32_t kMostLeftShift = 20;
constexpr uint32_t kMostLimbBits = 16;
constexpr int64_t kMostAccumulator = (int64_t{1} << 30) - 1;

bool FitsInt32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }
int64_t Magnitude(int64_t value) { return value < 0 ? -value : value; }

// Rounding and zero point before the last shift.
int64_t Offset(const RequantizeProblem& problem, Multiplier m) {
  const int32_t n = m.shift < 0 ? -m.shift : 0;
  return (n > 0 ? int64_t{1} << (n - 1) : 0) + problem.zero_point * (int64_t{1} << n);
}

int64_t Result(const RequantizeProblem& problem, Multiplier m, int64_t x) {
  return int64_t{MultiplyDoubleRounding(static_cast<int32_t>(x), m)} + problem.zero_point;
}

// Returns the first x of [low, high) for which `holds` is true, and stays true; `high` if there is none.
template <typename Holds>
int64_t FirstThat(int64_t low, int64_t high, const Holds& holds) {
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Accumulators outside have the results of the nearer end.
struct Range {
  int64_t lo, hi;

  int64_t most() const { return Magnitude(lo) > Magnitude(hi) ? Magnitude(lo) : Magnitude(hi); }
};

// Returns false if all results are below min, or above max, so that there is no accumulator to clamp to.
bool FindRange(const RequantizeProblem& problem, Multiplier m, Range* range) {
  const int64_t bound = problem.accumulator_bound;
  const auto first_from = [&](int64_t value) {
    return FirstThat(-bound, bound + 1, [&](int64_t x) { return Result(problem, m, x) >= value; });
  };
  *range = {first_from(problem.min), first_from(int64_t{problem.max} + 1) - 1};
  return range->lo <= range->hi && range->lo <= bound && range->hi >= -bound;
}

// Returns the lowest `bits` of the rest as a signed number, and subtracts it.
int32_t TakeLimb(int64_t* rest, uint32_t bits) {
  const int64_t half = int64_t{1} << (bits - 1);
  const int64_t limb = ((*rest + half) & (2 * half - 1)) - half;
  *rest = (*rest - limb) >> bits;
  return static_cast<int32_t>(limb);
}

// The sum before the first of the last two shifts has W fewer bits below the point than m.
int64_t LimbConstant(const RequantizeProblem& problem, Multiplier m, uint32_t low_bits) {
  return (int64_t{1} << (30 - low_bits)) + Offset(problem, m) * (int64_t{1} << (31 - low_bits));
}

bool AreLimbsExact(const RequantizeProblem& problem, Multiplier m, uint32_t limbs, uint32_t bits) {
  Range range;
  if (!FindRange(problem, m, &range)) return false;
  if (Result(problem, m, range.lo) < problem.min || Result(problem, m, range.hi) > problem.max) return false;
  const uint32_t low_bits = (limbs - 1) * bits;
  int64_t rest = m.value, carried = 0;
  for (uint32_t i = 0; i + 1 < limbs; ++i) {
    const int64_t sum = range.most() * Magnitude(TakeLimb(&rest, bits)) + carried;
    if (sum > INT32_MAX) return false;
    carried = (sum >> bits) + 1;
  }
  const int64_t constant = LimbConstant(problem, m, low_bits);
  return FitsInt32((range.lo * m.value >> low_bits) + constant) &&
         FitsInt32((range.hi * m.value >> low_bits) + constant);
}

// Returns whether the results of the whole range fit the universal sequence.
bool IsUniversalExact(const RequantizeProblem& problem, Multiplier m) {
  if (m.shift < -kMostShift || m.shift > kMostLeftShift) return false;
  const int64_t most = int64_t{problem.accumulator_bound} << (m.shift > 0 ? m.shift : 0);
  return most <= kMostAccumulator && FitsInt32(most + Magnitude(Offset(problem, m)) + 1);
}

// x * value + constant, shifted, for x in the range.
struct FastLane {
  Range range = {0, 0};
  int64_t value = 0, constant = 0;
  int32_t shift = 0;

  int64_t Result(int64_t x) const { return (x * value + constant) >> shift; }
};

constexpr int32_t kMostFastBits = 24;

// Removes accumulators from the range whose results are rounded beyond its ends.
bool Narrow(const RequantizeProblem& problem, FastLane* lane) {
  Range& range = lane->range;
  range.lo = FirstThat(range.lo, range.hi + 1, [&](int64_t x) { return lane->Result(x) >= problem.min; });
  range.hi = FirstThat(range.lo, range.hi + 1, [&](int64_t x) { return lane->Result(x) > problem.max; }) - 1;
  return range.lo <= range.hi;
}

bool ComputeFast(const RequantizeProblem& problem, Multiplier m, FastLane* lane) {
  if (m.shift > 0 || m.shift < -kMostShift) return false;
  if (!FindRange(problem, m, &lane->range)) return false;
  for (int32_t bits = kMostFastBits; bits >= 1; --bits) {
    lane->value = (m.value + (int64_t{1} << (30 - bits))) >> (31 - bits);
    lane->shift = bits - m.shift;
    if (lane->shift > 30) continue;
    lane->constant = (int64_t{1} << (lane->shift - 1)) + problem.zero_point * (int64_t{1} << lane->shift);
    if (!FitsInt32(lane->range.most() * lane->value) || !FitsInt32(lane->constant)) continue;
    if (!FitsInt32(lane->range.lo * lane->value + lane->constant) ||
        !FitsInt32(lane->range.hi * lane->value + lane->constant))
      continue;
    return Narrow(problem, lane);
  }
  return false;
}

bool IsValid(const RequantizeProblem& problem) {
  if (problem.lanes.empty() || !problem.IsRangeValid() || problem.accumulator_bound < 0 ||
      problem.accumulator_bound > kMostAccumulator)
    return false;
  for (const Multiplier& m : problem.lanes) {
    const bool is_zero = m.value == 0 && m.shift == 0;
    if (!is_zero && (m.value < 1 << 30 || m.shift < -31 || m.shift > 30)) return false;
  }
  return true;
}

}  // namespace

// The rows of constants, in their order.
namespace limb_rows {
enum : uint32_t { kLo, kHi, kConstant, kShift, kUnshifted, kLimbs };
}
namespace universal_rows {
enum : uint32_t { kLow, kHigh, kTwiceHigh, kRound, kOffset, kShift, kUnshifted, kLeft, kCount };
}

uint32_t RequantizePlan::constant_rows() const {
  if (is_legacy) return kLegacy16ConstantRows;
  return is_universal ? uint32_t{universal_rows::kCount} : limb_rows::kLimbs + limbs;
}

uint32_t RequantizePlan::alu_instructions() const {
  if (is_legacy) return Legacy16Instructions(*this);
  const uint32_t extra = has_unshifted ? 1 : 0;
  if (limbs == 1) return 5;
  return is_universal ? 24 + extra + (has_left ? 1 : 0) : 4 * limbs + 5 + extra;
}

uint32_t RequantizePlan::alu_cycles() const {
  if (is_legacy) return 4 + alu_instructions() - 2;
  const uint32_t immediate = is_universal ? 9 : limbs == 1 ? 0 : limbs + 1;
  return 2 * alu_instructions() - immediate;
}

Status PlanFastRequantize(const RequantizeProblem& problem, RequantizePlan* plan) {
  *plan = {};
  if (!IsValid(problem)) return Status::kInvalidArgument;
  for (const Multiplier& m : problem.lanes) {
    FastLane lane;
    if (!ComputeFast(problem, m, &lane)) return PlanRequantize(problem, plan);
  }
  plan->limbs = 1;
  plan->min = problem.min;
  plan->max = problem.max;
  return Status::kOk;
}

Status PlanRequantize(const RequantizeProblem& problem, RequantizePlan* plan) {
  *plan = {};
  if (!IsValid(problem)) return Status::kInvalidArgument;
  plan->min = problem.min;
  plan->max = problem.max;
  bool may_split = true;
  for (const Multiplier& m : problem.lanes) {
    plan->has_unshifted = plan->has_unshifted || m.shift >= 0;
    plan->has_left = plan->has_left || m.shift > 0;
    may_split = may_split && m.shift <= 0 && m.shift >= -kMostShift;
  }
  for (uint32_t limbs = 2; may_split && limbs <= kMostLimbs; ++limbs) {
    for (uint32_t bits = kMostLimbBits; bits >= 1; --bits) {
      if ((limbs - 1) * bits > 30) continue;
      bool is_exact = true;
      for (const Multiplier& m : problem.lanes) is_exact = is_exact && AreLimbsExact(problem, m, limbs, bits);
      if (!is_exact) continue;
      plan->limbs = limbs;
      plan->limb_bits = bits;
      return Status::kOk;
    }
  }
  plan->is_universal = true;
  for (const Multiplier& m : problem.lanes) {
    if (!IsUniversalExact(problem, m)) return Status::kUnsupported;
  }
  return Status::kOk;
}

void FillConstants(const RequantizeProblem& problem, const RequantizePlan& plan, Span<int32_t> constants) {
  if (plan.is_legacy) return FillLegacy16Constants(problem, constants);
  const size_t lanes = problem.lanes.size();
  for (size_t lane = 0; lane < lanes; ++lane) {
    const Multiplier m = problem.lanes[lane];
    const auto set = [constants, lanes, lane](uint32_t row, int64_t value) {
      constants[row * lanes + lane] = static_cast<int32_t>(static_cast<uint32_t>(value));
    };
    const int32_t n = m.shift < 0 ? -m.shift : 0;
    int64_t rest = m.value;
    if (plan.is_universal) {
      const int32_t low = TakeLimb(&rest, 16);
      set(universal_rows::kLow, low);
      set(universal_rows::kHigh, rest);
      set(universal_rows::kTwiceHigh, 2 * rest);
      set(universal_rows::kRound, 1 << 15);
      set(universal_rows::kOffset, Offset(problem, m));
      set(universal_rows::kShift, n);
      set(universal_rows::kUnshifted, n == 0 ? 0 : -1);
      set(universal_rows::kLeft, m.shift > 0 ? -m.shift : 0);
      continue;
    }
    if (plan.limbs == 1) {
      FastLane fast;
      (void)ComputeFast(problem, m, &fast);
      const int64_t bias = problem.biases.empty() ? 0 : problem.biases[lane];
      set(limb_rows::kLo, fast.range.lo - bias);
      set(limb_rows::kHi, fast.range.hi - bias);
      set(limb_rows::kConstant, fast.constant + bias * fast.value);
      set(limb_rows::kShift, fast.shift);
      set(limb_rows::kLimbs, fast.value);
      continue;
    }
    Range range;
    (void)FindRange(problem, m, &range);
    set(limb_rows::kLo, range.lo);
    set(limb_rows::kHi, range.hi);
    set(limb_rows::kConstant, LimbConstant(problem, m, (plan.limbs - 1) * plan.limb_bits));
    set(limb_rows::kShift, n);
    set(limb_rows::kUnshifted, n == 0 ? 0 : -1);
    for (uint32_t limb = 0; limb + 1 < plan.limbs; ++limb) {
      set(limb_rows::kLimbs + limb, TakeLimb(&rest, plan.limb_bits));
    }
    set(limb_rows::kLimbs + plan.limbs - 1, rest);
  }
}

namespace {

// Writes instructions for all values of a place.
class Sequence : public VectorOps {
 public:
  Sequence(CommandStream& commands, const RequantizePlace& place)
      : VectorOps(commands, 1, place.count), commands_(commands), place_(place) {}

  VectorRect values() const { return {place_.first}; }
  // Returns the i-th part of the scratch.
  VectorRect scratch(uint32_t i) const { return {place_.scratch + i * place_.count}; }

  void ZeroScratch(uint32_t parts) { VectorOps(commands_, 1, parts * place_.count).Zero(scratch(0)); }
  // Applies a row of the constants.
  void WithRow(AluOpcode opcode, VectorRect dst, uint32_t row) {
    WithConstant(opcode, dst, place_.constants + row);
  }

 private:
  CommandStream& commands_;
  const RequantizePlace& place_;
};

void PushLimbs(Sequence& on, const RequantizePlan& plan) {
  using namespace limb_rows;
  const VectorRect a = on.values(), sign = on.scratch(0);
  on.ZeroScratch(plan.limbs);
  on.WithRow(AluOpcode::kMin, a, kHi);
  on.WithRow(AluOpcode::kMax, a, kLo);
  on.WithVector(AluOpcode::kAdd, sign, a);
  on.WithNumber(AluOpcode::kShr, sign, 31);
  if (plan.has_unshifted) on.WithRow(AluOpcode::kMax, sign, kUnshifted);
  for (uint32_t limb = 0; limb + 1 < plan.limbs; ++limb) {
    const VectorRect carried = on.scratch(1 + limb);
    on.WithVector(AluOpcode::kAdd, carried, a);
    on.WithRow(AluOpcode::kMul, carried, kLimbs + limb);
    if (limb > 0) on.WithVector(AluOpcode::kAdd, carried, on.scratch(limb));
    on.WithNumber(AluOpcode::kShr, carried, static_cast<int32_t>(plan.limb_bits));
  }
  const uint32_t low_bits = (plan.limbs - 1) * plan.limb_bits;
  on.WithRow(AluOpcode::kMul, a, kLimbs + plan.limbs - 1);
  on.WithVector(AluOpcode::kAdd, a, on.scratch(plan.limbs - 1));
  on.WithRow(AluOpcode::kAdd, a, kConstant);
  on.WithNumber(AluOpcode::kShr, a, static_cast<int32_t>(31 - low_bits));
  on.WithVector(AluOpcode::kAdd, a, sign);
  on.WithRow(AluOpcode::kShr, a, kShift);
}

void PushFast(Sequence& on) {
  using namespace limb_rows;
  const VectorRect a = on.values();
  on.WithRow(AluOpcode::kMin, a, kHi);
  on.WithRow(AluOpcode::kMax, a, kLo);
  on.WithRow(AluOpcode::kMul, a, kLimbs);
  on.WithRow(AluOpcode::kAdd, a, kConstant);
  on.WithRow(AluOpcode::kShr, a, kShift);
}

// x = 2^16 xh + xl and m = 2^16 mh + ml, with signed lower halves.
void PushUniversal(Sequence& on, const RequantizePlan& plan) {
  using namespace universal_rows;
  const VectorRect a = on.values(), b = on.scratch(0), c = on.scratch(1), d = on.scratch(2),
                   sign = on.scratch(3);
  on.ZeroScratch(plan.scratch_rows());
  if (plan.has_left) on.WithRow(AluOpcode::kShr, a, kLeft);
  on.WithVector(AluOpcode::kAdd, b, a);
  on.WithVector(AluOpcode::kAdd, sign, a);
  on.WithNumber(AluOpcode::kShr, sign, 31);
  if (plan.has_unshifted) on.WithRow(AluOpcode::kMax, sign, kUnshifted);
  on.WithNumber(AluOpcode::kShr, b, -16);
  on.WithNumber(AluOpcode::kShr, b, 16);  // xl
  on.WithRow(AluOpcode::kAdd, a, kRound);
  on.WithNumber(AluOpcode::kShr, a, 16);  // xh
  on.WithVector(AluOpcode::kAdd, c, b);
  on.WithVector(AluOpcode::kAdd, d, a);
  on.WithRow(AluOpcode::kMul, c, kLow);
  on.WithRow(AluOpcode::kMul, b, kHigh);
  on.WithRow(AluOpcode::kMul, d, kLow);
  on.WithRow(AluOpcode::kMul, a, kTwiceHigh);
  on.WithNumber(AluOpcode::kShr, c, 16);
  on.WithVector(AluOpcode::kAdd, b, c);
  on.WithVector(AluOpcode::kAdd, b, d);
  on.WithNumber(AluOpcode::kAdd, b, 1 << 14);
  on.WithNumber(AluOpcode::kShr, b, 15);
  on.WithVector(AluOpcode::kAdd, a, b);  // y
  on.WithVector(AluOpcode::kAdd, a, sign);
  on.WithRow(AluOpcode::kAdd, a, kOffset);
  on.WithRow(AluOpcode::kShr, a, kShift);
  on.WithNumber(AluOpcode::kMin, a, plan.max);
  on.WithNumber(AluOpcode::kMax, a, plan.min);
}

}  // namespace

Status PushRequantize(CommandStream& commands, const RequantizePlan& plan, const RequantizePlace& place) {
  Sequence on(commands, place);
  if (plan.is_legacy)
    PushLegacy16Requantize(commands, plan, place);
  else if (plan.is_universal)
    PushUniversal(on, plan);
  else if (plan.limbs == 1)
    PushFast(on);
  else
    PushLimbs(on, plan);
  return commands.status();
}

}  // namespace lutra::vta
