// SPDX-License-Identifier: Apache-2.0
// Codes of sums by vectors of MVE: VQRDMULH rounds as SaturatingRoundingDoublingHighMul, and VRSHL as
// RoundingDivideByPowerOfTwo but for ties of negative numbers (EXACTNESS.md). Builds that round once do not
// have these variants.
//
// Sums of eight channels lie in the order 0, 2, 4, 6, 1, 3, 5, 7: narrowing puts those behind the fourth
// between the others, and loads of every fourth word take multipliers apart in the same order.

#pragma once

#include <arm_mve.h>

#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/conv_shape.h"

namespace lutra {
namespace {

// Says which steps give the rule's codes.
enum class CodeSteps {
  kFromZero,  // All shifts are to the right, and codes below the zero point are clamped: no sign matters.
  kSigned,    // All shifts are to the right.
  kAny,
};

[[maybe_unused]] constexpr int32_t kChannelsInOrder[] = {0, 2, 4, 6, 1, 3, 5, 7};

// Returns where a channel lies among sums in this order.
[[maybe_unused]] inline int32_t PlaceOf(int32_t channel) {
  return channel / 8 * 8 + channel % 2 * 4 + channel % 8 / 2;
}

// Computes the first sums of some channels in this order: a channel's bias, and what the input's zero point
// adds to the products of its row of weights.
[[maybe_unused, gnu::noinline]] void ComputeFirstSums(const int8_t* rows, const int32_t* biases,
                                                      int32_t channels, int32_t values, int32_t input_offset,
                                                      int32_t* sums) {
  const mve_pred16_t last = vctp8q(static_cast<uint32_t>(values % 16));
  for (int32_t i = 0; i < channels; ++i, rows += values) {
    int32_t sum = 0;
    const int8_t* from = rows;
    for (int32_t left = values / 16; left > 0; --left, from += 16) sum = vaddvaq_s8(sum, vldrbq_s8(from));
    sum = vaddvaq_s8(sum, vldrbq_z_s8(from, last));
    const uint32_t bias = biases != nullptr ? static_cast<uint32_t>(biases[i]) : 0;
    sums[PlaceOf(i)] =
        static_cast<int32_t>(bias + static_cast<uint32_t>(sum) * static_cast<uint32_t>(input_offset));
  }
}

// The numbers of four channels, or of one that all lanes have.
struct Scale {
  int32x4_t multiplier;
  int32x4_t shift;
};

// Returns x times a multiplier by the rule, for shifts in either direction.
[[gnu::always_inline]] inline int32x4_t MultiplyAny(int32x4_t x, const Scale& scale) {
  const int32x4_t zero = vdupq_n_s32(0);
  x = vqrdmulhq_s32(vshlq_s32(x, vmaxq_s32(scale.shift, zero)), scale.multiplier);
  // Subtracts one where it is negative and shifted to the right.
  x = vaddq_s32(x, vshrq_n_s32(vandq_s32(x, scale.shift), 31));
  return vrshlq_s32(x, vminq_s32(scale.shift, zero));
}

// Shifts below 0.
template <bool kSigned>
[[gnu::always_inline]] inline int32x4_t MultiplyRight(int32x4_t x, const Scale& scale) {
  x = vqrdmulhq_s32(x, scale.multiplier);
  if (kSigned) x = vaddq_s32(x, vshrq_n_s32(x, 31));
  return vrshlq_s32(x, scale.shift);
}

// Returns the codes of eight sums, in the even bytes.
template <CodeSteps kSteps>
[[gnu::always_inline]] inline int16x8_t CodesOf(int32x4_t even, int32x4_t odd, const Scale& even_scale,
                                                const Scale& odd_scale, int32_t zero_point) {
  int16x8_t codes = vuninitializedq_s16();
  if (kSteps == CodeSteps::kAny) {
    // The rule's sum with the zero point wraps.
    codes = vqmovnbq_s32(codes, vaddq_n_s32(MultiplyAny(even, even_scale), zero_point));
    codes = vqmovntq_s32(codes, vaddq_n_s32(MultiplyAny(odd, odd_scale), zero_point));
  } else {
    codes = vqmovnbq_s32(codes, MultiplyRight<kSteps == CodeSteps::kSigned>(even, even_scale));
    codes = vqmovntq_s32(codes, MultiplyRight<kSteps == CodeSteps::kSigned>(odd, odd_scale));
    codes = vqaddq_n_s16(codes, static_cast<int16_t>(zero_point));
  }
  return vreinterpretq_s16_s8(vqmovnbq_s16(vreinterpretq_s8_s16(codes), codes));
}

// Returns whether some of the multipliers shift to the left. One of 0 has a shift of 0, and any steps make
// the same of it.
[[maybe_unused]] inline bool SomeShiftLeft(const Multiplier* multipliers, int32_t count) {
  int32_t largest = INT32_MIN;
  for (; count >= 4; count -= 4, multipliers += 4) {
    const int32x4x2_t scales = vld2q_s32(&multipliers->value);
    // -1 where the value is 0, without a comparison, over which GCC 12 breaks down.
    const int32x4_t is_zero = vshrq_n_s32(vsubq_n_s32(scales.val[0], 1), 31);
    largest = vmaxvq_s32(largest, vorrq_s32(scales.val[1], is_zero));
  }
  for (; count > 0; --count, ++multipliers) {
    if (multipliers->value != 0 && multipliers->shift > largest) largest = multipliers->shift;
  }
  return largest >= 0;
}

// The steps of a layer's channels that are all shifted to the right.
[[maybe_unused]] inline CodeSteps RightStepsOf(const ConvQuantization& quantization) {
  return quantization.activation_min < quantization.output_offset ? CodeSteps::kSigned : CodeSteps::kFromZero;
}

[[maybe_unused]] inline CodeSteps CodeStepsOf(const ConvQuantization& quantization,
                                              const Multiplier* multipliers, int32_t count) {
  return SomeShiftLeft(multipliers, count) ? CodeSteps::kAny : RightStepsOf(quantization);
}

// Sums of some pixels: of eight channels eight for each pixel.
struct CodesJob {
  int32_t pixels;
  const int32_t* first_sums;      // Added to the sums, in their order: as many for each eight channels.
  const Multiplier* multipliers;  // Those of the channels.
  int32_t channels;
  int32_t zero_point;
  int8_t* output;
  int32_t step;  // From pixel to pixel.
};

// Stores the codes of eight channels, or `lanes` of them, with their multipliers.
template <CodeSteps kSteps, bool kWhole>
[[gnu::noinline]] void StoreEight(const CodesJob& job, const int32_t* sums, int32_t channel,
                                  const Multiplier* multipliers, mve_pred16_t lanes) {
  const int32x4x4_t scales = vld4q_s32(&multipliers->value);
  const int32x4_t first_even = vldrwq_s32(job.first_sums + channel);
  const int32x4_t first_odd = vldrwq_s32(job.first_sums + channel + 4);
  const Scale even = {scales.val[0], scales.val[1]};
  const Scale odd = {scales.val[2], scales.val[3]};
  const int32_t zero_point = job.zero_point;
  const int32_t step = job.step;
  int8_t* output = job.output + channel;
  for (int32_t left = job.pixels; left > 0; --left, sums += 8, output += step) {
    const int16x8_t codes =
        CodesOf<kSteps>(vaddq_s32(vldrwq_s32(sums), first_even), vaddq_s32(vldrwq_s32(sums + 4), first_odd),
                        even, odd, zero_point);
    if (kWhole) {
      vstrbq_s16(output, codes);
    } else {
      vstrbq_p_s16(output, codes, lanes);
    }
  }
}

// Stores the codes of less than eight of the job's channels, from `channel` on.
template <CodeSteps kRightSteps>
[[gnu::noinline]] void StorePart(bool some_shift_left, const CodesJob& job, const int32_t* sums,
                                 int32_t channel) {
  const int32_t left = job.channels - channel;
  Multiplier last[8] = {};
  for (int32_t i = 0; i < left; ++i) last[i] = job.multipliers[channel + i];
  const mve_pred16_t lanes = vctp16q(static_cast<uint32_t>(left));
  if (some_shift_left) {
    StoreEight<CodeSteps::kAny, false>(job, sums, channel, last, lanes);
  } else {
    StoreEight<kRightSteps, false>(job, sums, channel, last, lanes);
  }
}

// Stores the codes of up to eight of the job's channels, from `channel` on.
template <CodeSteps kRightSteps>
[[gnu::always_inline]] inline void StoreUpToEight(bool some_shift_left, const CodesJob& job,
                                                  const int32_t* sums, int32_t channel) {
  const Multiplier* const multipliers = job.multipliers + channel;
  if (job.channels - channel < 8) {
    StorePart<kRightSteps>(some_shift_left, job, sums, channel);
  } else if (some_shift_left && SomeShiftLeft(multipliers, 8)) {
    StoreEight<CodeSteps::kAny, true>(job, sums, channel, multipliers, 0);
  } else {
    StoreEight<kRightSteps, true>(job, sums, channel, multipliers, 0);
  }
}

// `right_steps` are those of the layer's channels that are shifted to the right.
[[gnu::always_inline]] inline void StoreUpToEight(CodeSteps right_steps, bool some_shift_left,
                                                  const CodesJob& job, const int32_t* sums, int32_t channel) {
  if (right_steps == CodeSteps::kFromZero) {
    return StoreUpToEight<CodeSteps::kFromZero>(some_shift_left, job, sums, channel);
  }
  StoreUpToEight<CodeSteps::kSigned>(some_shift_left, job, sums, channel);
}

// Clamps codes that lie one behind the other, where they are narrower than int8.
[[maybe_unused]] inline void ClampCodes(const ConvQuantization& quantization, int32_t count, int8_t* codes) {
  if (quantization.activation_min == INT8_MIN && quantization.activation_max == INT8_MAX) return;
  const int8x16_t min = vdupq_n_s8(quantization.activation_min);
  const int8x16_t max = vdupq_n_s8(quantization.activation_max);
  for (; count > 0; count -= 16, codes += 16) {
    const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(count));
    vstrbq_p_s8(codes, vminq_s8(vmaxq_s8(vldrbq_z_s8(codes, lanes), min), max), lanes);
  }
}

// Clamps the codes of some channels of pixels that lie `step` apart.
[[maybe_unused]] inline void ClampPixels(const ConvQuantization& quantization, int32_t pixels,
                                         int32_t channels, int32_t step, int8_t* codes) {
  if (channels == step) return ClampCodes(quantization, pixels * channels, codes);
  for (; pixels > 0; --pixels, codes += step) ClampCodes(quantization, channels, codes);
}

// Copies bytes; the two do not overlap.
[[gnu::always_inline]] inline void CopyVectors(const int8_t* from, int32_t count, int8_t* to) {
  for (; count > 0; count -= 16, from += 16, to += 16) {
    const mve_pred16_t lanes = vctp8q(static_cast<uint32_t>(count));
    vstrbq_p_s8(to, vldrbq_z_s8(from, lanes), lanes);
  }
}

}  // namespace
}  // namespace lutra
