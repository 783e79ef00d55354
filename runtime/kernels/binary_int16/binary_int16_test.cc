// SPDX-License-Identifier: Apache-2.0
// Every variant against the rules worked out in wide integers, with repeated inputs, at the edges of memory.

#include "lutra/kernels/binary_int16/binary_int16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/kernels/binary_int16/binary_int16_cases.h"
#include "runtime/testing/conv_problem.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/problem_memory.h"

namespace lutra {
namespace {

int16_t Expected(const BinaryInt16Case& c, int16_t a, int16_t b) {
  const BinaryInt16Quantization& q = c.quantization;
  int32_t x = a - q.a_zero_point;
  int32_t y = b - q.b_zero_point;
  // Products wrap if zero points are beyond those of the specification.
  auto combined = static_cast<int32_t>(static_cast<uint32_t>(x) * static_cast<uint32_t>(y));
  if (c.function != BinaryInt16Function::kMul) {
    const int32_t shift = c.function == BinaryInt16Function::kSquaredDifference ? 1 : 1 << 15;
    x = RequantizedInTwoSteps(x * shift, q.a_multiplier);
    y = RequantizedInTwoSteps(y * shift, q.b_multiplier);
    combined = c.function == BinaryInt16Function::kAdd ? x + y : x - y;
    if (c.function == BinaryInt16Function::kSquaredDifference) combined *= combined;
  }
  const int64_t code = int64_t{RequantizedInTwoSteps(combined, q.out_multiplier)} + q.out_zero_point;
  return static_cast<int16_t>(std::clamp<int64_t>(code, q.min, q.max));
}

class BinaryInt16 : public KernelTest<BinaryInt16Fn> {};

TEST_P(BinaryInt16, MatchesTheFormula) {
  for (const BinaryInt16Case& c : kBinaryInt16Cases) {
    for (const int32_t count : {1, 2, 3, 17, 5000}) {
      for (const Steps& steps : kSteps) {
        ProblemMemory memory;
        const auto problem = BinaryInt16ProblemOf(c, count, steps, memory);
        const auto* const a = static_cast<const int16_t*>(problem.args.a);
        const auto* const b = static_cast<const int16_t*>(problem.args.b);
        Run(problem.args, problem.first, problem.count);
        for (int32_t i = problem.first; i < problem.first + count; ++i) {
          ASSERT_EQ(static_cast<int16_t*>(problem.args.output)[i],
                    Expected(c, a[i * steps.a], b[i * steps.b]))
              << "function " << static_cast<int>(c.function) << ", element " << i;
        }
        EXPECT_TRUE(memory.HasWholeGuards());
      }
    }
  }
}

// Codes near each other, near 0 and near the ends of int16 show errors of rounding.
TEST_P(BinaryInt16, RoundsEveryPairOfSmallAndLargeCodes) {
  std::vector<int16_t> codes;
  for (int i = -20; i <= 20; ++i) codes.push_back(static_cast<int16_t>(i));
  for (int i = 0; i < 20; ++i) {
    codes.push_back(static_cast<int16_t>(INT16_MIN + i));
    codes.push_back(static_cast<int16_t>(INT16_MAX - i));
  }
  for (const BinaryInt16Case& c : kBinaryInt16Cases) {
    for (const int16_t a : codes) {
      std::vector<int16_t> output = codes;  // In place of b.
      Run({&a, output.data(), output.data(), 0, 1, c.function, &c.quantization}, 0,
          static_cast<int32_t>(codes.size()));
      for (size_t i = 0; i < codes.size(); ++i) {
        ASSERT_EQ(output[i], Expected(c, a, codes[i])) << a << ", " << codes[i];
      }
    }
  }
}
LUTRA_TEST_TABLE(BinaryInt16, kBinaryInt16);

}  // namespace
}  // namespace lutra
