// SPDX-License-Identifier: Apache-2.0
// The last layer's weights, moved until samples are answered as they should be.
//
//   const std::optional<LastLayer> layer = FindLastLayer(file);
//   const Bytes filter = MendFilter(file, *layer, evaluator, labels, TableScope::kTensor, false);
//   // The layer's weights: of the values that they had before, a few have another.
//
// The values that a classifier decides by are sums of the last layer's inputs times its weights. Of each
// sample it is known, then, without running the network, what a weight that takes another value of its table
// does to the answer. Weights are moved one by one, always the one by which wrong answers lack the least for
// what it disturbs: hinge losses, and the mean square of what the moves change. Where no move gains, what
// still lacks counts twice as much. Neither table nor number of indices changes.
//
// It fits the samples, and has no more to go by: of others answers may be lost (README.md has how many).

#pragma once

#include <optional>
#include <vector>

#include "compressor/accuracy/evaluate.h"
#include "compressor/binning.h"

namespace lutra::compressor {

// FULLY_CONNECTED, or CONV_2D that puts its filter in one place, in subgraph 0.
struct LastLayer {
  int input = 0;
  int filter = 0;
  int bias = -1;
  int output = 0;
};

// That whose output the network decides by; there may be a RESHAPE between. None: another operator, weights
// that are no constant of 8 bits of which each output has as many as there are inputs, or an activation.
std::optional<LastLayer> FindLastLayer(const host::ModelFile& file);

// The elements of `layer.filter`. `file` has the weights that are to be moved; of each table, one or one for
// each output by `scope`, only values that are there now come out. `labels`: what each sample of the
// evaluator should be answered. `zeros_stay`: also that nothing else becomes zero. As they were: so much data
// that the layer's inputs would take too much memory.
Bytes MendFilter(const host::ModelFile& file, const LastLayer& layer, const Evaluator& evaluator,
                 const std::vector<int64_t>& labels, TableScope scope, bool zeros_stay);

}  // namespace lutra::compressor
