// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, in memory of its own and in place at the safe distance.

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_cases.h"
#include "runtime/testing/conv_kernel_test.h"
#include "runtime/testing/dots_as_evex.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

template <typename Element>
struct Problem : ConvProblem<Element> {
  explicit Problem(const ConvCase& c)
      : ConvProblem<Element>(c, ShapeOf(c), c.out_channels * c.filter_height * c.filter_width) {}

  std::vector<Element> Expected() const {
    using Sum = std::conditional_t<ConvProblem<Element>::kIsFloat, double, int64_t>;
    const ConvShape& s = this->shape;
    std::vector<Sum> sums;
    for (int32_t row = 0; row < this->out_rows(); ++row) {
      for (int32_t x = 0; x < s.out_width; ++x) {
        for (int32_t o = 0; o < s.out_channels; ++o) {
          Sum sum = 0;
          for (int32_t ky = 0; ky < s.filter_height; ++ky) {
            for (int32_t kx = 0; kx < s.filter_width; ++kx) {
              sum +=
                  this->template InputAt<Sum>(
                      row / s.out_height, row % s.out_height * s.stride_h - s.pad_top + ky * s.dilation_h,
                      x * s.stride_w - s.pad_left + kx * s.dilation_w, o / (s.out_channels / s.in_channels)) *
                  this->filter[(ky * s.filter_width + kx) * s.out_channels + o];
            }
          }
          sums.push_back(sum);
        }
      }
    }
    return this->OutputsOf(sums);
  }
};

class DepthwiseConv2DInt8 : public ConvKernelTest<DepthwiseConv2DFn, DepthwiseConv2DArgs, Problem<int8_t>> {};

TEST_P(DepthwiseConv2DInt8, MatchesTheFormula) { ExpectFormula(kDepthwiseConv2DCases); }

TEST_P(DepthwiseConv2DInt8, MatchesTheFormulaForChannelsOfNetworks) {
  for (const int32_t channels : NetworkSizes(256)) {
    ExpectFormula(ConvCase{"3x3", 5, 6, channels, channels, 3, 3, 1, 1, true});
    ExpectFormula(ConvCase{"3x3_s2", 5, 6, channels, channels, 3, 3, 2, 1, true});
    ExpectFormula(ConvCase{"from_one", 6, 5, 1, channels, 5, 4, 2, 1, true});
  }
}

#if LUTRA_HAVE_STREAMING_LAYERS
TEST_P(DepthwiseConv2DInt8, TakesCompressedFilters) {
  const ConvCase cases[] = {
      {"3x3", 5, 6, 8, 8, 3, 3, 1, 1, true},   {"3x3_s2", 5, 6, 16, 16, 3, 3, 2, 1, true},
      {"5x4", 6, 6, 33, 33, 5, 4, 1, 1, true}, {"5x4_whole", 6, 6, 64, 64, 5, 4, 1, 1, true},
      {"one", 4, 5, 1, 1, 3, 3, 1, 1, true},   {"many", 3, 3, 130, 130, 3, 3, 1, 1, true},
  };
  const int32_t widths[] = {1, 2, 3, 4, 5, 6, 7};
  ExpectCompressedFilters(cases, widths, [](const Problem<int8_t>&) { return 1; });
}
#endif

// Images, windows and channels that fill no vectors.
TEST_P(DepthwiseConv2DInt8, MatchesTheFormulaForOddShapes) {
  struct Window {
    int32_t height, width, stride, dilation;
  };
  const Window windows[] = {{3, 3, 1, 1}, {1, 9, 1, 1}, {9, 1, 2, 1}, {3, 3, 2, 1},
                            {2, 2, 1, 3}, {5, 7, 3, 1}, {3, 3, 1, 2}, {3, 3, 4, 1}};
  int32_t turn = 0;
  for (const Window& w : windows) {
    for (const int32_t channels : {1, 2, 3, 5, 8, 17, 24, 40, 96, 130, 1000}) {
      for (const int32_t image : {1, 2, 3, 131}) {
        if (image > 3 && channels > 24) continue;
        const int32_t height = image > 3 ? 2 : image;
        const auto zero = static_cast<int8_t>(++turn % 3 == 0 ? -128 : turn * 37);
        const auto min = static_cast<int8_t>(turn % 2 == 0 ? -128 : zero);
        ExpectFormula(ConvCase{"odd", height, image, channels, channels, w.height, w.width, w.stride,
                               w.dilation, true, image < 3 ? 3 : 1, 1, zero, zero, min, 127, turn % 5 != 0});
      }
    }
  }
}

// Every input channel has several filters, which fill vectors or not.
TEST_P(DepthwiseConv2DInt8, MatchesTheFormulaForManyFilters) {
  for (const int32_t filters : {2, 3, 8, 17}) {
    for (const int32_t channels : {1, 3, 5, 40}) {
      const int32_t out = channels * filters;
      ExpectFormula(ConvCase{"3x3", 6, 5, channels, out, 3, 3, 1, 1, true, 2});
      ExpectFormula(ConvCase{"3x3_s2", 7, 6, channels, out, 3, 3, 2, 1, true, 1, 1, 5, -128});
      ExpectFormula(ConvCase{"2x5_s3", 5, 9, channels, out, 2, 5, 3, 1, false, 3});
      ExpectFormula(ConvCase{"dilated", 6, 7, channels, out, 3, 2, 1, 2, true});
    }
  }
}

// More channels than a strip holds, rows in several strips, many taps.
TEST_P(DepthwiseConv2DInt8, MatchesTheFormulaForLargeLayers) {
  const ConvCase cases[] = {
      {"channels", 3, 3, 3000, 3000, 3, 3, 1, 1, true},
      {"channels_s2", 4, 3, 2085, 2085, 3, 3, 2, 1, true, 2},
      {"filters", 3, 2, 100, 3000, 3, 3, 1, 1, true},
      {"filters_of_a_slice", 2, 2, 1500, 3000, 3, 3, 1, 1, true},
      {"columns", 4, 900, 8, 8, 3, 3, 1, 1, true, 1, 1, -3, -128},
      {"columns_s2", 5, 1301, 16, 16, 3, 3, 2, 1, true},
      {"tall", 150, 6, 70, 70, 3, 3, 1, 1, true},
      {"taps", 14, 15, 9, 9, 13, 13, 1, 1, true},
      {"taps_in_a_row", 1, 300, 2, 2, 1, 257, 1, 1, false},
  };
  ExpectFormula(cases);
}

TEST_P(DepthwiseConv2DInt8, TouchesNothingOutside) {
  const ConvCase cases[] = {
      {"eight_s2", 5, 41, 8, 8, 3, 3, 2, 1, true},       {"even_s2", 4, 40, 16, 16, 3, 3, 2, 1, false},
      {"thirty_two_s2", 4, 9, 32, 32, 3, 3, 2, 1, true}, {"seven_s3", 5, 19, 7, 7, 3, 2, 3, 1, true},
      {"filters", 3, 5, 3, 15, 3, 3, 1, 1, true},        {"last_column_s2", 5, 8, 32, 32, 3, 3, 2, 1, true},
      {"few", 3, 5, 3, 3, 3, 3, 1, 1, true, 2},          {"eight", 9, 13, 8, 8, 3, 3, 1, 1, true},
      {"valid", 6, 7, 17, 17, 3, 3, 1, 1, false, 2},     {"stride", 7, 9, 16, 16, 3, 3, 2, 1, true},
      {"one_pixel", 1, 1, 65, 65, 3, 3, 1, 1, true},     {"valid_stride", 8, 9, 5, 5, 2, 2, 2, 1, false},
  };
  ExpectNothingTouchedOutside(cases, false);
}

TEST_P(DepthwiseConv2DInt8, MakesOnlyTheChannelsItIsAskedFor) {
  ExpectOnlyTheChannelsAskedFor(kDepthwiseConv2DCases, true);
}

TEST_P(DepthwiseConv2DInt8, MakesOnlyTheRowsItIsAskedFor) {
  ExpectOnlyTheRowsAskedFor({"rows", 4, 5, 9, 9, 3, 3, 1, 1, true, 3});
}

TEST_P(DepthwiseConv2DInt8, RunsInPlaceAtTheSafeDistance) {
  ExpectInPlaceAtTheSafeDistance(kDepthwiseConv2DInPlaceCases);
}

TEST_P(DepthwiseConv2DInt8, RunsInPlaceWithAllTheRowsThatItTakesAtOnce) {
  const ConvCase wider[] = {
      {"rows_in_parts", 7, 90, 100, 100, 3, 3, 1, 1, true},
      {"bands", 90, 12, 48, 48, 3, 3, 1, 1, true},
      {"bands_of_strides", 91, 12, 40, 40, 5, 3, 2, 1, true},
  };
  ExpectInPlaceWithAllRowsAtOnce(wider, kDepthwiseConv2DInPlaceCases);
}

LUTRA_TEST_TABLE(DepthwiseConv2DInt8, kDepthwiseConv2DInt8);
LUTRA_TEST_AS_EVEX(DepthwiseConv2DInt8, kDepthwiseConv2DInt8);

class DepthwiseConv2DFloat : public ConvFloatTest<DepthwiseConv2DFloatFn, Problem<float>> {};

TEST_P(DepthwiseConv2DFloat, MatchesTheFormula) { ExpectFormula(kDepthwiseConv2DCases); }

LUTRA_TEST_TABLE(DepthwiseConv2DFloat, kDepthwiseConv2DFloat);

}  // namespace
}  // namespace lutra
