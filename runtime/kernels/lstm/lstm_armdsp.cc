// SPDX-License-Identifier: Apache-2.0
// An LSTM of int8 for Cortex-M with DSP instructions: computes the gates of a block of units, two rows of
// weights at a time, then the states unit by unit.

#include <arm_acle.h>

#include "runtime/fixed_point/high_word.h"
#include "runtime/kernels/lstm/lstm_codes.h"
#include "runtime/kernels/svdf/row_sums_armdsp.h"

namespace lutra {
namespace {

// Adds scaled sums to a gate's values, or sets the values to them if `are_first`; clamps the sums and the
// results to int16.
LUTRA_OFTEN void AddScaled(const uint32_t* sums, int32_t units, Multiplier multiplier, bool are_first,
                           int16_t* values) {
  HighWordStep step;
  const bool is_step = ComputeHighWordStep(multiplier, 0, &step);
  for (const uint32_t* const end = sums + units; sums != end; ++values) {
    const auto sum = static_cast<int32_t>(*sums++);
    const int32_t scaled = is_step ? Requantise(sum, step) : MultiplyByQuantizedMultiplier(sum, multiplier);
    const int32_t clamped = __ssat(scaled, 16);
    *values = static_cast<int16_t>(are_first ? clamped : __ssat(*values + clamped, 16));
  }
}

// Computes the values of a gate of the units from `first` on.
void ComputeGate(const LstmInt8Args& args, int gate, int32_t first, int32_t units, RowSums* input,
                 RowSums* hidden, int16_t* values) {
  const auto& tensors = args.tensors;
  uint32_t sums[kRowBlock];
  memcpy(sums, tensors.bias[gate] + first, static_cast<size_t>(units) * sizeof *sums);
  input->AddProducts(tensors.input_weights[gate] + static_cast<intptr_t>(first) * args.shape.depth, units,
                     sums);
  AddScaled(sums, units, args.input[gate], true, values);
  memset(sums, 0, sizeof sums);
  hidden->AddProducts(tensors.recurrent_weights[gate] + static_cast<intptr_t>(first) * args.shape.units,
                      units, sums);
  AddScaled(sums, units, args.recurrent[gate], false, values);
}

}  // namespace

void LstmInt8Armdsp(const LstmInt8Args& args) {
  if (args.shape.units < 2) return LstmInt8Ref(args);
  ForEachLstmStep(args.shape, args.tensors,
                  [&](const int8_t* x, const int8_t* h, int16_t* cell, int8_t* output) {
                    RowSums input(x, -args.input_zero_point, args.shape.depth);
                    RowSums hidden(h, -args.hidden_zero_point, args.shape.units);
                    int32_t first = 0;
                    while (first < args.shape.units) {
                      const int32_t units = RowsOfBlock(args.shape.units - first);
                      int16_t values[kLstmGates][kRowBlock];
                      for (int gate = 0; gate < kLstmGates; ++gate) {
                        ComputeGate(args, gate, first, units, &input, &hidden, values[gate]);
                      }
                      for (int32_t i = 0; i < units; ++i, ++first) {
                        output[first] = MakeUnit(
                            args, [&](int gate) -> int32_t { return values[gate][i]; }, cell + first);
                      }
                    }
                  });
}

}  // namespace lutra
