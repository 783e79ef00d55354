// SPDX-License-Identifier: Apache-2.0
// Int8 pools with MVE. The reference computes windows whose sums may exceed int16.

#include <arm_mve.h>

#include "runtime/kernels/pool/pool_vectors.h"

namespace lutra {
namespace {

struct MaximumMve {
  static constexpr int32_t kCodes = 16;
  using State = int8x16_t;
  State Start() const { return vdupq_n_s8(INT8_MIN); }
  void Add(State* best, const int8_t* codes) const { *best = vmaxq_s8(*best, vldrbq_s8(codes)); }
  void Finish(State best, int8_t* to) const { vstrbq_s8(to, vminq_s8(vmaxq_s8(best, min), max)); }
  void SetCount(int32_t) {}

  int8x16_t min;
  int8x16_t max;
};

// Returns four averages.
[[gnu::always_inline]] inline int32x4_t FourAverages(int32x4_t sums, const FloatAverage& average) {
  const float32x4_t values = vcvtq_f32_s32(sums);
  const mve_pred16_t below_zero = vcmpltq_n_s32(sums, 0);
  float32x4_t raised = vaddq_n_f32(values, average.half);
  raised = vsubq_m_n_f32(raised, values, average.half, below_zero);
  return vcvtq_s32_f32(vmulq_n_f32(raised, average.reciprocal));
}

struct AverageMve : FloatAverage {
  static constexpr int32_t kCodes = 8;
  using State = int16x8_t;
  AverageMve(int16x8_t least, int16x8_t most) : min(least), max(most) {}
  State Start() const { return vdupq_n_s16(0); }
  void Add(State* sums, const int8_t* codes) const { *sums = vaddq_s16(*sums, vldrbq_s16(codes)); }
  void Finish(State sums, int8_t* to) const {
    const int32x4_t even = FourAverages(vmovlbq_s16(sums), *this);
    const int32x4_t odd = FourAverages(vmovltq_s16(sums), *this);
    const int16x8_t both = vmovntq_s32(vmovnbq_s32(vdupq_n_s16(0), even), odd);
    vstrbq_s16(to, vminq_s16(vmaxq_s16(both, min), max));
  }

  int16x8_t min;
  int16x8_t max;
};

}  // namespace

void AveragePoolMve(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  if (MostTaps(*args.shape) > kMostInt16) return AveragePoolRef(args, input, output, first_row, row_count);
  const int16x8_t min = vdupq_n_s16(static_cast<int16_t>(args.activation_min));
  const int16x8_t max = vdupq_n_s16(static_cast<int16_t>(args.activation_max));
  PoolRowsInVectors(*args.shape, input, output, first_row, row_count, AverageMve(min, max));
}

void MaxPoolMve(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                int32_t row_count) {
  const int8x16_t min = vdupq_n_s8(static_cast<int8_t>(args.activation_min));
  const int8x16_t max = vdupq_n_s8(static_cast<int8_t>(args.activation_max));
  PoolRowsInVectors(*args.shape, input, output, first_row, row_count, MaximumMve{min, max});
}

}  // namespace lutra
