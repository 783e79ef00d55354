// SPDX-License-Identifier: Apache-2.0
// Uint8, the older scheme: sums and their results; the loops are in pool_rows.h.

#include "runtime/kernels/pool/pool_rows.h"

namespace lutra {
namespace {

uint8_t Clamped(int32_t code, int32_t min, int32_t max) {
  return static_cast<uint8_t>(code < min ? min : code > max ? max : code);
}

}  // namespace

void AveragePoolUint8Ref(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                         int32_t row_count) {
  const int32_t min = args.activation_min;
  const int32_t max = args.activation_max;
  PoolRows<uint8_t>(
      *args.shape, input, output, first_row, row_count, int32_t{0},
      [](int32_t sum, uint8_t value) { return sum + value; },
      [min, max](int32_t sum, int32_t count) { return Clamped((sum + count / 2) / count, min, max); });
}

void MaxPoolUint8Ref(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                     int32_t row_count) {
  const int32_t min = args.activation_min;
  const int32_t max = args.activation_max;
  PoolRows<uint8_t>(
      *args.shape, input, output, first_row, row_count, uint8_t{0},
      [](uint8_t best, uint8_t value) { return value > best ? value : best; },
      [min, max](uint8_t best, int32_t) { return Clamped(best, min, max); });
}

}  // namespace lutra
