// SPDX-License-Identifier: Apache-2.0
// Every variant against a search with the standard library.

#include "lutra/kernels/arg_max/arg_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
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
  std::vector<Shape> shapes = {{3, 10, 1}, {1, 7, 5}, {4, 6, 9}, {2, 257, 3}};
  for (const int32_t size : NetworkSizes(1024)) {
    shapes.push_back({2, size, 1});
    shapes.push_back({1, 3, size});
  }
  return shapes;
}

template <typename Element, typename Index, typename Kernel>
void Check(const Kernel& run, bool smallest) {
  for (const auto& [outer, count, inner] : Shapes()) {
    std::vector<int8_t> codes(outer * count * inner);
    FillBytes(5, static_cast<int32_t>(codes.size()), codes.data());
    std::vector<Element> input;
    // Few values, so that many are equal.
    for (const int8_t code : codes) input.push_back(static_cast<Element>(code / 16));
    std::vector<Index> right = {-7};
    for (int32_t o = 0; o < outer; ++o) {
      for (int32_t i = 0; i < inner; ++i) {
        std::vector<Element> line;
        for (int32_t k = 0; k < count; ++k) line.push_back(input[(o * count + k) * inner + i]);
        const auto best = smallest ? std::min_element(line.begin(), line.end())
                                   : std::max_element(line.begin(), line.end());
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
LUTRA_TEST_TABLE(ArgMaxFloat, kArgMaxFloat);

}  // namespace
}  // namespace lutra
