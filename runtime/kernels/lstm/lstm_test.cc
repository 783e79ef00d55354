// SPDX-License-Identifier: Apache-2.0
// Every variant against vectors of TensorFlow Lite Micro, against the real functions within a few units, and
// against the formula in double.

#include "lutra/kernels/lstm/lstm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/lstm/lstm_cases.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/problem_memory.h"

namespace lutra {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The formula in double: all tensors are real numbers, and h and c change in place.
struct Formula {
  LstmShape shape;
  double clip;
  std::vector<double> x, w[kLstmGates], r[kLstmGates], b[kLstmGates], h, c;

  std::vector<double> Run() {
    std::vector<double> output(static_cast<size_t>(shape.batches * shape.times * shape.units));
    for (int32_t t = 0; t < shape.times; ++t) {
      for (int32_t batch = 0; batch < shape.batches; ++batch) {
        const int32_t row = shape.time_major ? t * shape.batches + batch : batch * shape.times + t;
        Step(row, batch, &output);
      }
    }
    return output;
  }

  void Step(int32_t row, int32_t batch, std::vector<double>* output) {
    const std::vector<double> before = h;
    for (int32_t u = 0; u < shape.units; ++u) {
      double gate[kLstmGates];
      for (int g = 0; g < kLstmGates; ++g) {
        gate[g] = b[g][u];
        for (int32_t i = 0; i < shape.depth; ++i)
          gate[g] += w[g][u * shape.depth + i] * x[row * shape.depth + i];
        for (int32_t i = 0; i < shape.units; ++i) {
          gate[g] += r[g][u * shape.units + i] * before[batch * shape.units + i];
        }
      }
      double& cell = c[batch * shape.units + u];
      cell = Sigmoid(gate[kLstmForgetGate]) * cell +
             Sigmoid(gate[kLstmInputGate]) * std::tanh(gate[kLstmCellGate]);
      if (clip > 0) cell = std::clamp(cell, -clip, clip);
      h[batch * shape.units + u] = (*output)[row * shape.units + u] =
          Sigmoid(gate[kLstmOutputGate]) * std::tanh(cell);
    }
  }
};

// Three steps of one unit, as TensorFlow Lite Micro computes them. `finer`: the scales of activations are
// 2^-finer of those of int8.
template <typename Value, typename Bias>
void ExpectRecordedSteps(const auto& run, int finer, const std::vector<Value>& expected) {
  const int32_t fine = 1 << finer;
  const Value x[] = {static_cast<Value>(100 * fine), static_cast<Value>(-50 * fine),
                     static_cast<Value>(20 * fine)};
  const int8_t weights[] = {64, 32, -100, 77}, recurrent[] = {10, -20, 30, 40};
  const Bias bias[] = {100 * fine, 2000 * fine, -300 * fine, 50 * fine};
  auto h = static_cast<Value>(5 * fine);
  int16_t c = 1000;
  std::vector<Value> output = {0, 0, 0, 99};
  LstmCodesArgs<Value, Bias> args = {.shape = {1, 3, 1, 1, false}, .cell_clip = -1};
  args.tensors.input = x;
  const float scale = std::ldexp(1.0f, -7 - finer);
  for (int g = 0; g < kLstmGates; ++g) {
    args.tensors.input_weights[g] = weights + g;
    args.tensors.recurrent_weights[g] = recurrent + g;
    args.tensors.bias[g] = bias + g;
    args.input[g] = QuantizeMultiplier(double{scale * 0.01f} * 4096);
    args.recurrent[g] = QuantizeMultiplier(double{scale * 0.02f} * 4096);
  }
  args.tensors.hidden = &h;
  args.tensors.cell = &c;
  args.tensors.output = output.data();
  args.forget = QuantizeMultiplier(0x1p-15);
  args.update = QuantizeMultiplier(0x1p-19);
  args.hidden = QuantizeMultiplier(std::ldexp(1.0, finer - 23));
  args.cell_shift = 1;
  run(args);
  EXPECT_EQ(output, expected);
  EXPECT_EQ(h, expected[2]);
  EXPECT_EQ(c, -90);
}

class LstmInt8 : public KernelTest<LstmInt8Fn> {};

TEST_P(LstmInt8, MatchesTheRecordedVector) {
  ExpectRecordedSteps<int8_t, int32_t>([&](const auto& args) { Run(args); }, 0, {-10, 4, -3, 99});
}

// The integers follow the real functions: after a few steps each code is right to within some units.
TEST_P(LstmInt8, FollowsTheFormula) {
  constexpr double kInputScale = 1.0 / 64, kWeightScale = 1.0 / 300, kHiddenScale = 1.0 / 128;
  for (const LstmCase& c : kLstmCases) {
    ProblemMemory memory;
    Problem<LstmInt8Args> problem = LstmInt8ProblemOf(c, memory);
    LstmInt8Args& args = problem.args;
    const LstmShape& s = c.shape;
    const double cell_scale = std::ldexp(1.0, c.cell_shift - 12);
    args.update = QuantizeMultiplier(0x1p-30 / cell_scale);
    args.hidden = QuantizeMultiplier(0x1p-30 / kHiddenScale);
    Formula formula = {.shape = s, .clip = c.cell_clip * cell_scale};
    const auto reals = [](const auto* codes, int32_t count, double scale, int32_t zero_point = 0) {
      std::vector<double> values;
      for (int32_t i = 0; i < count; ++i) values.push_back((codes[i] - zero_point) * scale);
      return values;
    };
    const auto& t = args.tensors;
    formula.x = reals(t.input, s.batches * s.times * s.depth, kInputScale, c.input_zero_point);
    for (int g = 0; g < kLstmGates; ++g) {
      args.input[g] = QuantizeMultiplier(kInputScale * kWeightScale * 4096);
      args.recurrent[g] = QuantizeMultiplier(kHiddenScale * kWeightScale * 4096);
      formula.w[g] = reals(t.input_weights[g], s.units * s.depth, kWeightScale);
      formula.r[g] = reals(t.recurrent_weights[g], s.units * s.units, kWeightScale);
      formula.b[g] = reals(t.bias[g], s.units, kInputScale * kWeightScale);
    }
    for (int32_t i = 0; i < StateCount(c); ++i) {
      t.hidden[i] = static_cast<int8_t>(c.hidden_zero_point / 2);
      t.cell[i] = static_cast<int16_t>(i * 100);
    }
    formula.h = reals(t.hidden, StateCount(c), kHiddenScale, c.hidden_zero_point);
    formula.c = reals(t.cell, StateCount(c), cell_scale);
    Run(args);
    const std::vector<double> expected = formula.Run();
    for (size_t i = 0; i < expected.size(); ++i) {
      const double code =
          std::clamp(std::round(expected[i] / kHiddenScale) + c.hidden_zero_point, -128.0, 127.0);
      // If the hidden state is clamped, its next step is off by more.
      const double slack = std::abs(c.hidden_zero_point) > 100 ? 60 : 4;
      ASSERT_NEAR(t.output[i], code, slack) << c.name << " " << i;
    }
  }
}

// Codes of a hidden state rarely show that the sum of a gate is clamped to 8, and that the cell's shift to
// the right rounds.
TEST_P(LstmInt8, EndsGatesAtEightAndRoundsTheShiftOfTheCell) {
  const int8_t x = 127, weight = 127;
  const int32_t bias = 0;
  int8_t h = 127, output = 0;
  int16_t c = 0;
  LstmInt8Args args = {.shape = {1, 1, 1, 1, false}, .cell_clip = -1};
  args.tensors.input = &x;
  for (int g = 0; g < kLstmGates; ++g) {
    args.tensors.input_weights[g] = &weight;
    args.tensors.recurrent_weights[g] = &weight;
    args.tensors.bias[g] = &bias;
    // The gate's sum has two addends of 32767.
    args.input[g] = QuantizeMultiplier(100);
    args.recurrent[g] = QuantizeMultiplier(100);
  }
  args.tensors.hidden = &h;
  args.tensors.cell = &c;
  args.tensors.output = &output;
  args.forget = QuantizeMultiplier(0x1p-15);
  args.update = QuantizeMultiplier(0x1p-15);
  args.hidden = QuantizeMultiplier(0x1p-23);
  Run(args);
  EXPECT_EQ(c, 32756);  // The sigmoid's 32757 times the tanh's 32767; 32766 if the sum were not clamped.
  // A cell of 1, which the forget gate keeps, is 3 / 2 units of the tanh's argument: rounded 2, whose tanh is
  // 5.
  c = 1;
  args.update = {};
  args.hidden = QuantizeMultiplier(0x1p-15);
  args.cell_shift = -1;
  Run(args);
  EXPECT_EQ(c, 1);
  EXPECT_EQ(output, 5);
  args.cell_clip = 0;
  Run(args);
  EXPECT_EQ(c, 0);
}

TEST_P(LstmInt8, EqualsTheReference) {
  for (const LstmCase& c : kLstmCases) {
    ProblemMemory memory, right;
    const Problem<LstmInt8Args> problem = LstmInt8ProblemOf(c, memory);
    const Problem<LstmInt8Args> reference = LstmInt8ProblemOf(c, right);
    Run(problem.args);
    RunReference(reference.args);
    for (int32_t i = 0; i < c.shape.batches * c.shape.times * c.shape.units; ++i) {
      ASSERT_EQ(problem.args.tensors.output[i], reference.args.tensors.output[i]) << c.name;
    }
    for (int32_t i = 0; i < StateCount(c); ++i) {
      ASSERT_EQ(problem.args.tensors.hidden[i], reference.args.tensors.hidden[i]) << c.name;
      ASSERT_EQ(problem.args.tensors.cell[i], reference.args.tensors.cell[i]) << c.name;
    }
  }
}

LUTRA_TEST_TABLE(LstmInt8, kLstmInt8);

class LstmInt16 : public KernelTest<LstmInt16Fn> {};

TEST_P(LstmInt16, MatchesTheRecordedVector) {
  ExpectRecordedSteps<int16_t, int64_t>([&](const auto& args) { Run(args); }, 8, {-2521, 999, -773, 99});
}

// 600 products of 2^22 do not fit 32 bits, nor does the bias, which subtracts all but one of them.
TEST_P(LstmInt16, SumsIn64Bits) {
  constexpr int32_t kDepth = 600;
  const std::vector<int16_t> x(kDepth, -32768);
  const std::vector<int8_t> weights(kDepth, -128);
  const int8_t recurrent = 0;
  const int64_t bias = -int64_t{599} << 22;
  int16_t h = 0, c = 0, output = 0;
  LstmInt16Args args = {.shape = {1, 1, kDepth, 1, false}, .cell_clip = -1};
  args.tensors.input = x.data();
  for (int g = 0; g < kLstmGates; ++g) {
    args.tensors.input_weights[g] = weights.data();
    args.tensors.recurrent_weights[g] = &recurrent;
    args.tensors.bias[g] = &bias;
    args.input[g] = QuantizeMultiplier(0x1p-10);  // 4096: each gate is 1.
    args.recurrent[g] = QuantizeMultiplier(1);
  }
  args.tensors.hidden = &h;
  args.tensors.cell = &c;
  args.tensors.output = &output;
  args.forget = QuantizeMultiplier(0x1p-15);
  args.update = QuantizeMultiplier(0x1p-18);
  args.hidden = QuantizeMultiplier(0x1p-15);
  Run(args);
  const double cell = Sigmoid(1) * std::tanh(1.0);
  EXPECT_NEAR(c, cell * 4096, 2);
  EXPECT_NEAR(output, Sigmoid(1) * std::tanh(cell) * 32768, 8);
}

LUTRA_TEST_TABLE(LstmInt16, kLstmInt16);

class LstmFloat : public KernelTest<LstmFloatFn> {};

TEST_P(LstmFloat, IsTheFormula) {
  for (const LstmCase& c : kLstmCases) {
    ProblemMemory memory;
    const LstmFloatArgs args = LstmFloatProblemOf(c, memory).args;
    const LstmShape& s = c.shape;
    const auto& t = args.tensors;
    Formula formula = {.shape = s, .clip = args.cell_clip};
    const auto reals = [](const float* values, int32_t count) {
      return std::vector<double>(values, values + count);
    };
    formula.x = reals(t.input, s.batches * s.times * s.depth);
    for (int g = 0; g < kLstmGates; ++g) {
      formula.w[g] = reals(t.input_weights[g], s.units * s.depth);
      formula.r[g] = reals(t.recurrent_weights[g], s.units * s.units);
      formula.b[g] = reals(t.bias[g], s.units);
    }
    formula.h = reals(t.hidden, StateCount(c));
    formula.c = reals(t.cell, StateCount(c));
    Run(args);
    const std::vector<double> expected = formula.Run();
    for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(t.output[i], expected[i], 2e-5) << c.name;
    for (int32_t i = 0; i < StateCount(c); ++i) {
      ASSERT_NEAR(t.hidden[i], formula.h[i], 2e-5) << c.name;
      ASSERT_NEAR(t.cell[i], formula.c[i], 2e-5) << c.name;
    }
  }
}

LUTRA_TEST_TABLE(LstmFloat, kLstmFloat);

}  // namespace
}  // namespace lutra
