// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of binary_int16. Needs no C++ library.

#pragma once

#include "lutra/kernels/binary_int16/binary_int16.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct BinaryInt16Case {
  BinaryInt16Function function;
  BinaryInt16Quantization quantization;
};

// Some of these are of real layers, and some saturate or clamp.
inline const BinaryInt16Case kBinaryInt16Cases[] = {
    {BinaryInt16Function::kAdd,
     {QuantizeMultiplier(0.5), QuantizeMultiplier(0.35), QuantizeMultiplier(1.3 / (1 << 15)), 0, 0, 0,
      INT16_MIN, INT16_MAX}},
    {BinaryInt16Function::kAdd,
     {QuantizeMultiplier(0.0003), QuantizeMultiplier(0.5), QuantizeMultiplier(6.0 / (1 << 15)), INT16_MIN,
      INT16_MAX, -77, -77, 20000}},
    {BinaryInt16Function::kSub,
     {QuantizeMultiplier(0.5), QuantizeMultiplier(0.5), QuantizeMultiplier(0.5 / (1 << 15)), 3, -4, 0,
      INT16_MIN, INT16_MAX}},
    {BinaryInt16Function::kMul, {{}, {}, QuantizeMultiplier(0.00004), 0, 0, 0, INT16_MIN, INT16_MAX}},
    {BinaryInt16Function::kMul, {{}, {}, QuantizeMultiplier(0.3), 0, 0, 0, -5, 500}},
    {BinaryInt16Function::kSquaredDifference,
     {QuantizeMultiplier(0.5), QuantizeMultiplier(0.5), QuantizeMultiplier(0.0001), 0, 0, 0, INT16_MIN,
      INT16_MAX}},
};

Problem<BinaryInt16Args> BinaryInt16ProblemOf(const BinaryInt16Case& c, int32_t count, const Steps& steps,
                                              auto& memory) {
  auto* const kept = Data<BinaryInt16Quantization>(memory, 1);
  *kept = c.quantization;
  const int32_t first = FirstElement(count);
  const int32_t end = first + count;
  return {.args = {Filled<int16_t>(memory, 2, end), Filled<int16_t>(memory, 3, end),
                   Output<int16_t>(memory, end), steps.a, steps.b, c.function, kept},
          .first = first,
          .count = count};
}

inline constexpr auto kBinaryInt16Problems = [](auto& memory, auto& problems) {
  for (const BinaryInt16Case& c : kBinaryInt16Cases) {
    for (const int32_t count : kFewCounts) {
      for (const Steps& steps : kSteps) problems.Add(BinaryInt16ProblemOf(c, count, steps, memory));
    }
  }
};

}  // namespace lutra
