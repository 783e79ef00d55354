// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the transposed convolution kernels. Needs no C++ library.

#pragma once

#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "runtime/kernels/conv_cases.h"

namespace lutra {

// Height and width are those of the output, which a convolution would read.
static inline ConvShape TransposedShapeOf(const ConvCase& c) {
  ConvShape shape = ShapeOf(c);
  shape.in_height = shape.out_height;
  shape.in_width = shape.out_width;
  shape.out_height = c.height;
  shape.out_width = c.width;
  return shape;
}

inline constexpr ConvCase kTransposeConvCases[] = {
    {"one_value", 1, 1, 1, 1, 1, 1, 1, 1, true},
    {"one_by_one", 5, 7, 8, 16, 1, 1, 1, 1, true, 2},
    {"same", 6, 5, 3, 5, 3, 3, 1, 1, true, 1, 1, 0, 0},
    {"same_stride", 8, 10, 4, 9, 3, 3, 2, 1, true, 2, 1, 127, -128, -20, 90},
    {"odd_output", 9, 7, 17, 33, 4, 4, 2, 1, true, 1, 1, 126, 126},
    {"valid", 9, 8, 2, 4, 3, 2, 1, 1, false, 1, 1, -1, 1},
    {"valid_stride", 11, 9, 6, 7, 3, 3, 2, 1, false, 2, 1, 5, -5, -128, 127, false},
    {"output_beyond_windows", 12, 10, 2, 3, 3, 3, 2, 1, false},
    {"stride_beyond_window", 10, 11, 5, 6, 2, 1, 3, 1, true},
    {"deep", 3, 4, 300, 5, 3, 3, 2, 1, true},
    {"window_beyond_image", 2, 2, 3, 4, 7, 5, 1, 1, true},
    {"beyond_int32", 1, 1, 66000, 5, 1, 1, 1, 1, true, 1, 1, 127, 0, -128, 127, true, 0, true},
};

inline constexpr ConvCase kTransposeConvBenchmarks[] = {
    {"3x3_s2_16x16x32_16", 16, 16, 32, 16, 3, 3, 2, 1, true},
    {"2x2_s2_32x32x16_8", 32, 32, 16, 8, 2, 2, 2, 1, true},
    {"4x4_s2_32x32x64_32", 32, 32, 64, 32, 4, 4, 2, 1, true},
    {"3x3_s1_9x9x17_5", 9, 9, 17, 5, 3, 3, 1, 1, true},
    {"2x2_s3_12x12x3_3", 12, 12, 3, 3, 2, 2, 3, 1, true},
    {"3x3_s2_2x2x130_2", 2, 2, 130, 2, 3, 3, 2, 1, true},
};

template <typename Args>
inline constexpr auto kTransposeConvProblems = [](auto& memory, auto& problems) {
  const auto add = [&](const ConvCase& c) {
    AddConvolution<Args>(c, TransposedShapeOf(c), memory, problems);
  };
  for (const ConvCase& c : kTransposeConvCases) add(c);
  for (int32_t channels = 1; channels <= kMaxCount; channels += kChannelStep<Args>) {
    add({"to_3", 4, 3, channels, 3, 2, 2, 2, 1, true});
    add({"from_2", 3, 4, 2, channels, 3, 3, 2, 1, true, 1, 1, 5});
  }
};

}  // namespace lutra
