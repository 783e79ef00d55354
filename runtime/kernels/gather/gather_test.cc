// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, element by element.

#include "lutra/kernels/gather/gather.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/conv_cases.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

constexpr uint8_t kGuard = 0x5A;
constexpr size_t kGuardBytes = 32;

std::vector<uint8_t> RandomBytes(int32_t count) {
  std::vector<uint8_t> bytes(count);
  FillInt8(1, count, reinterpret_cast<int8_t*>(bytes.data()));
  return bytes;
}

// Indices below `size`, as int32 or as int64 in memory.
struct Indices {
  Indices(int32_t count, const std::vector<int32_t>& sizes, bool wide) : wide(wide) {
    uint32_t state = 7;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t size = sizes[i % sizes.size()];
      narrow_values.push_back(static_cast<int32_t>(NextRandom(&state)) % size);
    }
    wide_values.assign(narrow_values.begin(), narrow_values.end());
  }
  IndexList List() const {
    return {wide ? static_cast<const void*>(wide_values.data()) : narrow_values.data(), wide};
  }

  bool wide;
  std::vector<int32_t> narrow_values;
  std::vector<int64_t> wide_values;
};

std::vector<uint8_t> Guarded(const std::vector<uint8_t>& bytes) {
  std::vector<uint8_t> guarded(kGuardBytes, kGuard);
  guarded.insert(guarded.end(), bytes.begin(), bytes.end());
  guarded.resize(guarded.size() + kGuardBytes, kGuard);
  return guarded;
}

class Gather : public KernelTest<GatherFn> {};

TEST_P(Gather, MatchesTheFormula) {
  struct Case {
    int32_t batches, outer, axis_size, index_count, block_bytes;
  };
  std::vector<Case> cases = {{1, 1, 1, 1, 1}, {1, 5, 2, 2, 1}, {3, 2, 4, 5, 4}, {2, 1, 7, 3, 33}};
  for (const int32_t size : NetworkSizes(256)) {
    cases.push_back({1, 2, 5, 4, size});
    cases.push_back({1, 2, 9, size, 1});
  }
  for (const Case& c : cases) {
    for (const bool wide : {false, true}) {
      SCOPED_TRACE("block of " + std::to_string(c.block_bytes));
      const auto input = RandomBytes(c.batches * c.outer * c.axis_size * c.block_bytes);
      const Indices indices(c.batches * c.index_count, {c.axis_size}, wide);
      std::vector<uint8_t> expected;
      for (int32_t b = 0; b < c.batches; ++b) {
        for (int32_t o = 0; o < c.outer; ++o) {
          for (int32_t i = 0; i < c.index_count; ++i) {
            const int32_t index = indices.narrow_values[b * c.index_count + i];
            for (int32_t byte = 0; byte < c.block_bytes; ++byte) {
              expected.push_back(input[((b * c.outer + o) * c.axis_size + index) * c.block_bytes + byte]);
            }
          }
        }
      }
      std::vector<uint8_t> output(expected.size() + 2 * kGuardBytes, kGuard);
      Run({input.data(), output.data() + kGuardBytes, indices.List(), c.batches, c.outer, c.axis_size,
           c.index_count, c.block_bytes});
      EXPECT_EQ(output, Guarded(expected));
    }
  }
}

LUTRA_TEST_TABLE(Gather, kGatherBlocks);

class GatherNd : public KernelTest<GatherNdFn> {};

TEST_P(GatherNd, MatchesTheFormula) {
  const std::vector<std::vector<int32_t>> shapes = {{1}, {5}, {3, 4}, {2, 3, 5}};
  for (const auto& sizes : shapes) {
    for (const int32_t block_bytes : NetworkSizes(256)) {
      SCOPED_TRACE("depth " + std::to_string(sizes.size()));
      constexpr int32_t kTuples = 9;
      const auto depth = static_cast<int32_t>(sizes.size());
      int32_t blocks = 1;
      for (const int32_t size : sizes) blocks *= size;
      const auto input = RandomBytes(blocks * block_bytes);
      const Indices indices(kTuples * depth, sizes, block_bytes % 2 == 0);
      std::vector<uint8_t> expected;
      for (int32_t tuple = 0; tuple < kTuples; ++tuple) {
        // Strides instead of the kernel's nested products.
        int32_t block = 0;
        int32_t stride = 1;
        for (int32_t d = depth - 1; d >= 0; --d) {
          block += indices.narrow_values[tuple * depth + d] * stride;
          stride *= sizes[d];
        }
        const auto from = input.begin() + block * block_bytes;
        expected.insert(expected.end(), from, from + block_bytes);
      }
      std::vector<uint8_t> output(expected.size() + 2 * kGuardBytes, kGuard);
      Run({input.data(), output.data() + kGuardBytes, indices.List(), kTuples, depth, sizes.data(),
           block_bytes});
      EXPECT_EQ(output, Guarded(expected));
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
  // The low half alone would be inside.
  const int64_t huge[] = {(int64_t{1} << 32) + 1};
  EXPECT_FALSE(IndicesInside({huge, true}, 1, sizes, 2, &bad));
  EXPECT_EQ(bad, 0);
}

}  // namespace
}  // namespace lutra
