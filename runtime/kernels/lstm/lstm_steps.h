// SPDX-License-Identifier: Apache-2.0
// The order of a sequence's steps. For the kernels' .cc files.

#pragma once

#include <stdint.h>
#include <string.h>

#include "lutra/kernels/lstm/lstm.h"

namespace lutra {

// Makes all steps: make(x, h, c, unit) makes a unit of the new hidden state and changes its cell state *c; x
// and h are the step's input and the hidden state before it.
template <typename Tensors, typename Make>
void ForEachLstmStep(const LstmShape& shape, const Tensors& tensors, const Make& make) {
  for (int32_t b = 0; b < shape.batches; ++b) {
    auto* const hidden = tensors.hidden + b * shape.units;
    auto* const cell = tensors.cell + b * shape.units;
    for (int32_t t = 0; t < shape.times; ++t) {
      const int32_t row = shape.time_major ? t * shape.batches + b : b * shape.times + t;
      auto* const output = tensors.output + row * shape.units;
      for (int32_t unit = 0; unit < shape.units; ++unit) {
        output[unit] = make(tensors.input + row * shape.depth, hidden, cell + unit, unit);
      }
      memcpy(hidden, output, static_cast<size_t>(shape.units) * sizeof *output);
    }
  }
}

}  // namespace lutra
