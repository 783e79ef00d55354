// SPDX-License-Identifier: Apache-2.0
// Reductions with MVE. If the innermost dimension is kept, eight sums or sixteen extremes are computed at a
// time; otherwise vectors of one output's elements are added up.

#include <arm_mve.h>

#include "runtime/kernels/codes_mve.h"
#include "runtime/kernels/reduce/reduce_blocks.h"

namespace lutra {
namespace {

// Sums of eight neighbours, or fewer.
struct SumMve {
  static constexpr int32_t kOutputs = 8;

  const ReduceArgs& args;
  Run run;

  void Make(intptr_t offset, int32_t count, int8_t* output) const {
    const mve_pred16_t lanes = vctp16q(static_cast<uint32_t>(count));
    int32x4_t even = vdupq_n_s32(args.sum_offset);
    int32x4_t odd = even;
    int16x8_t sums = vdupq_n_s16(0);
    int32_t room = kMostInt16;
    const auto flush = [&] {
      even = vaddq_s32(even, vmovlbq_s16(sums));
      odd = vaddq_s32(odd, vmovltq_s16(sums));
      sums = vdupq_n_s16(0);
      room = kMostInt16;
    };
    ForEachRun(args, offset, [&](const int8_t* in) {
      for (int32_t left = run.count; left > 0;) {
        const int32_t some = left < room ? left : room;
        for (int32_t n = some; n > 0; --n, in += run.stride) sums = vaddq_s16(sums, vldrbq_z_s16(in, lanes));
        left -= some;
        room -= some;
        if (room == 0) flush();
      }
    });
    flush();
    const Scale scale = {vdupq_n_s32(args.multiplier.value), vdupq_n_s32(args.multiplier.shift)};
    vstrbq_p_s16(output, CodesOf<CodeSteps::kAny>(even, odd, scale, scale, args.output_offset), lanes);
  }

  // Computes one output, whose elements form contiguous runs.
  void MakeOne(intptr_t offset, int8_t* output) const {
    int32_t sum = args.sum_offset;
    ForEachRun(args, offset, [&](const int8_t* in) {
      for (int32_t left = run.count; left > 0; left -= 16, in += 16) {
        const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(left));
        sum = vaddvaq_p_s8(sum, vldrbq_z_s8(in, lanes), lanes);
      }
    });
    const Scale scale = {vdupq_n_s32(args.multiplier.value), vdupq_n_s32(args.multiplier.shift)};
    const int32x4_t sums = vdupq_n_s32(sum);
    *output = static_cast<int8_t>(
        vgetq_lane_s16(CodesOf<CodeSteps::kAny>(sums, sums, scale, scale, args.output_offset), 0));
  }
};

// Finds the largest or the smallest code of each output.
template <bool kLargest>
struct ExtremeMve {
  static constexpr int32_t kOutputs = 16;
  static constexpr int8_t kStart = kLargest ? INT8_MIN : INT8_MAX;

  const ReduceArgs& args;
  Run run;

  [[gnu::always_inline]] static int8x16_t Better(int8x16_t a, int8x16_t b) {
    return kLargest ? vmaxq_s8(a, b) : vminq_s8(a, b);
  }

  void Make(intptr_t offset, int32_t count, int8_t* output) const {
    const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(count));
    int8x16_t best = vdupq_n_s8(kStart);
    ForEachRun(args, offset, [&](const int8_t* in) {
      for (int32_t n = run.count; n > 0; --n, in += run.stride) best = Better(best, vldrbq_z_s8(in, lanes));
    });
    vstrbq_p_s8(output, best, lanes);
  }

  void MakeOne(intptr_t offset, int8_t* output) const {
    int8_t best = kStart;
    ForEachRun(args, offset, [&](const int8_t* in) {
      for (int32_t left = run.count; left > 0; left -= 16, in += 16) {
        const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(left));
        const int8x16_t values = vldrbq_z_s8(in, lanes);
        best = kLargest ? vmaxvq_p_s8(best, values, lanes) : vminvq_p_s8(best, values, lanes);
      }
    });
    *output = best;
  }
};

}  // namespace

void ReduceSumMve(const ReduceArgs& args) { ReduceBlocks(SumMve{args, InnermostOf(args.shape)}); }
void ReduceMaxMve(const ReduceArgs& args) { ReduceBlocks(ExtremeMve<true>{args, InnermostOf(args.shape)}); }
void ReduceMinMve(const ReduceArgs& args) { ReduceBlocks(ExtremeMve<false>{args, InnermostOf(args.shape)}); }

}  // namespace lutra
