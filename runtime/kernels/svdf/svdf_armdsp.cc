// SPDX-License-Identifier: Apache-2.0
// SVDF for Cortex-M with DSP instructions: computes the features of a block of filters, two rows of weights
// at a time; then one walk for each filter shifts its state and weights it, a word at a time.

#include "runtime/fixed_point/high_word.h"
#include "runtime/kernels/loops_armdsp.h"
#include "runtime/kernels/svdf/row_sums_armdsp.h"
#include "runtime/kernels/svdf/svdf_state.h"
#include "runtime/kernels/words_armdsp.h"

namespace lutra {
namespace {

[[gnu::always_inline]] inline void StoreWord(uint32_t word, void* to) { memcpy(to, &word, sizeof word); }

// Returns the codes of places 1 and 3 of a word as int16, or their sums with pairs: compilers do not make the
// rotation a part of these instructions.
[[gnu::always_inline]] inline uint32_t OddPlaces(uint32_t word) {
  uint32_t pair;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(word));
  return pair;
}
[[gnu::always_inline]] inline uint32_t AddOddPlaces(int16x2_t pair, uint32_t word) {
  uint32_t sums;
  __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(sums) : "r"(pair), "r"(word));
  return sums;
}

// Adds the products of two pairs of int16.
[[gnu::always_inline]] inline uint32_t AddProducts(uint32_t a, uint32_t b, uint32_t sum) {
  return static_cast<uint32_t>(
      __smlad(static_cast<int16x2_t>(a), static_cast<int16x2_t>(b), static_cast<int32_t>(sum)));
}

// Says how values of a state are weighted.
template <typename Value>
struct StateRule;

// A word is four values.
template <>
struct StateRule<int8_t> {
  static constexpr int32_t kWordValues = 4;

  static bool Takes(int32_t) { return true; }
  explicit StateRule(int32_t zero_point)
      : zero_point(zero_point),
        offset(static_cast<int32_t>(static_cast<uint32_t>(-zero_point & 0xFFFF) * 0x10001u)) {}

  [[gnu::always_inline]] uint32_t Weigh(uint32_t values, uint32_t weights, uint32_t sum) const {
    const auto even = static_cast<uint32_t>(__sxtab16(offset, static_cast<int8x4_t>(values)));
    const uint32_t odd = AddOddPlaces(offset, values);
    sum = AddProducts(even, static_cast<uint32_t>(__sxtb16(static_cast<int8x4_t>(weights))), sum);
    return AddProducts(odd, OddPlaces(weights), sum);
  }
  [[gnu::always_inline]] uint32_t WeighOne(int8_t value, int8_t weight, uint32_t sum) const {
    return sum + static_cast<uint32_t>((value - zero_point) * weight);
  }

  int32_t zero_point;
  int16x2_t offset;  // -zero_point in both halves.
};

// A word is two values. Differences from a zero point might not fit int16.
template <>
struct StateRule<int16_t> {
  static constexpr int32_t kWordValues = 2;

  static bool Takes(int32_t zero_point) { return zero_point == 0; }
  explicit StateRule(int32_t) {}

  [[gnu::always_inline]] uint32_t Weigh(uint32_t values, uint32_t weights, uint32_t sum) const {
    return AddProducts(values, weights, sum);
  }
  [[gnu::always_inline]] uint32_t WeighOne(int16_t value, int16_t weight, uint32_t sum) const {
    return sum + static_cast<uint32_t>(value * weight);
  }
};

template <typename Value>
[[gnu::always_inline]] inline uint32_t LoadWordOf(const Value* values) {
  return LoadWord(reinterpret_cast<const int8_t*>(values));
}

// Shifts the states of some filters by a value each, with newest[i] as the last, and sets newest[i] to the
// sum of the products with their weights. kWhole: states are whole words.
template <typename Value, bool kWhole>
LUTRA_OFTEN void ShiftAndWeigh(StateRule<Value> rule, int32_t memory, const Value* weights, Value* state,
                               int32_t filters, uint32_t* newest) {
  constexpr int32_t kWordValues = StateRule<Value>::kWordValues;
  constexpr int32_t kBits = 8 * static_cast<int32_t>(sizeof(Value));
  for (const uint32_t* const end = newest + filters; newest != end; ++newest) {
    uint32_t sum = 0;
    // These values are followed by another one in the state.
    int32_t moved = memory - 1;
    for (; moved >= kWordValues; moved -= kWordValues) {
      const uint32_t values = LoadWordOf(state + 1);
      StoreWord(values, state);
      sum = rule.Weigh(values, LoadWordOf(weights), sum);
      state += kWordValues;
      weights += kWordValues;
    }
    if (kWhole) {
      const uint32_t values = LoadWordOf(state) >> kBits | *newest << (32 - kBits);
      StoreWord(values, state);
      sum = rule.Weigh(values, LoadWordOf(weights), sum);
      state += kWordValues;
      weights += kWordValues;
    } else {
      for (; moved > 0; --moved, ++state) {
        *state = state[1];
        sum = rule.WeighOne(*state, *weights++, sum);
      }
      *state = static_cast<Value>(*newest);
      sum = rule.WeighOne(*state++, *weights++, sum);
    }
    *newest = sum;
  }
}

// Turns features into the newest values of states.
template <typename Value>
LUTRA_OFTEN void ComputeNewest(const SvdfArgs& args, int32_t filters, uint32_t* features) {
  const Multiplier rule = args.feature;
  const int32_t zero_point = args.state_zero_point;
  HighWordStep step;
  const bool is_step = ComputeHighWordStep(rule, 0, &step);
  for (const uint32_t* const end = features + filters; features != end; ++features) {
    const auto sum = static_cast<int32_t>(*features);
    const int32_t value = is_step ? Requantise(sum, step) : MultiplyByQuantizedMultiplier(sum, rule);
    *features = static_cast<uint32_t>(__ssat(value, 8 * sizeof(Value)) + zero_point);
  }
}

// The place of the next code of a batch's units, and the sum of its unit so far.
struct Units {
  const int32_t* bias;
  int8_t* output;
  int32_t rest;  // Filters of the unit that are not added yet.
  uint32_t sum;
};

// Adds the sums of some filters to those of their units, and stores the codes of units that are complete.
LUTRA_OFTEN Units AddToUnits(const SvdfArgs& args, int32_t filters, const uint32_t* sums, Units units) {
  const Multiplier rule = args.time;
  const int32_t rank = args.rank;
  const int32_t zero_point = args.output_offset;
  HighWordStep step;
  const bool is_step = ComputeHighWordStep(rule, zero_point, &step);
  for (const uint32_t* const end = sums + filters; sums != end;) {
    units.sum += *sums++;
    if (--units.rest > 0) continue;
    if (units.bias != nullptr) units.sum += static_cast<uint32_t>(*units.bias++);
    const auto sum = static_cast<int32_t>(units.sum);
    const int32_t code =
        is_step ? Requantise(sum, step) : WrappingAdd(MultiplyByQuantizedMultiplier(sum, rule), zero_point);
    *units.output++ = static_cast<int8_t>(__ssat(code, 8));
    units.rest = rank;
    units.sum = 0;
  }
  return units;
}

template <typename Value>
void RunBatch(const SvdfArgs& args, const int8_t* input, Value* state, int8_t* output) {
  const StateRule<Value> rule(args.state_zero_point);
  const auto shift_and_weigh = args.memory % StateRule<Value>::kWordValues == 0 ? ShiftAndWeigh<Value, true>
                                                                                : ShiftAndWeigh<Value, false>;
  const auto* time_weights = static_cast<const Value*>(args.time_weights);
  const int8_t* feature_weights = args.feature_weights;
  RowSums row(input, args.input_offset, args.depth);
  Units units = {args.bias, output, args.rank, 0};
  int32_t filters = args.units * args.rank;
  while (filters > 0) {
    const int32_t count = RowsOfBlock(filters);
    filters -= count;
    uint32_t sums[kRowBlock] = {};
    row.AddProducts(feature_weights, count, sums);
    ComputeNewest<Value>(args, count, sums);
    shift_and_weigh(rule, args.memory, time_weights, state, count, sums);
    units = AddToUnits(args, count, sums, units);
    feature_weights += static_cast<intptr_t>(count) * args.depth;
    time_weights += static_cast<intptr_t>(count) * args.memory;
    state += static_cast<intptr_t>(count) * args.memory;
  }
}

}  // namespace

template <typename State>
void SvdfArmdsp(const SvdfArgs& args) {
  const int32_t filters = args.units * args.rank;
  if (filters < 2 || !StateRule<State>::Takes(args.state_zero_point)) return SvdfRef<State>(args);
  auto* state = static_cast<State*>(args.state);
  for (int32_t batch = 0; batch < args.batches; ++batch) {
    RunBatch(args, args.input + static_cast<intptr_t>(batch) * args.depth, state,
             args.output + static_cast<intptr_t>(batch) * args.units);
    state += static_cast<intptr_t>(filters) * args.memory;
  }
}
template void SvdfArmdsp<int8_t>(const SvdfArgs&);
template void SvdfArmdsp<int16_t>(const SvdfArgs&);

}  // namespace lutra
