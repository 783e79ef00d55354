// SPDX-License-Identifier: Apache-2.0
// Operators that refuse to divide by zero.

#pragma once

#include "lutra/micro_context.h"

namespace lutra {

// Refuses if an element of input 1 by which this eval divides is `zero`. In a row group the other elements
// are not in memory.
template <typename T>
Status RequireDivisors(EvalContext& context, T zero) {
  const T* const divisor = context.InputData<T>(1);
  const auto [first, count] = context.RowsToMake(context.Input(1).shape.Count());
  for (int32_t i = first; i < first + count; ++i) {
    if (divisor[i] == zero) return context.Refuse(Rule::kRuntimeDivisor, 1, i);
  }
  return Status::kOk;
}

}  // namespace lutra
