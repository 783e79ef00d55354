// SPDX-License-Identifier: Apache-2.0
// Requantisation on VTA's ALU, equal bit for bit to MultiplyDoubleRounding (fixed_point.h) and a clamp, lane
// by lane: 32-bit accumulators, a multiplier and a shift for each output channel.
//
//   RequantizePlan plan;
//   LUTRA_TRY(PlanRequantize({.lanes = multipliers, .zero_point = 3, .accumulator_bound = bound}, &plan));
//   FillConstants(problem, plan, constants);                 // plan.constant_rows() vectors, for LOAD ACC
//   LUTRA_TRY(PushRequantize(commands, plan, {.first = 0, .count = 64, .constants = 64, .scratch = 80}));
//
// Limbs. The result is monotone, so x is clamped first, to [lo, hi], between which the result stays within
// its range; then the multiplier m is split into limbs of w bits with a sign, W bits below the top one, small
// enough that products with x fit 32 bits. By Horner's rule, T = floor((x m_i + T) / 2^w) from the lowest
// limb on, and
//   y      = floor((x m + 2^30) / 2^31) = floor((x m_top + T + 2^(30 - W)) / 2^(31 - W))
//   result = floor((y + 2^(n - 1) - [x < 0]) / 2^n) + zero point,          n = -shift
// because floors nest and sums wrap: only what is shifted must fit. Rounding and zero point are added before
// the first shift, in one constant. 4 L + 5 instructions for L limbs.
//
// Universal. Sixteen bits of x by sixteen bits of m, four products, and a clamp at the end: for multipliers
// from 1 on, and shifts that need too many limbs.
//
// Legacy. What the first delegate did (legacy16.h): MUL by 16 bits, SHR, and a clamp.
//
// Fast. One limb: result = floor((x m' + c) / 2^s), which is off by one if the two roundings of the
// specification differ from one rounding, or if the multiplier's lost bits matter.

#pragma once

#include "delegates/vta/driver/command_stream.h"
#include "delegates/vta/driver/legacy16.h"
#include "lutra/fixed_point/multiplier.h"
#include "lutra/span.h"
#include "lutra/status.h"

namespace lutra::vta {

struct RequantizeProblem {
  // The multiplier of each lane of a block: value in [2^30, 2^31) and shift, or both 0.
  Span<const Multiplier> lanes;
  // For PlanLegacy16Requantize instead.
  Span<const Multiplier16> legacy_lanes = {};
  int32_t zero_point = 0;
  int32_t min = -128, max = 127;  // The result's bounds, both included.
  int32_t accumulator_bound = 0;  // The largest magnitude of an accumulator. Below 2^30.
  // Empty, or the bias that each lane's accumulator still lacks, below 2^30: if the plan takes_bias(), its
  // constants include it; else the caller adds it first.
  Span<const int32_t> biases = {};

  // Results and zero point have 16 bits at most.
  bool IsRangeValid() const {
    return min <= max && min >= INT16_MIN && max <= INT16_MAX && zero_point >= INT16_MIN &&
           zero_point <= INT16_MAX;
  }
};

inline constexpr uint32_t kMostLimbs = 5;

struct RequantizePlan {
  bool is_universal = false;
  bool is_legacy = false;
  uint32_t limbs = 0;          // If it is neither. 1: PlanFastRequantize's, not exact.
  uint32_t limb_bits = 0;      // The bits of each limb but the top one.
  bool has_unshifted = false;  // Some lanes have shift 0, and are not rounded twice.
  bool has_left = false;       // Some lanes have a positive shift: universal only.
  // These serve the clamp of the universal sequence and the legacy one, and the latter's zero point.
  int32_t min = 0, max = 0, zero_point = 0;

  // With the fast sequence sums wrap, so that the bias' product is a part of its constant.
  bool takes_bias() const { return !is_universal && limbs == 1; }
  // Returns vectors of accumulators: for constants, and for scratch of each vector of values.
  uint32_t constant_rows() const;
  uint32_t scratch_rows() const { return is_universal ? 4 : limbs <= 1 ? 0 : limbs; }
  // Returns the ALU instructions, without the reset of the scratch, and their cycles for a vector: two if the
  // second operand is a register.
  uint32_t alu_instructions() const;
  uint32_t alu_cycles() const;
};

// kUnsupported: no sequence is exact for these lanes.
Status PlanRequantize(const RequantizeProblem& problem, RequantizePlan* plan);

// Plans a sequence that is not exact: a clamp, one product, one sum and one shift, with as many bits of the
// multiplier as fit. If some lane does not fit, the plan is PlanRequantize's.
Status PlanFastRequantize(const RequantizeProblem& problem, RequantizePlan* plan);

// `constants`: rows of as many values as the problem has lanes.
void FillConstants(const RequantizeProblem& problem, const RequantizePlan& plan, Span<int32_t> constants);

// Indices of accumulators.
struct RequantizePlace {
  uint32_t first = 0, count = 0;  // The values, which results replace.
  uint32_t constants = 0;
  uint32_t scratch = 0;  // scratch_rows() x count.
};
Status PushRequantize(CommandStream& commands, const RequantizePlan& plan, const RequantizePlace& place);

}  // namespace lutra::vta
