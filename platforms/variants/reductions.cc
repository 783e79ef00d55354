// SPDX-License-Identifier: Apache-2.0
// Kernels that make one element of many.

#include "lutra/kernels/arg_max/arg_max.h"
#include "platforms/variants/variants.h"
#include "runtime/kernels/pool/pool_cases.h"
#include "runtime/kernels/reduce/reduce_cases.h"

namespace lutra::platforms {
namespace {

template <int N>
void CheckPool(VariantChecker& checker, const Variant<PoolFn> (&variants)[N]) {
  Problems<PoolArgs> problems(checker);
  const auto add = [&](const PoolCase& c) {
    const RowMap map = RowMapOf(c, 1);
    auto* const shape = checker.Data<PoolShape>(1);
    *shape = c.shape;
    const bool clamped = problems.count() % 3 == 0;
    const int32_t rows = map.images * map.out_rows;
    const int32_t first = rows > 1 ? problems.count() % 2 : 0;
    problems.Add({.args = {shape, clamped ? -90 : -128, clamped ? 100 : 127},
                  .first = first,
                  .count = rows - first,
                  .input = {checker.Filled<uint8_t>(1, map.images * map.in_rows * map.in_row_bytes),
                            map.in_row_bytes, 0},
                  .output = {checker.Output<uint8_t>(rows * map.out_row_bytes), map.out_row_bytes, 0}});
  };
  for (const PoolCase& c : kPoolCases) add(c);
  for (int32_t depth = 1; depth <= kMaxCount; ++depth) {
    add({"depths", 1, {4, 5, depth, 4, 5, 3, 3, 1, 1, 1, 1}});
  }
  checker.Check(variants, problems);
}

template <int N>
void CheckFloatPool(VariantChecker& checker, const Variant<PoolFloatFn> (&variants)[N]) {
  Problems<PoolFloatArgs> problems(checker);
  const auto add = [&](const PoolCase& c) {
    const RowMap map = RowMapOf(c, sizeof(float));
    auto* const shape = checker.Data<PoolShape>(1);
    *shape = c.shape;
    const int32_t rows = map.images * map.out_rows;
    const int32_t first = rows > 1 ? problems.count() % 2 : 0;
    auto* const input = checker.FilledReals(1, map.images * map.in_rows * c.shape.in_width * c.shape.depth);
    auto* const output = checker.OutputReals(rows * c.shape.out_width * c.shape.depth);
    problems.Add({.args = {shape, -0.75f, 0.5f},
                  .first = first,
                  .count = rows - first,
                  .input = {reinterpret_cast<uint8_t*>(input), map.in_row_bytes, 0},
                  .output = {reinterpret_cast<uint8_t*>(output), map.out_row_bytes, 0}});
  };
  for (const PoolCase& c : kPoolCases) add(c);
  for (int32_t depth = 1; depth <= kMaxCount; depth += 3) {
    add({"depths", 1, {3, 3, depth, 3, 3, 3, 3, 1, 1, 1, 1}});
  }
  checker.Check(variants, problems);
}

template <int N>
void CheckFloatReduce(VariantChecker& checker, const Variant<ReduceFn> (&variants)[N]) {
  Problems<ReduceArgs> problems(checker);
  const auto add = [&](const ReduceCase& c) {
    auto* const dims = checker.Data<ReduceDim>(2 * kMaxReduceRank);
    problems.Add({.args = {.shape = ReduceShapeOf(c, dims),
                           .input = checker.FilledReals(3, ElementCount(c)),
                           .output = checker.OutputReals(OutputCount(c)),
                           .scale = 0.125f}});
  };
  for (const ReduceCase& c : kReduceCases) add(c);
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    add({"last", 2, {3, count}, false});
    add({"first", 2, {5, count}, true});
  }
  checker.Check(variants, problems);
}

template <int N>
void CheckReduce(VariantChecker& checker, const Variant<ReduceFn> (&variants)[N]) {
  Problems<ReduceArgs> problems(checker);
  const auto add = [&](const ReduceCase& c) {
    auto* const dims = checker.Data<ReduceDim>(2 * kMaxReduceRank);
    const int32_t reduced = ElementCount(c) / OutputCount(c);
    problems.Add({.args = {.shape = ReduceShapeOf(c, dims),
                           .input = checker.Filled<int8_t>(3, ElementCount(c)),
                           .output = checker.Output<int8_t>(OutputCount(c)),
                           .sum_offset = 7 * reduced,
                           .multiplier = QuantizeMultiplier(1.25 / reduced),
                           .output_offset = -11}});
  };
  for (const ReduceCase& c : kReduceCases) add(c);
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    add({"last", 2, {3, count}, false});
    add({"first", 2, {5, count}, true});
  }
  checker.Check(variants, problems);
}

void CheckFloatArgMax(VariantChecker& checker) {
  Problems<ArgMaxArgs> problems(checker);
  const auto add = [&](int32_t outer, int32_t count, int32_t inner) {
    problems.Add(
        {.args = {checker.FilledReals(static_cast<uint32_t>(count), outer * count * inner),
                  checker.TakeOutput(outer * inner, 4), outer, count, inner, count % 3 == 0, false}});
  };
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    add(3, count, 1);
    add(1, 5, count);
  }
  checker.Check(kArgMaxFloat, problems);
}

void CheckArgMax(VariantChecker& checker) {
  Problems<ArgMaxArgs> problems(checker);
  const auto add = [&](int32_t outer, int32_t count, int32_t inner) {
    const auto* const input = checker.Filled<int8_t>(static_cast<uint32_t>(count), outer * count * inner);
    const bool int64_output = count % 2 == 0;
    auto* const output = checker.TakeOutput(outer * inner, int64_output ? 8 : 4);
    problems.Add({.args = {input, output, outer, count, inner, count % 3 == 0, int64_output}});
  };
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    add(3, count, 1);
    add(2, count, 5);
    add(1, 5, count);
  }
  add(2, 1000, 1);  // The extremes occur more than once.
  checker.Check(kArgMaxInt8, problems);
}

}  // namespace

void CheckReductions(VariantChecker& checker) {
  CheckPool(checker, kAveragePoolInt8);
  CheckPool(checker, kMaxPoolInt8);
  CheckPool(checker, kAveragePoolUint8);
  CheckPool(checker, kMaxPoolUint8);
  CheckFloatPool(checker, kAveragePoolFloat);
  CheckFloatPool(checker, kMaxPoolFloat);
  CheckReduce(checker, kReduceSumInt8);
  CheckReduce(checker, kReduceMaxInt8);
  CheckReduce(checker, kReduceMinInt8);
  CheckFloatReduce(checker, kReduceSumFloat);
  CheckFloatReduce(checker, kReduceMaxFloat);
  CheckFloatReduce(checker, kReduceMinFloat);
  CheckArgMax(checker);
  CheckFloatArgMax(checker);
}

}  // namespace lutra::platforms
