// SPDX-License-Identifier: Apache-2.0
// Tests the tables, values of TFLite Micro, and the real function.

#include "lutra/kernels/softmax_int16/softmax_int16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/kernels/softmax_int16/softmax_int16_cases.h"
#include "runtime/kernels/softmax_int16/softmax_int16_tables.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/problem_memory.h"

namespace lutra {
namespace {

// Returns the CRC-32 of the nodes as little-endian bytes.
uint32_t ChecksumOf(const SoftmaxTable& table) {
  uint32_t crc = 0xFFFFFFFF;
  for (const int16_t node : table.node) {
    for (const int32_t byte : {node & 255, node >> 8 & 255}) {
      crc ^= static_cast<uint32_t>(byte);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
    }
  }
  return ~crc;
}

TEST(SoftmaxInt16Tables, AreThoseOfTfliteMicro) {
  EXPECT_EQ(ChecksumOf(kSoftmaxExp), 0xac7dffaau);
  EXPECT_EQ(ChecksumOf(kSoftmaxInverse), 0x39fb9655u);
}

class SoftmaxInt16 : public KernelTest<SoftmaxInt16Fn> {
 protected:
  std::vector<int16_t> Of(std::vector<int16_t> row, double scale) const {
    const auto depth = static_cast<int32_t>(row.size());
    const Rows rows = RowsOf(row.data(), depth);
    Run(SoftmaxInt16ArgsOf(depth, scale), rows, rows, 0, 1);  // In place.
    return row;
  }
};

TEST_P(SoftmaxInt16, EqualsTfliteMicro) {
  using Codes = std::vector<int16_t>;
  EXPECT_EQ(Of({0}, 0.001f), Codes({32767}));
  EXPECT_EQ(Of({9, 9}, 0.001f), Codes({16384, 16384}));
  EXPECT_EQ(Of({1, 1, 1, 1, 1, 1, 1}, 0.001f), Codes(7, 4681));
  EXPECT_EQ(Of({1000, 2000, 3000, -32768}, 0.001f), Codes({2950, 8019, 21798, 1}));
  EXPECT_EQ(Of({32767, -32768}, 0x1p-11), Codes({32766, 2}));
  EXPECT_EQ(Of({5, 4, 3, 2, 1, 0}, 0.125), Codes({7297, 6440, 5683, 5015, 4426, 3906}));
}

TEST_P(SoftmaxInt16, IsNearTheFunction) {
  for (const double scale : kSoftmaxInt16Scales) {
    for (const int32_t depth : {1, 2, 3, 16, 130, 1001}) {
      ProblemMemory memory;
      const auto problem = SoftmaxInt16ProblemOf(SoftmaxInt16ArgsOf(depth, scale), 3, 0, memory);
      Run(problem.args, problem.input, problem.output, 0, 3);
      for (int32_t row = 0; row < 3; ++row) {
        const auto* const in = reinterpret_cast<const int16_t*>(problem.input.Row(row));
        const int16_t max = *std::max_element(in, in + depth);
        double sum = 0;
        for (int32_t i = 0; i < depth; ++i) sum += std::exp((in[i] - max) * scale);
        // The table ends at 2; errors there add up over the elements.
        for (int32_t i = 0; i < depth; ++i) {
          const int16_t code = reinterpret_cast<const int16_t*>(problem.output.Row(row))[i];
          ASSERT_NEAR(code, std::min(32767.0, 32768 * std::exp((in[i] - max) * scale) / sum), 10 + 2 * depth)
              << scale << ", " << depth << ", " << i;
        }
      }
      EXPECT_TRUE(memory.HasWholeGuards());
    }
  }
}
LUTRA_TEST_TABLE(SoftmaxInt16, kSoftmaxInt16);

}  // namespace
}  // namespace lutra
