// SPDX-License-Identifier: Apache-2.0
// Tests of the convolution kernels check the same things of every variant. A test has its own cases and its
// own formula:
//
//   template <typename Element> struct Problem : ConvProblem<Element> { ... Expected() const; };
//   class Conv2DInt8 : public ConvKernelTest<Conv2DFn, Conv2DArgs, Problem<int8_t>> {};
//   TEST_P(Conv2DInt8, MatchesTheFormula) { for (const ConvCase& c : kConv2DCases) ExpectFormula(c); }

#pragma once

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runtime/testing/conv_problem.h"
#include "runtime/testing/in_place.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/run_alone.h"
#include "runtime/testing/streamed_weights.h"

namespace lutra {

template <typename Fn, typename Args, typename Problem>
class ConvKernelTest : public KernelTest<Fn> {
 protected:
  using Cases = std::span<const ConvCase>;

  void ExpectFormula(const ConvCase& c) const {
    SCOPED_TRACE(Name(c));
    ExpectFormula(Problem(c), this->kernel());
  }
  void ExpectFormula(Cases cases) const {
    for (const ConvCase& c : cases) ExpectFormula(c);
  }

  // Input and output are at the edges of pages. `all`: no variant may leave one of the cases to the
  // reference.
  void ExpectNothingTouchedOutside(Cases cases, bool all) const {
    for (const ConvCase& c : cases) {
      SCOPED_TRACE(Name(c));
      const Problem problem(c);
      const std::vector<int8_t> expected = problem.Expected();
      for (const PageEdge::Side side : {PageEdge::kBegin, PageEdge::kEnd}) {
        EXPECT_EQ(problem.template RunAtEdges<Args>(this->kernel(), side), expected);
      }
      const auto prepare = this->GetParam().use.variant.prepare;
      EXPECT_TRUE(!all || prepare == nullptr || prepare(problem.template ArgsFor<Args>(), nullptr) > 0);
    }
  }

  // `channels_last`: as in FilterOfChannels.
  void ExpectOnlyTheChannelsAskedFor(Cases cases, bool channels_last) const {
    for (const ConvCase& c : cases) {
      SCOPED_TRACE(Name(c));
      const Problem problem(c);
      problem.template ExpectChannels<Args>(this->kernel(), problem.Expected(), channels_last);
    }
  }

  // Computes rows 2 to 5 of the outputs.
  void ExpectOnlyTheRowsAskedFor(const ConvCase& c) const {
    const Problem problem(c);
    bool kept_inside = false;
    const std::vector<int8_t> output = problem.template Run<Args>(this->kernel(), 2, 4, &kept_inside);
    EXPECT_TRUE(kept_inside);
    const std::vector<int8_t> expected = problem.Expected();
    const int32_t row_values = problem.out_row_values();
    EXPECT_TRUE(std::equal(output.begin() + 2 * row_values, output.begin() + 6 * row_values,
                           expected.begin() + 2 * row_values));
  }

  // Computes one row after the other; at a smaller distance the reference is wrong in some case.
  void ExpectInPlaceAtTheSafeDistance(Cases cases) const {
    bool differs = false;
    for (const ConvCase& c : cases) {
      SCOPED_TRACE(Name(c));
      const Problem problem(c);
      const auto run = [&](const Rows& input, const Rows& output, int32_t row) {
        this->Run(problem.template ArgsFor<Args>(), input, output, row, 1);
      };
      const std::vector<uint8_t> input = BytesOf(problem.input);
      const std::vector<uint8_t> expected = BytesOf(problem.Expected());
      EXPECT_TRUE(RightAtSafeDistance(RowMapOf(c, 1), input, expected, run));
      differs = differs || !RightTooClose(RowMapOf(c, 1), input, expected, run);
    }
    EXPECT_TRUE(differs || !this->is_reference());
  }

  // Computes as many rows as the variant says, if the plan has one image's output over its input. `wider`:
  // cases of which variants take several rows; `cases`: those of ExpectInPlaceAtTheSafeDistance.
  void ExpectInPlaceWithAllRowsAtOnce(Cases wider, Cases cases) const {
    int32_t most = 0;
    std::vector<ConvCase> all(wider.begin(), wider.end());
    all.insert(all.end(), cases.begin(), cases.end());
    for (ConvCase& c : all) {
      c.images = 1;
      SCOPED_TRACE(Name(c));
      const Problem problem(c);
      const int32_t step = this->RowsAtOnce(problem.template ArgsFor<Args>());
      most = std::max(most, step);
      const auto run = [&](const Rows& input, const Rows& output, int32_t first, int32_t count) {
        this->Run(problem.template ArgsFor<Args>(), input, output, first, count);
      };
      EXPECT_TRUE(RightAtSafeDistance(RowMapOf(c, 1), BytesOf(problem.input), BytesOf(problem.Expected()),
                                      step, run));
    }
    EXPECT_EQ(most > 1, !this->is_reference());
  }

#if LUTRA_HAVE_STREAMING_LAYERS
  // Filters of these widths are decoded when they are used, or when they are packed.
  // values_of_channel(problem): neighbours in the filter that share a table.
  template <typename ValuesOfChannel>
  void ExpectCompressedFilters(Cases cases, std::span<const int32_t> widths,
                               const ValuesOfChannel& values_of_channel) const {
    if (this->GetParam().use.variant.prepare == nullptr) GTEST_SKIP() << "decodes nothing";
    std::mt19937 random(1);
    ExpectFormula(cases[0]);
    for (const ConvCase& c : cases) {
      for (const int32_t width : widths) {
        for (const bool one_table : {false, true}) {
          SCOPED_TRACE(Name(c) + " width " + std::to_string(width) +
                       (one_table ? " one table" : " a table for each channel"));
          Problem problem(c);
          const auto count = static_cast<int32_t>(problem.filter.size());
          const BitOrder order = random() % 2 == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst;
          const StreamedWeights weights(
              &random, count,
              {width, one_table ? 1 : c.out_channels, one_table ? 1 : values_of_channel(problem), order});
          problem.filter = weights.values();
          ExpectFormula(problem,
                        [&](Args args, const Rows& from, const Rows& to, int32_t first, int32_t rows) {
                          int32_t bytes = 0;
                          args.filter = nullptr;
                          args.streamed = &weights.rows();
                          EXPECT_TRUE(RunAlone(this->GetParam().use, args, &bytes, from, to, first, rows));
                          EXPECT_LE(bytes, 2 * count + 40 * 256);
                        });
        }
      }
    }
  }
#endif

 private:
  static std::string Name(const ConvCase& c) {
    return std::string(c.name) + " " + std::to_string(c.in_channels) + " " + std::to_string(c.out_channels);
  }
  template <typename Kernel>
  void ExpectFormula(const Problem& problem, const Kernel& run) const {
    bool kept_inside = false;
    EXPECT_EQ(problem.template Run<Args>(run, 0, problem.out_rows(), &kept_inside), problem.Expected());
    EXPECT_TRUE(kept_inside);
  }
};

// Tests kernels of float32, whose sums may differ in their last bits.
template <typename Fn, typename Problem>
class ConvFloatTest : public KernelTest<Fn> {
 protected:
  void ExpectFormula(std::span<const ConvCase> cases) const {
    for (const ConvCase& c : cases) {
      if (c.extreme) continue;
      SCOPED_TRACE(c.name);
      const Problem problem(c);
      bool kept_inside = false;
      const std::vector<float> output =
          problem.template Run<ConvFloatArgs>(this->kernel(), 0, problem.out_rows(), &kept_inside);
      const std::vector<float> expected = problem.Expected();
      for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(output[i], expected[i], 1e-5) << i;
      EXPECT_TRUE(kept_inside);
    }
  }
};

}  // namespace lutra
