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
#include "runtime/testing/kernel_test.h"
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

TEST_P(MatMulInt8, WrapsWhereSumsLeaveInt32) {
  const MatMulCase c = {"long", 1, 70000, 2, -127, -127, 0};
  for (const bool rhs_transposed : {false, true}) {
    const MatMulShape shape = {c.m, c.k, c.n, false, rhs_transposed};
    Check(shape, c, std::vector<int8_t>(c.k, -128), std::vector<int8_t>(c.k * c.n, -128));
  }
}

LUTRA_TEST_TABLE(MatMulInt8, kMatMulInt8);

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
