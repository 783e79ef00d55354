// SPDX-License-Identifier: Apache-2.0
// Layers and matrices whose products are summed.

#include <string.h>

#include "lutra/kernels/fully_connected_uint8/fully_connected_uint8.h"
#include "platforms/variants/variants.h"
#include "runtime/kernels/batch_matmul/batch_matmul_cases.h"
#include "runtime/kernels/fully_connected/fully_connected_cases.h"
#include "runtime/kernels/svdf/svdf_cases.h"

namespace lutra::platforms {
namespace {

void CheckFullyConnected(VariantChecker& checker) {
  Problems<FullyConnectedArgs> problems(checker);
  const auto add = [&](const FullyConnectedCase& c) {
    auto* const input = checker.Filled<uint8_t>(1, c.rows * c.depth);
    auto* const weights = checker.Filled<int8_t>(2, c.channels * c.depth);
    if (c.depth > 60000) {  // Sums leave int32.
      memset(input, 0x80, static_cast<size_t>(c.rows * c.depth));
      memset(weights, 0x80, static_cast<size_t>(c.channels * c.depth));
    }
    auto* const bias = checker.Data<int32_t>(c.channels);
    FillBias(3, c.channels, bias);
    auto* const multipliers = checker.Data<Multiplier>(c.channels);
    FillMultipliers(4, c.depth, c.channels, multipliers);
    const int32_t first = c.rows > 1 ? problems.count() % 2 : 0;
    problems.Add({.args = {c.depth, c.channels, QuantizationOf(c), weights, c.with_bias ? bias : nullptr,
                           multipliers, c.one_multiplier},
                  .first = first,
                  .count = c.rows - first,
                  .input = {input, c.depth, 0},
                  .output = {checker.Output<uint8_t>(c.rows * c.channels), c.channels, 0}});
  };
  for (const FullyConnectedCase& c : kFullyConnectedCases) add(c);
  for (int32_t i = 1; i <= kMaxCount; ++i) {
    add({"depths", 2, i, 5, 7});
    add({"channels", 2, 19, i, 0, 0, -100, 100, true, false});
  }
  checker.Check(kFullyConnectedInt8, problems);
}

void CheckFullyConnectedUint8(VariantChecker& checker) {
  Problems<FullyConnectedUint8Args> problems(checker);
  for (int32_t i = 1; i <= kMaxCount; i += 3) {
    problems.Add({.args = {i, 5, {-3, -121, 7, 0, 255}, checker.Filled<uint8_t>(2, 5 * i), nullptr, 0.003},
                  .first = i % 2,
                  .count = 2 - i % 2,
                  .input = {checker.Filled<uint8_t>(1, 2 * i), i, 0},
                  .output = {checker.Output<uint8_t>(2 * 5), 5, 0}});
  }
  checker.Check(kFullyConnectedUint8, problems);
}

void CheckFullyConnectedFloat(VariantChecker& checker) {
  Problems<FullyConnectedFloatArgs> problems(checker);
  const auto add = [&](int32_t rows, int32_t depth, int32_t channels) {
    const int32_t first = rows > 1 ? problems.count() % 2 : 0;
    problems.Add(
        {.args = {depth, channels, checker.FilledReals(2, channels * depth),
                  depth % 2 == 0 ? nullptr : checker.FilledReals(3, channels), -1.5f, 6.0f},
         .first = first,
         .count = rows - first,
         .input = {reinterpret_cast<uint8_t*>(checker.FilledReals(1, rows * depth)), depth * 4, 0},
         .output = {reinterpret_cast<uint8_t*>(checker.OutputReals(rows * channels)), channels * 4, 0}});
  };
  for (int32_t i = 1; i <= kMaxCount; i += 2) {
    add(2, i, 5);
    add(2, 9, i);
  }
  add(1, 257, 8);
  checker.Check(kFullyConnectedFloat, problems);
}

void CheckBatchMatMul(VariantChecker& checker) {
  Problems<MatMulArgs> problems(checker);
  const auto add = [&](const MatMulCase& c) {
    Multiplier multiplier;
    FillMultipliers(4, c.k, 1, &multiplier);
    auto* const lhs = checker.Filled<int8_t>(1, c.m * c.k);
    auto* const rhs = checker.Filled<int8_t>(2, c.k * c.n);
    for (const bool lhs_transposed : kFalseAndTrue) {
      for (const bool rhs_transposed : kFalseAndTrue) {
        problems.Add({.args = {{c.m, c.k, c.n, lhs_transposed, rhs_transposed},
                               lhs,
                               rhs,
                               checker.Output<int8_t>(c.m * c.n),
                               multiplier,
                               c.lhs_offset,
                               c.rhs_offset,
                               c.output_offset}});
      }
    }
  };
  for (const MatMulCase& c : kMatMulCases) add(c);
  for (int32_t i = 1; i <= kMaxCount; i += 3) {
    add({"k", 2, i, 3});
    add({"n", 2, 5, i});
  }
  checker.Check(kMatMulInt8, problems);
}

void CheckBatchMatMulFloat(VariantChecker& checker) {
  Problems<MatMulFloatArgs> problems(checker);
  const auto add = [&](int32_t m, int32_t k, int32_t n) {
    auto* const lhs = checker.FilledReals(1, m * k);
    auto* const rhs = checker.FilledReals(2, k * n);
    for (const bool lhs_transposed : kFalseAndTrue) {
      for (const bool rhs_transposed : kFalseAndTrue) {
        problems.Add(
            {.args = {{m, k, n, lhs_transposed, rhs_transposed}, lhs, rhs, checker.OutputReals(m * n)}});
      }
    }
  };
  for (int32_t i = 1; i <= kMaxCount; i += 3) {
    add(2, i, 3);
    add(2, 5, i);
  }
  checker.Check(kMatMulFloat, problems);
}

// The state is an output as much as the output is.
template <typename State, int N>
void CheckSvdf(VariantChecker& checker, const Variant<SvdfFn> (&variants)[N]) {
  Problems<SvdfArgs> problems(checker);
  const auto add = [&](const SvdfCase& c) {
    SvdfArgs args = SvdfArgsOf(c, sizeof(State));
    args.input = checker.Filled<int8_t>(1, c.batches * c.depth);
    args.feature_weights = checker.Filled<int8_t>(2, FilterCount(c) * c.depth);
    args.time_weights = checker.Filled<State>(3, FilterCount(c) * c.memory);
    auto* const bias = checker.Data<int32_t>(c.units);
    FillBias(4, c.units, bias);
    args.bias = c.with_bias ? bias : nullptr;
    auto* const state = checker.Output<State>(StateCount(c));
    memcpy(state, checker.Filled<State>(5, StateCount(c)),
           static_cast<size_t>(StateCount(c)) * sizeof(State));
    args.state = state;
    args.output = checker.Output<int8_t>(c.batches * c.units);
    problems.Add({.args = args});
  };
  for (const SvdfCase& c : kSvdfCases) add(c);
  for (int32_t i = 1; i <= kMaxCount; i += 3) {
    add({"depths", 1, i, 3, 2, 4});
    add({"units", 1, 5, i, 1, 3});
    add({"memories", 1, 4, 2, 2, i});
  }
  checker.Check(variants, problems);
}

}  // namespace

void CheckProducts(VariantChecker& checker) {
  CheckFullyConnected(checker);
  CheckFullyConnectedFloat(checker);
  CheckFullyConnectedUint8(checker);
  CheckBatchMatMul(checker);
  CheckBatchMatMulFloat(checker);
  CheckSvdf<int8_t>(checker, kSvdfInt8State);
  CheckSvdf<int16_t>(checker, kSvdfInt16State);
}

}  // namespace lutra::platforms
