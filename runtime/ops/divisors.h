// SPDX-License-Identifier: Apache-2.0
// Operators that refuse to divide by zero.

#pragma once

#include "lutra/micro_context.h"
#include "runtime/ops/common.h"

namespace lutra {

// Refuses if an element of input 1 by which this eval divides is `zero`. In a row group other elements of an
// input that has the output's elements are not in memory.
template <typename T>
Status RequireDivisors(EvalContext& context, Pairing pairing, T zero) {
  const T* const divisor = context.InputData<T>(1);
  EvalContext::RowRange range = {0, 1};
  if (pairing != Pairing::kSecondIsOne) range = context.RowsToMake(context.Input(1).shape.Count());
  const auto [first, count] = range;
  for (int32_t i = first; i < first + count; ++i) {
    if (divisor[i] == zero) return context.Refuse(Rule::kRuntimeDivisor, 1, i);
  }
  return Status::kOk;
}

}  // namespace lutra
