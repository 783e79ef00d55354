// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, in memory of its own, in place at the safe distance, and
// with its input in a ring.

#include "lutra/kernels/conv_2d/conv_2d.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/conv_2d/conv_2d_cases.h"
#include "runtime/testing/conv_problem.h"
#include "runtime/testing/in_place.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

template <typename Element>
struct Problem : ConvProblem<Element> {
  explicit Problem(const ConvCase& c)
      : ConvProblem<Element>(c, ShapeOf(c),
                             c.out_channels * c.filter_height * c.filter_width * c.in_channels / c.groups) {}

  std::vector<Element> Expected() const {
    using Sum = std::conditional_t<ConvProblem<Element>::kIsFloat, double, int64_t>;
    const ConvShape& s = this->shape;
    const int32_t group_outputs = s.out_channels / this->c.groups;
    std::vector<Sum> sums;
    for (int32_t row = 0; row < this->out_rows(); ++row) {
      for (int32_t x = 0; x < s.out_width; ++x) {
        for (int32_t o = 0; o < s.out_channels; ++o) {
          Sum sum = 0;
          for (int32_t ky = 0; ky < s.filter_height; ++ky) {
            for (int32_t kx = 0; kx < s.filter_width; ++kx) {
              for (int32_t i = 0; i < s.filter_channels; ++i) {
                sum +=
                    this->template InputAt<Sum>(
                        row / s.out_height, row % s.out_height * s.stride_h - s.pad_top + ky * s.dilation_h,
                        x * s.stride_w - s.pad_left + kx * s.dilation_w,
                        o / group_outputs * s.filter_channels + i) *
                    this->filter[((o * s.filter_height + ky) * s.filter_width + kx) * s.filter_channels + i];
              }
            }
          }
          sums.push_back(sum);
        }
      }
    }
    return this->OutputsOf(sums);
  }
};

class Conv2DInt8 : public KernelTest<Conv2DFn> {};

template <typename Kernel>
void ExpectFormula(const Kernel& run, const ConvCase& c) {
  SCOPED_TRACE(std::string(c.name) + " " + std::to_string(c.in_channels) + " " +
               std::to_string(c.out_channels));
  const Problem<int8_t> problem(c);
  bool kept_inside = false;
  EXPECT_EQ(problem.Run<Conv2DArgs>(run, 0, problem.out_rows(), &kept_inside), problem.Expected());
  EXPECT_TRUE(kept_inside);
}

TEST_P(Conv2DInt8, MatchesTheFormula) {
  for (const ConvCase& c : kConv2DCases) ExpectFormula(kernel(), c);
}

TEST_P(Conv2DInt8, MatchesTheFormulaForChannelsOfNetworks) {
  for (const int32_t channels : NetworkSizes(128)) {
    ExpectFormula(kernel(), {"1x1_from", 3, 4, channels, 8, 1, 1, 1, 1, true});
    ExpectFormula(kernel(), {"1x1_to", 3, 4, 8, channels, 1, 1, 1, 1, true});
    if (channels <= 65) ExpectFormula(kernel(), {"3x3", 4, 3, channels, channels, 3, 3, 1, 1, true});
  }
}

// Images, windows and channels of which no loop over vectors is fond.
TEST_P(Conv2DInt8, MatchesTheFormulaForOddShapes) {
  struct Window {
    int32_t height, width, stride;
  };
  const Window windows[] = {{1, 1, 1}, {1, 9, 1}, {9, 1, 2}, {3, 3, 2}, {2, 2, 1}, {5, 7, 3}};
  const int32_t channels[] = {1, 2, 3, 5, 17, 40, 130};
  int32_t turn = 0;
  for (const Window& w : windows) {
    for (const int32_t in : channels) {
      for (const int32_t image : {1, 2, 3, 131}) {
        const int32_t out = channels[turn++ % 7];
        if (image > 3 && in * out * w.height * w.width > 2000) continue;
        const int32_t height = image > 3 ? 2 : image;
        const auto zero = static_cast<int8_t>(turn % 3 == 0 ? -128 : turn * 37);
        const auto min = static_cast<int8_t>(turn % 2 == 0 ? -128 : zero);
        ExpectFormula(kernel(), {"odd", height, image, in, out, w.height, w.width, w.stride, 1, true,
                                 image < 3 ? 3 : 1, 1, zero, zero, min, 127, turn % 5 != 0});
      }
    }
  }
}

TEST_P(Conv2DInt8, TouchesNothingOutside) {
  const ConvCase cases[] = {
      {"pointwise", 3, 5, 3, 7, 1, 1, 1, 1, true, 2},
      {"pointwise_wide", 1, 13, 17, 65, 1, 1, 1, 1, true},
      {"window", 5, 4, 3, 17, 3, 3, 1, 1, true, 2},
      {"valid", 6, 7, 5, 33, 3, 3, 1, 1, false, 2},
      {"stride", 7, 9, 1, 8, 3, 3, 2, 1, true},
      {"one_pixel", 1, 1, 2, 130, 3, 3, 1, 1, true, 3},
      {"stride_without_padding", 8, 9, 1, 5, 2, 2, 2, 1, false},
      {"stride_beyond_the_image", 1, 1, 3, 5, 1, 1, 1 << 30, 1, true, 2},
  };
  for (const ConvCase& c : cases) {
    for (const PageEdge::Side side : {PageEdge::kBegin, PageEdge::kEnd}) {
      SCOPED_TRACE(c.name);
      const Problem<int8_t> problem(c);
      EXPECT_EQ(problem.RunAtEdges<Conv2DArgs>(kernel(), side), problem.Expected());
    }
  }
}

TEST_P(Conv2DInt8, MakesOnlyTheRowsItIsAskedFor) {
  const Problem<int8_t> problem({"rows", 4, 5, 3, 9, 3, 3, 1, 1, true, 3});
  bool kept_inside = false;
  const std::vector<int8_t> output = problem.Run<Conv2DArgs>(kernel(), 2, 4, &kept_inside);
  EXPECT_TRUE(kept_inside);
  const std::vector<int8_t> expected = problem.Expected();
  const int32_t row_values = problem.out_row_values();
  EXPECT_TRUE(std::equal(output.begin() + 2 * row_values, output.begin() + 6 * row_values,
                         expected.begin() + 2 * row_values));
}

TEST_P(Conv2DInt8, RunsInPlaceAtTheSafeDistance) {
  bool differs = false;
  for (const ConvCase& c : kConv2DInPlaceCases) {
    SCOPED_TRACE(c.name);
    const Problem<int8_t> problem(c);
    const auto run = [&](const Rows& input, const Rows& output, int32_t row) {
      Run(problem.ArgsFor<Conv2DArgs>(), input, output, row, 1);
    };
    const std::vector<uint8_t> input = BytesOf(problem.input);
    const std::vector<uint8_t> expected = BytesOf(problem.Expected());
    EXPECT_TRUE(RightAtSafeDistance(RowMapOf(c, 1), input, expected, run));
    differs = differs || !RightTooClose(RowMapOf(c, 1), input, expected, run);
  }
  EXPECT_TRUE(differs || !is_reference());
}

TEST_P(Conv2DInt8, ReadsItsInputFromARing) {
  const ConvCase c = {"ring", 9, 6, 5, 7, 3, 3, 1, 1, true};
  const Problem<int8_t> problem(c);
  const std::vector<int8_t> expected = problem.Expected();
  const int32_t row_bytes = RowMapOf(c, 1).in_row_bytes;
  std::vector<uint8_t> memory(c.filter_height * row_bytes);
  const Rows ring = {memory.data(), row_bytes, c.filter_height};
  std::vector<int8_t> output(expected.size());
  const Rows to = {reinterpret_cast<uint8_t*>(output.data()), problem.out_row_values(), 0};
  for (int32_t y = 0; y < c.height; ++y) {
    // Row y needs rows y - 1 to y + 1.
    for (int32_t in_y = y == 0 ? 0 : y + 1; in_y <= y + 1 && in_y < c.height; ++in_y) {
      std::memcpy(ring.Row(in_y), problem.InputRows().Row(in_y), row_bytes);
    }
    Run(problem.ArgsFor<Conv2DArgs>(), ring, to, y, 1);
  }
  EXPECT_EQ(output, expected);
}

LUTRA_TEST_TABLE(Conv2DInt8, kConv2DInt8);

class Conv2DFloat : public KernelTest<Conv2DFloatFn> {};

TEST_P(Conv2DFloat, MatchesTheFormula) {
  for (const ConvCase& c : kConv2DCases) {
    if (c.extreme) continue;
    SCOPED_TRACE(c.name);
    const Problem<float> problem(c);
    bool kept_inside = false;
    const std::vector<float> output =
        problem.Run<Conv2DFloatArgs>(kernel(), 0, problem.out_rows(), &kept_inside);
    const std::vector<float> expected = problem.Expected();
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(output[i], expected[i], 1e-5) << i;
    EXPECT_TRUE(kept_inside);
  }
}

LUTRA_TEST_TABLE(Conv2DFloat, kConv2DFloat);

}  // namespace
}  // namespace lutra
