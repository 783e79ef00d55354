// SPDX-License-Identifier: Apache-2.0
// Float32: sums and their results; the loops are in pool_rows.h.

#include <float.h>
#include <math.h>

#include "runtime/kernels/pool/pool_rows.h"

namespace lutra {
namespace {

float Clamp(float x, float min, float max) { return x < min ? min : x > max ? max : x; }

}  // namespace

void AveragePoolFloatRef(const PoolFloatArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                         int32_t row_count) {
  const float min = args.activation_min;
  const float max = args.activation_max;
  PoolRows<float>(
      *args.shape, input, output, first_row, row_count, 0.0f,
      [](float sum, float value) { return sum + value; },
      [min, max](float sum, int32_t count) { return Clamp(sum / static_cast<float>(count), min, max); });
}

void MaxPoolFloatRef(const PoolFloatArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                     int32_t row_count) {
  const float min = args.activation_min;
  const float max = args.activation_max;
  PoolRows<float>(
      *args.shape, input, output, first_row, row_count, -FLT_MAX,
      [](float best, float value) { return value > best ? value : best; },
      [min, max](float best, int32_t) { return Clamp(best, min, max); });
}

void L2PoolFloatRef(const PoolFloatArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  const float min = args.activation_min;
  const float max = args.activation_max;
  PoolRows<float>(
      *args.shape, input, output, first_row, row_count, 0.0f,
      [](float sum, float value) { return sum + value * value; },
      [min, max](float sum, int32_t count) {
        return Clamp(sqrtf(sum / static_cast<float>(count)), min, max);
      });
}

}  // namespace lutra
