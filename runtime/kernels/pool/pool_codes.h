// SPDX-License-Identifier: Apache-2.0
// Pools of codes: sums and their results; the loops are in pool_rows.h.

#pragma once

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/pool/pool_rows.h"

namespace lutra {
namespace {

template <typename Code>
Code AverageOf(int32_t sum, int32_t count, int32_t min, int32_t max) {
  const int32_t half = sum > 0 ? count / 2 : -(count / 2);
  return static_cast<Code>(ClampToInt8((sum + half) / count, min, max));
}

template <typename Code>
void AveragePoolOf(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                   int32_t row_count) {
  const int32_t min = args.activation_min;
  const int32_t max = args.activation_max;
  PoolRows<Code>(
      *args.shape, input, output, first_row, row_count, int32_t{0},
      [](int32_t sum, Code value) { return sum + value; },
      [min, max](int32_t sum, int32_t count) { return AverageOf<Code>(sum, count, min, max); });
}

template <typename Code, Code kLowest>
void MaxPoolOf(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
               int32_t row_count) {
  const int32_t min = args.activation_min;
  const int32_t max = args.activation_max;
  PoolRows<Code>(
      *args.shape, input, output, first_row, row_count, kLowest,
      [](Code best, Code value) { return value > best ? value : best; },
      [min, max](Code best, int32_t) { return static_cast<Code>(ClampToInt8(best, min, max)); });
}

}  // namespace
}  // namespace lutra
