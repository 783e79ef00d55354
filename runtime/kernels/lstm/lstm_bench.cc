// SPDX-License-Identifier: Apache-2.0
// The layers of a reader of digits and of a noise suppressor.

#include <type_traits>

#include "runtime/kernels/lstm/lstm_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

template <typename Fn>
void Run(benchmark::State& state, const VariantUse<Fn>& use, const LstmCase& c) {
  ProblemMemory memory;
  if constexpr (std::is_same_v<Fn, LstmInt8Fn>) {
    Measure(state, use, LstmInt8ProblemOf(c, memory));
  } else if constexpr (std::is_same_v<Fn, LstmInt16Fn>) {
    Measure(state, use, LstmInt16ProblemOf(c, memory));
  } else {
    Measure(state, use, LstmFloatProblemOf(c, memory));
  }
  const LstmShape& s = c.shape;
  CountMacs(state,
            static_cast<double>(s.batches) * s.times * int{kLstmGates} * s.units * (s.depth + s.units));
}

const bool registered = RegisterKernel(kLstmInt8, kLstmBenchmarks, Run<LstmInt8Fn>) &&
                        RegisterKernel(kLstmInt16, kLstmBenchmarks, Run<LstmInt16Fn>) &&
                        RegisterKernel(kLstmFloat, kLstmBenchmarks, Run<LstmFloatFn>);

}  // namespace
}  // namespace lutra
