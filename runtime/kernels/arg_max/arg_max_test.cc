// SPDX-License-Identifier: Apache-2.0
// Every variant against a search with the standard library.

#include "lutra/kernels/arg_max/arg_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

struct Shape {
  int32_t outer;
  int32_t count;
  int32_t inner;
};

std::vector<Shape> Shapes() {
  std::vector<Shape> shapes = {{3, 10, 1}, {1, 7, 5}, {4, 6, 9}, {2, 257, 3}, {2, 600, 33}};
  for (const int32_t size : NetworkSizes(1024)) {
    shapes.push_back({2, size, 1});
    shapes.push_back({1, 3, size});
  }
  return shapes;
}

// Few values, so that many are equal.
std::vector<int8_t> FewValues(const Shape& shape) {
  std::vector<int8_t> codes(shape.outer * shape.count * shape.inner);
  FillBytes(5, static_cast<int32_t>(codes.size()), codes.data());
  for (int8_t& code : codes) code /= 16;
  return codes;
}

// Each element is at least as good as the one before it, and the best is among the last.
std::vector<int8_t> BetterAndBetter(const Shape& shape, bool smallest) {
  std::vector<int8_t> codes;
  for (int32_t i = 0; i < shape.outer * shape.count * shape.inner; ++i) {
    const int32_t k = i / shape.inner % shape.count;
    codes.push_back(static_cast<int8_t>((smallest ? shape.count - 1 - k : k) * 255 / shape.count - 128));
  }
  return codes;
}

template <typename Element, typename Index, typename Kernel>
void CheckCodes(const Kernel& run, bool smallest, const Shape& shape, const std::vector<int8_t>& codes) {
  const auto& [outer, count, inner] = shape;
  const std::vector<Element> input(codes.begin(), codes.end());
  std::vector<Index> right = {-7};
  for (int32_t o = 0; o < outer; ++o) {
    for (int32_t i = 0; i < inner; ++i) {
      std::vector<Element> line;
      for (int32_t k = 0; k < count; ++k) line.push_back(input[(o * count + k) * inner + i]);
      const auto best =
          smallest ? std::min_element(line.begin(), line.end()) : std::max_element(line.begin(), line.end());
      right.push_back(static_cast<Index>(best - line.begin()));
    }
  }
  right.push_back(-7);
  std::vector<Index> output(right.size(), -7);
  run({.input = input.data(),
       .output = output.data() + 1,
       .outer = outer,
       .count = count,
       .inner = inner,
       .smallest = smallest,
       .int64_output = sizeof(Index) == 8});
  EXPECT_EQ(output, right) << outer << " x " << count << " x " << inner;
}

template <typename Element, typename Index, typename Kernel>
void Check(const Kernel& run, bool smallest) {
  for (const Shape& shape : Shapes()) {
    CheckCodes<Element, Index>(run, smallest, shape, FewValues(shape));
    CheckCodes<Element, Index>(run, smallest, shape, BetterAndBetter(shape, smallest));
  }
}

template <typename Element, typename Kernel>
void CheckAll(const Kernel& run) {
  for (const bool smallest : {false, true}) {
    Check<Element, int32_t>(run, smallest);
    Check<Element, int64_t>(run, smallest);
  }
}

class ArgMaxInt8 : public KernelTest<ArgMaxFn> {};
TEST_P(ArgMaxInt8, TakesTheFirstOfEqualOnes) { CheckAll<int8_t>(kernel()); }
LUTRA_TEST_TABLE(ArgMaxInt8, kArgMaxInt8);

class ArgMaxFloat : public KernelTest<ArgMaxFn> {};
TEST_P(ArgMaxFloat, TakesTheFirstOfEqualOnes) { CheckAll<float>(kernel()); }

// Nothing is greater than NaN, and NaN greater than nothing.
TEST_P(ArgMaxFloat, LeavesOutWhatIsNoNumber) {
  for (const int32_t inner : {1, 9}) {
    for (const int32_t nan_at : {0, 1, 30}) {
      constexpr int32_t kCount = 31;
      std::vector<float> input;
      for (int32_t i = 0; i < kCount * inner; ++i) {
        const int32_t k = i / inner;
        input.push_back(k == nan_at ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(k / 2));
      }
      std::vector<int32_t> output(inner, -7);
      Run({.input = input.data(), .output = output.data(), .outer = 1, .count = kCount, .inner = inner});
      const int32_t right = nan_at == 0 ? 0 : nan_at == 30 ? 28 : 30;
      EXPECT_EQ(output, std::vector<int32_t>(inner, right)) << inner << " " << nan_at;
    }
  }
}

// Zeros of both signs are equal.
TEST_P(ArgMaxFloat, TakesTheFirstZero) {
  for (const bool smallest : {false, true}) {
    for (const float first : {0.0f, -0.0f}) {
      std::vector<float> input(24, -first);
      input[0] = smallest ? 1.0f : -1.0f;
      input[1] = first;
      int32_t output = -7;
      Run({.input = input.data(),
           .output = &output,
           .outer = 1,
           .count = 24,
           .inner = 1,
           .smallest = smallest});
      EXPECT_EQ(output, 1);
    }
  }
}
LUTRA_TEST_TABLE(ArgMaxFloat, kArgMaxFloat);

}  // namespace
}  // namespace lutra
