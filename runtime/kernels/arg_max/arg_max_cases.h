// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of arg_max. Needs no C++ library.

#pragma once

#include "lutra/kernels/arg_max/arg_max.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct ArgMaxCase {
  const char* name;
  int32_t outer;
  int32_t count;
  int32_t inner;
  bool smallest = false;
  bool int64_output = false;
};

// Along the last dimension, and across the channels of an image.
inline constexpr ArgMaxCase kArgMaxBenchmarks[] = {{"1000", 1, 1000, 1}, {"21_of_1024", 1, 21, 1024}};

template <typename Element, typename Memory>
Problem<ArgMaxArgs> ArgMaxProblemOf(const ArgMaxCase& c, Memory& memory) {
  const auto* const input =
      Filled<Element>(memory, static_cast<uint32_t>(c.count), c.outer * c.count * c.inner);
  void* const output = memory.TakeOutput(c.outer * c.inner, c.int64_output ? 8 : 4);
  return {.args = {input, output, c.outer, c.count, c.inner, c.smallest, c.int64_output}};
}

template <typename Element>
inline constexpr auto kArgMaxProblems = [](auto& memory, auto& problems) {
  const auto add = [&](int32_t outer, int32_t count, int32_t inner) {
    const bool int64_output = !kIsReal<Element> && count % 2 == 0;
    problems.Add(ArgMaxProblemOf<Element>({"", outer, count, inner, count % 3 == 0, int64_output}, memory));
  };
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    add(3, count, 1);
    if (!kIsReal<Element>) add(2, count, 5);
    add(1, 5, count);
  }
  if (!kIsReal<Element>) add(2, 1000, 1);  // The extremes occur more than once.
};

}  // namespace lutra
