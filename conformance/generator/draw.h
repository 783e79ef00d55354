// SPDX-License-Identifier: Apache-2.0
// Draws whole cases at random, for `conformance fuzz`: every attribute from its whole range, sizes that
// networks have, data of several distributions. A family's `draw` uses these; nothing here knows where faults
// are.
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

// Elements of a tensor, products of a layer: few for most cases, so that many are run.
inline constexpr int64_t kMostElements = 4096;
int64_t DrawBudget(Random& random, int64_t usual);

// Draws from 1 to `most`: small ones, powers of two and their neighbours, any.
int32_t DrawSize(Random& random, int32_t most);
// Draws a shape of so many elements at most, large in one dimension only.
oracle::Shape DrawShape(Random& random, int rank, int64_t most);
// Draws the same with a rank from `least` to `most_rank`; above 4 seldom.
oracle::Shape DrawShape(Random& random, int least, int most_rank, int64_t most);
// Draws positions among `count` things, in random order, each once; at least one of them.
std::vector<int32_t> DrawSome(Random& random, int32_t count);
std::vector<int32_t> DrawOrder(Random& random, int32_t count);
// Draws two shapes that broadcast to one of at most so many elements.
BroadcastPair DrawBroadcastPair(Random& random, int64_t most);

// All kinds of Values, also those that the corpus does not have.
Values DrawValues(Random& random);
// An exponent near `usual` most of the time; else one of the whole range of scales.
float DrawAnyScale(Random& random, int low, int high);
// int8 or, less often, another type that is moved.
int8_t DrawMovedType(Random& random);
// A negative axis counts from the end.
int32_t WrittenAxis(Random& random, int32_t axis, int32_t rank);

// Windows, steps, padding, batches and channels of a layer of about so many products.
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

// A graph of several operators, of some with branches and loops.
Case DrawGraph(Random& random);
Case DrawControlFlow(Random& random);

}  // namespace lutra::conformance
