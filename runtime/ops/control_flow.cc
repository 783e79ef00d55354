// SPDX-License-Identifier: Apache-2.0
// CALL_ONCE, IF, WHILE.
//
// The graph has the nodes of the called subgraphs, which do not use their caller's tensors, between nodes
// that stand for the caller and copy the call's inputs and outputs; copies do not compare scales:
//
//   CALL_ONCE | init                        skips the subgraph after the first inference
//   IF        | then | THEN ends | else | ELSE ends
//   WHILE     | cond | COND ends | body | BODY ends (goes back to cond)
//
// Loops carry their values in WHILE's outputs.

#include <string.h>

#include "lutra/graph.h"
#include "lutra/ops/ops.h"
#include "runtime/constants.h"
#include "runtime/graph_builder.h"
#include "runtime/head_plan.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

using ReadSubgraphFn = bool (*)(const NodeInfo& node, int32_t* subgraph);

// Returns the subgraph that the node calls. The layout has read it before, so that reading cannot fail.
int32_t Called(const NodeInfo& node, ReadSubgraphFn read) {
  int32_t subgraph = 0;
  (void)read(node, &subgraph);
  return subgraph;
}

}  // namespace

// Lays out called subgraphs, each behind the node that calls it. A subgraph that is called twice has its
// nodes in the graph twice.
class CallLayout {
 public:
  CallLayout(GraphBuilder* builder, bool fill) : builder_(builder), graph_(builder->graph_), fill_(fill) {}

  // Adds the subgraphs that this node of the main graph calls; the node is run by `op`.
  Status Add(int index, const Op& op) {
    const Model& model = *graph_->model;
    frame_->index = index;
    LUTRA_TRY(Call(op));
    while (frame_ != frames_) {
      if (frame_->index == model.node_count(frame_->subgraph)) {
        --frame_;
        const Op* const then = CallsOf(*frame_->op)->then;
        if (then == nullptr) {
          ++frame_->index;
        } else {
          LUTRA_TRY(AddNode(*then));
        }
      } else if (builder_->IsLeftOut(frame_->subgraph, frame_->index)) {
        ++frame_->index;
      } else {
        const Op* const found = builder_->FindOp(frame_->subgraph, frame_->index);
        if (found == nullptr) return Refuse(Rule::kOperatorUnknown);
        LUTRA_TRY(AddNode(*found));
      }
    }
    return Status::kOk;
  }

 private:
  // A frame is a subgraph whose nodes are being laid out; each frame calls the next.
  struct Frame {
    int subgraph;
    int index;     // The node to lay out next, or the node that calls the next frame.
    const Op* op;  // Runs the node that calls the next frame.
    bool again;    // The nodes of this subgraph have been laid out before.
  };
  static constexpr int kMostFrames = 9;
  static constexpr int kMostNodes = 65534;

  Status Refuse(Rule rule) const { return graph_->Refuse(rule, frame_->subgraph, frame_->index, -1); }

  Status AddNode(const Op& op) {
    // Numbers are kept free for the main graph's nodes.
    if (graph_->node_count >= kMostNodes - graph_->model->node_count(0)) return Refuse(Rule::kTooMany);
    builder_->AddNode(fill_, frame_->subgraph, frame_->index, op, frame_->again);
    return Call(op);
  }

  // Goes on with the subgraph that the node calls now, or with the node's successor.
  Status Call(const Op& op) {
    const Model& model = *graph_->model;
    const Calls* const calls = CallsOf(op);
    int32_t called = 0;
    if (calls == nullptr || calls->subgraph == nullptr ||
        !calls->subgraph(model.node(frame_->subgraph, frame_->index), &called)) {
      ++frame_->index;
      return Status::kOk;
    }
    if (called < 0 || called >= model.subgraph_count()) {
      graph_->diagnosis.found = called;
      graph_->diagnosis.required = model.subgraph_count();
      return Refuse(Rule::kSubgraphCount);
    }
    if (called == 0 || frame_ + 1 == frames_ + kMostFrames) return Refuse(Rule::kRecursion);
    frame_->op = &op;
    ++frame_;
    *frame_ = {.subgraph = called, .index = 0, .op = nullptr, .again = false};
    for (int n = 0; fill_ && n < graph_->node_count && !frame_->again; ++n) {
      frame_->again = graph_->nodes[n].subgraph == called;
    }
    return Status::kOk;
  }

  GraphBuilder* builder_;
  Graph* graph_;
  const bool fill_;
  Frame frames_[kMostFrames] = {};
  Frame* frame_ = frames_;
};

namespace {

Status LayOut(GraphBuilder* builder, bool fill, int index, const Op& op) {
  return CallLayout(builder, fill).Add(index, op);
}

// ---- Lifetimes.

// Returns the subgraph that the node at this position calls.
template <ReadSubgraphFn kRead>
int32_t CalledAt(const Graph& graph, int position) {
  const Node& caller = graph.nodes[position];
  return Called(graph.model->node(caller.subgraph, caller.index), kRead);
}

// Inputs live from the call on: all of them are written at once.
template <ReadSubgraphFn kRead>
Status BeginInputs(Graph* graph, TensorLifetime* lifetimes, int position) {
  const int32_t subgraph = CalledAt<kRead>(*graph, position);
  TensorLifetime* const tensors = lifetimes + graph->FirstTensor(subgraph);
  const PackedList<int32_t> inputs = graph->model->inputs(subgraph);
  const auto step = static_cast<uint16_t>(position + 1);
  for (int i = 0; i < inputs.count; ++i) {
    TensorLifetime& tensor = tensors[inputs[i]];
    if (graph->model->tensor(subgraph, inputs[i]).is_constant()) {
      return graph->Refuse(Rule::kConstantWritten, subgraph, -1, inputs[i]);
    }
    if (tensor.first == TensorLifetime::kNone) tensor.first = step;
    tensor.last = step;
  }
  return Status::kOk;
}

// Outputs live until the call has ended.
template <ReadSubgraphFn kRead>
Status EndOutputs(Graph* graph, TensorLifetime* lifetimes, int position) {
  const int32_t subgraph = CalledAt<kRead>(*graph, position);
  TensorLifetime* const tensors = lifetimes + graph->FirstTensor(subgraph);
  const PackedList<int32_t> outputs = graph->model->outputs(subgraph);
  for (int i = 0; i < outputs.count; ++i) {
    const TensorInfo info = graph->model->tensor(subgraph, outputs[i]);
    if (info.is_constant()) continue;
    TensorLifetime& tensor = tensors[outputs[i]];
    if (info.is_variable) tensor.first = 0;
    if (tensor.first == TensorLifetime::kNone) {
      return graph->Refuse(Rule::kGraphOutput, subgraph, -1, outputs[i]);
    }
    tensor.last = static_cast<uint16_t>(position + 1);
  }
  return Status::kOk;
}

template <ReadSubgraphFn kEnded, ReadSubgraphFn kBegins>
Status EndAndBegin(Graph* graph, TensorLifetime* lifetimes, int position) {
  LUTRA_TRY(EndOutputs<kEnded>(graph, lifetimes, position));
  return BeginInputs<kBegins>(graph, lifetimes, position);
}

// ---- Prepare.

// Checks that a tensor of a called subgraph has the type and bytes of the caller's operand.
Status CheckTensor(const PrepareContext& context, const TensorInfo& inner, int operand,
                   const TensorInfo& outer) {
  if (outer.type == TensorType::kResource) return context.Refuse(Rule::kOperandType, operand);
  if (inner.type == outer.type && inner.bytes == outer.bytes) return Status::kOk;
  return context.Refuse(Rule::kCalledSubgraph, operand, inner.bytes, outer.bytes);
}

// Checks that the called subgraph's inputs match the caller's, from operand `first` on.
Status CheckInputs(const PrepareContext& context, const Model& model, int32_t subgraph, int first) {
  const PackedList<int32_t> inputs = model.inputs(subgraph);
  const int count = context.input_count() - first;
  if (inputs.count != count) return context.Refuse(Rule::kCalledSubgraph, kNoOperand, inputs.count, count);
  for (int i = 0; i < count; ++i) {
    const int operand = first + i;
    if (!context.HasInput(operand)) return context.Refuse(Rule::kInputMissing, kNoOperand, operand);
    LUTRA_TRY(CheckTensor(context, model.tensor(subgraph, inputs[i]), operand, context.Input(operand)));
  }
  return Status::kOk;
}

Status CheckOutputs(const PrepareContext& context, const Model& model, int32_t subgraph) {
  const PackedList<int32_t> outputs = model.outputs(subgraph);
  const int count = context.output_count();
  if (outputs.count != count) return context.Refuse(Rule::kCalledSubgraph, kNoOperand, outputs.count, count);
  for (int i = 0; i < count; ++i) {
    LUTRA_TRY(CheckTensor(context, model.tensor(subgraph, outputs[i]), OutputOperand(i), context.Output(i)));
  }
  return Status::kOk;
}

Status PrepareNothing(PrepareContext&) { return Status::kOk; }

// ---- Eval.

// Finds the next node, or with a step of -1 the previous one, that stands for the same operator.
int NextOf(const EvalContext& context, int position, int step) {
  const Node* const nodes = context.graph().nodes;
  const Node& own = nodes[position];
  do position += step;
  while (nodes[position].subgraph != own.subgraph || nodes[position].index != own.index);
  return position;
}

// Skips the nodes of the next called subgraph.
void SkipCall(EvalContext& context) { context.GoTo(NextOf(context, context.position(), 1) + 1); }

void CopyTensor(const Graph& graph, int32_t subgraph, int32_t tensor, const void* from, void* to) {
  if (from != to) memcpy(to, from, static_cast<size_t>(graph.model->tensor(subgraph, tensor).bytes));
}

// Copies the caller's operands, from the first that the call passes, into the called subgraph's inputs.
template <typename Address>
void GiveInputs(const EvalContext& context, int32_t subgraph, const Address& operand) {
  const Graph& graph = context.graph();
  const PackedList<int32_t> inputs = graph.model->inputs(subgraph);
  for (int i = 0; i < inputs.count; ++i) {
    CopyTensor(graph, subgraph, inputs[i], operand(i), graph.LiveAddress(subgraph, inputs[i]));
  }
}

// Copies the ended subgraph's outputs into the caller's.
void TakeOutputs(const EvalContext& context, int32_t subgraph) {
  const Graph& graph = context.graph();
  const PackedList<int32_t> outputs = graph.model->outputs(subgraph);
  for (int i = 0; i < outputs.count; ++i) {
    const void* const live = graph.LiveAddress(subgraph, outputs[i]);
    if (live != nullptr) {
      CopyTensor(graph, subgraph, outputs[i], live, context.OutputData<void>(i));
    } else {
      CopyConstant(graph.model->tensor(subgraph, outputs[i]), context.OutputData<uint8_t>(i));
    }
  }
}

// ---- IF.

template <ReadSubgraphFn kRead>
Status EvalBranchEnds(EvalContext& context) {
  TakeOutputs(context, Called(context.node_info(), kRead));
  if (kRead == ReadThenSubgraph) SkipCall(context);
  return Status::kOk;
}

constexpr Calls kElseEndsCalls = {nullptr, nullptr, EndOutputs<ReadElseSubgraph>};
constexpr Op kElseEnds = {BuiltinOperator::kIf, PrepareNothing, EvalBranchEnds<ReadElseSubgraph>,
                          kElseEndsCalls};
constexpr Calls kThenEndsCalls = {ReadElseSubgraph, &kElseEnds,
                                  EndAndBegin<ReadThenSubgraph, ReadElseSubgraph>};
constexpr Op kThenEnds = {BuiltinOperator::kIf, PrepareNothing, EvalBranchEnds<ReadThenSubgraph>,
                          kThenEndsCalls};

// ---- WHILE.

void BeginCondition(EvalContext& context) {
  GiveInputs(context, Called(context.node_info(), ReadCondSubgraph),
             [&](int i) { return context.OutputData<void>(i); });
}

Status EvalCondEnds(EvalContext& context) {
  const Graph& graph = context.graph();
  const NodeInfo node = context.node_info();
  const int32_t cond = Called(node, ReadCondSubgraph);
  const int32_t output = graph.model->outputs(cond)[0];
  const auto* goes_on = static_cast<const uint8_t*>(graph.LiveAddress(cond, output));
  if (goes_on == nullptr) goes_on = graph.model->tensor(cond, output).data.data();  // A constant.
  if (*goes_on == 0) {
    SkipCall(context);
    return Status::kOk;
  }
  if (!context.MayLoop()) return context.Refuse(Rule::kRuntimeLoop);
  GiveInputs(context, Called(node, ReadBodySubgraph), [&](int i) { return context.OutputData<void>(i); });
  return Status::kOk;
}

Status EvalBodyEnds(EvalContext& context) {
  TakeOutputs(context, Called(context.node_info(), ReadBodySubgraph));
  BeginCondition(context);
  const int cond_ends = NextOf(context, context.position(), -1);
  context.GoTo(NextOf(context, cond_ends, -1) + 1);
  return Status::kOk;
}

constexpr Calls kBodyEndsCalls = {nullptr, nullptr, EndOutputs<ReadBodySubgraph>};
constexpr Op kBodyEnds = {BuiltinOperator::kWhile, PrepareNothing, EvalBodyEnds, kBodyEndsCalls};
constexpr Calls kCondEndsCalls = {ReadBodySubgraph, &kBodyEnds,
                                  EndAndBegin<ReadCondSubgraph, ReadBodySubgraph>};
constexpr Op kCondEnds = {BuiltinOperator::kWhile, PrepareNothing, EvalCondEnds, kCondEndsCalls};

// ---- CALL_ONCE.

struct CallOnceData {
  static constexpr BoardRecord kBoardRecord = {4, 4};

  bool* has_run;
};

}  // namespace

extern const Calls kCallsOfCallOnce = {ReadInitSubgraph, nullptr, nullptr, LayOut};
extern const Calls kCallsOfIf = {ReadThenSubgraph, &kThenEnds, BeginInputs<ReadThenSubgraph>, LayOut};
extern const Calls kCallsOfWhile = {ReadCondSubgraph, &kCondEnds, BeginInputs<ReadCondSubgraph>, LayOut};

Status PrepareCallOnce(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(0, 0, 0));
  int32_t init = 0;
  LUTRA_TRY(ReadOptions(context, ReadInitSubgraph, &init));
  const int32_t inputs = context.graph().model->inputs(init).count;
  if (inputs != 0) return context.Refuse(Rule::kCalledSubgraph, kNoOperand, inputs, 0);
  CallOnceData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  void* state = nullptr;
  LUTRA_TRY(context.AllocateState(sizeof(bool), &state));
  data->has_run = static_cast<bool*>(state);
  return Status::kOk;
}

Status EvalCallOnce(EvalContext& context) {
  bool& has_run = *context.Data<CallOnceData>().has_run;
  if (has_run) {
    const Node* const nodes = context.graph().nodes;
    int end = context.position() + 1;
    while (end < context.graph().node_count && nodes[end].subgraph != nodes[context.position()].subgraph)
      ++end;
    context.GoTo(end);
  }
  has_run = true;
  return Status::kOk;
}

Status PrepareIf(PrepareContext& context) {
  if (!context.HasInput(0)) return context.Refuse(Rule::kInputCount, kNoOperand, 0, 1);
  LUTRA_TRY(RequireType(context, 0, TensorType::kBool));
  if (context.Input(0).bytes != 1) return context.Refuse(Rule::kOperandShape, 0, context.Input(0).bytes, 1);
  int32_t branches[2] = {};
  LUTRA_TRY(ReadOptions(context, ReadThenSubgraph, &branches[0]));
  LUTRA_TRY(ReadOptions(context, ReadElseSubgraph, &branches[1]));
  const Model& model = *context.graph().model;
  for (const int32_t branch : branches) {
    LUTRA_TRY(CheckInputs(context, model, branch, 1));
    LUTRA_TRY(CheckOutputs(context, model, branch));
  }
  return Status::kOk;
}

Status EvalIf(EvalContext& context) {
  const bool holds = *context.InputData<uint8_t>(0) != 0;
  GiveInputs(context, Called(context.node_info(), holds ? ReadThenSubgraph : ReadElseSubgraph),
             [&](int i) { return context.InputData<void>(i + 1); });
  if (!holds) SkipCall(context);
  return Status::kOk;
}

Status PrepareWhile(PrepareContext& context) {
  int32_t cond = 0;
  int32_t body = 0;
  LUTRA_TRY(ReadOptions(context, ReadCondSubgraph, &cond));
  LUTRA_TRY(ReadOptions(context, ReadBodySubgraph, &body));
  const Model& model = *context.graph().model;
  LUTRA_TRY(CheckInputs(context, model, cond, 0));
  LUTRA_TRY(CheckInputs(context, model, body, 0));
  LUTRA_TRY(CheckOutputs(context, model, body));
  // WHILE keeps the loop's values in its outputs.
  if (context.output_count() != context.input_count()) {
    return context.Refuse(Rule::kOutputCount, kNoOperand, context.output_count(), context.input_count());
  }
  for (int i = 0; i < context.output_count(); ++i) {
    if (context.Output(i).type != context.Input(i).type ||
        context.Output(i).bytes != context.Input(i).bytes) {
      return context.Refuse(Rule::kCalledSubgraph, OutputOperand(i), context.Output(i).bytes,
                            context.Input(i).bytes);
    }
  }
  const PackedList<int32_t> outputs = model.outputs(cond);
  if (outputs.count == 0) return context.Refuse(Rule::kCalledSubgraph, kNoOperand, 0, 1);
  const TensorInfo condition = model.tensor(cond, outputs[0]);
  if (condition.type != TensorType::kBool || condition.bytes != 1) {
    return context.Refuse(Rule::kCalledSubgraph, kNoOperand, condition.bytes, 1);
  }
  return Status::kOk;
}

Status EvalWhile(EvalContext& context) {
  const Graph& graph = context.graph();
  const NodeInfo node = context.node_info();
  for (int i = 0; i < context.input_count(); ++i) {
    CopyTensor(graph, graph.nodes[context.position()].subgraph, node.inputs[i], context.InputData<void>(i),
               context.OutputData<void>(i));
  }
  BeginCondition(context);
  return Status::kOk;
}

}  // namespace lutra
