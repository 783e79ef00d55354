// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, element by element.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/gather/gather_cases.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/problem_memory.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

int64_t IndexAt(const IndexList& indices, int32_t i) {
  return indices.wide ? static_cast<const int64_t*>(indices.values)[i]
                      : static_cast<const int32_t*>(indices.values)[i];
}

class Gather : public KernelTest<GatherFn> {};

TEST_P(Gather, MatchesTheFormula) {
  std::vector<GatherCase> cases = {
      {"", 1, 1, 1, 1, 1}, {"", 1, 5, 2, 2, 1}, {"", 3, 2, 4, 5, 4}, {"", 2, 1, 7, 3, 33}};
  for (const int32_t size : NetworkSizes(256)) {
    cases.push_back({"", 1, 2, 5, 4, size});
    cases.push_back({"", 1, 2, 9, size, 1});
  }
  for (GatherCase& c : cases) {
    for (const bool wide : {false, true}) {
      SCOPED_TRACE("block of " + std::to_string(c.block_bytes));
      c.wide = wide;
      ProblemMemory memory;
      const GatherArgs args = GatherProblemOf(c, memory).args;
      std::vector<uint8_t> expected;
      for (int32_t b = 0; b < c.batches; ++b) {
        for (int32_t o = 0; o < c.outer; ++o) {
          for (int32_t i = 0; i < c.index_count; ++i) {
            const int64_t index = IndexAt(args.indices, b * c.index_count + i);
            for (int32_t byte = 0; byte < c.block_bytes; ++byte) {
              expected.push_back(
                  args.input[((b * c.outer + o) * c.axis_size + index) * c.block_bytes + byte]);
            }
          }
        }
      }
      Run(args);
      EXPECT_EQ(std::vector<uint8_t>(args.output, args.output + expected.size()), expected);
      EXPECT_TRUE(memory.HasWholeGuards());
    }
  }
}

LUTRA_TEST_TABLE(Gather, kGatherBlocks);

class GatherNd : public KernelTest<GatherNdFn> {};

TEST_P(GatherNd, MatchesTheFormula) {
  const GatherNdCase cases[] = {
      {"", 9, 1, {1}, 0}, {"", 9, 1, {5}, 0}, {"", 9, 2, {3, 4}, 0}, {"", 9, 3, {2, 3, 5}, 0}};
  for (GatherNdCase c : cases) {
    for (const int32_t block_bytes : NetworkSizes(256)) {
      SCOPED_TRACE("depth " + std::to_string(c.depth));
      ProblemMemory memory;
      c.block_bytes = block_bytes;
      c.wide = block_bytes % 2 == 0;
      const GatherNdArgs args = GatherNdProblemOf(c, memory).args;
      std::vector<uint8_t> expected;
      for (int32_t tuple = 0; tuple < c.tuples; ++tuple) {
        // Computes offsets by strides, not by nested products as the kernel does.
        int64_t block = 0;
        int32_t stride = 1;
        for (int32_t d = c.depth - 1; d >= 0; --d) {
          block += IndexAt(args.indices, tuple * c.depth + d) * stride;
          stride *= c.sizes[d];
        }
        const uint8_t* const from = args.input + block * block_bytes;
        expected.insert(expected.end(), from, from + block_bytes);
      }
      Run(args);
      EXPECT_EQ(std::vector<uint8_t>(args.output, args.output + expected.size()), expected);
      EXPECT_TRUE(memory.HasWholeGuards());
    }
  }
}

LUTRA_TEST_TABLE(GatherNd, kGatherNdBlocks);

TEST(IndicesInside, FindsTheFirstThatIsNot) {
  const int32_t sizes[] = {2, 5};
  int32_t bad = -1;
  const int32_t good[] = {0, 4, 1, 0};
  EXPECT_TRUE(IndicesInside({good, false}, 4, sizes, 2, &bad));
  const int32_t high[] = {0, 4, 2, 0};
  EXPECT_FALSE(IndicesInside({high, false}, 4, sizes, 2, &bad));
  EXPECT_EQ(bad, 2);
  const int32_t negative[] = {0, -1};
  EXPECT_FALSE(IndicesInside({negative, false}, 2, sizes, 2, &bad));
  EXPECT_EQ(bad, 1);
  // The low half of the index would be inside.
  const int64_t huge[] = {(int64_t{1} << 32) + 1};
  EXPECT_FALSE(IndicesInside({huge, true}, 1, sizes, 2, &bad));
  EXPECT_EQ(bad, 0);
}

}  // namespace
}  // namespace lutra
