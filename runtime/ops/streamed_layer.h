// SPDX-License-Identifier: Apache-2.0
// Layers that decode their weights some filters at a time: the facts of each kind, and what all share.

#pragma once

#include <stdint.h>

#include "lutra/micro_context.h"
#include "lutra/op.h"
#include "lutra/status.h"

namespace lutra {

// The inputs of a layer; bias and input have the numbers of the weights' type.
struct LayerInputs {
  int input;
  int weights;
  int bias;
};
inline constexpr LayerInputs kConvLayer = {0, 1, 2};
inline constexpr LayerInputs kTransposeConvLayer = {2, 1, 3};

struct StreamingLayer {
  LayerInputs inputs;
  Op plain;
  bool (*is_prepared)(const PrepareContext& context);
  // Bytes of the weights of one output channel, the smallest block that eval_in_blocks takes.
  int32_t (*channel_bytes)(const PrepareContext& context);
  Status (*eval_in_blocks)(EvalContext& context, bool bias_in_blocks);
  // Returns how often a call reads a stream that is only read from its start, with blocks of so many bytes;
  // null: once.
  int32_t (*reads)(const void* prepared, int32_t weight_bytes, int32_t bias_bytes) = nullptr;
  // Prepares a layer that multiplies its weights as they are stored, if it can: *packed. Null: none can.
  Status (*prepare_packed)(PrepareContext& context, bool* packed) = nullptr;
};

// The bytes of a block that has about as many as `wanted` of an input's; `least`: as many as the smallest
// block has; 0: there are no blocks.
inline int32_t BlockBytes(int32_t all, int32_t least, int32_t wanted) {
  if (least == 0 || all <= wanted) return all;
  const int32_t block = least > wanted ? least : wanted / least * least;
  return block < all ? block : all;
}

// streamed_convolution.cc and streamed_fully_connected.cc.
extern const StreamingLayer kStreamingConv2D;
extern const StreamingLayer kStreamingDepthwiseConv2D;
extern const StreamingLayer kStreamingTransposeConv;
extern const StreamingLayer kStreamingFullyConnected;

// Null: the operator is none of these.
const StreamingLayer* FindLayer(BuiltinOperator code);

// The prepare of all operators that stream. A node whose Op has it is in no row group.
Status PrepareStreamed(PrepareContext& context);
Status PrepareLayer(PrepareContext& context, const StreamingLayer& layer);
// PlaceAll, in prepare, asks for memory for all values of input i. EvalWithAll decodes them there, then calls
// next.
Status PlaceAll(PrepareContext& context, int i);
Status EvalWithAll(EvalContext& context, int i, Status (*next)(EvalContext& context));
Status EvalLayer(EvalContext& context);

}  // namespace lutra
