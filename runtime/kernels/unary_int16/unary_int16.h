// SPDX-License-Identifier: Apache-2.0
// Functions of one input of int16, element by element; output may be the input.
//
//   Piecewise, with x = input[i] - in_zero_point (RELU, RELU6, LEAKY_RELU, ABS):
//     output[i] = clamp((x >= 0 ? x * positive : x or -x, times negative) + out_zero_point)
//   Sigmoid, with y the real value of the input in units of 1/12288 (LOGISTIC, TANH):
//     output[i] = 2^15 / (1 + exp(-y / 12288)), or 2^15 * tanh(y / 12288), from a table of 256 segments
//
// for first <= i < first + count. Rules: TFLite's reference kernels.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"

namespace lutra {

struct PiecewiseInt16Args {
  const int16_t* input;
  int16_t* output;
  Multiplier positive;
  Multiplier negative;
  bool mirrors_negative;  // For x < 0, -x is multiplied.
  int16_t in_zero_point;
  int16_t out_zero_point;
  int32_t min;
  int32_t max;  // Results beyond int16 wrap.
};

struct SigmoidInt16Args {
  const int16_t* input;
  int16_t* output;
  bool is_tanh;
  // y = input * multiplier / 2^shift, rounded; with a multiplier of 0, y = input * 3 * 2^shift.
  int32_t multiplier;
  int32_t shift;
};

using PiecewiseInt16Fn = void (*)(const PiecewiseInt16Args& args, int32_t first, int32_t count);
using SigmoidInt16Fn = void (*)(const SigmoidInt16Args& args, int32_t first, int32_t count);

Kernel<PiecewiseInt16Fn> PiecewiseInt16Ref;
Kernel<SigmoidInt16Fn> SigmoidInt16Ref;

inline constexpr Variant<PiecewiseInt16Fn> kPiecewiseInt16[] = {{"ref", kCpuAny, PiecewiseInt16Ref}};
inline constexpr Variant<SigmoidInt16Fn> kSigmoidInt16[] = {{"ref", kCpuAny, SigmoidInt16Ref}};

}  // namespace lutra
