// SPDX-License-Identifier: Apache-2.0
// Arithmetic on two inputs of int16:
//
//   output[i] = clamp(f(a[i * a_step], b[i * b_step]) + out_zero_point),  first <= i < first + count
//
// with x = code - zero point of its input, and steps of 0 or 1:
//   Add, Sub            y = (x << 15) * multiplier of its input; (y_a +- y_b) * out_multiplier
//   Mul                 x_a * x_b * out_multiplier
//   SquaredDifference   y = x * multiplier of its input; (y_a - y_b)^2 * out_multiplier
// Element-wise where both steps are 1: output may be either input. Rules: TFLite's reference kernels.

#pragma once

#include <stdint.h>

#include "lutra/cpu.h"
#include "lutra/fixed_point/multiplier.h"

namespace lutra {

enum class BinaryInt16Function : uint8_t { kAdd, kSub, kMul, kSquaredDifference };

struct BinaryInt16Quantization {
  Multiplier a_multiplier;  // Add, Sub, SquaredDifference.
  Multiplier b_multiplier;
  Multiplier out_multiplier;
  int16_t a_zero_point;
  int16_t b_zero_point;
  int16_t out_zero_point;
  int16_t min;
  int16_t max;
};

struct BinaryInt16Args {
  const void* a;
  const void* b;
  void* output;
  int32_t a_step;
  int32_t b_step;
  BinaryInt16Function function;
  const BinaryInt16Quantization* quantization;
};

using BinaryInt16Fn = void (*)(const BinaryInt16Args& args, int32_t first, int32_t count);

Kernel<BinaryInt16Fn> BinaryInt16Ref;

inline constexpr Variant<BinaryInt16Fn> kBinaryInt16[] = {{"ref", kCpuAny, BinaryInt16Ref}};

}  // namespace lutra
