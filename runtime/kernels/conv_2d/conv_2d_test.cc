// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, in memory of its own, and in place at the safe distance.

#include "lutra/kernels/conv_2d/conv_2d.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "runtime/kernels/conv_2d/conv_2d_cases.h"
#include "runtime/testing/conv_kernel_test.h"
#include "runtime/testing/dots_as_evex.h"
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

class Conv2DInt8 : public ConvKernelTest<Conv2DFn, Conv2DArgs, Problem<int8_t>> {};

TEST_P(Conv2DInt8, MatchesTheFormula) { ExpectFormula(kConv2DCases); }

TEST_P(Conv2DInt8, MatchesTheFormulaForChannelsOfNetworks) {
  for (const int32_t channels : NetworkSizes(128)) {
    ExpectFormula(ConvCase{"1x1_from", 3, 4, channels, 8, 1, 1, 1, 1, true});
    ExpectFormula(ConvCase{"1x1_to", 3, 4, 8, channels, 1, 1, 1, 1, true});
    if (channels <= 65) ExpectFormula(ConvCase{"3x3", 4, 3, channels, channels, 3, 3, 1, 1, true});
  }
}

#if LUTRA_HAVE_STREAMING_LAYERS
TEST_P(Conv2DInt8, TakesCompressedFilters) {
  const ConvCase cases[] = {
      {"pointwise", 6, 7, 16, 33, 1, 1, 1, 1, true},
      {"pointwise_many", 3, 3, 128, 130, 1, 1, 1, 1, true},
      {"pointwise_odd", 2, 5, 6, 7, 1, 1, 1, 1, true},
      {"many_pixels", 40, 20, 32, 16, 1, 1, 1, 1, true},
      {"3x3", 5, 6, 8, 20, 3, 3, 1, 1, true},
      {"3x3_s2", 9, 8, 3, 8, 3, 3, 2, 1, true},
      {"3x3_large", 4, 4, 64, 64, 3, 3, 1, 1, true},
      {"too_large_to_decode", 2, 3, 128, 40, 3, 3, 1, 1, true},
      {"fills_the_block", 3, 3, 212, 64, 3, 1, 1, 1, true},
      {"1x1_s2", 7, 7, 20, 12, 1, 1, 2, 1, true},
  };
  const int32_t widths[] = {1, 3, 4, 7};
  ExpectCompressedFilters(cases, widths, [](const Problem<int8_t>& problem) {
    return static_cast<int32_t>(problem.filter.size()) / problem.shape.out_channels;
  });
}
#endif

// Images, windows and channels that fill no vectors.
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
        ExpectFormula(ConvCase{"odd", height, image, in, out, w.height, w.width, w.stride, 1, true,
                               image < 3 ? 3 : 1, 1, zero, zero, min, 127, turn % 5 != 0});
      }
    }
  }
}

// Rows end at any pixel of a tile; some numbers of channels have tiles of their own.
TEST_P(Conv2DInt8, MatchesTheFormulaForEachWidth) {
  for (int32_t width = 1; width <= 35; ++width) {
    for (const int32_t out : {8, 16, 64}) {
      const auto zero = static_cast<int8_t>(width * 37);
      const auto min = static_cast<int8_t>(width % 2 == 0 ? -128 : zero);
      ExpectFormula(ConvCase{"3x3", 2, width, 4, out, 3, 3, 1, 1, true, 1, 1, zero, zero, min});
      ExpectFormula(ConvCase{"stride", 3, width, 3, out, 3, 3, 2, 1, true, 1, 1, zero, zero, min});
      ExpectFormula(ConvCase{"one_row", 1, width, 8, out, 1, 1, 1, 1, true, 1, 1, zero, zero, min});
    }
  }
}

// Tiles of many channels end at any pixel of a row, and rows at any pixel of a tile.
TEST_P(Conv2DInt8, MatchesTheFormulaForShortRows) {
  for (const int32_t width : {1, 2, 3, 5, 7, 11}) {
    for (const int32_t out : {33, 64, 144}) {
      const auto zero = static_cast<int8_t>(width * 37 + out);
      const auto min = static_cast<int8_t>(width % 2 == 0 ? -128 : zero);
      for (const int32_t height : {1, 7}) {
        ExpectFormula(
            ConvCase{"10x4", 2 * height, 2 * width, 1, out, 10, 4, 2, 1, true, 2, 1, zero, zero, min});
        ExpectFormula(ConvCase{"3x2", height, width, 5, out, 3, 2, 1, 1, true, 1, 1, zero, zero, min});
      }
    }
  }
}

// Windows of one tap with strides.
TEST_P(Conv2DInt8, MatchesTheFormulaForSamples) {
  for (const int32_t in : {1, 3, 8, 16, 24, 32, 48, 80}) {
    for (const int32_t width : {1, 2, 3, 7, 16, 33, 130}) {
      for (const int32_t stride : {2, 3}) {
        const auto zero = static_cast<int8_t>(width * 37 + in);
        ExpectFormula(ConvCase{"samples", 5, width, in, stride == 2 ? 17 : 8, 1, 1, stride, 1, width % 2 == 0,
                               2, 1, zero, zero});
      }
    }
  }
  ExpectFormula(ConvCase{"parts", 40, 66, 64, 20, 1, 1, 2, 1, true});
}

TEST_P(Conv2DInt8, TouchesNothingOutside) {
  const ConvCase cases[] = {
      {"short_lines", 9, 6, 1, 64, 10, 4, 2, 1, true, 2},
      {"short_lines_in_padding", 3, 2, 2, 65, 5, 7, 1, 1, true, 1, 1, 9, 9, -128, 127, true, 4},
      {"samples", 5, 33, 16, 8, 1, 1, 2, 1, true, 2},
      {"samples_even", 6, 34, 8, 9, 1, 1, 2, 1, true},
      {"samples_chunks", 5, 9, 48, 8, 1, 1, 3, 1, false},
      {"pointwise", 3, 5, 3, 7, 1, 1, 1, 1, true, 2},
      {"pointwise_wide", 1, 13, 17, 65, 1, 1, 1, 1, true},
      {"window", 5, 4, 3, 17, 3, 3, 1, 1, true, 2},
      {"valid", 6, 7, 5, 33, 3, 3, 1, 1, false, 2},
      {"eight_channels", 3, 21, 3, 8, 3, 3, 1, 1, true, 2},
      {"columns", 3, 37, 4, 9, 3, 3, 1, 1, true, 2},
      {"stride", 7, 9, 1, 8, 3, 3, 2, 1, true},
      {"one_pixel", 1, 1, 2, 130, 3, 3, 1, 1, true, 3},
      {"stride_without_padding", 8, 9, 1, 5, 2, 2, 2, 1, false},
      {"stride_beyond_the_image", 1, 1, 3, 5, 1, 1, 1 << 30, 1, true, 2},
  };
  ExpectNothingTouchedOutside(cases, false);
}

// Groups, strides, and windows and depths that do not fit a strip.
constexpr ConvCase kGeneralCases[] = {
    {"group_of_one", 5, 7, 5, 5, 3, 3, 1, 1, true, 2, 5, 17, -3},
    {"groups_of_16", 4, 13, 64, 64, 3, 3, 1, 1, true, 1, 4},
    {"groups_of_17", 3, 4, 51, 6, 1, 1, 1, 1, true, 3, 3, -128, 127},
    {"groups_of_2_to_65", 6, 5, 4, 130, 3, 2, 2, 1, true, 2, 2, 5, 5, 5, 100, false},
    {"groups_stride_beyond_window", 7, 9, 6, 4, 1, 1, 3, 1, false, 1, 2},
    {"groups_of_huge_depth", 1, 3, 18000, 4, 1, 1, 1, 1, true, 1, 2, -5, 9},
    {"dilated_columns", 3, 131, 1, 5, 1, 3, 1, 7, true, 1, 1, -20, 60},
    {"dilated_groups_valid", 9, 8, 6, 9, 3, 3, 2, 2, false, 3, 3, 100, 0, 0, 127},
    {"dilated_beyond_strips", 2, 3, 40, 5, 2, 3, 1, 9000, true},
    {"tall", 11, 3, 17, 5, 9, 1, 1, 1, true, 2},
    {"eleven", 13, 4, 70, 3, 11, 11, 1, 1, true, 1, 1, 7, 7},
    {"eleven_at_stride", 23, 21, 64, 18, 11, 11, 5, 1, true, 1, 1, -128, -128},
    {"deep", 2, 7, 2049, 33, 2, 2, 1, 1, true},
    {"deep_dilated", 5, 6, 700, 3, 3, 3, 1, 2, true},
    {"deep_in_one_pixel", 1, 1, 16385, 65, 1, 1, 1, 1, true, 2},
    {"deep_at_stride", 3, 5, 1025, 2, 1, 1, 2, 1, true, 3},
    {"line_beyond_strips", 1, 9, 3000, 3, 1, 7, 1, 1, true, 1, 1, 1, 1, -128, 127, false},
    {"stride_beyond_strips", 2, 3, 5, 7, 2, 2, 1 << 29, 1, true, 2},
};

// No variant leaves these shapes to the reference, or reads or writes anything outside.
TEST_P(Conv2DInt8, TakesEveryShape) { ExpectNothingTouchedOutside(kGeneralCases, true); }

TEST_P(Conv2DInt8, MakesOnlyTheChannelsItIsAskedFor) { ExpectOnlyTheChannelsAskedFor(kConv2DCases, false); }

TEST_P(Conv2DInt8, MakesOnlyTheRowsItIsAskedFor) {
  ExpectOnlyTheRowsAskedFor({"rows", 4, 5, 3, 9, 3, 3, 1, 1, true, 3});
}

TEST_P(Conv2DInt8, RunsInPlaceAtTheSafeDistance) { ExpectInPlaceAtTheSafeDistance(kConv2DInPlaceCases); }

TEST_P(Conv2DInt8, RunsInPlaceWithAllTheRowsThatItTakesAtOnce) {
  const ConvCase wider[] = {
      {"part_of_the_rows", 30, 24, 64, 64, 1, 1, 1, 1, true},
      {"rows_in_parts", 7, 90, 64, 64, 3, 3, 1, 1, true},
      {"bands", 40, 12, 48, 48, 3, 3, 1, 1, true},
      {"bands_growing", 40, 12, 24, 48, 3, 3, 1, 1, true},
      {"bands_of_strides", 61, 12, 40, 24, 5, 3, 2, 1, true},
      {"short_rows", 30, 5, 40, 64, 3, 3, 1, 1, true},
      {"short_rows_growing", 24, 5, 8, 80, 3, 3, 1, 1, true},
      {"samples", 31, 20, 16, 64, 1, 1, 2, 1, true},
      {"samples_in_parts", 3, 1100, 16, 8, 1, 1, 2, 1, true},
  };
  ExpectInPlaceWithAllRowsAtOnce(wider, kConv2DInPlaceCases);
}

LUTRA_TEST_TABLE(Conv2DInt8, kConv2DInt8);
LUTRA_TEST_AS_EVEX(Conv2DInt8, kConv2DInt8);

class Conv2DFloat : public ConvFloatTest<Conv2DFloatFn, Problem<float>> {};

TEST_P(Conv2DFloat, MatchesTheFormula) { ExpectFormula(kConv2DCases); }

LUTRA_TEST_TABLE(Conv2DFloat, kConv2DFloat);

}  // namespace
}  // namespace lutra
