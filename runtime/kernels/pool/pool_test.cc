// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, in memory of its own and in place at the safe distance.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/kernels/pool/pool_cases.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/in_place.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

constexpr uint8_t kGuard = 0x5A;
constexpr int32_t kGuardBytes = 64;

using Bytes = std::vector<uint8_t>;

// Floats have few different values, so that sums are exact.
template <typename Element>
Bytes RandomInput(const PoolCase& c) {
  const RowMap map = RowMapOf(c, sizeof(Element));
  Bytes bytes(map.images * map.in_rows * map.in_row_bytes);
  FillBytes(1, static_cast<int32_t>(bytes.size()), bytes.data());
  if constexpr (sizeof(Element) == sizeof(float)) {
    for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
      const float value = static_cast<float>(static_cast<int8_t>(bytes[i])) / 16.0f;
      std::memcpy(&bytes[i], &value, sizeof(value));
    }
  }
  return bytes;
}

// Returns finish(window) for each output element.
template <typename Element, typename Finish>
Bytes Expected(const PoolCase& c, const Bytes& input, const Finish& finish) {
  const PoolShape& s = c.shape;
  const auto* in = reinterpret_cast<const Element*>(input.data());
  std::vector<Element> out;
  for (int32_t n = 0; n < c.images; ++n) {
    for (int32_t y = 0; y < s.out_height; ++y) {
      for (int32_t x = 0; x < s.out_width; ++x) {
        for (int32_t channel = 0; channel < s.depth; ++channel) {
          std::vector<double> window;
          for (int32_t ky = 0; ky < s.filter_height; ++ky) {
            for (int32_t kx = 0; kx < s.filter_width; ++kx) {
              const int32_t iy = y * s.stride_h - s.pad_top + ky;
              const int32_t ix = x * s.stride_w - s.pad_left + kx;
              if (iy < 0 || ix < 0 || iy >= s.in_height || ix >= s.in_width) continue;
              window.push_back(in[((n * s.in_height + iy) * s.in_width + ix) * s.depth + channel]);
            }
          }
          out.push_back(static_cast<Element>(finish(window)));
        }
      }
    }
  }
  Bytes bytes(out.size() * sizeof(Element));
  std::memcpy(bytes.data(), out.data(), bytes.size());
  return bytes;
}

double Mean(const std::vector<double>& window) {
  double sum = 0;
  for (const double value : window) sum += value;
  return sum / static_cast<double>(window.size());
}

double Max(const std::vector<double>& window) { return *std::max_element(window.begin(), window.end()); }

std::vector<PoolCase> Cases() {
  std::vector<PoolCase> cases(std::begin(kPoolCases), std::end(kPoolCases));
  for (const int32_t depth : NetworkSizes(256)) {
    cases.push_back({"depth of a network", 1, {4, 5, depth, 4, 5, 3, 3, 1, 1, 1, 1}});
  }
  return cases;
}

template <typename Element, typename Args, typename Kernel, typename Finish>
void Check(const Kernel& run, Args args, const Finish& finish) {
  for (const PoolCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    args.shape = &c.shape;
    const RowMap map = RowMapOf(c, sizeof(Element));
    const Bytes input = RandomInput<Element>(c);
    const Bytes expected = Expected<Element>(c, input, finish);
    Bytes guarded(expected.size() + 2 * kGuardBytes, kGuard);
    const Rows from = {const_cast<uint8_t*>(input.data()), map.in_row_bytes};
    const Rows to = {guarded.data() + kGuardBytes, map.out_row_bytes};
    run(args, from, to, 0, c.images * c.shape.out_height);
    Bytes right(kGuardBytes, kGuard);
    right.insert(right.end(), expected.begin(), expected.end());
    right.insert(right.end(), kGuardBytes, kGuard);
    EXPECT_EQ(guarded, right);
    EXPECT_TRUE(RightAtSafeDistance(map, input, expected, [&](const Rows& in, const Rows& out, int32_t row) {
      run(args, in, out, row, 1);
    }));
  }
  if (!run.is_reference()) return;
  // The output is exactly as large as the input, so that a smaller distance is too small.
  const PoolCase& same = kPoolCases[2];
  args.shape = &same.shape;
  const Bytes input = RandomInput<Element>(same);
  EXPECT_FALSE(
      RightTooClose(RowMapOf(same, sizeof(Element)), input, Expected<Element>(same, input, finish),
                    [&](const Rows& in, const Rows& out, int32_t row) { run(args, in, out, row, 1); }));
}

// Depths near the lengths of vectors, in memory beyond which nothing may be read or written.
template <typename Kernel, typename Finish>
void CheckAtEdges(const Kernel& run, const Finish& finish) {
  for (const int32_t depth : {1, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 130}) {
    const PoolCase c = {"edges", 2, {3, 7, depth, 3, 7, 2, 3, 1, 1, 0, 1}};
    SCOPED_TRACE(depth);
    const RowMap map = RowMapOf(c, 1);
    const Bytes input = RandomInput<int8_t>(c);
    const Bytes expected = Expected<int8_t>(c, input, finish);
    for (const PageEdge::Side side : {PageEdge::kBegin, PageEdge::kEnd}) {
      const PageEdge from(input.size(), side), to(expected.size(), side);
      std::memcpy(from.data(), input.data(), input.size());
      run({&c.shape, -128, 127}, {from.data(), map.in_row_bytes}, {to.data(), map.out_row_bytes}, 0,
          c.images * c.shape.out_height);
      EXPECT_EQ(Bytes(to.data(), to.data() + expected.size()), expected);
    }
  }
}

class AveragePoolInt8 : public KernelTest<PoolFn> {};
TEST_P(AveragePoolInt8, TouchesNothingOutside) {
  CheckAtEdges(kernel(), [](const std::vector<double>& window) { return std::round(Mean(window)); });
}
// Sums at and around every step of the result, for few values and for as many as float32 is exact for, and
// more.
TEST_P(AveragePoolInt8, RoundsEverySum) {
  for (const int32_t count :
       {1, 2, 3, 5, 7, 64, 82, 94, 125, 254, 255, 256, 257, 4095, 16383, 16384, 16385}) {
    const int32_t steps = count > 256 ? 15 : 255;
    const int32_t channels = 3 * steps;
    const PoolCase c = {"sums", 1, {1, count, channels, 1, 1, 1, count, 1, 1, 0, 0}};
    std::vector<int8_t> input(static_cast<size_t>(count) * channels);
    std::vector<int8_t> expected(channels);
    for (int32_t channel = 0; channel < channels; ++channel) {
      // The sum between two codes, and the sums one below and above it.
      const int32_t code = channel / 3 * 255 / steps - 128;
      const int32_t tie = ((2 * code + 1) * count) >> 1;
      const int32_t sum = std::clamp(tie + channel % 3 - 1, -128 * count, 127 * count);
      const auto least = static_cast<int32_t>(std::floor(static_cast<double>(sum) / count));
      for (int32_t i = 0; i < count; ++i) {
        input[i * channels + channel] = static_cast<int8_t>(least + (i < sum - least * count ? 1 : 0));
      }
      expected[channel] =
          static_cast<int8_t>(sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count);
    }
    std::vector<int8_t> output(expected.size());
    const Rows from = {reinterpret_cast<uint8_t*>(input.data()), static_cast<int32_t>(input.size())};
    Run({&c.shape, -128, 127}, from, {reinterpret_cast<uint8_t*>(output.data()), channels}, 0, 1);
    EXPECT_EQ(output, expected) << count;
  }
}
TEST_P(AveragePoolInt8, RoundsTiesAwayFromZero) {
  Check<int8_t>(kernel(), PoolArgs{nullptr, -100, 90}, [](const std::vector<double>& window) {
    return std::clamp(std::round(Mean(window)), -100.0, 90.0);
  });
}
LUTRA_TEST_TABLE(AveragePoolInt8, kAveragePoolInt8);

class MaxPoolInt8 : public KernelTest<PoolFn> {};
TEST_P(MaxPoolInt8, TouchesNothingOutside) {
  CheckAtEdges(kernel(), [](const std::vector<double>& window) { return Max(window); });
}
TEST_P(MaxPoolInt8, TakesTheLargest) {
  Check<int8_t>(kernel(), PoolArgs{nullptr, -20, 100},
                [](const std::vector<double>& window) { return std::clamp(Max(window), -20.0, 100.0); });
}
LUTRA_TEST_TABLE(MaxPoolInt8, kMaxPoolInt8);

class AveragePoolInt16 : public KernelTest<PoolFn> {};
TEST_P(AveragePoolInt16, RoundsTiesAwayFromZero) {
  Check<int16_t>(kernel(), PoolArgs{nullptr, -9000, 30000}, [](const std::vector<double>& window) {
    return std::clamp(std::round(Mean(window)), -9000.0, 30000.0);
  });
}
// The window has the most codes that the operator takes, all at one end of int16.
TEST_P(AveragePoolInt16, SumsTheMostCodes) {
  const PoolCase c = {"most", 1, {1, 65535, 1, 1, 1, 1, 65535, 1, 1, 0, 0}};
  for (const int16_t code : {INT16_MIN, INT16_MAX}) {
    std::vector<int16_t> input(65535, code);
    int16_t output = 0;
    Run({&c.shape, INT16_MIN, INT16_MAX}, {reinterpret_cast<uint8_t*>(input.data()), 2 * 65535},
        {reinterpret_cast<uint8_t*>(&output), 2}, 0, 1);
    EXPECT_EQ(output, code);
  }
}
LUTRA_TEST_TABLE(AveragePoolInt16, kAveragePoolInt16);

class MaxPoolInt16 : public KernelTest<PoolFn> {};
TEST_P(MaxPoolInt16, TakesTheLargest) {
  Check<int16_t>(kernel(), PoolArgs{nullptr, -30000, 9000},
                 [](const std::vector<double>& window) { return std::clamp(Max(window), -30000.0, 9000.0); });
}
LUTRA_TEST_TABLE(MaxPoolInt16, kMaxPoolInt16);

class AveragePoolUint8 : public KernelTest<PoolFn> {};
TEST_P(AveragePoolUint8, RoundsTiesUp) {
  Check<uint8_t>(kernel(), PoolArgs{nullptr, 20, 230}, [](const std::vector<double>& window) {
    return std::clamp(std::floor(Mean(window) + 0.5), 20.0, 230.0);
  });
}
LUTRA_TEST_TABLE(AveragePoolUint8, kAveragePoolUint8);

class MaxPoolUint8 : public KernelTest<PoolFn> {};
TEST_P(MaxPoolUint8, TakesTheLargest) {
  Check<uint8_t>(kernel(), PoolArgs{nullptr, 0, 240},
                 [](const std::vector<double>& window) { return std::clamp(Max(window), 0.0, 240.0); });
}
LUTRA_TEST_TABLE(MaxPoolUint8, kMaxPoolUint8);

class AveragePoolFloat : public KernelTest<PoolFloatFn> {};
TEST_P(AveragePoolFloat, MatchesTheFormula) {
  Check<float>(kernel(), PoolFloatArgs{nullptr, -3.0f, 2.0f},
               [](const std::vector<double>& window) { return std::clamp(Mean(window), -3.0, 2.0); });
}
LUTRA_TEST_TABLE(AveragePoolFloat, kAveragePoolFloat);

class MaxPoolFloat : public KernelTest<PoolFloatFn> {};
TEST_P(MaxPoolFloat, TakesTheLargest) {
  Check<float>(kernel(), PoolFloatArgs{nullptr, -3.0f, 7.0f},
               [](const std::vector<double>& window) { return std::clamp(Max(window), -3.0, 7.0); });
}
LUTRA_TEST_TABLE(MaxPoolFloat, kMaxPoolFloat);

class L2PoolFloat : public KernelTest<PoolFloatFn> {};
// The mean is rounded to float32, and so is its root.
TEST_P(L2PoolFloat, MatchesTheFormula) {
  Check<float>(kernel(), PoolFloatArgs{nullptr, 1.0f, 6.0f}, [](std::vector<double> window) {
    for (double& value : window) value *= value;
    return std::clamp(std::sqrt(static_cast<double>(static_cast<float>(Mean(window)))), 1.0, 6.0);
  });
}
LUTRA_TEST_TABLE(L2PoolFloat, kL2PoolFloat);

}  // namespace
}  // namespace lutra
