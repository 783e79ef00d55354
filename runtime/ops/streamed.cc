// SPDX-License-Identifier: Apache-2.0
// Operators that decode compressed inputs themselves: layers with weights some filters at a time, which then
// make their channels of all rows of a call; CONCATENATION and ASSIGN_VARIABLE into their outputs.

#include "runtime/ops/streamed.h"

#include "lutra/ops/ops.h"
#include "lutra/streaming.h"
#include "runtime/decoders.h"
#include "runtime/head_plan.h"
#include "runtime/ops/copy.h"
#include "runtime/ops/streamed_layer.h"

namespace lutra {
namespace {

// What records, blocks and longer portions of rows may add to an arena together: under 1 KB, with what
// alignment takes.
constexpr int32_t kSpareBytes = 800;

Status PrepareStreamed(PrepareContext& context);

// ---- Operators that decode into their outputs.

Status PrepareMove(PrepareContext& context) {
  StreamedInput* record = nullptr;
  for (int i = 0; i < context.input_count(); ++i) LUTRA_TRY(context.StreamInput(i, &record));
  return context.op().code == BuiltinOperator::kConcatenation ? PrepareConcatenation(context)
                                                              : PrepareAssignVariable(context);
}

Status EvalConcatenation(EvalContext& context) {
  const auto& data = context.Data<RunsData>();
  uint8_t* output = context.OutputData<uint8_t>(0);
  for (int i = 0; i < context.input_count(); ++i) {
    const int32_t bytes = data.run_bytes[i];
    if (context.IsStreamed(i)) {
      const Encoding encoding = context.StreamedEncoding(i);
      const int32_t run = bytes / encoding.element_bytes;
      StreamPosition position;
      context.DecodeStreamed(i, [&] {
        for (int32_t n = 0; n < data.outer; ++n) {
          DecodePart(encoding, context.cpu_features(), n * run, run, &position,
                     output + static_cast<intptr_t>(n) * data.whole_bytes);
        }
      });
    } else {
      JoinPiece(data, i, context.InputData<uint8_t>(i), output);
    }
    output += bytes;
  }
  return Status::kOk;
}

Status EvalAssign(EvalContext& context) {
  if (!context.IsStreamed(1)) return EvalAssignVariable(context);
  const Encoding encoding = context.StreamedEncoding(1);
  const Resource& resource = *context.Data<Resource*>();
  context.DecodeStreamed(1, [&] { Decode(encoding, context.cpu_features(), resource.data); });
  return Status::kOk;
}

// ---- All operators.

constexpr Op kOps[] = {
    {BuiltinOperator::kConv2D, PrepareStreamed, EvalLayer},
    {BuiltinOperator::kDepthwiseConv2D, PrepareStreamed, EvalLayer},
    {BuiltinOperator::kTransposeConv, PrepareStreamed, EvalLayer},
    {BuiltinOperator::kFullyConnected, PrepareStreamed, EvalLayer},
    {BuiltinOperator::kConcatenation, PrepareStreamed, EvalConcatenation},
    {BuiltinOperator::kAssignVariable, PrepareStreamed, EvalAssign},
};

Status PrepareStreamed(PrepareContext& context) {
  const StreamingLayer* const layer = FindLayer(context.op().code);
  return layer != nullptr ? PrepareLayer(context, *layer) : PrepareMove(context);
}

// ---- The plan.

// A node that decodes its weights or its bias in blocks.
struct NodeInBlocks {
  const Node* node;
  const StreamingLayer* layer;
  HeadPlan::Portions rows;
  StreamedInput* weights;
  StreamedInput* bias;   // Null: it has a place of its own.
  int32_t weight_bytes;  // All of them.
  int32_t bias_bytes;
};

// The record of an input, or null.
StreamedInput* RecordOf(const Graph& graph, const Node& node, int input, int32_t* bytes) {
  const NodeInfo info = graph.model->node(node.subgraph, node.index);
  if (input >= node.input_count || info.inputs[input] < 0) return nullptr;
  if (!IsStreamedTensor(graph, node.subgraph, info.inputs[input])) return nullptr;
  *bytes = graph.model->tensor(node.subgraph, info.inputs[input]).bytes;
  auto* const record = static_cast<StreamedInput*>(node.addresses[input]);
  return record->bytes == 0 ? nullptr : record;
}

// Calls visit(NodeInBlocks) for each.
template <typename Visit>
void ForEachInBlocks(const Graph& graph, const Visit& visit) {
  for (int n = 0; n < graph.node_count; ++n) {
    const Node& node = graph.nodes[n];
    const StreamingLayer* const layer = FindLayer(node.op->code);
    if (node.op->prepare != PrepareStreamed || layer == nullptr) continue;
    NodeInBlocks found = {.node = &node, .layer = layer, .rows = {}, .weight_bytes = 0, .bias_bytes = 0};
    found.weights = RecordOf(graph, node, layer->inputs.weights, &found.weight_bytes);
    found.bias = RecordOf(graph, node, layer->inputs.bias, &found.bias_bytes);
    if (found.weights == nullptr) continue;
    const bool bias_in_blocks = found.bias != nullptr && found.bias->bytes < found.bias_bytes;
    if (found.weights->bytes == found.weight_bytes && !bias_in_blocks) continue;
    const NodeInfo info = graph.model->node(node.subgraph, node.index);
    const Shape shape = graph.model->tensor(node.subgraph, info.outputs[0]).shape;
    // Images have rows of pixels, all else of values.
    const bool images = node.op->code != BuiltinOperator::kFullyConnected;
    found.rows = images ? HeadPlan::Portions{n, shape[0] * shape[1], shape[2] * shape[3]}
                        : HeadPlan::Portions{n, shape.OuterCount(), shape.Depth()};
    visit(found);
  }
}

void SpreadRowsOfBlocks(HeadPlan& plan) {
  constexpr size_t kMaxNodes = 48;
  HeadPlan::Portions nodes[kMaxNodes];
  size_t count = 0;
  const auto room =
      kSpareBytes - static_cast<int32_t>(plan.graph().arena.record(RecordKind::kCompression).bytes);
  int32_t largest = 0;
  int32_t spare = room;
  ForEachInBlocks(plan.graph(), [&](const NodeInBlocks& n) {
    if (n.weights->bytes == n.weight_bytes) return;  // Of the bias alone.
    if (count < kMaxNodes) nodes[count++] = n.rows;
    const int32_t blocks = n.weights->bytes + (n.bias != nullptr ? n.bias->bytes : 0);
    if (blocks > largest) largest = blocks;
    // All weights would take no more.
    const int32_t rest = n.weight_bytes - n.weights->bytes;
    if (rest < spare) spare = rest;
  });
  if (room - largest < spare) spare = room - largest;
  if (count > 0) plan.SpreadRows({nodes, count}, spare > 0 ? spare : 0);
}

void GrowBlocks(HeadPlan& plan) {
  ForEachInBlocks(plan.graph(), [&](const NodeInBlocks& n) {
    n.weights->bytes += plan.GrowScratch(n.rows.node, n.weight_bytes - n.weights->bytes);
  });
}

uint16_t PassesOf(int64_t reads) { return static_cast<uint16_t>(reads < UINT16_MAX ? reads : UINT16_MAX); }

void GatherRowsOfBlocks(HeadPlan& plan) {
  const Graph& graph = plan.graph();
  ForEachInBlocks(graph, [&](const NodeInBlocks& n) {
    plan.GatherRows(n.rows);
    const int32_t in_call = n.node->plan.rows_per_call;
    const int32_t calls = in_call == 0 || in_call >= n.rows.rows ? 1 : (n.rows.rows - 1) / in_call + 1;
    const bool bias_in_blocks = n.bias != nullptr && n.bias->bytes < n.bias_bytes;
    const int32_t tensor = graph.model->node(n.node->subgraph, n.node->index).inputs[n.layer->inputs.weights];
    const Encoding encoding = StreamedEncodingOf(graph, n.node->subgraph, tensor, *n.weights);
    int64_t reads = 1;
    if (n.layer->reads != nullptr && !CanBeEntered(encoding.type)) {
      const int32_t bias_bytes = bias_in_blocks ? n.bias->bytes : INT32_MAX;
      reads = n.layer->reads(n.node->data, n.weights->bytes, bias_bytes);
    }
    n.weights->passes = PassesOf(calls * reads);
    if (bias_in_blocks) n.bias->passes = PassesOf(calls);
  });
}

}  // namespace

// The operator that streams in place of this one; an application may have its own under the same code.
const Op* FindStreamingOp(const Op& op) {
  const StreamingLayer* const layer = FindLayer(op.code);
  const bool ours = layer != nullptr
                        ? op.prepare == layer->plain.prepare
                        : op.prepare == PrepareConcatenation || op.prepare == PrepareAssignVariable;
  if (!ours) return nullptr;
  for (const Op& streams : kOps) {
    if (streams.code == op.code) return &streams;
  }
  return nullptr;
}

constexpr Streaming kStreaming = {PrepareStreamed,    FindStreaming, ReplacesDecoder,   MakesStreamedTensor,
                                  SpreadRowsOfBlocks, GrowBlocks,    GatherRowsOfBlocks};

}  // namespace lutra
