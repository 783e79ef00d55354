// SPDX-License-Identifier: Apache-2.0
// The order of a sequence's steps. For the kernels' .cc files.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/lstm/lstm.h"

namespace lutra {

// Computes all steps: make_step(x, h, c, output) computes the new hidden state, and changes the cell state c;
// x and h are the step's input and the hidden state before it.
template <typename Tensors, typename MakeStep>
void ForEachLstmStep(const LstmShape& shape, const Tensors& tensors, const MakeStep& make_step) {
  for (int32_t b = 0; b < shape.batches; ++b) {
    auto* const hidden = tensors.hidden + b * shape.units;
    auto* const cell = tensors.cell + b * shape.units;
    for (int32_t t = 0; t < shape.times; ++t) {
      const int32_t row = shape.time_major ? t * shape.batches + b : b * shape.times + t;
      auto* const output = tensors.output + row * shape.units;
      make_step(tensors.input + row * shape.depth, hidden, cell, output);
      memcpy(hidden, output, static_cast<size_t>(shape.units) * sizeof *output);
    }
  }
}

}  // namespace lutra
