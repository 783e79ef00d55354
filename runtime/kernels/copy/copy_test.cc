// SPDX-License-Identifier: Apache-2.0
// Every variant against an element-by-element copy, whole and in parts, and in place at the safe
// distance.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "runtime/kernels/copy/copy_cases.h"
#include "runtime/kernels/test_data.h"
#include "runtime/testing/in_place.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

constexpr uint8_t kGuard = 0x5A;
constexpr int32_t kGuardBytes = 64;
constexpr uint8_t kFill[8] = {1, 2, 3, 4, 5, 6, 7, 8};

using Bytes = std::vector<uint8_t>;

struct Problem {
  Problem(const CopyCase& c, int32_t element_bytes)
      : c(c), element_bytes(element_bytes), input(InputElements(c) * element_bytes) {
    FillBytes(1, static_cast<int32_t>(input.size()), input.data());
  }

  Bytes Expected() const {
    Bytes expected;
    const int32_t count = OutputElements(c, 0);
    for (int32_t at = 0; at < count; ++at) {
      int32_t index = 0;
      bool inside = true;
      for (int32_t i = 0; i < c.rank; ++i) {
        const int32_t size = c.before[i] + c.count[i] + c.after[i];
        const int32_t position = at / OutputElements(c, i + 1) % size - c.before[i];
        inside = inside && position >= 0 && position < c.count[i];
        int32_t stride = 1;
        for (int32_t k = c.axes[i] + 1; k < c.rank; ++k) stride *= c.dims[k];
        index += (c.begin[i] + position * c.step[i]) * stride;
      }
      const uint8_t* element = inside ? &input[index * element_bytes] : kFill;
      expected.insert(expected.end(), element, element + element_bytes);
    }
    return expected;
  }

  // Leaves the outermost `fixed` dimensions as they are.
  CopyArgs Args(int32_t fixed, const uint8_t* from, uint8_t* to) {
    CopyArgs args = {};
    args.input = from + CopyDimsOf(c, element_bytes, dims);
    args.output = to;
    args.dims = dims;
    args.rank = MergeCopyDims(dims, c.rank, fixed, element_bytes);
    args.element_bytes = element_bytes;
    std::memcpy(args.fill, kFill, sizeof(kFill));
    return args;
  }

  const CopyCase& c;
  int32_t element_bytes;
  Bytes input;
  CopyDim dims[kMaxCopyRank];
};

int32_t RowCount(const CopyDim& dim) { return dim.before + dim.count + dim.after; }

class Copy : public KernelTest<CopyFn> {
 protected:
  // Checks elements of each size, in one call and in calls of `steps` rows.
  void CheckCase(const CopyCase& c, const std::vector<int32_t>& steps) {
    for (const int32_t element_bytes : {1, 2, 4, 8}) {
      for (const int32_t fixed : {0, 1}) {
        SCOPED_TRACE(std::string(c.name) + " " + std::to_string(c.dims[0]) + "x" + std::to_string(c.dims[1]) +
                     ", " + std::to_string(element_bytes) + " bytes");
        Problem problem(c, element_bytes);
        const Bytes expected = problem.Expected();
        Bytes right(kGuardBytes, kGuard);
        right.insert(right.end(), expected.begin(), expected.end());
        right.insert(right.end(), kGuardBytes, kGuard);
        for (const int32_t step : steps) {
          Bytes output(right.size(), kGuard);
          const CopyArgs args = problem.Args(fixed, problem.input.data(), output.data() + kGuardBytes);
          const int32_t rows = RowCount(args.dims[0]);
          for (int32_t row = 0; row < rows; row += step) Run(args, row, std::min(step, rows - row));
          EXPECT_EQ(output, right) << "step " << step;
        }
      }
    }
  }
};

constexpr int32_t kAllRows = 100000;

TEST_P(Copy, MatchesACopyOfEachElement) {
  for (const CopyCase& c : kCopyCases) CheckCase(c, {1, 2, 3, kAllRows});
}

TEST_P(Copy, TransposesAsManyAsNetworksHave) {
  for (const int32_t rows : NetworkSizes(64)) {
    for (const int32_t columns : NetworkSizes(64)) {
      CheckCase({"transposed", 2, {rows, columns}, {1, 0}, {}, {1, 1}, {columns, rows}, {}, {}}, {kAllRows});
    }
  }
}

TEST_P(Copy, TransposesInsideAndAcross) {
  for (const int32_t size : {2, 3, 8, 17, 33}) {
    CheckCase({"all_reversed", 3, {size, 5, 19}, {2, 1, 0}, {}, {1, 1, 1}, {19, 5, size}, {}, {}},
              {4, kAllRows});
    CheckCase({"last_two", 3, {3, size, 18}, {0, 2, 1}, {}, {1, 1, 1}, {3, 18, size}, {}, {}}, {1, kAllRows});
    CheckCase({"a_part", 2, {size, 40}, {1, 0}, {3, 1}, {1, 1}, {35, size - 1}, {}, {}}, {16, kAllRows});
    CheckCase({"backwards", 2, {size, 40}, {1, 0}, {39, 0}, {-1, 1}, {40, size}, {}, {}}, {kAllRows});
    CheckCase({"every_other", 2, {size, 40}, {1, 0}, {}, {1, 2}, {40, (size + 1) / 2}, {}, {}}, {kAllRows});
    CheckCase({"with_fill", 2, {size, 40}, {1, 0}, {}, {1, 1}, {40, size}, {1, 2}, {3, 4}}, {5, kAllRows});
    CheckCase({"with_rows_of_fill", 2, {size, 40}, {1, 0}, {}, {1, 1}, {40, size}, {2, 0}, {3, 0}},
              {5, kAllRows});
  }
}

TEST_P(Copy, CopiesAndFillsRunsOfAllLengths) {
  for (const int32_t size : NetworkSizes(256)) {
    CheckCase({"slice", 2, {4, size + 3}, {0, 1}, {0, 2}, {1, 1}, {4, size}, {}, {}}, {1, kAllRows});
    CheckCase({"padded", 2, {3, size}, {0, 1}, {}, {1, 1}, {3, size}, {1, 2}, {0, 5}}, {2, kAllRows});
    CheckCase({"much_fill", 2, {2, 3}, {0, 1}, {}, {1, 1}, {2, 3}, {0, size}, {1, size}}, {1, kAllRows});
    CheckCase({"repeated", 2, {3, 1}, {0, 1}, {}, {1, 0}, {3, size}, {0, 1}, {1, 0}}, {1, kAllRows});
    CheckCase({"rows_repeated", 2, {1, size}, {0, 1}, {}, {0, 1}, {4, size}, {}, {}}, {1, kAllRows});
    CheckCase({"reversed", 2, {2, size}, {0, 1}, {1, size - 1}, {-1, -1}, {2, size}, {}, {}}, {kAllRows});
  }
}

TEST_P(Copy, MakesOnlyTheRowsItIsAskedFor) {
  Problem problem(kCopyCases[8], 1);
  const Bytes expected = problem.Expected();
  Bytes output(expected.size(), kGuard);
  const CopyArgs args = problem.Args(1, problem.input.data(), output.data());
  Run(args, 1, 1);
  const int32_t row_bytes = args.dims[0].output_stride;
  for (int32_t i = 0; i < static_cast<int32_t>(output.size()); ++i) {
    EXPECT_EQ(output[i], i / row_bytes == 1 ? expected[i] : kGuard) << i;
  }
}

// Returns the map of rows, which are the outermost dimension: a window of one row.
RowMap RowMapOf(const CopyCase& c) {
  RowMap map;
  map.access = RowMap::Access::kRows;
  map.in_rows = c.dims[0];
  map.out_rows = c.before[0] + c.count[0] + c.after[0];
  map.in_row_bytes = InputElements(c) / c.dims[0];
  map.out_row_bytes = OutputElements(c, 1);
  map.stride = c.step[0];
  map.pad_before = c.before[0] - c.begin[0];
  return map;
}

// Pixels of three bytes, reversed runs with fill around them, and copies that are nearly one of these.
TEST_P(Copy, CopiesAtPageEdges) {
  std::vector<CopyCase> cases;
  for (const int32_t size : {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 49, 130}) {
    for (const int32_t channels : {2, 3, 4, 16, 33}) {
      cases.push_back(
          {"planes", 3, {2, size, channels}, {0, 2, 1}, {}, {1, 1, 1}, {2, channels, size}, {}, {}});
      cases.push_back({"pixels", 2, {channels, size}, {1, 0}, {}, {1, 1}, {size, channels}, {}, {}});
    }
    cases.push_back({"reversed", 2, {3, size}, {0, 1}, {0, size - 1}, {1, -1}, {3, size}, {}, {}});
    cases.push_back(
        {"reversed, filled", 2, {3, size}, {0, 1}, {2, size - 1}, {-1, -1}, {3, size}, {1, 3}, {0, 2}});
    cases.push_back(
        {"every other reversed", 2, {2, 2 * size}, {0, 1}, {0, 2 * size - 1}, {1, -2}, {2, size}, {}, {}});
  }
  for (const PageEdge::Side side : kPageEdges) {
    for (const CopyCase& c : cases) {
      for (const int32_t element_bytes : {1, 2, 4, 8}) {
        Problem problem(c, element_bytes);
        const Bytes expected = problem.Expected();
        const PageEdge input(problem.input.size(), side);
        const FilledEdge output(1, static_cast<int32_t>(expected.size()), side);
        std::copy(problem.input.begin(), problem.input.end(), input.data());
        const CopyArgs args = problem.Args(0, input.data(), output.data());
        Run(args, 0, RowCount(args.dims[0]));
        ASSERT_EQ(output.Bytes(static_cast<int32_t>(expected.size())), expected)
            << c.name << ", " << c.dims[0] << " x " << c.dims[1] << ", " << element_bytes << " bytes";
      }
    }
  }
}

TEST_P(Copy, RunsInPlaceAtTheSafeDistance) {
  const CopyCase cases[] = {
      {"slice", 2, {9, 40}, {0, 1}, {2, 5}, {1, 1}, {5, 30}, {}, {}},
      {"every_other_row", 2, {9, 40}, {0, 1}, {1, 0}, {2, 1}, {4, 40}, {}, {}},
      {"padded", 2, {5, 40}, {0, 1}, {}, {1, 1}, {5, 40}, {1, 2}, {2, 3}},
      {"reversed_rows", 2, {6, 40}, {0, 1}, {0, 39}, {1, -1}, {6, 40}, {}, {}},
  };
  for (const CopyCase& c : cases) {
    SCOPED_TRACE(c.name);
    Problem problem(c, 1);
    const Bytes expected = problem.Expected();
    const auto run = [&](const Rows& from, const Rows& to, int32_t row) {
      Run(problem.Args(1, from.base, to.base), row, 1);
    };
    EXPECT_TRUE(RightAtSafeDistance(RowMapOf(c), problem.input, expected, run));
    // Each row reads its bytes in another order than it writes them.
    if (c.step[1] < 0 && is_reference()) {
      EXPECT_FALSE(RightTooClose(RowMapOf(c), problem.input, expected, run));
    }
  }
}

LUTRA_TEST_TABLE(Copy, kCopy);

TEST(MergeCopyDims, JoinsWhatIsDenseOnBothSides) {
  // [2, 3, 1, 4] elements of two bytes are contiguous: one run.
  CopyDim dims[kMaxCopyRank] = {{2, 24, 24, 0, 0}, {3, 8, 8, 0, 0}, {1, 8, 8, 0, 0}, {4, 2, 2, 0, 0}};
  ASSERT_EQ(MergeCopyDims(dims, 4, 0, 2), 1);
  EXPECT_EQ(dims[0].count, 24);
  EXPECT_EQ(dims[0].input_stride, 2);
}

TEST(MergeCopyDims, CountsFillInJoinedElements) {
  CopyDim dims[kMaxCopyRank] = {{3, 8, 8, 1, 2}, {4, 2, 2, 0, 0}};
  ASSERT_EQ(MergeCopyDims(dims, 2, 0, 2), 1);
  EXPECT_EQ(dims[0].before, 4);
  EXPECT_EQ(dims[0].count, 12);
  EXPECT_EQ(dims[0].after, 8);
}

TEST(MergeCopyDims, LeavesFixedDimensionsAlone) {
  CopyDim dims[kMaxCopyRank] = {{3, 8, 8, 0, 0}, {1, 8, 8, 0, 0}, {4, 2, 2, 0, 0}};
  ASSERT_EQ(MergeCopyDims(dims, 3, 1, 2), 2);
  EXPECT_EQ(dims[0].count, 3);
  EXPECT_EQ(dims[1].count, 4);
}

TEST(MergeCopyDims, LeavesOneDimensionOfAScalar) {
  CopyDim dims[kMaxCopyRank];
  ASSERT_EQ(MergeCopyDims(dims, 0, 0, 4), 1);
  EXPECT_EQ(dims[0].count, 1);
}

}  // namespace
}  // namespace lutra
