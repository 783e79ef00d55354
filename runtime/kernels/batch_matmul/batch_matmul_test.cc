// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, for each storage order of the matrices.

#include "lutra/kernels/batch_matmul/batch_matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/batch_matmul/batch_matmul_cases.h"
#include "runtime/testing/dots_as_evex.h"
#include "runtime/testing/int16_formula.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/problem_memory.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

int32_t LhsIndex(const MatMulShape& shape, int32_t m, int32_t k) {
  return shape.lhs_transposed ? k * shape.m + m : m * shape.k + k;
}
int32_t RhsIndex(const MatMulShape& shape, int32_t k, int32_t n) {
  return shape.rhs_transposed ? n * shape.k + k : k * shape.n + n;
}

class MatMulInt8 : public KernelTest<MatMulFn> {
 protected:
  // Runs the problem and compares.
  void Check(const MatMulArgs& args, const ProblemMemory& memory) {
    const MatMulShape& shape = args.shape;
    std::vector<int8_t> expected;
    for (int32_t m = 0; m < shape.m; ++m) {
      for (int32_t n = 0; n < shape.n; ++n) {
        int64_t sum = 0;
        for (int32_t k = 0; k < shape.k; ++k) {
          sum += (args.lhs[LhsIndex(shape, m, k)] + args.lhs_offset) *
                 (args.rhs[RhsIndex(shape, k, n)] + args.rhs_offset);
        }
        const int64_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sum), args.multiplier);
        expected.push_back(static_cast<int8_t>(std::clamp<int64_t>(scaled + args.output_offset, -128, 127)));
      }
    }
    Run(args);
    EXPECT_EQ(std::vector<int8_t>(args.output, args.output + expected.size()), expected);
    EXPECT_TRUE(memory.HasWholeGuards());
  }
};

TEST_P(MatMulInt8, MatchesTheFormula) {
  std::vector<MatMulCase> cases(std::begin(kMatMulCases), std::end(kMatMulCases));
  for (const int32_t size : NetworkSizes(256)) {
    cases.push_back({"k of a network", 2, size, 3});
    cases.push_back({"n of a network", 3, 8, size});
  }
  for (const MatMulCase& c : cases) {
    for (int layout = 0; layout < 4; ++layout) {
      SCOPED_TRACE(std::string(c.name) + " layout " + std::to_string(layout));
      ProblemMemory memory;
      const MatMulArgs args = MatMulProblemOf(c, (layout & 1) != 0, (layout & 2) != 0, memory).args;
      Check(args, memory);
    }
  }
}

// Rows, columns and depths near the sizes of the variants' tiles and parts, in memory that ends with the
// matrices.
TEST_P(MatMulInt8, MatchesTheFormulaForTiles) {
  const MatMulCase cases[] = {
      {"one_deep", 8, 1, 17, 128, -127, -128},
      {"odd", 13, 33, 31, 0, 7, -128},
      {"even", 16, 64, 64, -127, 0, 127},
      {"part", 9, 256, 65, 128, 128, 3},
      {"part_and_one", 50, 257, 16, -5, 9, -9},
      {"parts", 98, 600, 33, 17, -100, 40},
      {"wide", 10, 3, 130, 1, 1, 1},
  };
  for (const MatMulCase& c : cases) {
    for (int layout = 0; layout < 4; ++layout) {
      SCOPED_TRACE(std::string(c.name) + " layout " + std::to_string(layout));
      ProblemMemory memory;
      const MatMulArgs args = MatMulProblemOf(c, (layout & 1) != 0, (layout & 2) != 0, memory).args;
      Check(args, memory);
      for (const PageEdge::Side side : {PageEdge::kBegin, PageEdge::kEnd}) {
        const PageEdge a(c.m * c.k, side), b(c.k * c.n, side), output(c.m * c.n, side);
        ASSERT_TRUE(a.data() != nullptr && b.data() != nullptr && output.data() != nullptr);
        std::copy_n(args.lhs, c.m * c.k, a.data());
        std::copy_n(args.rhs, c.k * c.n, b.data());
        MatMulArgs at_edges = args;
        at_edges.lhs = reinterpret_cast<const int8_t*>(a.data());
        at_edges.rhs = reinterpret_cast<const int8_t*>(b.data());
        at_edges.output = reinterpret_cast<int8_t*>(output.data());
        Run(at_edges);
      }
    }
  }
}

TEST_P(MatMulInt8, WrapsWhereSumsLeaveInt32) {
  for (const int32_t rows : {1, 8}) {
    const MatMulCase c = {"long", rows, 70000, rows == 1 ? 2 : 16, -127, -127, 0};
    for (const bool rhs_transposed : {false, true}) {
      ProblemMemory memory;
      const MatMulArgs args = MatMulProblemOf(c, false, rhs_transposed, memory).args;
      std::fill_n(const_cast<int8_t*>(args.lhs), c.m * c.k, INT8_MIN);
      std::fill_n(const_cast<int8_t*>(args.rhs), c.k * c.n, INT8_MIN);
      Check(args, memory);
    }
    if (is_reference()) break;  // It is slow, and computes each row in the same way.
  }
}

LUTRA_TEST_TABLE(MatMulInt8, kMatMulInt8);

class MatMulInt16 : public KernelTest<MatMulInt16Fn> {};
TEST_P(MatMulInt16, MatchesTheFormula) {
  for (const MatMulCase& c : kMatMulCases) {
    for (int layout = 0; layout < 4; ++layout) {
      ProblemMemory memory;
      const auto args = MatMulInt16ProblemOf(c, (layout & 1) != 0, (layout & 2) != 0, memory).args;
      Run(args);
      for (int32_t i = 0; i < c.m * c.n; ++i) {
        int64_t sum = 0;
        for (int32_t k = 0; k < c.k; ++k) {
          sum += int64_t{args.lhs[LhsIndex(args.shape, i / c.n, k)]} *
                 args.rhs[RhsIndex(args.shape, k, i % c.n)];
        }
        ASSERT_EQ(args.output[i], std::clamp(WideInOneStep(sum, args.multiplier), INT16_MIN, INT16_MAX))
            << c.name << " layout " << layout << ", element " << i;
      }
      EXPECT_TRUE(memory.HasWholeGuards());
    }
  }
}
LUTRA_TEST_TABLE(MatMulInt16, kMatMulInt16);
LUTRA_TEST_AS_EVEX(MatMulInt8, kMatMulInt8);

class MatMulFloat : public KernelTest<MatMulFloatFn> {};

TEST_P(MatMulFloat, MatchesTheFormula) {
  for (int layout = 0; layout < 4; ++layout) {
    ProblemMemory memory;
    const MatMulFloatArgs args =
        MatMulFloatProblemOf({"", 3, 7, 5}, (layout & 1) != 0, (layout & 2) != 0, memory).args;
    const MatMulShape& shape = args.shape;
    Run(args);
    for (int32_t m = 0; m < shape.m; ++m) {
      for (int32_t n = 0; n < shape.n; ++n) {
        double sum = 0;
        for (int32_t k = 0; k < shape.k; ++k) {
          sum += static_cast<double>(args.lhs[LhsIndex(shape, m, k)]) * args.rhs[RhsIndex(shape, k, n)];
        }
        EXPECT_NEAR(args.output[m * shape.n + n], sum, 1e-5);
      }
    }
    EXPECT_TRUE(memory.HasWholeGuards());
  }
}

LUTRA_TEST_TABLE(MatMulFloat, kMatMulFloat);

}  // namespace
}  // namespace lutra
