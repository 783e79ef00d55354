// SPDX-License-Identifier: Apache-2.0
// Draws whole cases at random, for `conformance fuzz`: every attribute from its whole range, sizes that
// networks have, data of several distributions. A family's `draw` uses these functions, which do not aim at
// known faults.
//
//   Case DrawSlice(Random& random) {
//     const oracle::Shape shape = DrawShape(random, random.Int(1, 5), kMostElements);
//     ...
//   }
//
// The lowest draws give the simplest case (random.h), so that a failure can be made smaller.

#pragma once

#include "conformance/generator/two_operands.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {

// Draws how many elements a tensor, or products a layer, may have: mostly few, so that many cases are run.
inline constexpr int64_t kMostElements = 4096;
int64_t DrawBudget(Random& random, int64_t usual);

// Draws from 1 to `most`: a small number, a power of two or its neighbour, or any number.
int32_t DrawSize(Random& random, int32_t most);
// Draws a shape of so many elements at most, large in one dimension only.
oracle::Shape DrawShape(Random& random, int rank, int64_t most);
// Draws the same with a rank from `least` to `most_rank`; above 4 seldom.
oracle::Shape DrawShape(Random& random, int least, int most_rank, int64_t most);
// Draws some of the numbers below `count`, at least one, each once and in random order.
std::vector<int32_t> DrawSome(Random& random, int32_t count);
std::vector<int32_t> DrawOrder(Random& random, int32_t count);
// Draws two shapes that broadcast to a shape of at most `most` elements.
BroadcastPair DrawBroadcastPair(Random& random, int64_t most);

// Draws any of Values, also those that the corpus does not use.
Values DrawValues(Random& random);
// Draws a scale, most of the time with an exponent from `low` to `high`, else from the whole range of scales.
float DrawAnyScale(Random& random, int low, int high);
// Draws int8 or, less often, another type that operators can move.
int8_t DrawMovedType(Random& random);
// Draws how a file writes `axis`: as it is, or as the negative number that counts from the end.
int32_t WrittenAxis(Random& random, int32_t axis, int32_t rank);

// Draws windows, steps, padding, batches and channels of a layer.
struct WindowDraw {
  bool has_dilation = true, has_groups = false;
  bool is_depthwise = false, is_pool = false;
};
Convolution DrawWindow(Random& random, const WindowDraw& draw);
// Scales, zero points, weights, values, bias and activation of a layer whose outputs sum `depth` products.
void DrawLayer(Random& random, int depth, bool channels_last, Products* p, int channels);

Case DrawElementwiseCase(Random& random, const ElementwiseOp& op);
template <const ElementwiseOp& op>
Case DrawElementwise(Random& random) {
  return DrawElementwiseCase(random, op);
}

// Draw a graph of several operators, and one with branches and loops.
Case DrawGraph(Random& random);
Case DrawControlFlow(Random& random);

}  // namespace lutra::conformance
