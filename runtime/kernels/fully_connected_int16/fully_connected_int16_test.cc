// SPDX-License-Identifier: Apache-2.0
// Every variant against the formula in wide integers.

#include "lutra/kernels/fully_connected_int16/fully_connected_int16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/fully_connected_int16/fully_connected_int16_cases.h"
#include "runtime/testing/int16_formula.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/problem_memory.h"

namespace lutra {
namespace {

class FullyConnectedInt16 : public KernelTest<FullyConnectedInt16Fn> {};

TEST_P(FullyConnectedInt16, MatchesTheFormula) {
  for (const FullyConnectedCase& c : kFullyConnectedCases) {
    for (const Int16ConvBias bias : kInt16ConvBiases) {
      ProblemMemory memory;
      const auto problem = FullyConnectedInt16ProblemOf(c, bias, 0, memory);
      const FullyConnectedInt16Args& args = problem.args;
      Run(args, problem.input, problem.output, 0, c.rows);
      for (int32_t i = 0; i < c.rows * c.channels; ++i) {
        const int32_t o = i % c.channels;
        const auto* const values = reinterpret_cast<const int16_t*>(problem.input.Row(i / c.channels));
        int64_t sum = BiasValue(args.bias, o);
        for (int32_t d = 0; d < c.depth; ++d) {
          sum += int64_t{values[d] + args.input_offset} * args.weights[o * c.depth + d];
        }
        const int64_t code =
            int64_t{ScaledByFormula(sum, args.multipliers[c.one_multiplier ? 0 : o], args.wide)} +
            args.output_offset;
        ASSERT_EQ(reinterpret_cast<const int16_t*>(problem.output.Row(0))[i],
                  std::clamp<int64_t>(code, args.activation_min, args.activation_max))
            << c.name << ", bias " << static_cast<int>(bias) << ", element " << i;
      }
      EXPECT_TRUE(memory.HasWholeGuards());
    }
  }
}
LUTRA_TEST_TABLE(FullyConnectedInt16, kFullyConnectedInt16);

}  // namespace
}  // namespace lutra
