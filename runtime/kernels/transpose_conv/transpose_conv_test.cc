// SPDX-License-Identifier: Apache-2.0
// Every variant against the formula from the input's side: each pixel adds to the outputs that it reaches.

#include "lutra/kernels/transpose_conv/transpose_conv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/transpose_conv/transpose_conv_cases.h"
#include "runtime/testing/conv_kernel_test.h"
#include "runtime/testing/dots_as_evex.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

template <typename Element>
struct Problem : ConvProblem<Element> {
  explicit Problem(const ConvCase& c)
      : ConvProblem<Element>(c, TransposedShapeOf(c),
                             c.out_channels * c.filter_height * c.filter_width * c.in_channels) {}

  std::vector<Element> Expected() const {
    using Sum = std::conditional_t<ConvProblem<Element>::kIsFloat, double, int64_t>;
    const ConvShape& s = this->shape;
    std::vector<Sum> sums(this->out_rows() * this->out_row_values());
    for (int32_t row = 0; row < this->c.images * s.in_height; ++row) {
      for (int32_t x = 0; x < s.in_width; ++x) {
        for (int32_t tap = 0; tap < s.filter_height * s.filter_width; ++tap) {
          const int32_t out_y = row % s.in_height * s.stride_h - s.pad_top + tap / s.filter_width;
          const int32_t out_x = x * s.stride_w - s.pad_left + tap % s.filter_width;
          if (out_y < 0 || out_y >= s.out_height || out_x < 0 || out_x >= s.out_width) continue;
          const int32_t image = row / s.in_height;
          Sum* out = &sums[((image * s.out_height + out_y) * s.out_width + out_x) * s.out_channels];
          for (int32_t o = 0; o < s.out_channels; ++o) {
            for (int32_t i = 0; i < s.in_channels; ++i) {
              out[o] += this->template InputAt<Sum>(image, row % s.in_height, x, i) *
                        this->filter[(o * s.filter_height * s.filter_width + tap) * s.in_channels + i];
            }
          }
        }
      }
    }
    return this->OutputsOf(sums);
  }
};

class TransposeConvInt8 : public ConvKernelTest<TransposeConvFn, TransposeConvArgs, Problem<int8_t>> {};

TEST_P(TransposeConvInt8, MatchesTheFormula) { ExpectFormula(kTransposeConvCases); }

TEST_P(TransposeConvInt8, MatchesTheFormulaForChannelsOfNetworks) {
  for (const int32_t channels : NetworkSizes(128)) {
    ExpectFormula(ConvCase{"from", 4, 5, channels, 8, 3, 3, 2, 1, true});
    ExpectFormula(ConvCase{"to", 4, 5, 8, channels, 2, 2, 2, 1, true});
  }
}

// Strides below, at and beyond the window's size, for various numbers of channels and sizes of images.
TEST_P(TransposeConvInt8, MatchesTheFormulaForOddShapes) {
  struct Window {
    int32_t height, width, stride;
  };
  const Window windows[] = {{1, 1, 1}, {1, 5, 3}, {5, 2, 2}, {4, 4, 4}, {2, 3, 5}, {3, 3, 1}, {7, 5, 2}};
  const int32_t channels[] = {1, 2, 3, 5, 17, 40, 130};
  int32_t turn = 0;
  for (const Window& w : windows) {
    for (const int32_t in : channels) {
      for (const int32_t image : {1, 2, 3, 131}) {
        const int32_t out = channels[turn++ % 7];
        if (image > 3 && in * out * w.height * w.width > 2000) continue;
        const auto zero = static_cast<int8_t>(turn % 3 == 0 ? -128 : turn * 37);
        const auto min = static_cast<int8_t>(turn % 2 == 0 ? -128 : zero);
        ExpectFormula(ConvCase{"odd", image > 3 ? 5 : image, image, in, out, w.height, w.width, w.stride, 1,
                               true, image < 3 ? 3 : 1, 1, zero, zero, min, 127, turn % 5 != 0});
      }
    }
  }
}

TEST_P(TransposeConvInt8, TouchesNothingOutside) {
  const ConvCase cases[] = {
      {"same_stride", 7, 9, 3, 17, 3, 3, 2, 1, true, 2},
      {"valid", 9, 8, 5, 65, 2, 2, 2, 1, false},
      {"beyond_windows", 8, 11, 1, 3, 2, 2, 3, 1, true, 2},
      {"wide", 2, 131, 17, 2, 4, 4, 2, 1, true},
      {"four_pixels", 4, 4, 130, 5, 3, 3, 2, 1, true, 3},
      {"narrow_strips", 3, 40, 1000, 2, 2, 2, 1, 1, true},
  };
  ExpectNothingTouchedOutside(cases, true);
}

TEST_P(TransposeConvInt8, MakesOnlyTheChannelsItIsAskedFor) {
  ExpectOnlyTheChannelsAskedFor(kTransposeConvCases, false);
}

TEST_P(TransposeConvInt8, MakesOnlyTheRowsItIsAskedFor) {
  ExpectOnlyTheRowsAskedFor({"rows", 4, 5, 3, 9, 3, 3, 2, 1, true, 3});
}

LUTRA_TEST_TABLE(TransposeConvInt8, kTransposeConvInt8);
LUTRA_TEST_AS_EVEX(TransposeConvInt8, kTransposeConvInt8);

class TransposeConvFloat : public ConvFloatTest<TransposeConvFloatFn, Problem<float>> {};

TEST_P(TransposeConvFloat, MatchesTheFormula) { ExpectFormula(kTransposeConvCases); }

LUTRA_TEST_TABLE(TransposeConvFloat, kTransposeConvFloat);

}  // namespace
}  // namespace lutra
