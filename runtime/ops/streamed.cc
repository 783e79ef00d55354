// SPDX-License-Identifier: Apache-2.0
// Operators that decode compressed inputs themselves: layers decode weights some filters at a time and
// compute their channels in all rows of a call; CONCATENATION and ASSIGN_VARIABLE decode into their outputs.

#include "runtime/ops/streamed.h"

#include "lutra/ops/ops.h"
#include "lutra/streaming.h"
#include "runtime/decoders.h"
#include "runtime/head_plan.h"
#include "runtime/ops/copy.h"
#include "runtime/ops/streamed_layer.h"

namespace lutra {
namespace {

// Records, blocks and longer portions of rows together may add this to an arena: it is under 1 KB and a
// multiple of the arena's alignment.
constexpr int32_t kSpareBytes = 1008;

// Weights and biases up to these bytes are decoded as a whole, larger ones in blocks of about these bytes:
// the first pair with which the arena is small enough counts. Kernels with about eight filters at a time are
// as fast as with all weights.
struct BlockSize {
  int32_t weight_bytes;  // 576: 3 x 3 taps of 64 channels.
  int32_t bias_bytes;
};
constexpr BlockSize kBlockSizes[] = {{1152, 256}, {576, 256}, {576, 128}, {576, 64},
                                     {288, 64},   {144, 32},  {0, 0}};

int32_t RoundUp(int32_t bytes) {
  constexpr auto kAlignment = static_cast<int32_t>(kArenaAlignment);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

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

// ---- The plan.

// An input that a layer decodes itself, its record and its scratch.
struct StreamedBlock {
  StreamedInput* record = nullptr;  // Null: the input is not streamed.
  int32_t all_bytes = 0;

  int32_t bytes() const { return record == nullptr ? 0 : record->bytes; }
  bool IsPart() const { return bytes() < all_bytes; }
  bool HasScratch() const { return record != nullptr && record->scratch != StreamedInput::kInRegion; }
  int32_t scratch_bytes() const { return HasScratch() ? RoundUp(record->bytes) : 0; }
  // Returns the bytes of a block: those of its record, or of about `wanted` bytes.
  int32_t Enlarged(int32_t wanted) const {
    return record == nullptr ? 0 : BlockBytes(all_bytes, record->bytes, wanted);
  }
  int32_t MoreScratch(int32_t wanted) const {
    return HasScratch() ? RoundUp(Enlarged(wanted)) - scratch_bytes() : 0;
  }
};

// A layer with streamed inputs.
struct NodeInBlocks {
  int position;
  const Node* node;
  const StreamingLayer* layer;
  HeadPlan::Portions rows;
  StreamedBlock weights;
  StreamedBlock bias;
};

StreamedBlock BlockOf(const Graph& graph, const Node& node, int input) {
  const NodeInfo info = graph.model->node(node.subgraph, node.index);
  if (input >= node.input_count || info.inputs[input] < 0) return {};
  if (!IsStreamedTensor(graph, node.subgraph, info.inputs[input])) return {};
  auto* const record = static_cast<StreamedInput*>(node.addresses[input]);
  if (record->bytes == 0) return {};
  return {record, graph.model->tensor(node.subgraph, info.inputs[input]).bytes};
}

// Calls visit(NodeInBlocks) for each layer that streams.
template <typename Visit>
void ForEachLayer(const Graph& graph, const Visit& visit) {
  for (int n = 0; n < graph.node_count; ++n) {
    const Node& node = graph.nodes[n];
    const StreamingLayer* const layer = FindLayer(node.op->code);
    // Packed layers have another eval, and no blocks.
    if (node.op->prepare != PrepareStreamed || node.op->eval != EvalLayer || layer == nullptr) continue;
    const NodeInfo info = graph.model->node(node.subgraph, node.index);
    const Shape shape = graph.model->tensor(node.subgraph, info.outputs[0]).shape;
    // A row of an image consists of pixels, any other row of values.
    const bool images = node.op->code != BuiltinOperator::kFullyConnected;
    visit(NodeInBlocks{.position = n,
                       .node = &node,
                       .layer = layer,
                       .rows = images ? HeadPlan::Portions{n, shape[0] * shape[1], shape[2] * shape[3]}
                                      : HeadPlan::Portions{n, shape.OuterCount(), shape.Depth()},
                       .weights = BlockOf(graph, node, layer->inputs.weights),
                       .bias = BlockOf(graph, node, layer->inputs.bias)});
  }
}

// Calls visit(NodeInBlocks) for each layer that decodes some of its channels at a time.
template <typename Visit>
void ForEachInBlocks(const Graph& graph, const Visit& visit) {
  ForEachLayer(graph, [&](const NodeInBlocks& n) {
    if (n.weights.IsPart() || n.bias.IsPart()) visit(n);
  });
}

// Returns the head of a plan without blocks.
int32_t PlanWithoutBlocks(HeadPlan& plan) {
  const auto set_scratch = [&plan](bool none) {
    ForEachLayer(plan.graph(), [&](const NodeInBlocks& n) {
      plan.SetMoreScratch(n.position, none ? -n.weights.scratch_bytes() - n.bias.scratch_bytes() : 0);
    });
  };
  set_scratch(true);
  const int32_t bytes = plan.PlanAgain();
  set_scratch(false);
  return bytes;
}

// Sets the records to larger blocks. Weights lie behind the bias.
void EnlargeBlocks(const NodeInBlocks& n, int32_t weight_bytes, int32_t bias_bytes) {
  if (n.bias.HasScratch()) {
    if (n.weights.HasScratch()) n.weights.record->scratch += RoundUp(bias_bytes) - n.bias.scratch_bytes();
    n.bias.record->bytes = bias_bytes;
  }
  if (n.weights.record != nullptr) n.weights.record->bytes = weight_bytes;
}

// Returns the head of a plan with blocks of this size.
int32_t PlanWithBlocks(HeadPlan& plan, const BlockSize& size) {
  ForEachInBlocks(plan.graph(), [&](const NodeInBlocks& n) {
    plan.SetMoreScratch(n.position,
                        n.weights.MoreScratch(size.weight_bytes) + n.bias.MoreScratch(size.bias_bytes));
  });
  return plan.PlanAgain();
}

// Chooses the size of blocks. Returns the bytes to which the head may grow.
int32_t ChooseBlockSize(HeadPlan& plan) {
  const auto records = static_cast<int32_t>(plan.graph().arena.record(RecordKind::kCompression).bytes);
  const int32_t most = PlanWithoutBlocks(plan);
  const int32_t spare = most == INT32_MAX ? 0 : kSpareBytes - RoundUp(records);
  const BlockSize* size = kBlockSizes;
  // The plan with the smallest blocks may exceed `most`.
  while (PlanWithBlocks(plan, *size) > most + spare && size->weight_bytes > 0) ++size;
  ForEachInBlocks(plan.graph(), [&](const NodeInBlocks& n) {
    EnlargeBlocks(n, n.weights.Enlarged(size->weight_bytes), n.bias.Enlarged(size->bias_bytes));
  });
  return most + spare;
}

void EnlargeOverlapsOfBlocks(HeadPlan& plan) {
  if (!plan.MayPlanAgain()) return;
  bool parts = false;
  ForEachInBlocks(plan.graph(), [&](const NodeInBlocks&) { parts = true; });
  if (!parts) return;
  int32_t most = ChooseBlockSize(plan);
  constexpr size_t kMaxNodes = 48;
  HeadPlan::Portions nodes[kMaxNodes];
  size_t count = 0;
  ForEachInBlocks(plan.graph(), [&](const NodeInBlocks& n) {
    if (!n.weights.IsPart() || n.rows.rows == 1) return;
    if (count < kMaxNodes) nodes[count++] = n.rows;
    // Blocks that are larger than all weights are of no use.
    const int32_t with_all = plan.result().peak_bytes + n.weights.all_bytes - n.weights.bytes();
    if (with_all < most) most = with_all;
  });
  if (count > 0) plan.EnlargeOverlaps({nodes, count}, most);
}

// Enlarges the blocks of the weights, then those of the bias if there is room for all of it.
void GrowBlocks(HeadPlan& plan) {
  ForEachInBlocks(plan.graph(), [&](const NodeInBlocks& n) {
    const int32_t rest = n.weights.all_bytes - n.weights.bytes();
    const int32_t rest_of_bias = n.bias.MoreScratch(n.bias.all_bytes);
    const int32_t more = plan.GrowScratch(n.position, rest + rest_of_bias);
    const int32_t of_weights = more < rest ? more : rest;
    const bool all_of_bias = more - of_weights >= rest_of_bias;
    EnlargeBlocks(n, n.weights.bytes() + of_weights, all_of_bias ? n.bias.all_bytes : n.bias.bytes());
  });
}

uint16_t PassesOf(int64_t reads) { return static_cast<uint16_t>(reads < UINT16_MAX ? reads : UINT16_MAX); }

void IncreaseRowsPerCallOfBlocks(HeadPlan& plan) {
  const Graph& graph = plan.graph();
  ForEachInBlocks(graph, [&](const NodeInBlocks& n) {
    plan.IncreaseRowsPerCall(n.rows);
    const int32_t in_call = n.node->plan.rows_per_call;
    const int32_t calls = in_call == 0 || in_call >= n.rows.rows ? 1 : (n.rows.rows - 1) / in_call + 1;
    const int32_t tensor = graph.model->node(n.node->subgraph, n.node->index).inputs[n.layer->inputs.weights];
    const Encoding encoding = StreamedEncodingOf(graph, n.node->subgraph, tensor, *n.weights.record);
    int64_t reads = 1;
    if (n.layer->reads != nullptr && !CanBeEntered(encoding.type)) {
      const int32_t bias_bytes = n.bias.IsPart() ? n.bias.bytes() : INT32_MAX;
      reads = n.layer->reads(n.node->data, n.weights.bytes(), bias_bytes);
    }
    n.weights.record->passes = PassesOf(calls * reads);
    if (n.bias.IsPart()) n.bias.record->passes = PassesOf(calls);
  });
}

}  // namespace

Status PrepareStreamed(PrepareContext& context) {
  const StreamingLayer* const layer = FindLayer(context.op().code);
  return layer != nullptr ? PrepareLayer(context, *layer) : PrepareMove(context);
}

// Returns the operator that streams in place of `op`; an application may have its own with the same code.
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

constexpr Streaming kStreaming = {PrepareStreamed,
                                  FindStreaming,
                                  ReplacesDecoder,
                                  MakesStreamedTensor,
                                  EnlargeOverlapsOfBlocks,
                                  GrowBlocks,
                                  IncreaseRowsPerCallOfBlocks};

}  // namespace lutra
