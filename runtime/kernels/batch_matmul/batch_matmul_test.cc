// SPDX-License-Identifier: Apache-2.0
// Every variant against the plain formula, for each way the matrices may lie.

#include "lutra/kernels/batch_matmul/batch_matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/batch_matmul/batch_matmul_cases.h"
#include "runtime/testing/dots_as_evex.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

constexpr int kGuardValues = 64;

int32_t LhsIndex(const MatMulShape& shape, int32_t m, int32_t k) {
  return shape.lhs_transposed ? k * shape.m + m : m * shape.k + k;
}
int32_t RhsIndex(const MatMulShape& shape, int32_t k, int32_t n) {
  return shape.rhs_transposed ? n * shape.k + k : k * shape.n + n;
}

class MatMulInt8 : public KernelTest<MatMulFn> {
 protected:
  // Runs a problem with the given data and compares.
  void Check(const MatMulShape& shape, const MatMulCase& c, const std::vector<int8_t>& lhs,
             const std::vector<int8_t>& rhs) {
    MatMulArgs args = {};
    args.shape = shape;
    args.lhs = lhs.data();
    args.rhs = rhs.data();
    FillMultipliers(3, shape.k, 1, &args.multiplier);
    args.lhs_offset = c.lhs_offset;
    args.rhs_offset = c.rhs_offset;
    args.output_offset = c.output_offset;
    constexpr int8_t kGuard = 0x5A;
    std::vector<int8_t> expected(kGuardValues, kGuard);
    for (int32_t m = 0; m < shape.m; ++m) {
      for (int32_t n = 0; n < shape.n; ++n) {
        int64_t sum = 0;
        for (int32_t k = 0; k < shape.k; ++k) {
          sum += (lhs[LhsIndex(shape, m, k)] + c.lhs_offset) * (rhs[RhsIndex(shape, k, n)] + c.rhs_offset);
        }
        const int64_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sum), args.multiplier);
        expected.push_back(static_cast<int8_t>(std::clamp<int64_t>(scaled + c.output_offset, -128, 127)));
      }
    }
    expected.resize(expected.size() + kGuardValues, kGuard);
    std::vector<int8_t> output(expected.size(), kGuard);
    args.output = output.data() + kGuardValues;
    Run(args);
    EXPECT_EQ(output, expected);
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
      const MatMulShape shape = {c.m, c.k, c.n, (layout & 1) != 0, (layout & 2) != 0};
      std::vector<int8_t> lhs(c.m * c.k);
      std::vector<int8_t> rhs(c.k * c.n);
      FillInt8(1, c.m * c.k, lhs.data());
      FillInt8(2, c.k * c.n, rhs.data());
      Check(shape, c, lhs, rhs);
    }
  }
}

// Rows, columns and depths about the tiles of the variants and their parts, in memory without anything beyond
// it.
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
      const MatMulShape shape = {c.m, c.k, c.n, (layout & 1) != 0, (layout & 2) != 0};
      std::vector<int8_t> lhs(c.m * c.k);
      std::vector<int8_t> rhs(c.k * c.n);
      FillInt8(1, c.m * c.k, lhs.data());
      FillInt8(2, c.k * c.n, rhs.data());
      Check(shape, c, lhs, rhs);
      for (const PageEdge::Side side : {PageEdge::kBegin, PageEdge::kEnd}) {
        const PageEdge a(lhs.size(), side), b(rhs.size(), side), output(c.m * c.n, side);
        ASSERT_TRUE(a.data() != nullptr && b.data() != nullptr && output.data() != nullptr);
        std::copy(lhs.begin(), lhs.end(), a.data());
        std::copy(rhs.begin(), rhs.end(), b.data());
        Run({shape,
             reinterpret_cast<const int8_t*>(a.data()),
             reinterpret_cast<const int8_t*>(b.data()),
             reinterpret_cast<int8_t*>(output.data()),
             {1 << 30, -12},
             c.lhs_offset,
             c.rhs_offset,
             0});
      }
    }
  }
}

TEST_P(MatMulInt8, WrapsWhereSumsLeaveInt32) {
  for (const int32_t rows : {1, 8}) {
    const MatMulCase c = {"long", rows, 70000, rows == 1 ? 2 : 16, -127, -127, 0};
    for (const bool rhs_transposed : {false, true}) {
      const MatMulShape shape = {c.m, c.k, c.n, false, rhs_transposed};
      Check(shape, c, std::vector<int8_t>(c.m * c.k, -128), std::vector<int8_t>(c.k * c.n, -128));
    }
    if (is_reference()) break;  // It is slow, and makes each row alike.
  }
}

LUTRA_TEST_TABLE(MatMulInt8, kMatMulInt8);
LUTRA_TEST_AS_EVEX(MatMulInt8, kMatMulInt8);

class MatMulFloat : public KernelTest<MatMulFloatFn> {};

TEST_P(MatMulFloat, MatchesTheFormula) {
  for (int layout = 0; layout < 4; ++layout) {
    const MatMulShape shape = {3, 7, 5, (layout & 1) != 0, (layout & 2) != 0};
    std::vector<float> lhs(shape.m * shape.k);
    std::vector<float> rhs(shape.k * shape.n);
    std::vector<float> output(shape.m * shape.n + 1, -9.0f);
    FillFloat(1, shape.m * shape.k, lhs.data());
    FillFloat(2, shape.k * shape.n, rhs.data());
    Run({shape, lhs.data(), rhs.data(), output.data()});
    for (int32_t m = 0; m < shape.m; ++m) {
      for (int32_t n = 0; n < shape.n; ++n) {
        double sum = 0;
        for (int32_t k = 0; k < shape.k; ++k) {
          sum += static_cast<double>(lhs[LhsIndex(shape, m, k)]) * rhs[RhsIndex(shape, k, n)];
        }
        EXPECT_NEAR(output[m * shape.n + n], sum, 1e-5);
      }
    }
    EXPECT_EQ(output.back(), -9.0f);
  }
}

LUTRA_TEST_TABLE(MatMulFloat, kMatMulFloat);

}  // namespace
}  // namespace lutra
