// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, in memory of its own and in place at the safe distance.

#include "lutra/kernels/fully_connected/fully_connected.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/fully_connected/fully_connected_cases.h"
#include "runtime/memory_planner.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

constexpr int8_t kGuard = 0x5A;
constexpr int32_t kGuardBytes = 64;

struct Problem {
  explicit Problem(const FullyConnectedCase& c) : c(c) {
    input.resize(c.rows * c.depth);
    weights.resize(c.channels * c.depth);
    bias.resize(c.channels);
    multipliers.resize(c.channels);
    FillInt8(1, static_cast<int32_t>(input.size()), input.data());
    FillInt8(2, static_cast<int32_t>(weights.size()), weights.data());
    FillBias(3, c.channels, bias.data());
    FillMultipliers(4, c.depth, c.channels, multipliers.data());
    if (c.depth > 65536) {
      // The sum leaves int32: what remains is its low 32 bits.
      std::fill(input.begin(), input.end(), INT8_MIN);
      std::fill(weights.begin(), weights.end(), INT8_MIN);
    }
  }

  FullyConnectedArgs Args() const {
    FullyConnectedArgs args = {};
    args.depth = c.depth;
    args.channels = c.channels;
    args.quantization = QuantizationOf(c);
    args.weights = weights.data();
    args.bias = c.with_bias ? bias.data() : nullptr;
    args.multipliers = multipliers.data();
    args.one_multiplier = c.one_multiplier;
    return args;
  }

  std::vector<int8_t> Expected() const {
    std::vector<int8_t> expected;
    for (int32_t row = 0; row < c.rows; ++row) {
      for (int32_t o = 0; o < c.channels; ++o) {
        int64_t sum = c.with_bias ? bias[o] : 0;
        for (int32_t i = 0; i < c.depth; ++i) {
          sum += (input[row * c.depth + i] - c.input_zero_point) * weights[o * c.depth + i];
        }
        const int64_t scaled =
            c.output_zero_point + int64_t{MultiplyByQuantizedMultiplier(
                                      static_cast<int32_t>(sum), multipliers[c.one_multiplier ? 0 : o])};
        expected.push_back(
            static_cast<int8_t>(std::clamp<int64_t>(scaled, c.activation_min, c.activation_max)));
      }
    }
    return expected;
  }

  FullyConnectedCase c;
  std::vector<int8_t> input;
  std::vector<int8_t> weights;
  std::vector<int32_t> bias;
  std::vector<Multiplier> multipliers;
};

Rows RowsAt(const void* base, int32_t row_bytes) {
  return {static_cast<uint8_t*>(const_cast<void*>(base)), row_bytes, 0};
}

class FullyConnectedInt8 : public KernelTest<FullyConnectedFn> {};

template <typename Kernel>
void ExpectFormula(const Kernel& run, const Problem& problem) {
  const FullyConnectedCase& c = problem.c;
  SCOPED_TRACE(std::string(c.name) + " " + std::to_string(c.depth) + " " + std::to_string(c.channels));
  const std::vector<int8_t> expected = problem.Expected();
  std::vector<int8_t> output(expected.size() + 2 * kGuardBytes, kGuard);
  run(problem.Args(), RowsAt(problem.input.data(), c.depth), RowsAt(output.data() + kGuardBytes, c.channels),
      0, c.rows);
  std::vector<int8_t> guarded(kGuardBytes, kGuard);
  guarded.insert(guarded.end(), expected.begin(), expected.end());
  guarded.insert(guarded.end(), kGuardBytes, kGuard);
  EXPECT_EQ(output, guarded);
}

TEST_P(FullyConnectedInt8, MatchesTheFormula) {
  for (const FullyConnectedCase& c : kFullyConnectedCases) ExpectFormula(kernel(), Problem(c));
}

TEST_P(FullyConnectedInt8, MatchesTheFormulaForSizesOfNetworks) {
  for (const int32_t size : NetworkSizes(1024)) {
    ExpectFormula(kernel(), Problem({"from", 2, size, 8}));
    ExpectFormula(kernel(), Problem({"to", 1, 32, size, 0, 0, -100, 100, true, false}));
  }
}

TEST_P(FullyConnectedInt8, MakesOnlyTheRowsItIsAskedFor) {
  const FullyConnectedCase c = {"rows", 7, 20, 9};
  const Problem problem(c);
  const std::vector<int8_t> expected = problem.Expected();
  std::vector<int8_t> output(expected.size(), kGuard);
  Run(problem.Args(), RowsAt(problem.input.data(), c.depth), RowsAt(output.data(), c.channels), 2, 3);
  for (size_t i = 0; i < output.size(); ++i) {
    const bool asked = i >= 2 * 9 && i < 5 * 9;
    EXPECT_EQ(output[i], asked ? expected[i] : kGuard) << i;
  }
}

// Without weights a sum is its bias, so that any sum can be had: those at and beside each step of the result,
// among them ties, for multipliers and offsets of all kinds.
TEST_P(FullyConnectedInt8, RoundsRightAtEachStep) {
  constexpr int32_t kMagnitude = 1 << 22;
  constexpr int32_t kResults = 260;
  const int32_t values[] = {1 << 30, (1 << 30) + 1, INT32_MAX, 0x5A827999, 0x60000000, 0x40200000};
  for (int32_t shift = -16; shift <= -8; ++shift) {
    for (const int32_t value : values) {
      const auto offset = static_cast<int8_t>(shift % 2 == 0 ? -128 : shift * 7 + value % 50);
      const int8_t min = shift % 3 == 0 ? offset : INT8_MIN;
      Problem problem({"steps", 1, 1, kResults * 5, 0, offset, min, INT8_MAX, true, true});
      problem.multipliers[0] = {value, shift};
      for (int32_t i = 0; i < kResults; ++i) {
        int32_t low = -kMagnitude;
        int32_t high = kMagnitude;
        while (low < high) {
          const int32_t middle = (low + high) >> 1;
          const bool reached =
              MultiplyByQuantizedMultiplier(middle, problem.multipliers[0]) >= i - 130 - offset;
          (reached ? high : low) = reached ? middle : middle + 1;
        }
        for (int32_t beside = -2; beside <= 2; ++beside) problem.bias[i * 5 + beside + 2] = low + beside;
      }
      std::fill(problem.weights.begin(), problem.weights.end(), 0);
      ExpectFormula(kernel(), problem);
    }
  }
}

TEST_P(FullyConnectedInt8, TouchesNothingOutside) {
  for (const int32_t depth : {1, 2, 3, 5, 15, 17, 63, 65, 130}) {
    for (const int32_t channels : {1, 3, 7, 17, 31, 33, 65, 130}) {
      for (const int32_t rows : {1, 2, 13}) {
        for (const PageEdge::Side side : {PageEdge::kBegin, PageEdge::kEnd}) {
          const Problem problem({"edge", rows, depth, channels});
          const PageEdge input(problem.input.size(), side);
          const std::vector<int8_t> expected = problem.Expected();
          const PageEdge output(expected.size(), side);
          ASSERT_NE(input.data(), nullptr);
          ASSERT_NE(output.data(), nullptr);
          std::copy(problem.input.begin(), problem.input.end(), input.data());
          Run(problem.Args(), RowsAt(input.data(), depth), RowsAt(output.data(), channels), 0, rows);
          const auto* made = reinterpret_cast<const int8_t*>(output.data());
          ASSERT_EQ(std::vector<int8_t>(made, made + expected.size()), expected) << depth << " " << channels;
        }
      }
    }
  }
}

// The output of a run in which the input lies `distance` bytes behind the output (forward), or the
// output's end that far behind the input's (reverse).
template <typename Kernel>
std::vector<int8_t> RunInPlace(const Problem& problem, const Kernel& run, int32_t distance, bool reverse) {
  const FullyConnectedCase& c = problem.c;
  const int32_t in = c.rows * c.depth;
  const int32_t out = c.rows * c.channels;
  const int32_t input_at = in + out;
  const int32_t output_at = reverse ? input_at + in + distance - out : input_at - distance;
  std::vector<int8_t> memory(3 * (in + out), kGuard);
  std::copy(problem.input.begin(), problem.input.end(), memory.begin() + input_at);
  for (int32_t i = 0; i < c.rows; ++i) {
    run(problem.Args(), RowsAt(memory.data() + input_at, c.depth),
        RowsAt(memory.data() + output_at, c.channels), reverse ? c.rows - 1 - i : i, 1);
  }
  return {memory.begin() + output_at, memory.begin() + output_at + out};
}

TEST_P(FullyConnectedInt8, RunsInPlaceAtTheSafeDistance) {
  // Long enough for the reference to come back to a row it has written results of already.
  const FullyConnectedCase cases[] = {
      {"shrinking", 4, 300, 40}, {"growing", 3, 300, 360}, {"same", 3, 328, 328}, {"one_row", 1, 300, 40}};
  for (const FullyConnectedCase& c : cases) {
    SCOPED_TRACE(c.name);
    const Problem problem(c);
    const std::vector<int8_t> expected = problem.Expected();
    const Overlap overlap = SafeDistance(RowMapOf(c, 1));
    EXPECT_EQ(RunInPlace(problem, kernel(), overlap.forward, false), expected);
    EXPECT_EQ(RunInPlace(problem, kernel(), overlap.reverse, true), expected);
    if (!is_reference()) continue;
    EXPECT_NE(RunInPlace(problem, kernel(), overlap.forward - 16, false), expected);
    EXPECT_NE(RunInPlace(problem, kernel(), overlap.reverse - 16, true), expected);
  }
}

LUTRA_TEST_TABLE(FullyConnectedInt8, kFullyConnectedInt8);

class FullyConnectedFloat : public KernelTest<FullyConnectedFloatFn> {};

TEST_P(FullyConnectedFloat, MatchesTheFormula) {
  for (const int32_t depth : {1, 3, 4, 9, 130}) {
    constexpr int32_t kRows = 3;
    constexpr int32_t kChannels = 5;
    std::vector<float> input(kRows * depth);
    std::vector<float> weights(kChannels * depth);
    std::vector<float> bias(kChannels);
    std::vector<float> output(kRows * kChannels, -9.0f);
    FillFloat(1, kRows * depth, input.data());
    FillFloat(2, kChannels * depth, weights.data());
    FillFloat(3, kChannels, bias.data());
    const FullyConnectedFloatArgs args = {depth, kChannels, weights.data(), bias.data(), -1.0f, 0.5f};
    Run(args, RowsAt(input.data(), depth * 4), RowsAt(output.data(), kChannels * 4), 0, kRows);
    for (int32_t row = 0; row < kRows; ++row) {
      for (int32_t o = 0; o < kChannels; ++o) {
        double sum = bias[o];
        for (int32_t i = 0; i < depth; ++i) {
          sum += static_cast<double>(input[row * depth + i]) * weights[o * depth + i];
        }
        EXPECT_NEAR(output[row * kChannels + o], std::clamp(sum, -1.0, 0.5), 1e-5);
      }
    }
  }
}

LUTRA_TEST_TABLE(FullyConnectedFloat, kFullyConnectedFloat);

// Scales for which a double product of scales would give another code.
TEST(FullyConnectedMultiplier, IsMadeOfTheFloatProduct) {
#ifdef LUTRA_SINGLE_ROUNDING
  GTEST_SKIP() << "the codes are those of double rounding";
#endif
  const float scales[][3] = {
      {0.00787343643605709f, 0.009589510038495064f, 0.4228748381137848f},
      {0.009722893126308918f, 0.00476230401545763f, 0.22467316687107086f},
  };
  const int32_t sums[] = {204429, 429419};
  const int8_t codes[] = {37, 88};
  for (int i = 0; i < 2; ++i) {
    const float product = scales[i][0] * scales[i][1];
    const Multiplier multiplier =
        QuantizeMultiplier(static_cast<double>(product) / static_cast<double>(scales[i][2]));
    const int8_t zero = 0;
    int8_t output = 0;
    const FullyConnectedArgs args = {1, 1, {0, 0, -128, 127}, &zero, &sums[i], &multiplier, true};
    FullyConnectedRef(args, RowsAt(&zero, 1), RowsAt(&output, 1), 0, 1);
    EXPECT_EQ(output, codes[i]);
  }
}

}  // namespace
}  // namespace lutra
