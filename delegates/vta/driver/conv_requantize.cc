// SPDX-License-Identifier: Apache-2.0
// From accumulators to codes: the vectors of constants that requantise each output block.

#include <string.h>

#include "delegates/vta/driver/conv_plan.h"

namespace lutra::vta {
namespace {

// The bias with the part of the input's zero point, and the largest possible magnitude of an accumulator.
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
  // The bounds hold before the bias is added, too.
  const int64_t ends[] = {high, -high, low, -low, high - sums.bias, sums.bias - low, sums.bias, -sums.bias};
  for (const int64_t end : ends) sums.bound = end > sums.bound ? end : sums.bound;
  return sums;
}

constexpr int64_t kMostAccumulator = (int64_t{1} << 30) - 1;

// A value for each lane of a vector.
struct Lanes {
  Span<Multiplier> multipliers;
  Span<Multiplier16> legacy;  // In mode legacy16, instead.
  Span<int32_t> biases;

  Status Allocate(const Driver& driver) {
    const uint32_t count = driver.config().lanes();
    LUTRA_TRY(AllocateArray(driver, count, &biases));
    if (driver.options.mode == Mode::kLegacy16) return AllocateArray(driver, count, &legacy);
    return AllocateArray(driver, count, &multipliers);
  }
  void Set(uint32_t lane, const ConvProblem& problem, uint32_t out) {
    if (!multipliers.empty())
      multipliers[lane] = problem.multipliers[problem.multipliers.size() == 1 ? 0 : out];
    if (!legacy.empty())
      legacy[lane] = problem.legacy_multipliers[problem.legacy_multipliers.size() == 1 ? 0 : out];
  }
  void Clear(uint32_t lane) {
    if (!multipliers.empty()) multipliers[lane] = {0, 0};
    if (!legacy.empty()) legacy[lane] = {0, 0};
    biases[lane] = 0;
  }
  void Copy(uint32_t to, uint32_t from) {
    if (!multipliers.empty()) multipliers[to] = multipliers[from];
    if (!legacy.empty()) legacy[to] = legacy[from];
    biases[to] = biases[from];
  }
};

// Sets `requantize` to the problem of one output block. Sums of mode legacy16 may wrap.
Status ProblemOf(const Config& config, const ConvProblem& problem, uint32_t out_block, Lanes& lanes,
                 RequantizeProblem* requantize) {
  const uint32_t block = config.block();
  int64_t bound = 0;
  for (uint32_t lane = 0; lane < block; ++lane) {
    const uint32_t out = out_block * block + lane;
    lanes.Clear(lane);
    if (out >= Unsigned(problem.shape.out_channels)) continue;
    const Sums sums = SumsOf(problem, out);
    if (sums.bound > kMostAccumulator && lanes.legacy.empty()) return Status::kUnsupported;
    bound = sums.bound > bound ? sums.bound : bound;
    lanes.Set(lane, problem, out);
    lanes.biases[lane] = static_cast<int32_t>(static_cast<uint32_t>(sums.bias));
  }
  for (uint32_t lane = block; lane < config.lanes(); ++lane) lanes.Copy(lane, lane - block);
  *requantize = {.lanes = lanes.multipliers,
                 .legacy_lanes = lanes.legacy,
                 .zero_point = problem.zero_point,
                 .min = problem.min,
                 .max = problem.max,
                 .accumulator_bound = static_cast<int32_t>(bound),
                 .biases = lanes.biases};
  return Status::kOk;
}

}  // namespace

Status PlanConstants(const Driver& driver, ConvPlan* plan, LoweredLayer* layer) {
  const Config& config = driver.config();
  Lanes lanes;
  LUTRA_TRY(lanes.Allocate(driver));
  LUTRA_TRY(AllocateArray(driver, plan->out_blocks, &plan->requantize));
  RequantizeProblem problem;
  for (uint32_t i = 0; i < plan->out_blocks; ++i) {
    if (ProblemOf(config, plan->problem, i, lanes, &problem) != Status::kOk)
      return layer->Decline("accumulators of more than 30 bits");
    RequantizePlan& requantize = plan->requantize[i];
    if (FactsOf(driver.options.mode).requantize(problem, &requantize) != Status::kOk)
      return layer->Decline("a scale that no sequence of ALU instructions is exact for");
    plan->constant_rows = Most(plan->constant_rows, 1 + requantize.constant_rows());
    plan->scratch_rows = Most(plan->scratch_rows, requantize.scratch_rows());
  }
  Span<int32_t> rows;
  LUTRA_TRY(AllocateArray(driver, uint64_t{plan->constant_rows} * config.lanes(), &rows));
  const uint64_t bytes = uint64_t{plan->constant_rows} * config.ElementBytes(Memory::kAcc);
  LUTRA_TRY(AllocateDram(driver, plan->out_blocks * bytes, &plan->constants));
  for (uint32_t i = 0; i < plan->out_blocks; ++i) {
    LUTRA_TRY(ProblemOf(config, plan->problem, i, lanes, &problem));
    memset(rows.data(), 0, rows.size() * sizeof(int32_t));
    memcpy(rows.data(), lanes.biases.data(), config.lanes() * sizeof(int32_t));
    FillConstants(problem, plan->requantize[i], rows.Subspan(config.lanes(), rows.size() - config.lanes()));
    uint8_t* const to = plan->constants.bytes + i * bytes;
    for (size_t k = 0; k < rows.size(); ++k) StoreWord(to + 4 * k, static_cast<uint32_t>(rows[k]));
  }
  return Status::kOk;
}

}  // namespace lutra::vta
