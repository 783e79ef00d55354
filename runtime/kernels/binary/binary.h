// SPDX-License-Identifier: Apache-2.0
// Binary: arithmetic on two inputs, int8, int32 and float32.
//
//   output[i] = f(a[i * a_step], b[i * b_step]),  first <= i < first + count, steps 0 or 1
//
// int8, with x = code - zero point of its input:
//   kAdd, kSub            y = (x << 20) * multiplier of its input; (y_a +- y_b) * out_multiplier
//   kMul                  x_a * x_b * out_multiplier
//   kSquaredDifference    y = (x << 7) * multiplier of its input; (y_a - y_b)^2 * out_multiplier
//   kDiv                  x_a / x_b * out_multiplier by a fixed-point reciprocal; x_b is not 0
// then + out_zero_point, clamped to [min, max]. Element-wise where both steps are 1: output may be
// either input. Rules: TFLite's reference kernels.

#pragma once

#include <stdint.h>

#include "runtime/cpu.h"
#include "runtime/fixed_point/multiplier.h"

namespace lutra {

enum class BinaryFunction : uint8_t { kAdd, kSub, kMul, kDiv, kSquaredDifference };

struct BinaryQuantization {
  int32_t a_zero_point;
  int32_t b_zero_point;
  int32_t out_zero_point;
  Multiplier a_multiplier;  // kAdd, kSub, kSquaredDifference.
  Multiplier b_multiplier;
  Multiplier out_multiplier;
};

template <typename T>
struct BinaryArgs {
  BinaryFunction function;
  const T* a;
  const T* b;
  T* output;
  int32_t a_step;
  int32_t b_step;
  T min;
  T max;
  const BinaryQuantization* quantization;  // int8 only.
};

template <typename T>
using BinaryFn = void (*)(const BinaryArgs<T>& args, int32_t first, int32_t count);

void BinaryRef(const BinaryArgs<int8_t>& args, int32_t first, int32_t count);
// kAdd, kSub, kMul (wrapping).
void BinaryInt32Ref(const BinaryArgs<int32_t>& args, int32_t first, int32_t count);
void BinaryFloatRef(const BinaryArgs<float>& args, int32_t first, int32_t count);

inline constexpr Variant<BinaryFn<int8_t>> kBinaryInt8[] = {
    {"ref", kCpuAny, BinaryRef},
};
inline constexpr Variant<BinaryFn<int32_t>> kBinaryInt32[] = {
    {"ref", kCpuAny, BinaryInt32Ref},
};
inline constexpr Variant<BinaryFn<float>> kBinaryFloat[] = {
    {"ref", kCpuAny, BinaryFloatRef},
};

}  // namespace lutra
