// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the binary kernels. Needs no C++ library.

#pragma once

#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/binary/binary.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct BinaryCase {
  int32_t count;
  Steps steps = {1, 1};
  int32_t first = 0;
};

// No code of b is its zero point, which Div does not take.
template <typename Element, typename Memory>
Problem<BinaryArgs> BinaryProblemOf(const BinaryCase& c, const BinaryQuantization* quantization,
                                    Memory& memory) {
  const int32_t end = c.first + c.count;
  const auto* const a = Filled<Element>(memory, 2, end);
  auto* const b = Filled<Element>(memory, 3, end);
  if constexpr (!kIsReal<Element>) {
    for (int32_t i = 0; i < end; ++i) {
      if (b[i] == quantization->b_zero_point) ++b[i];
    }
  }
  return {.args = {a, b, Output<Element>(memory, end), c.steps.a, c.steps.b, quantization, -1.5f, 6.0f},
          .first = c.first,
          .count = c.count};
}

template <typename Element>
auto BinaryProblems(const BinaryQuantization& quantization) {
  return [quantization](auto& memory, auto& problems) {
    auto* const kept = Data<BinaryQuantization>(memory, 1);
    *kept = quantization;
    const auto add = [&](int32_t count, Steps steps) {
      problems.Add(BinaryProblemOf<Element>({count, steps, FirstElement(count)}, kept, memory));
    };
    for (int32_t count = 1; count <= kMaxCount; ++count) {
      if (kIsReal<Element>) {
        add(count, kSteps[count % 3]);
      } else {
        for (const Steps& steps : kSteps) add(count, steps);
      }
    }
    for (const int32_t count : kLargeCounts) add(count, kSteps[0]);
  };
}

// The functions below return the quantisation of a layer, one for each operator.
inline BinaryQuantization SumQuantization() {
  return {QuantizeMultiplier(0.5),
          QuantizeMultiplier(0.3),
          QuantizeMultiplier(1.7 / (1 << 20)),
          -128,
          127,
          -3,
          -100,
          120};
}
// In these problems either scale is the larger, or both are equal, or one is far larger; outputs have few or
// many steps.
inline constexpr auto kSumProblems = [](auto& memory, auto& problems) {
  BinaryProblems<int8_t>(SumQuantization())(memory, problems);
  struct Factors {
    double a;
    double b;
    double out;
  };
  constexpr Factors kFactors[] = {{0.3, 0.5, 1.1},  {0.5, 0.5, 0.4},   {0.37, 0.41, 2.9}, {0.5, 1e-9, 1.0},
                                  {2e-9, 0.5, 90},  {0.5, 0.25, 8e5},  {0.9, 0.8, 0.2},   {0.125, 0.5, 0.001},
                                  {0.5, 0.4, 1e-4}, {0.5, 0.499, 0.25}};
  int32_t zero_point = -128;
  for (const Factors& f : kFactors) {
    auto* const kept = Data<BinaryQuantization>(memory, 1);
    *kept = {QuantizeMultiplier(f.a),
             QuantizeMultiplier(f.b),
             QuantizeMultiplier(f.out / (1 << 20)),
             static_cast<int8_t>(zero_point),
             static_cast<int8_t>(-1 - zero_point),
             static_cast<int8_t>(zero_point / 2),
             -128,
             127};
    constexpr int32_t kCounts[] = {70, 2000};
    for (const int32_t count : kCounts) {
      for (const Steps& steps : kSteps) {
        problems.Add(BinaryProblemOf<int8_t>({count, steps, FirstElement(count)}, kept, memory));
      }
    }
    zero_point += 25;
  }
};
inline BinaryQuantization ProductQuantization() {
  return {{}, {}, QuantizeMultiplier(0.01), 3, -20, -128, -128, 127};
}
inline BinaryQuantization QuotientQuantization() {
  return {{}, {}, QuantizeMultiplier(20.0), 3, -10, 1, -120, 127};
}
inline BinaryQuantization SquareQuantization() {
  return {QuantizeMultiplier(0.5),
          QuantizeMultiplier(0.4),
          QuantizeMultiplier(0.03 / (1 << 14)),
          5,
          -66,
          -128,
          -128,
          127};
}

}  // namespace lutra
