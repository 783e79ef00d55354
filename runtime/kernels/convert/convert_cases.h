// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of convert. Needs no C++ library.

#pragma once

#include "lutra/kernels/convert/convert.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct ConvertCase {
  Conversion conversion;
  TensorType from;
  TensorType to;
};

inline constexpr ConvertCase kConvertCases[] = {
    {Conversion::kQuantize, TensorType::kFloat32, TensorType::kInt8},
    {Conversion::kQuantize, TensorType::kFloat32, TensorType::kUInt8},
    {Conversion::kQuantize, TensorType::kFloat32, TensorType::kInt16},
    {Conversion::kRequantize, TensorType::kInt8, TensorType::kInt8},
    {Conversion::kRequantize, TensorType::kInt8, TensorType::kUInt8},
    {Conversion::kRequantize, TensorType::kUInt8, TensorType::kInt8},
    {Conversion::kRequantize, TensorType::kInt8, TensorType::kInt16},
    {Conversion::kRequantize, TensorType::kInt16, TensorType::kInt8},
    {Conversion::kRequantize, TensorType::kInt8, TensorType::kInt32},
    {Conversion::kCast, TensorType::kFloat32, TensorType::kInt8},
    {Conversion::kCast, TensorType::kFloat32, TensorType::kInt64},
    {Conversion::kCast, TensorType::kFloat32, TensorType::kBool},
    {Conversion::kCast, TensorType::kInt8, TensorType::kInt32},
    {Conversion::kCast, TensorType::kInt32, TensorType::kInt8},
    {Conversion::kCast, TensorType::kInt16, TensorType::kInt64},
    {Conversion::kCast, TensorType::kInt64, TensorType::kUInt8},
    {Conversion::kCast, TensorType::kInt8, TensorType::kBool},
    {Conversion::kCast, TensorType::kBool, TensorType::kInt16},
};

Problem<ConvertArgs> ConvertProblemOf(const ConvertCase& c, int32_t first, int32_t count, auto& memory) {
  const int32_t end = first + count;
  const void* input = memory.TakeFilled(12, end, ElementBytes(c.from));
  if (c.from == TensorType::kFloat32) {
    const auto* const codes = Filled<int8_t>(memory, 13, end);
    auto* const reals = Data<float>(memory, end);
    for (int32_t i = 0; i < end; ++i) {
      reals[i] = static_cast<float>(codes[i]) * (i % 8 == 7 ? 1e20f : 1.375f);
    }
    input = reals;
  }
  return {.args = {.conversion = c.conversion,
                   .in_type = c.from,
                   .out_type = c.to,
                   .scale = 0.75f,
                   .in_zero_point = c.from == TensorType::kUInt8 ? 128 : 3,
                   .out_zero_point = c.to == TensorType::kUInt8 ? 120 : -4,
                   .multiplier = QuantizeMultiplier(c.from == TensorType::kInt16 ? 0.004 : 1.3),
                   .input = input,
                   .output = memory.TakeOutput(end, ElementBytes(c.to))},
          .first = first,
          .count = count};
}

inline constexpr auto kConvertProblems = [](auto& memory, auto& problems) {
  for (const ConvertCase& c : kConvertCases) {
    for (int32_t count = 1; count <= kMaxCount; count += count < 20 ? 1 : 7) {
      problems.Add(ConvertProblemOf(c, FirstElement(count), count, memory));
    }
  }
};

}  // namespace lutra
