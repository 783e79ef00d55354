// SPDX-License-Identifier: Apache-2.0
// Every variant against the formula as TFLite's reference computes it: the whole state is shifted, then all
// features are computed, then all are weighted. There are several runs, as the state is kept.

#include "lutra/kernels/svdf/svdf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/svdf/svdf_cases.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/problem_memory.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

constexpr int kRuns = 9;

// The formula, with a state and an output of its own.
template <typename State>
class Formula {
 public:
  Formula(const SvdfCase& c, const SvdfArgs& args)
      : c(c),
        args(args),
        state(static_cast<const State*>(args.state), static_cast<const State*>(args.state) + StateCount(c)) {}

  // Changes `state` as the kernel should and returns what the output should be.
  std::vector<int8_t> Expect() {
    const int32_t filters = FilterCount(c);
    std::copy(state.begin() + 1, state.end(), state.begin());
    for (int32_t b = 0; b < c.batches; ++b) {
      for (int32_t f = 0; f < filters; ++f) {
        int64_t sum = 0;
        for (int32_t i = 0; i < c.depth; ++i) {
          sum += (args.input[b * c.depth + i] + c.input_offset) * args.feature_weights[f * c.depth + i];
        }
        const int32_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sum), args.feature);
        constexpr int32_t kMax = sizeof(State) == 1 ? INT8_MAX : INT16_MAX;
        state[((b * filters) + f) * c.memory + c.memory - 1] =
            static_cast<State>(std::clamp(scaled, -kMax - 1, kMax) + c.state_zero_point);
      }
    }
    std::vector<int8_t> expected;
    for (int32_t b = 0; b < c.batches; ++b) {
      for (int32_t u = 0; u < c.units; ++u) {
        int64_t sum = c.with_bias ? args.bias[u] : 0;
        for (int32_t i = u * c.rank * c.memory; i < (u + 1) * c.rank * c.memory; ++i) {
          sum += int64_t{state[b * filters * c.memory + i] - c.state_zero_point} * TimeWeight(i);
        }
        const int64_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sum), args.time);
        expected.push_back(static_cast<int8_t>(std::clamp<int64_t>(scaled + c.output_offset, -128, 127)));
      }
    }
    return expected;
  }

  void ExpectSameState() const {
    const auto* const tested = static_cast<const State*>(args.state);
    ASSERT_EQ(std::vector<State>(tested, tested + state.size()), state);
  }

 private:
  State TimeWeight(int32_t i) const { return static_cast<const State*>(args.time_weights)[i]; }

  SvdfCase c;
  SvdfArgs args;
  std::vector<State> state;
};

template <typename State, typename Kernel>
void CheckAgainstFormula(const Kernel& run) {
  std::vector<SvdfCase> cases(std::begin(kSvdfCases), std::end(kSvdfCases));
  for (const int32_t size : NetworkSizes(128)) {
    cases.push_back({"depth of a network", 1, size, 3, 2, 8});
    cases.push_back({"units of a network", 1, 8, size, 1, 4});
    cases.push_back({"memory of a network", 1, 8, 4, 1, size});
  }
  for (const SvdfCase& c : cases) {
    SCOPED_TRACE(c.name);
    ProblemMemory memory;
    const SvdfArgs args = SvdfProblemOf<State>(c, memory).args;
    Formula<State> formula(c, args);
    for (int step = 0; step < kRuns; ++step) {
      SCOPED_TRACE(step);
      FillInt8(100 + step, c.batches * c.depth, const_cast<int8_t*>(args.input));
      const std::vector<int8_t> expected = formula.Expect();
      run(args);
      ASSERT_EQ(std::vector<int8_t>(args.output, args.output + expected.size()), expected);
      formula.ExpectSameState();
    }
    EXPECT_TRUE(memory.HasWholeGuards());
  }
}

// Compares with the reference at the ends of pages, for any codes and weights, and for zero points up to the
// ends of the state's type.
template <typename State, typename Test>
void ExpectTheReferenceAtPageEdges(const Test& test) {
  constexpr auto kStateBytes = static_cast<int32_t>(sizeof(State));
  for (const PageEdge::Side side : kPageEdges) {
    uint32_t seed = 0;
    for (const int32_t size : EdgeSizes()) {
      const bool is_depth = ++seed % 2 == 0;
      SvdfCase c = {"any", 2, is_depth ? size : 9, 1 + size % 37, 1 + size % 3, is_depth ? 5 : size};
      c.input_offset = static_cast<int16_t>(size * 7 % 256 - 128);
      c.state_zero_point = static_cast<int16_t>(seed % 3 == 0 ? 0 : seed % 3 == 1 ? -128 : 127);
      if (kStateBytes == 2 && seed % 4 == 0) c.state_zero_point = -32768;
      const int32_t weights = FilterCount(c) * c.memory * kStateBytes;
      const int32_t states = StateCount(c) * kStateBytes, outputs = c.batches * c.units;
      const FilledEdge input(seed, c.batches * c.depth, side), features(3, FilterCount(c) * c.depth, side);
      const FilledEdge times(4, weights, side), state(5, states, side), right_state(5, states, side);
      const FilledEdge output(1, outputs, side), right(2, outputs, side);
      SvdfArgs args = SvdfArgsOf(c, kStateBytes);
      args.input = reinterpret_cast<const int8_t*>(input.data());
      args.feature_weights = reinterpret_cast<const int8_t*>(features.data());
      args.time_weights = times.data();
      args.state = state.data();
      args.output = reinterpret_cast<int8_t*>(output.data());
      test.Run(args);
      args.state = right_state.data();
      args.output = reinterpret_cast<int8_t*>(right.data());
      test.RunReference(args);
      ASSERT_EQ(state.Bytes(states), right_state.Bytes(states)) << size;
      ASSERT_EQ(output.Bytes(outputs), right.Bytes(outputs)) << size;
    }
  }
}

class SvdfInt8State : public KernelTest<SvdfFn> {};
TEST_P(SvdfInt8State, MatchesTheFormula) { CheckAgainstFormula<int8_t>(kernel()); }
TEST_P(SvdfInt8State, EqualsTheReferenceAtPageEdges) { ExpectTheReferenceAtPageEdges<int8_t>(*this); }
LUTRA_TEST_TABLE(SvdfInt8State, kSvdfOf<int8_t>);

class SvdfInt16State : public KernelTest<SvdfFn> {};
TEST_P(SvdfInt16State, MatchesTheFormula) { CheckAgainstFormula<int16_t>(kernel()); }

// The largest products must not overflow a signed int32 in any step.
TEST_P(SvdfInt16State, WrapsWhereSumsLeaveInt32) {
  const SvdfCase c = {"extreme", 1, 1, 1, 1, 4, 128, 0, 0, false};
  ProblemMemory memory;
  const SvdfArgs args = SvdfProblemOf<int16_t>(c, memory).args;
  std::fill_n(static_cast<int16_t*>(args.state), StateCount(c), INT16_MIN);
  std::fill_n(static_cast<int16_t*>(const_cast<void*>(args.time_weights)), c.memory, INT16_MIN);
  const std::vector<int8_t> expected = Formula<int16_t>(c, args).Expect();
  Run(args);
  EXPECT_EQ(std::vector<int8_t>(args.output, args.output + expected.size()), expected);
}

TEST_P(SvdfInt16State, EqualsTheReferenceAtPageEdges) { ExpectTheReferenceAtPageEdges<int16_t>(*this); }

LUTRA_TEST_TABLE(SvdfInt16State, kSvdfOf<int16_t>);

// If adding the state's zero point leaves int8, the newest value wraps.
TEST(Svdf, NewestValueWraps) {
  const int8_t input = 127;
  const int8_t feature_weight = 1;
  const int8_t time_weight = 1;
  int8_t state = 0;
  int8_t output = 0;
  SvdfArgs args = {};
  args.batches = args.depth = args.units = args.rank = args.memory = 1;
  args.input = &input;
  args.feature_weights = &feature_weight;
  args.time_weights = &time_weight;
  args.state = &state;
  args.output = &output;
  args.feature = args.time = QuantizeMultiplier(1.0);
  args.state_zero_point = 10;
  SvdfRef<int8_t>(args);
  EXPECT_EQ(state, static_cast<int8_t>(137));
  EXPECT_EQ(output, -128);  // -119 - 10, clamped.
}

}  // namespace
}  // namespace lutra
