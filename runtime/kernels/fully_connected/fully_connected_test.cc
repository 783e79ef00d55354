// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, in memory of its own and in place at the safe distance.

#include "lutra/kernels/fully_connected/fully_connected.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/fully_connected/fully_connected_cases.h"
#include "runtime/memory_planner.h"
#include "runtime/testing/dots_as_evex.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/run_alone.h"
#include "runtime/testing/sizes.h"
#include "runtime/testing/streamed_weights.h"

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
      // The sum does not fit int32: its low 32 bits count.
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
  return {static_cast<uint8_t*>(const_cast<void*>(base)), row_bytes};
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

// Rows are summed in parts.
TEST_P(FullyConnectedInt8, MatchesTheFormulaForLongRows) {
  const FullyConnectedCase cases[] = {
      {"rows", 5, 16381, 2, 127, 126},
      {"blocks", 2, 8193, 70, -128, 3, -128, 127, true, false},
      {"one_row", 1, 20000, 35, 6, 7},
  };
  for (const FullyConnectedCase& c : cases) ExpectFormula(kernel(), Problem(c));
}

#if LUTRA_HAVE_STREAMING_LAYERS
// Weights are decoded when they are used, or when they are packed.
TEST_P(FullyConnectedInt8, TakesCompressedWeights) {
  if (GetParam().use.variant.prepare == nullptr) GTEST_SKIP() << "decodes nothing";
  std::mt19937 random(1);
  for (const int32_t depth : {1, 4, 12, 16, 36, 64, 130, 640}) {
    for (const int32_t channels : {1, 5, 16, 33, 64, 71, 128}) {
      for (int32_t width = 1; width <= 8; ++width) {
        const bool one_table = random() % 2 == 0;
        const auto rows = static_cast<int32_t>(1 + random() % 2 * (random() % 9));
        Problem problem({"compressed", rows, depth, channels, 5, -20, -128, 127, true, one_table});
        const StreamedWeights weights(&random, depth * channels,
                                      {width, one_table ? 1 : channels, one_table ? 1 : depth,
                                       random() % 2 == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst});
        FullyConnectedArgs args = problem.Args();
        int32_t plain_bytes = 0, bytes = 0;
        std::vector<int8_t> output(static_cast<size_t>(rows * channels));
        const Rows from = RowsAt(problem.input.data(), depth), to = RowsAt(output.data(), channels);
        Run(args, from, to, 0, rows);
        ASSERT_TRUE(RunAlone(GetParam().use, args, &plain_bytes, from, to, 0, rows));
        problem.weights = weights.values();
        args.weights = nullptr;
        args.streamed = &weights.rows();
        ASSERT_TRUE(RunAlone(GetParam().use, args, &bytes, from, to, 0, rows));
        EXPECT_EQ(output, problem.Expected())
            << depth << " to " << channels << ", width " << width << ", one table " << one_table;
        EXPECT_LE(bytes, plain_bytes + 128);
        // The other instruction sets have no such look-up.
        const std::string set = GetParam().use.variant.name;
        const bool keeps_indices = set == "avx2" || set == "avx512vnni";
        if (keeps_indices && one_table && width <= 4 && depth % 4 == 0 && depth >= 64) {
          EXPECT_LE(bytes, plain_bytes - depth * channels / 2 + 512);
        }
      }
    }
  }
}

TEST(FullyConnectedWeights, AreNotTakenIfTheyHaveTwoBytes) {
  std::mt19937 random(2);
  StreamedWeights weights(&random, 64, {});
  const Problem problem({"refused", 1, 16, 4});
  FullyConnectedArgs args = problem.Args();
  args.weights = nullptr;
  int prepare = 0;
  for (const Variant<FullyConnectedFn>& variant : kFullyConnectedInt8) {
    if (variant.prepare == nullptr || !CanRun(variant, CpuFeaturesHere())) continue;
    ++prepare;
    args.streamed = nullptr;
    EXPECT_EQ(variant.prepare(args, nullptr), kNotForTheseArgs) << variant.name;
    args.streamed = &weights.rows();
    EXPECT_NE(variant.prepare(args, nullptr), kNotForTheseArgs) << variant.name;
    weights.encoding().element_bytes = 2;
    EXPECT_EQ(variant.prepare(args, nullptr), kNotForTheseArgs) << variant.name;
    weights.encoding().element_bytes = 1;
  }
  if (prepare == 0) GTEST_SKIP() << "this processor has no variant that prepares";
}

// The rule is the same for plain and compressed weights, so that a compressed model takes little more memory
// than a plain one.
TEST(FullyConnectedWeights, AreLeftToTheReferenceForFewOutputs) {
  std::mt19937 random(2);
  int prepare = 0;
  struct Layer {
    int rows, depth, channels;
    bool is_refused;
  };
  for (const Layer& layer :
       {Layer{1, 17, 5, true}, Layer{1, 17, 6, false}, Layer{5, 17, 1, true}, Layer{2, 17, 3, false},
        Layer{1, 130, 2, true}, Layer{1, 130, 3, false}, Layer{1, 128, 3, true}, Layer{131, 17, 1, false}}) {
    const Problem problem({"few", layer.rows, layer.depth, layer.channels});
    for (const Variant<FullyConnectedFn>& variant : kFullyConnectedInt8) {
      if (variant.prepare == nullptr || !CanRun(variant, CpuFeaturesHere())) continue;
      FullyConnectedArgs args = problem.Args();
      EXPECT_NE(variant.prepare(args, nullptr), kNotForTheseArgs) << variant.name << ", rows not known";
      args.rows = layer.rows;
      EXPECT_EQ(variant.prepare(args, nullptr) == kNotForTheseArgs, layer.is_refused)
          << variant.name << ", " << layer.rows << " x " << layer.depth << " to " << layer.channels;
      const StreamedWeights weights(&random, layer.depth * layer.channels, {});
      args.weights = nullptr;
      args.streamed = &weights.rows();
      EXPECT_EQ(variant.prepare(args, nullptr) == kNotForTheseArgs, layer.is_refused)
          << variant.name << ", " << layer.rows << " x " << layer.depth << " to " << layer.channels
          << ", streamed";
      ++prepare;
    }
  }
  if (prepare == 0) GTEST_SKIP() << "this processor has no variant that prepares";
}
#endif

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

// Without weights a sum is its bias, so that all sums can be tried: those at and beside each step of the
// result, ties among them, for multipliers and offsets of all kinds.
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

// Sums of any size, with multipliers whose products exceed int8 and int32 by far, and rounding there: the
// outputs must be the reference's.
TEST_P(FullyConnectedInt8, RoundsRightFarOutside) {
  const int32_t values[] = {0, 1 << 30, INT32_MAX, 0x5A827999};
  for (int32_t shift = -31; shift <= 30; ++shift) {
    for (const int32_t value : values) {
      const auto offset = static_cast<int8_t>(shift * 8);
      const int8_t min = shift % 2 == 0 ? offset : INT8_MIN;
      Problem problem({"far", 1, 1, 31 * 4, 0, offset, min, INT8_MAX, true, true});
      problem.multipliers[0] = {value, shift};
      for (int32_t i = 0; i < 31; ++i) {
        const auto power = static_cast<int32_t>((uint32_t{1} << i) + static_cast<uint32_t>(i % 3) - 1);
        const int32_t sums[] = {power, -power, INT32_MAX - power, INT32_MIN + power};
        std::copy(sums, sums + 4, problem.bias.begin() + i * 4);
      }
      std::fill(problem.weights.begin(), problem.weights.end(), 0);
      const Rows input = RowsAt(problem.input.data(), 1);
      std::vector<int8_t> output(problem.bias.size());
      std::vector<int8_t> expected(problem.bias.size());
      Run(problem.Args(), input, RowsAt(output.data(), 31 * 4), 0, 1);
      FullyConnectedRef(problem.Args(), input, RowsAt(expected.data(), 31 * 4), 0, 1);
      EXPECT_EQ(output, expected) << value << " " << shift;
      const auto prepare = GetParam().use.variant.prepare;
      EXPECT_TRUE(prepare == nullptr || prepare(problem.Args(), nullptr) > 0);
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

// Returns the output of a run in which the input lies `distance` bytes behind the output or, with `reverse`,
// the output's end `distance` bytes behind the input's.
template <typename Kernel>
std::vector<int8_t> RunInPlace(const Problem& problem, const Kernel& run, int32_t distance, bool reverse,
                               int32_t step = 1) {
  const FullyConnectedCase& c = problem.c;
  const int32_t in = c.rows * c.depth;
  const int32_t out = c.rows * c.channels;
  const int32_t input_at = in + out;
  const int32_t output_at = reverse ? input_at + in + distance - out : input_at - distance;
  std::vector<int8_t> memory(3 * (in + out), kGuard);
  std::copy(problem.input.begin(), problem.input.end(), memory.begin() + input_at);
  for (int32_t done = 0; done < c.rows; done += step) {
    const int32_t count = std::min(step, c.rows - done);
    run(problem.Args(), RowsAt(memory.data() + input_at, c.depth),
        RowsAt(memory.data() + output_at, c.channels), reverse ? c.rows - done - count : done, count);
  }
  return {memory.begin() + output_at, memory.begin() + output_at + out};
}

TEST_P(FullyConnectedInt8, RunsInPlaceAtTheSafeDistance) {
  // Rows are so long that the reference reads a row again after it has overwritten a part of it.
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

// Computes as many rows at once as the variant says.
TEST_P(FullyConnectedInt8, RunsInPlaceWithAllTheRowsThatItTakesAtOnce) {
  int32_t most = 0;
  for (const FullyConnectedCase& c : {FullyConnectedCase{"few", 30, 64, 64},
                                      {"many", 150, 300, 40},
                                      {"growing", 150, 300, 360},
                                      {"same", 150, 328, 328}}) {
    SCOPED_TRACE(c.name);
    const Problem problem(c);
    const int32_t step = RowsAtOnce(problem.Args());
    most = std::max(most, step);
    const std::vector<int8_t> expected = problem.Expected();
    const Overlap overlap = SafeDistance(RowMapOf(c, 1));
    EXPECT_EQ(RunInPlace(problem, kernel(), overlap.forward, false, step), expected);
    EXPECT_EQ(RunInPlace(problem, kernel(), overlap.reverse, true, step), expected);
  }
  EXPECT_EQ(most > 1, !is_reference());
}

LUTRA_TEST_TABLE(FullyConnectedInt8, kFullyConnectedInt8);
LUTRA_TEST_AS_EVEX(FullyConnectedInt8, kFullyConnectedInt8);

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

// With these scales, a product of scales in double would give another code.
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

TEST(PackedWeights, APairOfAByteHasTheFirstWeightInItsLowHalf) {
  uint8_t values[kPackedValues];
  FillBytes(9, kPackedValues, values);
  uint32_t pairs[kPackedPairs];
  for (const int shift : {0, 8}) {
    FillPairs(values, shift, pairs);
    for (uint32_t byte = 0; byte < kPackedPairs; ++byte) {
      const int first = static_cast<int8_t>(values[byte >> 4]) * (1 << shift);
      const int second = static_cast<int8_t>(values[byte & 15]) * (1 << shift);
      EXPECT_EQ(static_cast<int16_t>(pairs[byte] & 0xFFFF), first) << byte;
      EXPECT_EQ(static_cast<int16_t>(pairs[byte] >> 16), second) << byte;
    }
  }
}

// A short table is read as if it were whole, but not beyond the file.
TEST(PackedWeights, ATableThatTheFileEndsBehindIsNotReadBeyondIt) {
  const std::vector<uint8_t> file(100);
  const Span<const uint8_t> bytes(file.data(), file.size());
  for (const int32_t element_bytes : {1, 4}) {
    const int32_t last = static_cast<int32_t>(file.size()) - kPackedValues * element_bytes;
    EXPECT_TRUE(HasPackedValues(bytes, file.data(), element_bytes));
    EXPECT_TRUE(HasPackedValues(bytes, file.data() + last, element_bytes));
    EXPECT_FALSE(HasPackedValues(bytes, file.data() + last + 1, element_bytes));
    EXPECT_FALSE(HasPackedValues(bytes, file.data() + file.size(), element_bytes));
  }
}

}  // namespace
}  // namespace lutra
