// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of kernels that map rows to rows. Needs no C++ library.

#pragma once

#include "lutra/fixed_point/multiplier.h"
#include "lutra/kernels/l2_normalize/l2_normalize.h"
#include "lutra/kernels/log_softmax/log_softmax.h"
#include "lutra/kernels/softmax/softmax.h"
#include "runtime/kernels/problem.h"

namespace lutra {

inline constexpr int32_t kLongDepths[] = {127, 255, 256, 300, 600};
// Scales of the input: with the smallest all elements count in the sum, with the largest only the largest
// elements.
inline constexpr double kSoftmaxScales[] = {0.004, 0.05, 0.3, 1.7, 8.0};

inline SoftmaxArgs SoftmaxArgsOf(int32_t depth, double scale) {
  const Multiplier multiplier = QuantizeMultiplier(scale * (1 << 26));
  return {depth, multiplier, -CalculateInputRadius(5, multiplier.shift)};
}
inline LogSoftmaxArgs LogSoftmaxArgsOf(int32_t depth, double scale) {
  const SoftmaxArgs args = SoftmaxArgsOf(depth, scale);
  return {depth, args.multiplier, QuantizeMultiplier(1 / (scale * (1 << 26))), args.diff_min};
}

// Rows [first, rows) of codes; real values are up to 7.
template <typename Input, typename Output, typename Args, typename Memory>
Problem<Args> RowwiseProblemOf(const Args& args, int32_t rows, int32_t first, Memory& memory) {
  auto* const input = Filled<Input>(memory, static_cast<uint32_t>(args.depth), rows * args.depth);
  if constexpr (kIsReal<Input>) {
    for (int32_t i = 0; i < rows * args.depth; ++i) input[i] *= 7.0f;
  }
  auto* const output = lutra::Output<Output>(memory, rows * args.depth);
  return {.args = args,
          .first = first,
          .count = rows - first,
          .input = RowsOf(input, args.depth),
          .output = RowsOf(output, args.depth)};
}

// Three rows; some problems leave out the first.
template <typename Input, typename Output, typename Args, typename Memory, typename Problems>
void AddRows(const Args& args, Memory& memory, Problems& problems) {
  problems.Add(RowwiseProblemOf<Input, Output>(args, 3, problems.count() % 2, memory));
}

// args(depth, scale) returns a problem's arguments.
template <typename Output, typename ArgsOf, typename Memory, typename Problems>
void AddScaledRows(const ArgsOf& args, Memory& memory, Problems& problems) {
  const auto add = [&](int32_t depth) {
    for (const double scale : kSoftmaxScales) AddRows<int8_t, Output>(args(depth, scale), memory, problems);
  };
  for (int32_t depth = 1; depth <= kMaxCount; ++depth) add(depth);
  for (const int32_t depth : kLongDepths) add(depth);
}

template <typename Output>
inline constexpr auto kSoftmaxProblems = [](auto& memory, auto& problems) {
  AddScaledRows<Output>(SoftmaxArgsOf, memory, problems);
  // The sum does not fit its type.
  AddRows<int8_t, Output>(SoftmaxArgsOf(9000, 0.0001), memory, problems);
};

inline constexpr auto kLogSoftmaxProblems = [](auto& memory, auto& problems) {
  AddScaledRows<int8_t>(LogSoftmaxArgsOf, memory, problems);
};

inline constexpr auto kSoftmaxFloatProblems = [](auto& memory, auto& problems) {
  for (const int32_t depth : kFewCounts) {
    AddRows<float, float>(SoftmaxFloatArgs{depth, 0.5f}, memory, problems);
  }
};

inline constexpr auto kL2NormalizeProblems = [](auto& memory, auto& problems) {
  constexpr int32_t kZeroPoints[] = {-128, -3, 127};
  for (int32_t depth = 1; depth <= kMaxCount; ++depth) {
    for (const int32_t zero_point : kZeroPoints) {
      AddRows<int8_t, int8_t>(L2NormalizeArgs{depth, zero_point}, memory, problems);
    }
  }
  for (const int32_t depth : kLongDepths) {
    AddRows<int8_t, int8_t>(L2NormalizeArgs{depth, 1}, memory, problems);
  }
};

}  // namespace lutra
