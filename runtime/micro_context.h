// SPDX-License-Identifier: Apache-2.0
// An operator sees the interpreter through two classes: PrepareContext once, when tensors are allocated,
// EvalContext at each inference. Only the first can ask for memory.
//
//   struct FooData {
//     int32_t count;
//     int scratch;
//   };
//   lutra::Status PrepareFoo(lutra::PrepareContext& context) {
//     LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
//     const lutra::TensorInfo input = context.Input(0);
//     if (input.type != lutra::TensorType::kInt8) return context.Refuse(lutra::Rule::kOperandType, 0);
//     FooData* data = nullptr;
//     LUTRA_TRY(context.AllocateData(&data));  // Persistent, zeroed.
//     data->count = input.shape.Count();
//     return context.RequestScratch(data->count, &data->scratch);
//   }
//   lutra::Status EvalFoo(lutra::EvalContext& context) {
//     const auto& data = context.Data<FooData>();
//     auto* copy = context.ScratchData<int8_t>(data.scratch);
//     memcpy(copy, context.InputData<int8_t>(0), static_cast<size_t>(data.count));
//     memcpy(context.OutputData<int8_t>(0), copy, static_cast<size_t>(data.count));
//     return lutra::Status::kOk;
//   }
//   constexpr lutra::Op kFoo = {lutra::BuiltinOperator::kCustom, PrepareFoo, EvalFoo, lutra::kNoInputs,
//   "FOO"};

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lutra/compression/decode.h"
#include "lutra/compression/format.h"
#include "lutra/cpu.h"
#include "lutra/diagnosis.h"
#include "lutra/graph.h"
#include "lutra/kernels/rows.h"
#include "lutra/model.h"
#include "lutra/node_info.h"
#include "lutra/op.h"
#include "lutra/options.h"
#include "lutra/rule.h"
#include "lutra/span.h"
#include "lutra/status.h"

namespace lutra {

struct PlanSlot;
struct PoolArgs;
struct RowPlan;
struct TensorLifetime;

// Says how an input is stored, with the names of TensorFlow Lite Micro. True if the input is compressed.
struct CompressionTensorData {
  bool is_compressed = false;
  DecodeType scheme = DecodeType::kLut;
  int32_t compressed_bit_width = 0;  // Bits of an index.
  int32_t axis = -1;                 // Each slice along it has a table of its own; -1: one table for all.
  LookupTableData lut_data;          // The tables, and their stride in entries.
  Span<const uint8_t> indices;       // From the highest bit of each byte, without padding.
  int scratch = -1;                  // What AllocateDecompressionScratchBuffer returned in prepare.

  explicit operator bool() const { return is_compressed; }
};

// The part of a node that prepare and eval both see.
class MicroContext {
 public:
  const Op& op() const { return *node_->op; }
  NodeInfo node_info() const { return graph_->model->node(node_->subgraph, node_->index); }
  int input_count() const { return node_->input_count; }
  int output_count() const { return node_->output_count; }
  // False for an optional input that is left out or beyond the last one.
  bool HasInput(int i) const { return InputTensor(i) >= 0; }
  // The model's description of input i; HasInput(i) must hold. Cost: a walk through the file's tables.
  TensorInfo Input(int i) const { return graph_->model->tensor(node_->subgraph, InputTensor(i)); }
  TensorInfo Output(int i) const { return graph_->model->tensor(node_->subgraph, OutputTensor(i)); }
  // These return Input(i).shape and Output(i).shape at a lower cost.
  Shape InputShape(int i) const { return graph_->model->shape(node_->subgraph, InputTensor(i)); }
  Shape OutputShape(int i) const { return graph_->model->shape(node_->subgraph, OutputTensor(i)); }
  // The scales of a tensor by its number in the node's subgraph: Input(i).scales at a lower cost.
  PackedList<float> Scales(int32_t tensor) const { return graph_->model->scales(node_->subgraph, tensor); }

  // Notes which rule is broken and returns the status for it. `operand`: the input, or
  // OutputOperand(i), to blame; kNoOperand: the node as a whole.
  Status Refuse(Rule rule, int operand = kNoOperand, int32_t found = kNoValue,
                int32_t required = kNoValue) const;

  // For operators that call subgraphs: where among the graph's nodes this one is.
  const Graph& graph() const { return *graph_; }
  int position() const { return NodePosition(); }

  CpuFeatures cpu_features() const { return graph_->options.cpu_features; }

  // For operators that stream (Streaming): whether eval finds input i compressed, and how it is stored then.
  bool IsStreamed(int i) const;
  StreamedInput& Streamed(int i) const { return *static_cast<StreamedInput*>(node_->addresses[i]); }
  Encoding StreamedEncoding(int i) const;
  // Calls decode(), which writes values of streamed input i, between the profiler's hooks.
  template <typename Decode>
  void DecodeStreamed(int i, const Decode& decode) const {
    DecodeOperand(i, decode);
  }

  Span<const uint8_t> file() const { return graph_->model->bytes(); }

  // Returns how input i is stored; false if it is not compressed.
  CompressionTensorData GetTensorCompressionData(int i) const;

 protected:
  MicroContext(Graph* graph, Node* node, DecodedOperand* first_decoded)
      : graph_(graph), node_(node), first_decoded_(first_decoded) {}

  int32_t InputTensor(int i) const;
  int32_t OutputTensor(int i) const;
  bool CanBeStreamed(int i) const;
  int NodePosition() const { return static_cast<int>(node_ - graph_->nodes); }
  DecodedOperand* FindDecodedOperand(int operand) const;
  // Calls decode() between the profiler's hooks.
  template <typename Decode>
  void DecodeOperand(int operand, const Decode& decode) const {
    const Profiler* const profiler = graph_->profiler;
    if (profiler != nullptr && profiler->begin_decode != nullptr) {
      profiler->begin_decode(profiler->user, NodePosition(), operand);
    }
    decode();
    if (profiler != nullptr && profiler->end_decode != nullptr) {
      profiler->end_decode(profiler->user, NodePosition(), operand);
    }
  }
  // Calls `decode` between these hooks.
  void DecodeOperand(DecodeFn decode, const Encoding& encoding, int operand, void* values) const;

  Graph* graph_;
  Node* node_;
  DecodedOperand* first_decoded_;  // The first record of this node or of a later one.
};

class PrepareContext : public MicroContext {
 public:
  // Checks the number of inputs (min..max, none of the first `min` left out) and of outputs.
  Status CheckOperandCounts(int min_inputs, int max_inputs, int outputs) const;
  // The value of a constant input, aligned and in the machine's byte order; null if it is not constant.
  template <typename T>
  const T* ConstantInput(int i) const {
    return static_cast<const T*>(ConstantBytes(i));
  }

  // ---- Memory. All of it lives as long as the interpreter.

  // The struct that eval finds again with Data<T>(). Zeroed.
  template <typename T>
  Status AllocateData(T** data) {
    graph_->CountRecords<T>(1);
    LUTRA_TRY(AllocateNodeData(sizeof(T), alignof(T)));
    *data = static_cast<T*>(node_->data);
    return Status::kOk;
  }
  // The data that AllocateData gave.
  template <typename T>
  const T& Prepared() const {
    return *static_cast<const T*>(node_->data);
  }
  // `count` objects, zeroed.
  template <typename T>
  Status AllocateArray(int32_t count, RecordKind kind, T** array) {
    return graph_->AllocateRecords(count, 1, kind, array);
  }
  // Memory that exists during this node's eval only; ScratchData(*index) finds it there, aligned
  // to 16. Several requests of a node lie side by side.
  Status RequestScratch(int32_t bytes, int* index);
#if LUTRA_HAVE_SCRATCH_LAYERS
  // Requests *certain bytes: with policy fast `bytes.most`, else `bytes.least`, which the plan enlarges where
  // the head is free, by EvalContext::MoreScratchBytes(), unless another request of the node follows.
  Status RequestGrowingScratch(const ScratchBytes& bytes, int32_t* certain, int* index);
#endif
  // Says how output `output` depends on the rows of input `input`, so that the planner may let them
  // overlap. Without this call, and with Access::kWhole, the two are kept apart.
  Status DeclareRows(int input, int output, const RowMap& map);
  // Returns whether the model's LUTRA_PLAN lets this node make one row at a time.
  bool IsInRowGroup() const;
  // Finds the multipliers of the output channels that the model's LUTRA_PLAN has for this node. *table is
  // null if it has none that can be read in place. Refuses multipliers that do not follow from the scales of
  // `input`, `filter` and output 0.
  Status FindPlannedMultipliers(int input, int filter, int32_t channels, const Multiplier** table);
  // Declares that the output has the bytes of the input: the planner gives both one place if it can. Eval
  // calls CopyUnlessAliased.
  Status DeclareAlias(int input, int output);

  MemoryPolicy policy() const { return graph_->options.policy; }
  // Returns whether operators that only move elements take those of uint8 (uint8.h).
  bool TakesUint8() const {
#if LUTRA_HAVE_UINT8
    return graph_->options.uint8 != nullptr;
#else
    return false;
#endif
  }
#if LUTRA_HOSTED
  // Tells the visitor the multipliers of the node's channels.
  void ShowMultipliers(const Multiplier* multipliers, int32_t channels) const {
    const GraphVisitor& visitor = graph_->visitor;
    if (visitor.multipliers != nullptr)
      visitor.multipliers(visitor.user, NodePosition(), multipliers, channels);
  }
  // The board whose arena is counted; null: none is.
  BoardUse* board() const { return graph_->visitor.board; }
#endif
  // The best variant of a kernel that this processor can run.
  template <typename Fn, int N>
  Fn Choose(const Variant<Fn> (&variants)[N]) const {
    return Chosen(Best(variants, graph_->options.cpu_features));
  }
  // Chooses the best variant for these arguments, of which all that Variant::prepare reads are set. With
  // policy fast the variant gets the memory that it asks for, and args->prepared its address. *chosen becomes
  // the variant's place in the table, unless `chosen` is null.
  template <typename Fn, int N>
  Status ChooseFor(const Variant<Fn> (&variants)[N], KernelArgs<Fn>* args, Fn* run, int* chosen = nullptr) {
    int i = 0;
    for (; i + 1 < N; ++i) {
      const Variant<Fn>& variant = variants[i];
      if (!CanRun(variant, graph_->options.cpu_features)) continue;
      if (variant.prepare == nullptr) break;
      const int32_t bytes = variant.prepare(*args, nullptr);
      if (bytes == 0) break;
      if (bytes > 0 && MayPrepare()) {
        void* memory = nullptr;
        LUTRA_TRY(graph_->AllocatePersistent(static_cast<size_t>(bytes), kArenaAlignment,
                                             RecordKind::kPrepared, &memory));
        variant.prepare(*args, memory);
        args->prepared = memory;
        NotePrepared(bytes);
        break;
      }
      if (bytes > 0 && variant.unprepared == Unprepared::kRuns) break;
    }
    *run = Chosen(variants[i]);
    if (chosen != nullptr) *chosen = i;
    return Status::kOk;
  }

  // ---- Compressed tensors: runtime/compression/README.md.

  // For an operator that decodes input i itself, by GetTensorData in eval. If the input is compressed, asks
  // for memory for its values: in the alternate regions if they have room, else as scratch of the node, whose
  // index *scratch becomes; in all other cases *scratch is -1. Without this call the inputs of
  // Op::compressible_inputs are decoded before each eval.
  Status AllocateDecompressionScratchBuffer(int i, int* scratch);
  // The values of input i, if they have been decoded once and for all (policy at-init); else null.
  const void* DecodedInput(int i) const;
  // For operators that stream: input i, which a node of this graph does not make, is streamed if it is
  // compressed. *record is null if it is not.
  Status StreamInput(int i, StreamedInput** record);
  // Gives all values of input i, which is streamed, a place in the alternate regions if they have room: eval
  // decodes them there, once.
  Status PlaceStreamed(int i);
  // Returns whether the policy is at-init. A layer then decodes its streamed inputs at init, unless its
  // variant has prepared all that runs need of them.
  bool decodes_at_init() const { return graph_->options.decompression == DecompressionPolicy::kAtInit; }
  // If input i is streamed, decodes it for all runs; it is no longer streamed afterwards.
  Status DecodeStreamedAtInit(int i);
  // From now on the node is run by `op`.
  void RunBy(const Op& op) { node_->op = &op; }
  // For TFLM_DECODE: with policy at-init, decodes output i for all runs; else looks for a place for it in the
  // alternate regions. Where they have none, output i is placed as all tensors are.
  Status PlaceDecoded(int i, const Encoding& encoding, DecodeFn decode);

  // ---- Variables.

  // Memory that eval writes and that stays from one inference to the next; 0 at first and after
  // ResetVariables.
  Status AllocateState(int32_t bytes, void** state);

  // The resource that VAR_HANDLE node's names refer to, created at the first mention.
  Status FindOrCreateResource(const VarHandleOptions& names, Resource** resource);
  // The resource behind input i, which a VAR_HANDLE of this subgraph must have made. Its memory is
  // allocated at the first use, for tensors like `value`.
  Status ResourceOfInput(int i, const TensorInfo& value, Resource** resource);

 private:
  friend class GraphBuilder;

  // The contexts of all nodes share this while tensors are allocated.
  struct Shared {
    const TensorLifetime* lifetimes = nullptr;  // Those of all subgraphs, one after the other.
    RowPlan* row_plan = nullptr;                // Null: no node runs in a group.
    DecodedOperand* last_decoded = nullptr;
    int decoded_count = 0;
  };

  PrepareContext(Graph* graph, Node* node, Shared* shared)
      : MicroContext(graph, node, nullptr), shared_(shared) {}

  Status AllocateNodeData(size_t bytes, size_t alignment);
  template <typename Fn>
  Fn Chosen(const Variant<Fn>& variant) const {
#if LUTRA_HAVE_USER_KERNELS
    if (const KernelReplacement* const replacement = graph_->options.replacement) {
      const auto found = replacement->find(reinterpret_cast<KernelReplacement::AnyFn>(variant.run));
      if (found != nullptr) {
        NoteVariant(replacement->name);
        return reinterpret_cast<Fn>(found);
      }
    }
#endif
    NoteVariant(variant.name);
    return variant.run;
  }
  // Tells the visitor which variant the node runs.
  void NoteVariant(const char* name) const;
  bool MayPrepare() const {
#if LUTRA_HOSTED
    if (!graph_->options.repack) return false;
#endif
    return policy() == MemoryPolicy::kFast;
  }
  // Tells the visitor how much memory the variant has prepared.
  void NotePrepared([[maybe_unused]] int32_t bytes) const {
#if LUTRA_HOSTED
    const GraphVisitor& visitor = graph_->visitor;
    if (visitor.prepared != nullptr) visitor.prepared(visitor.user, NodePosition(), bytes);
#endif
  }
  const void* ConstantBytes(int i) const;
  Status AddResource(Resource** resource);
  Status AddPlanSlot(const PlanSlot& request);
  const TensorLifetime& LifetimeOf(int32_t tensor) const;
  // Gives a compressed input memory for its values, of the kind that the options name.
  Status PlaceInput(int i);
  Status AddDecodedOperand(int operand, int32_t bytes, uint16_t last_step, DecodedOperand** record);
  uint8_t* FindAlternateMemory(int32_t bytes) const;
  void* FindDecoded(int32_t tensor) const;
  Status DecodeNow(DecodedOperand* record, const Encoding& encoding, DecodeFn decode);

  Shared* shared_;
};

class EvalContext : public MicroContext {
 public:
  template <typename T>
  const T& Data() const {
    return *static_cast<const T*>(node_->data);
  }
  // Null for an input that is left out.
  template <typename T>
  const T* InputData(int i) const {
    return i < node_->input_count ? static_cast<const T*>(node_->addresses[i]) : nullptr;
  }
  // A variable tensor that the node updates (SVDF's state).
  template <typename T>
  T* VariableData(int i) const {
    return static_cast<T*>(node_->addresses[i]);
  }
  template <typename T>
  T* OutputData(int i) const {
    return static_cast<T*>(node_->addresses[node_->input_count + i]);
  }
  template <typename T>
  T* ScratchData(int index) const {
    return reinterpret_cast<T*>(graph_->arena.base() + node_->plan.scratch_offset + index);
  }
#if LUTRA_HAVE_SCRATCH_LAYERS
  int32_t MoreScratchBytes() const { return node_->plan.more_scratch_bytes; }
  bool MakesRowsDownwards() const { return node_->rows_downwards; }
#endif
  // Returns where values of an input that is streamed are decoded to.
  template <typename T>
  T* StreamedValues(int i) const {
    const StreamedInput& record = Streamed(i);
    return record.scratch == StreamedInput::kInRegion ? static_cast<T*>(FindDecodedOperand(i)->values)
                                                      : ScratchData<T>(record.scratch);
  }
  Rows InputRows(int i, int32_t row_bytes) const {
    return {static_cast<uint8_t*>(node_->addresses[i]), row_bytes};
  }
  Rows OutputRows(int i, int32_t row_bytes) const { return {OutputData<uint8_t>(i), row_bytes}; }

  // This eval makes these of `rows` output rows: in a row group the next ones, else all.
  struct RowRange {
    int32_t first;
    int32_t count;
  };
  RowRange RowsToMake(int32_t rows) const { return {first_row_, rows < most_rows_ ? rows : most_rows_}; }
  // In a row group, an operator with Access::kSumOfRows may get its input rows one by one: eval adds row
  // RowsToMake().first to the sums, which are 0 before the first, and writes its output with the last.
  struct RowSum {
    int32_t* sums = nullptr;  // As many as the output has elements. Null: all rows are there, as usual.
    bool last = false;
  };
  const RowSum& row_sum() const { return row_sum_; }
  // Adds a row in this way, and writes the output with the last, for AVERAGE_POOL_2D of int8.
  Status AddPoolRow(const PoolArgs& args);
  // Calls run(first_row, row_count) until all `rows` output rows are made, in the direction and the
  // portions that the memory plan wants. For Access::kElementwise a row is one element. Calls of
  // `rows_at_once` rows of windows cost as much as calls of one.
  template <typename Run>
  void ForEachRows(int32_t rows, const Run& run, int32_t rows_at_once = 1) const {
    const int32_t step = node_->plan.rows_per_call * rows_at_once;
    const RowRange made = RowsToMake(rows);
    if (step == 0 || step >= rows) return run(made.first, made.count);
    if (!node_->rows_downwards) {
      for (int32_t first = 0; first < rows; first += step) {
        run(first, rows - first < step ? rows - first : step);
      }
    } else {
      for (int32_t end = rows; end > 0; end -= end < step ? end : step) {
        run(end < step ? 0 : end - step, end < step ? end : step);
      }
    }
  }
  // Computes an output that has the input's bytes, as DeclareAlias says.
  void CopyUnlessAliased(int input, int output) const {
    const void* const from = node_->addresses[input];
    void* const to = OutputData<void>(output);
    if (from != to) memcpy(to, from, static_cast<size_t>(Output(output).bytes));
  }

  // For operators that call subgraphs. Runs the node at this position next, in place of the one that follows.
  void GoTo(int position) {
    next_ = position;
    if (position <= NodePosition()) first_decoded_ = graph_->decoded_operands;
  }
  // False if loops have run as often as InterpreterOptions::loop_limit lets them.
  bool MayLoop() { return loops_++ < graph_->options.loop_limit; }

  // Decodes a compressed input into the place that `scratch` (CompressionTensorData::scratch) stands for, and
  // returns it; null if that is the place of another input.
  const void* DecompressTensor(int i, int scratch) const;
  // Runs `eval`, which finds input i at `values`.
  Status EvalWithInput(int i, void* values, Status (*eval)(EvalContext& context)) {
    void*& address = node_->addresses[i];
    void* const kept = address;
    address = values;
    const Status status = eval(*this);
    address = kept;
    return status;
  }
  // For TFLM_DECODE. True if output i needs no decoding any more.
  bool IsDecoded(int i) const;
  void DecodeOutput(int i, const Encoding& encoding, DecodeFn decode) const;

 private:
  friend class MicroInterpreter;
  friend class GroupRun;

  EvalContext(Graph* graph, Node* node, DecodedOperand* first_decoded)
      : MicroContext(graph, node, first_decoded) {}

  // Decodes those inputs that the operator does not decode by itself.
  void DecodeInputs() const;
  void Decode(const DecodedOperand& record) const;

  int next_ = 0;
  int32_t loops_ = 0;
  // A row group lets its nodes make single rows: the first of ForEachRows's rows to make, and how many.
  int32_t first_row_ = 0;
  int32_t most_rows_ = INT32_MAX;
  RowSum row_sum_;
};

// The values of input i. A compressed input is decoded, at each call, into the place that prepare asked for
// with AllocateDecompressionScratchBuffer; any other is returned as it is. `compression` is
// GetTensorCompressionData(i), `scratch` what prepare was given.
template <typename T>
const T* GetTensorData(const EvalContext& context, int i, const CompressionTensorData& compression,
                       int scratch) {
  if (!compression) return context.InputData<T>(i);
  return static_cast<const T*>(context.DecompressTensor(i, scratch));
}

}  // namespace lutra
