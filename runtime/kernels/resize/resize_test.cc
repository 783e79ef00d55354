// SPDX-License-Identifier: Apache-2.0
// Every variant against recorded vectors and against the plain formula.

#include "lutra/kernels/resize/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/conv_cases.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

enum class Mode { kPlain, kAlignCorners, kHalfPixel };

bool Axis(int32_t in, int32_t out, Mode mode, BilinearAxis* axis) {
  return MakeBilinearAxis(in, out, mode == Mode::kAlignCorners, mode == Mode::kHalfPixel, axis);
}

struct Image {
  int32_t batches, height, width, channels;
};

// Computes the image by the rule: sums of 64 bits, scale and position computed for each pixel.
std::vector<int8_t> BilinearFormula(const Image& image, int32_t out_height, int32_t out_width, Mode mode,
                                    const std::vector<int8_t>& input) {
  const auto place = [mode](int64_t i, int64_t in, int64_t out, int64_t* low, int64_t* high) {
    const bool corners = mode == Mode::kAlignCorners && out > 1;
    const int64_t scale =
        corners ? (1024 * (in - 1) + (out - 1) / 2) / (out - 1) : (1024 * in + out / 2) / out;
    const int64_t t = i * scale + (mode == Mode::kHalfPixel ? scale / 2 - 512 : 0);
    *low = std::max<int64_t>(t / 1024, 0);
    *high = std::min<int64_t>((t + 1023) / 1024, in - 1);
    return t - 1024 * *low;
  };
  std::vector<int8_t> output;
  for (int32_t b = 0; b < image.batches; ++b) {
    for (int32_t y = 0; y < out_height; ++y) {
      for (int32_t x = 0; x < out_width; ++x) {
        int64_t y0, y1, x0, x1;
        const int64_t wy = place(y, image.height, out_height, &y0, &y1);
        const int64_t wx = place(x, image.width, out_width, &x0, &x1);
        for (int32_t c = 0; c < image.channels; ++c) {
          const auto at = [&](int64_t row, int64_t column) -> int64_t {
            return input[((b * image.height + row) * image.width + column) * image.channels + c];
          };
          const int64_t sum = at(y0, x0) * (1024 - wy) * (1024 - wx) + at(y1, x0) * wy * (1024 - wx) +
                              at(y0, x1) * (1024 - wy) * wx + at(y1, x1) * wy * wx;
#ifdef LUTRA_SINGLE_ROUNDING
          output.push_back(static_cast<int8_t>(std::floor(static_cast<double>(sum) / 1048576 + 0.5)));
#else
          output.push_back(static_cast<int8_t>(std::round(static_cast<double>(sum) / 1048576)));
#endif
        }
      }
    }
  }
  return output;
}

class ResizeBilinear : public KernelTest<ResizeBilinearFn> {
 protected:
  std::vector<int8_t> Resized(const Image& image, int32_t out_height, int32_t out_width, Mode mode,
                              const std::vector<int8_t>& input) {
    constexpr int8_t kGuard = 0x5A;
    constexpr size_t kGuardBytes = 32;
    ResizeBilinearArgs args = {};
    args.input = input.data();
    args.batches = image.batches;
    args.channels = image.channels;
    EXPECT_TRUE(Axis(image.height, out_height, mode, &args.rows));
    EXPECT_TRUE(Axis(image.width, out_width, mode, &args.columns));
    const size_t bytes = image.batches * out_height * out_width * image.channels;
    std::vector<int8_t> output(bytes + 2 * kGuardBytes, kGuard);
    args.output = output.data() + kGuardBytes;
    Run(args);
    for (size_t i = 0; i < kGuardBytes; ++i) {
      EXPECT_EQ(output[i], kGuard);
      EXPECT_EQ(output[kGuardBytes + bytes + i], kGuard);
    }
    return {output.begin() + kGuardBytes, output.end() - kGuardBytes};
  }
};

// These are recorded results of TensorFlow Lite's rule; both roundings give them.
TEST_P(ResizeBilinear, MatchesRecordedVectors) {
  struct Vector {
    int32_t height, width, out_height, out_width;
    Mode mode;
    std::vector<int8_t> input, output;
  };
  const std::vector<int8_t> upscaled = {1, 2, 2, 2, 3, 3, 3, 4, 4};
  const Vector vectors[] = {
      {2, 2, 3, 3, Mode::kPlain, {1, 2, 3, 4}, upscaled},
      {2, 2, 3, 3, Mode::kAlignCorners, {1, 2, 3, 4}, upscaled},
      {2, 2, 3, 3, Mode::kHalfPixel, {1, 2, 3, 4}, upscaled},
      {2,
       2,
       4,
       4,
       Mode::kHalfPixel,
       {-128, 127, 127, -128},
       {-128, -64, 63, 127, -64, -32, 31, 63, 63, 31, -32, -64, 127, 63, -64, -128}},
      {1, 1, 2, 2, Mode::kPlain, {-7}, {-7, -7, -7, -7}},
      {3, 3, 2, 2, Mode::kHalfPixel, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {2, 4, 7, 8}},
      {3, 3, 2, 2, Mode::kPlain, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 3, 6, 7}},
      {1, 3, 1, 5, Mode::kAlignCorners, {-10, 0, 10}, {-10, -5, 0, 5, 10}},
      {1, 3, 1, 7, Mode::kHalfPixel, {-3, 0, 3}, {-3, -3, -1, 0, 1, 3, 3}},
      {2, 1, 4, 1, Mode::kHalfPixel, {-1, -2}, {-1, -1, -2, -2}},
  };
  for (const Vector& v : vectors) {
    EXPECT_EQ(Resized({1, v.height, v.width, 1}, v.out_height, v.out_width, v.mode, v.input), v.output);
  }
}

TEST_P(ResizeBilinear, MatchesTheFormula) {
  std::vector<Image> images = {{1, 1, 1, 1}, {2, 3, 5, 4}, {1, 8, 1, 17}, {1, 7, 8, 33}};
  for (const int32_t channels : NetworkSizes(128)) images.push_back({1, 3, 2, channels});
  const int32_t sizes[][2] = {{1, 1}, {2, 3}, {6, 16}, {13, 9}};
  for (const Image& image : images) {
    std::vector<int8_t> input(image.batches * image.height * image.width * image.channels);
    FillInt8(5, static_cast<int32_t>(input.size()), input.data());
    for (const auto& size : sizes) {
      for (const Mode mode : {Mode::kPlain, Mode::kAlignCorners, Mode::kHalfPixel}) {
        EXPECT_EQ(Resized(image, size[0], size[1], mode, input),
                  BilinearFormula(image, size[0], size[1], mode, input))
            << image.height << "x" << image.width << " to " << size[0] << "x" << size[1] << " mode "
            << static_cast<int>(mode);
      }
    }
  }
}

TEST_P(ResizeBilinear, EqualsTheReferenceAtPageEdges) {
  const int32_t sides[][4] = {{1, 1, 1, 1}, {1, 1, 2, 3}, {3, 2, 7, 5}, {5, 4, 2, 3}, {2, 9, 4, 18}};
  for (const PageEdge::Side side : kPageEdges) {
    for (int32_t channels = 1; channels <= 67; channels += channels < 35 ? 1 : 16) {
      for (const auto& s : sides) {
        const auto mode = static_cast<Mode>((channels + s[0]) % 3);
        constexpr int32_t kBatches = 2;
        const int32_t bytes = kBatches * s[2] * s[3] * channels;
        const FilledEdge input(7, kBatches * s[0] * s[1] * channels, side);
        const FilledEdge output(1, bytes, side), right(2, bytes, side);
        ResizeBilinearArgs args = {};
        args.input = reinterpret_cast<const int8_t*>(input.data());
        args.batches = kBatches;
        args.channels = channels;
        ASSERT_TRUE(Axis(s[0], s[2], mode, &args.rows));
        ASSERT_TRUE(Axis(s[1], s[3], mode, &args.columns));
        args.output = reinterpret_cast<int8_t*>(output.data());
        Run(args);
        args.output = reinterpret_cast<int8_t*>(right.data());
        RunReference(args);
        ASSERT_EQ(output.Bytes(bytes), right.Bytes(bytes)) << channels << " channels";
      }
    }
  }
}

LUTRA_TEST_TABLE(ResizeBilinear, kResizeBilinearInt8);

TEST(BilinearAxisTest, RefusesWhatLeavesTheImage) {
  BilinearAxis axis;
  EXPECT_TRUE(Axis(1, 54, Mode::kPlain, &axis));
  EXPECT_FALSE(Axis(1, 55, Mode::kPlain, &axis));
  EXPECT_TRUE(Axis(1, 55, Mode::kHalfPixel, &axis));
  int refused = 0;
  for (int32_t in = 1; in < 8; ++in) {
    for (int32_t out = 1; out < 200; ++out) refused += Axis(in, out, Mode::kPlain, &axis) ? 0 : 1;
  }
  EXPECT_EQ(refused, 245);
  EXPECT_FALSE(Axis(1 << 21, 1, Mode::kPlain, &axis));  // 1024 * in does not fit int32.
}

class ResizeBilinearFloat : public KernelTest<ResizeBilinearFloatFn> {};

// Computes the image in double: neighbours and weights of each pixel.
TEST_P(ResizeBilinearFloat, MatchesTheFormula) {
  const auto place = [](double i, double in, double out, Mode mode, int32_t* low, int32_t* high) {
    const bool corners = mode == Mode::kAlignCorners && out > 1;
    const double scale = corners ? (in - 1) / (out - 1) : in / out;
    const double p = mode == Mode::kHalfPixel ? std::max((i + 0.5) * scale - 0.5, 0.0) : i * scale;
    *low = static_cast<int32_t>(std::floor(p + 1e-6));
    *high = std::min(*low + 1, static_cast<int32_t>(in) - 1);
    return p - *low;
  };
  const int32_t sides[][4] = {{1, 1, 3, 2}, {3, 2, 7, 5}, {5, 4, 2, 3}, {2, 7, 4, 14}, {6, 5, 6, 5}};
  for (const auto& s : sides) {
    for (const Mode mode : {Mode::kPlain, Mode::kAlignCorners, Mode::kHalfPixel}) {
      constexpr int32_t kBatches = 2, kChannels = 3;
      std::vector<float> input(kBatches * s[0] * s[1] * kChannels);
      for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
      std::vector<float> output(kBatches * s[2] * s[3] * kChannels + 1, 99);
      const bool corners = mode == Mode::kAlignCorners, half = mode == Mode::kHalfPixel;
      Run({input.data(), output.data(), kBatches, MakeBilinearFloatAxis(s[0], s[2], corners, half),
           MakeBilinearFloatAxis(s[1], s[3], corners, half), kChannels});
      EXPECT_EQ(output.back(), 99);
      size_t next = 0;
      for (int32_t b = 0; b < kBatches; ++b) {
        for (int32_t y = 0; y < s[2]; ++y) {
          for (int32_t x = 0; x < s[3]; ++x) {
            int32_t y0, y1, x0, x1;
            const double wy = place(y, s[0], s[2], mode, &y0, &y1);
            const double wx = place(x, s[1], s[3], mode, &x0, &x1);
            for (int32_t c = 0; c < kChannels; ++c) {
              const auto at = [&](int32_t row, int32_t column) -> double {
                return input[((b * s[0] + row) * s[1] + column) * kChannels + c];
              };
              const double expected = (at(y0, x0) * (1 - wx) + at(y0, x1) * wx) * (1 - wy) +
                                      (at(y1, x0) * (1 - wx) + at(y1, x1) * wx) * wy;
              ASSERT_NEAR(output[next++], expected, 2e-6)
                  << y << ", " << x << " mode " << static_cast<int>(mode);
            }
          }
        }
      }
    }
  }
}

LUTRA_TEST_TABLE(ResizeBilinearFloat, kResizeBilinearFloat);

class ResizeNearest : public KernelTest<ResizeNearestFn> {};

TEST_P(ResizeNearest, MatchesTheFormula) {
  const int32_t sides[] = {1, 2, 5, 13};
  const std::vector<int32_t> pixel_sizes = NetworkSizes(128);
  size_t next_size = 0;
  for (const int32_t in : sides) {
    for (const int32_t out : sides) {
      for (const Mode mode : {Mode::kPlain, Mode::kAlignCorners, Mode::kHalfPixel}) {
        constexpr int32_t kBatches = 2;
        const int32_t pixel_bytes = pixel_sizes[next_size++ % pixel_sizes.size()];
        const int32_t in_width = in + 1;
        const int32_t out_width = out + 2;
        std::vector<uint8_t> input(kBatches * in * in_width * pixel_bytes);
        FillInt8(6, static_cast<int32_t>(input.size()), reinterpret_cast<int8_t*>(input.data()));
        const auto pixel = [mode](int32_t i, int32_t from, int32_t to) {
          const bool corners = mode == Mode::kAlignCorners;
          const float scale = corners && to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                                : static_cast<float>(from) / static_cast<float>(to);
          const float position = (static_cast<float>(i) + (mode == Mode::kHalfPixel ? 0.5f : 0.0f)) * scale;
          const float whole = corners ? std::round(position) : std::floor(position);
          return std::min(static_cast<int32_t>(whole), from - 1);
        };
        std::vector<uint8_t> expected;
        for (int32_t b = 0; b < kBatches; ++b) {
          for (int32_t y = 0; y < out; ++y) {
            for (int32_t x = 0; x < out_width; ++x) {
              const int32_t at = (b * in + pixel(y, in, out)) * in_width + pixel(x, in_width, out_width);
              const auto from = input.begin() + at * pixel_bytes;
              expected.insert(expected.end(), from, from + pixel_bytes);
            }
          }
        }
        std::vector<uint8_t> output(expected.size() + 16, 0x5A);
        const bool corners = mode == Mode::kAlignCorners;
        const bool half = mode == Mode::kHalfPixel;
        Run({input.data(),
             output.data(),
             kBatches,
             {in, out, corners, half},
             {in_width, out_width, corners, half},
             pixel_bytes});
        expected.resize(output.size(), 0x5A);
        EXPECT_EQ(output, expected) << in << " to " << out << " mode " << static_cast<int>(mode);
      }
    }
  }
}

TEST_P(ResizeNearest, EqualsTheReferenceAtPageEdges) {
  const int32_t sides[][4] = {{1, 1, 3, 2}, {3, 2, 7, 5}, {5, 4, 2, 3}, {1, 7, 2, 600}};
  for (const PageEdge::Side side : kPageEdges) {
    for (int32_t bytes = 1; bytes <= 140; bytes += bytes < 70 ? 1 : 7) {
      for (const auto& s : sides) {
        const bool corners = bytes % 2 != 0, half = bytes % 3 == 0;
        constexpr int32_t kBatches = 2;
        const int32_t count = kBatches * s[2] * s[3] * bytes;
        const FilledEdge input(7, kBatches * s[0] * s[1] * bytes, side);
        const FilledEdge output(1, count, side), right(2, count, side);
        ResizeNearestArgs args = {
            input.data(), output.data(), kBatches, {s[0], s[2], corners, half}, {s[1], s[3], corners, half},
            bytes};
        Run(args);
        args.output = right.data();
        RunReference(args);
        ASSERT_EQ(output.Bytes(count), right.Bytes(count)) << bytes << " bytes";
      }
    }
  }
}

LUTRA_TEST_TABLE(ResizeNearest, kResizeNearestPixels);

// In float32 a position can be behind the last pixel.
TEST(NearestPixelTest, StaysInsideLargeImages) {
  for (const bool align_corners : {false, true}) {
    const NearestAxis axis = {kMaxNearestSide, 3, align_corners, false};
    EXPECT_LT(NearestPixel(axis, 2), kMaxNearestSide);
    const NearestAxis same = {kMaxNearestSide, kMaxNearestSide, align_corners, false};
    EXPECT_EQ(NearestPixel(same, kMaxNearestSide - 1), kMaxNearestSide - 1);
  }
}

}  // namespace
}  // namespace lutra
