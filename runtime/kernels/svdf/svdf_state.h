// SPDX-License-Identifier: Apache-2.0
// Work on the state that the variants of SVDF share. The unnamed namespace lets each keep its own copy.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/svdf/svdf.h"

namespace lutra {
namespace {

// Converts a new value of the state to the type that it is stored as.
template <typename State>
State ToState(const SvdfArgs& args, int32_t value) {
  constexpr int32_t kMax = sizeof(State) == 1 ? INT8_MAX : INT16_MAX;
  const int32_t raised = value < -kMax - 1 ? -kMax - 1 : value;
  const int32_t clamped = raised > kMax ? kMax : raised;
  return static_cast<State>(clamped + args.state_zero_point);
}

// Shifts the state, then calls run_batch(input, state, output) for each batch.
template <typename State, typename RunBatch>
void RunBatches(const SvdfArgs& args, const RunBatch& run_batch) {
  auto* state = static_cast<State*>(args.state);
  const size_t batch_values = static_cast<size_t>(args.units) * args.rank * args.memory;
  // All filters are moved at once: a filter's newest value, which it gets from the next filter, is set by
  // run_batch.
  memmove(state, state + 1, (args.batches * batch_values - 1) * sizeof(State));
  for (int32_t batch = 0; batch < args.batches; ++batch) {
    run_batch(args.input + static_cast<intptr_t>(batch) * args.depth, state + batch * batch_values,
              args.output + static_cast<intptr_t>(batch) * args.units);
  }
}

}  // namespace
}  // namespace lutra
