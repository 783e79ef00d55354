// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of lstm. Needs no C++ library.

#pragma once

#include <string.h>

#include "lutra/kernels/lstm/lstm.h"
#include "runtime/kernels/conv_cases.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct LstmCase {
  const char* name;
  LstmShape shape;
  // Tests of int8 and int16 set these; benchmarks leave them as they are.
  int8_t input_zero_point = -3;
  int8_t hidden_zero_point = 5;
  int32_t cell_shift = 1;
  int16_t cell_clip = -1;  // In units of the cell's scale, 2^(cell_shift - 12).
};

inline constexpr LstmCase kLstmCases[] = {
    {"one", {1, 1, 1, 1, false}},
    {"wide", {2, 3, 33, 17, false}, 127, -128, -3},
    {"time_major", {3, 5, 7, 9, true}, -128, 127, 0, 20000},
    {"clipped", {1, 9, 4, 6, false}, 0, 0, -1, 900},
};

// A step of a reader of digits, and one of a noise suppressor.
inline constexpr LstmCase kLstmBenchmarks[] = {
    {"28_20", {1, 28, 28, 20, false}},
    {"257_128", {1, 1, 257, 128, false}},
};

static inline int32_t StateCount(const LstmCase& c) { return c.shape.batches * c.shape.units; }

// Fills the pointers of all operands; the states are outputs, too.
template <typename Value, typename Weight, typename Bias, typename Cell, typename Memory>
void FillLstm(const LstmCase& c, Memory& memory, LstmTensors<Value, Weight, Bias, Cell>* tensors) {
  const LstmShape& s = c.shape;
  const int32_t steps = s.batches * s.times;
  tensors->input = Filled<Value>(memory, 1, steps * s.depth);
  for (int32_t gate = 0; gate < kLstmGates; ++gate) {
    const auto seed = static_cast<uint32_t>(2 + 3 * gate);
    tensors->input_weights[gate] = Filled<Weight>(memory, seed, s.units * s.depth);
    tensors->recurrent_weights[gate] = Filled<Weight>(memory, seed + 1, s.units * s.units);
    auto* const bias = Data<Bias>(memory, s.units);
    if constexpr (kIsReal<Bias>) {
      FillFloat(seed + 2, s.units, bias);
    } else if constexpr (sizeof(Bias) == 8) {
      const int32_t* const narrow = Filled<int32_t>(memory, seed + 2, s.units);
      for (int32_t i = 0; i < s.units; ++i) bias[i] = narrow[i] / 64;
    } else {
      FillBias(seed + 2, s.units, bias);
    }
    tensors->bias[gate] = bias;
  }
  tensors->hidden = Output<Value>(memory, StateCount(c));
  const auto state_count = static_cast<size_t>(StateCount(c));
  memcpy(tensors->hidden, Filled<Value>(memory, 20, StateCount(c)), state_count * sizeof(Value));
  tensors->cell = Output<Cell>(memory, StateCount(c));
  memcpy(tensors->cell, Filled<Cell>(memory, 21, StateCount(c)), state_count * sizeof(Cell));
  tensors->output = Output<Value>(memory, steps * s.units);
}

// `finer`: the scales of activations are 2^-finer of those of int8.
template <typename Args>
Problem<Args> LstmCodesProblemOf(const LstmCase& c, int32_t finer, auto& memory) {
  Args args = {.shape = c.shape,
               .input_zero_point = c.input_zero_point * (1 << finer),
               .hidden_zero_point = c.hidden_zero_point * (1 << finer),
               .forget = QuantizeMultiplier(0x1p-15),
               .update = QuantizeMultiplier(0x1p-18),
               .hidden = QuantizeMultiplier(0x1.23p-23 * (1 << finer)),
               .cell_shift = c.cell_shift,
               .cell_clip = c.cell_clip};
  // Gates have values of a few thousand units.
  FillMultipliers(11, c.shape.depth, kLstmGates, args.input);
  FillMultipliers(12, c.shape.units, kLstmGates, args.recurrent);
  for (int32_t gate = 0; gate < kLstmGates; ++gate) {
    args.input[gate].shift += 6 - finer;
    args.recurrent[gate].shift += 5 - finer;
  }
  FillLstm(c, memory, &args.tensors);
  return {.args = args};
}

Problem<LstmInt8Args> LstmInt8ProblemOf(const LstmCase& c, auto& memory) {
  return LstmCodesProblemOf<LstmInt8Args>(c, 0, memory);
}

Problem<LstmInt16Args> LstmInt16ProblemOf(const LstmCase& c, auto& memory) {
  return LstmCodesProblemOf<LstmInt16Args>(c, 8, memory);
}

Problem<LstmFloatArgs> LstmFloatProblemOf(const LstmCase& c, auto& memory) {
  LstmFloatArgs args = {.shape = c.shape, .cell_clip = static_cast<float>(c.cell_clip) / 1000};
  FillLstm(c, memory, &args.tensors);
  return {.args = args};
}

// Adds problem_of(case, memory) for all cases and some sizes.
void AddLstmProblems(const auto& problem_of, auto& memory, auto& problems) {
  for (const LstmCase& c : kLstmCases) problems.Add(problem_of(c, memory));
  for (int32_t i = 1; i <= kMaxCount; i += 3) {
    problems.Add(problem_of(LstmCase{"depths", {1, 2, i, 3, false}}, memory));
    problems.Add(problem_of(LstmCase{"units", {1, 2, 3, i, true}}, memory));
  }
}

inline constexpr auto kLstmInt8Problems = [](auto& memory, auto& problems) {
  AddLstmProblems([](const LstmCase& c, auto& m) { return LstmInt8ProblemOf(c, m); }, memory, problems);
};
inline constexpr auto kLstmInt16Problems = [](auto& memory, auto& problems) {
  AddLstmProblems([](const LstmCase& c, auto& m) { return LstmInt16ProblemOf(c, m); }, memory, problems);
};
inline constexpr auto kLstmFloatProblems = [](auto& memory, auto& problems) {
  AddLstmProblems([](const LstmCase& c, auto& m) { return LstmFloatProblemOf(c, m); }, memory, problems);
};

}  // namespace lutra
