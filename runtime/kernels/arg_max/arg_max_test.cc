// SPDX-License-Identifier: Apache-2.0
// Every variant against a search with the standard library.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/kernels/arg_max/arg_max_cases.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/problem_memory.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

std::vector<ArgMaxCase> Cases() {
  std::vector<ArgMaxCase> cases = {
      {"", 3, 10, 1}, {"", 1, 7, 5}, {"", 4, 6, 9}, {"", 2, 257, 3}, {"", 2, 600, 33}};
  for (const int32_t size : NetworkSizes(1024)) {
    cases.push_back({"count of a network", 2, size, 1});
    cases.push_back({"inner of a network", 1, 3, size});
  }
  return cases;
}

int32_t ElementCount(const ArgMaxCase& c) { return c.outer * c.count * c.inner; }

// Few values, so that many are equal.
std::vector<int8_t> FewValues(const ArgMaxCase& c) {
  std::vector<int8_t> codes(ElementCount(c));
  FillBytes(5, ElementCount(c), codes.data());
  for (int8_t& code : codes) code /= 16;
  return codes;
}

// Each element is at least as large as the one before it, so that the largest is among the last.
std::vector<int8_t> BetterAndBetter(const ArgMaxCase& c) {
  std::vector<int8_t> codes;
  for (int32_t i = 0; i < ElementCount(c); ++i) {
    const int32_t k = i / c.inner % c.count;
    codes.push_back(static_cast<int8_t>((c.smallest ? c.count - 1 - k : k) * 255 / c.count - 128));
  }
  return codes;
}

template <typename Element, typename Index, typename Kernel>
void CheckCodes(const Kernel& run, const ArgMaxCase& c, const std::vector<int8_t>& codes) {
  ProblemMemory memory;
  const Problem<ArgMaxArgs> problem = ArgMaxProblemOf<Element>(c, memory);
  std::copy(codes.begin(), codes.end(), static_cast<Element*>(const_cast<void*>(problem.args.input)));
  std::vector<Index> right;
  for (int32_t o = 0; o < c.outer; ++o) {
    for (int32_t i = 0; i < c.inner; ++i) {
      std::vector<int8_t> line;
      for (int32_t k = 0; k < c.count; ++k) line.push_back(codes[(o * c.count + k) * c.inner + i]);
      const auto best = c.smallest ? std::min_element(line.begin(), line.end())
                                   : std::max_element(line.begin(), line.end());
      right.push_back(static_cast<Index>(best - line.begin()));
    }
  }
  run(problem.args);
  const auto* const output = static_cast<const Index*>(problem.args.output);
  EXPECT_EQ(std::vector<Index>(output, output + right.size()), right)
      << c.outer << " x " << c.count << " x " << c.inner;
  EXPECT_TRUE(memory.HasWholeGuards());
}

template <typename Element, typename Index, typename Kernel>
void Check(const Kernel& run, bool smallest) {
  for (ArgMaxCase c : Cases()) {
    c.smallest = smallest;
    c.int64_output = sizeof(Index) == 8;
    CheckCodes<Element, Index>(run, c, FewValues(c));
    CheckCodes<Element, Index>(run, c, BetterAndBetter(c));
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
LUTRA_TEST_TABLE(ArgMaxInt8, kArgMaxOf<int8_t>);

class ArgMaxFloat : public KernelTest<ArgMaxFn> {};
TEST_P(ArgMaxFloat, TakesTheFirstOfEqualOnes) { CheckAll<float>(kernel()); }

// No comparison with NaN is true.
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
LUTRA_TEST_TABLE(ArgMaxFloat, kArgMaxOf<float>);

}  // namespace
}  // namespace lutra
