// SPDX-License-Identifier: Apache-2.0
// SVDF with vectors of MVE, states of int8: a fully connected layer computes the newest values of a block of
// units, then each filter's state is shifted and weighted, eight values at a time.

#include <arm_mve.h>

#include "lutra/kernels/fully_connected/fully_connected.h"
#include "lutra/kernels/svdf/svdf.h"
#include "runtime/kernels/codes_mve.h"

// The variant needs FULLY_CONNECTED's, which a build may leave out.
#if LUTRA_HAS_VARIANTS(fully_connected, MVE)

namespace lutra {
namespace {

// A block of units has at most this many filters.
constexpr int32_t kMostFilters = 48;

// States of some filters, their weights, and their newest values.
struct States {
  int16_t zero_point;
  int32_t memory;
  int32_t filters;
  const int8_t* weights;
  const int8_t* newest;
  int8_t* state;
};

// Shifts each state by a value, with newest[i] as the last, and adds the products with its weights to
// sums[i]. kOneVector: at most eight values are shifted.
template <bool kOneVector>
[[gnu::noinline]] void ShiftAndWeigh(const States& states, uint32_t* sums) {
  const int32_t memory = states.memory;
  const int16_t zero_point = states.zero_point;
  const int8_t* newest = states.newest;
  const int8_t* weights = states.weights;
  int8_t* state = states.state;
  const mve_pred16_t all = vctp16q(static_cast<uint32_t>(memory - 1));
  for (int32_t left = states.filters; left > 0; --left) {
    int32_t sum = (*newest - zero_point) * weights[memory - 1];
    const auto move = [&](int32_t i, mve_pred16_t lanes) __attribute__((always_inline)) {
      const int16x8_t values = vldrbq_z_s16(state + i + 1, lanes);
      vstrbq_p_s16(state + i, values, lanes);
      sum = vmladavaq_s16(sum, vsubq_n_s16(values, zero_point), vldrbq_z_s16(weights + i, lanes));
    };
    if (kOneVector) {
      move(0, all);
    } else {
      for (int32_t i = 0; i < memory - 1; i += 8) move(i, vctp16q(static_cast<uint32_t>(memory - 1 - i)));
    }
    state += memory;
    weights += memory;
    state[-1] = *newest++;
    *sums++ = static_cast<uint32_t>(sum);
  }
}

// Computes the newest values of states, of the filters from `first` on.
void ComputeNewest(const SvdfArgs& args, const int8_t* input, int32_t first, int32_t filters,
                   int8_t* newest) {
  FullyConnectedArgs features = {};
  features.depth = args.depth;
  features.channels = filters;
  features.quantization = {args.input_offset, 0, INT8_MIN, INT8_MAX};
  features.weights = args.feature_weights + static_cast<intptr_t>(first) * args.depth;
  features.multipliers = &args.feature;
  features.one_multiplier = true;
  const auto row = [](const int8_t* values, int32_t bytes) {
    return Rows{reinterpret_cast<uint8_t*>(const_cast<int8_t*>(values)), bytes};
  };
  FullyConnectedMve(features, row(input, args.depth), row(newest, filters), 0, 1);
  // Adding the zero point wraps.
  for (int32_t i = 0; i < kMostFilters; i += 16) {
    vst1q_s8(newest + i, vaddq_n_s8(vld1q_s8(newest + i), static_cast<int8_t>(args.state_zero_point)));
  }
}

// Adds the sums of filters up to those of some units, from `first` on.
void AddToUnits(const SvdfArgs& args, int32_t first, int32_t units, uint32_t* sums) {
  const int32_t* const bias = args.bias != nullptr ? args.bias + first : nullptr;
  if (args.rank == 1) {
    for (int32_t unit = 0; bias != nullptr && unit < units; ++unit)
      sums[unit] += static_cast<uint32_t>(bias[unit]);
    return;
  }
  const uint32_t* next = sums;
  for (int32_t unit = 0; unit < units; ++unit) {
    uint32_t sum = bias != nullptr ? static_cast<uint32_t>(bias[unit]) : 0;
    for (int32_t left = args.rank; left > 0; --left) sum += *next++;
    sums[unit] = sum;
  }
}

void StoreUnits(const SvdfArgs& args, int32_t units, const uint32_t* sums, int8_t* output) {
  const CodeSteps right_steps = args.output_offset == INT8_MIN ? CodeSteps::kFromZero : CodeSteps::kSigned;
  const bool shifts_left = SomeShiftLeft(&args.time, 1);
  const int32_t zeros[8] = {};
  Multiplier same[8];
  for (Multiplier& multiplier : same) multiplier = args.time;
  for (; units > 0; units -= 8, sums += 8, output += 8) {
    // Sums are put into the order of codes_mve.h.
    const uint32x4x2_t eight = vld2q_u32(sums);
    int32_t ordered[8];
    vst1q_s32(ordered, vreinterpretq_s32_u32(eight.val[0]));
    vst1q_s32(ordered + 4, vreinterpretq_s32_u32(eight.val[1]));
    StoreUpToEight(right_steps, shifts_left,
                   {.pixels = 1,
                    .first_sums = zeros,
                    .multipliers = same,
                    .channels = units < 8 ? units : 8,
                    .zero_point = args.output_offset,
                    .output = output,
                    .step = 0},
                   ordered, 0);
  }
}

void RunBatch(const SvdfArgs& args, const int8_t* input, int8_t* state, int8_t* output) {
  int32_t most_units = kMostFilters / args.rank;
  if (most_units >= 8) most_units = most_units / 8 * 8;
  const auto shift_and_weigh = args.memory <= 9 ? ShiftAndWeigh<true> : ShiftAndWeigh<false>;
  States states = {
      args.state_zero_point, args.memory, 0, static_cast<const int8_t*>(args.time_weights), nullptr, state};
  for (int32_t first = 0; first < args.units;) {
    const int32_t left = args.units - first;
    const int32_t units = left < most_units ? left : most_units;
    int8_t newest[kMostFilters] = {};
    uint32_t sums[kMostFilters] = {};
    states.filters = units * args.rank;
    states.newest = newest;
    ComputeNewest(args, input, first * args.rank, states.filters, newest);
    shift_and_weigh(states, sums);
    AddToUnits(args, first, units, sums);
    StoreUnits(args, units, sums, output + first);
    first += units;
    states.weights += states.filters * args.memory;
    states.state += states.filters * args.memory;
  }
}

}  // namespace

void SvdfMve(const SvdfArgs& args) {
  if (args.rank > kMostFilters) return SvdfRef<int8_t>(args);
  auto* state = static_cast<int8_t*>(args.state);
  for (int32_t batch = 0; batch < args.batches; ++batch) {
    RunBatch(args, args.input + static_cast<intptr_t>(batch) * args.depth, state,
             args.output + static_cast<intptr_t>(batch) * args.units);
    state += static_cast<intptr_t>(args.units) * args.rank * args.memory;
  }
}

}  // namespace lutra

#endif
