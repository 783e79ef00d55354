// SPDX-License-Identifier: Apache-2.0
// MicroContext: what an operator sees of the interpreter, in prepare and in eval.
//
//   Status PrepareFoo(MicroContext& context) {
//     FooData* data;
//     LUTRA_TRY(context.AllocateData(&data));              // persistent, zeroed
//     const TensorInfo input = context.Input(0);
//     if (input.type != TensorType::kInt8) return context.Refuse(Rule::kOperandType, 0);
//     return context.RequestScratch(input.bytes, &data->scratch);
//   }
//   Status EvalFoo(MicroContext& context) {
//     const auto& data = context.Data<FooData>();
//     Foo(context.InputData<int8_t>(0), context.ScratchData<int8_t>(data.scratch),
//         context.OutputData<int8_t>(0));
//     return Status::kOk;
//   }

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/arena.h"
#include "lutra/compression/decode.h"
#include "lutra/cpu.h"
#include "lutra/diagnosis.h"
#include "lutra/kernels/rows.h"
#include "lutra/memory_planner.h"
#include "lutra/model.h"
#include "lutra/op.h"
#include "lutra/profiler.h"
#include "lutra/span.h"
#include "lutra/status.h"

namespace lutra {

// small: what can be recomputed at each run is not stored, nothing is repacked.
// fast: multipliers are stored, weights may be repacked.
enum class MemoryPolicy : uint8_t { kSmall, kFast };

// per-use: compressed tensors are decoded before each use, into memory that other tensors share.
// at-init: once, in AllocateTensors, into memory of their own. The values are the same.
enum class DecompressionPolicy : uint8_t { kPerUse, kAtInit };

// Memory outside the arena for decoded tensors (MicroInterpreter::SetDecompressionMemory).
struct AlternateMemoryRegion {
  void* address = nullptr;
  size_t bytes = 0;
};

// Where a compressed operand of a node is decoded to.
struct CompressionTensorData {
  CompressionTensorData* next = nullptr;  // In the order of nodes.
  void* values = nullptr;                 // Null while memory is not planned: in the node's scratch.
  int32_t bytes = 0;
  int32_t scratch = -1;    // What AllocateDecompressionScratchBuffer returned.
  int32_t operand = 0;     // Number of the input, or OutputOperand(i).
  uint16_t node = 0;       // By its position.
  uint16_t last_step = 0;  // Until when the values are needed.
  bool decoded = false;    // Once and for all.
};

// When a tensor is written and read. Step 0 is when the inputs are filled, node i runs at step i + 1,
// outputs are read at step node_count + 1.
struct TensorLifetime {
  static constexpr uint16_t kNone = 0xFFFF;
  uint16_t first = kNone;  // kNone: nobody has made it.
  uint16_t last = 0;
  uint16_t live = kNone;    // Its record in the interpreter; kNone for constants, handles, unused ones.
  uint16_t buffer = kNone;  // Its PlanBuffer; that of its root for an alias.
};

struct Resource;

class MicroContext {
 public:
  // ---- The node, in prepare.

  NodeInfo node_info() const { return model_->node(node_->subgraph, node_->index); }
  int input_count() const { return node_->input_count; }
  int output_count() const { return node_->output_count; }
  // False for an optional input that is left out or beyond the last one.
  bool HasInput(int i) const { return InputTensor(i) >= 0; }
  // What the model says of input i; HasInput(i) must hold. Cost: a walk through the file's tables.
  TensorInfo Input(int i) const { return model_->tensor(node_->subgraph, InputTensor(i)); }
  TensorInfo Output(int i) const { return model_->tensor(node_->subgraph, OutputTensor(i)); }
  // Checks the number of inputs (min..max, none of the first `min` left out) and of outputs.
  Status CheckOperandCounts(int min_inputs, int max_inputs, int outputs);

  // Notes which rule is broken and returns the status for it. `operand`: the input, or
  // OutputOperand(i), to blame; kNoOperand: the node as a whole.
  static constexpr int kNoOperand = -1;
  static constexpr int OutputOperand(int i) { return 0x10000 + i; }
  Status Refuse(Rule rule, int operand = kNoOperand, int32_t found = kNoValue, int32_t required = kNoValue);

  // ---- Memory, in prepare. All of it lives as long as the interpreter.

  // The struct that eval finds again with Data<T>(). Zeroed.
  template <typename T>
  Status AllocateData(T** data) {
    void* memory = nullptr;
    LUTRA_TRY(AllocatePersistent(sizeof(T), alignof(T), RecordKind::kOperatorData, &memory));
    node_->data = memory;
    *data = static_cast<T*>(memory);
    return Status::kOk;
  }
  // `count` objects, zeroed.
  template <typename T>
  Status AllocateArray(int32_t count, RecordKind kind, T** array) {
    void* memory = nullptr;
    LUTRA_TRY(AllocatePersistent(static_cast<size_t>(count) * sizeof(T), alignof(T), kind, &memory));
    *array = static_cast<T*>(memory);
    return Status::kOk;
  }
  Status AllocatePersistent(size_t bytes, size_t alignment, RecordKind kind, void** memory,
                            int32_t records = 1);
  // Memory that exists during this node's eval only; ScratchData(*index) finds it there, aligned
  // to 16. Several requests of a node lie side by side.
  Status RequestScratch(int32_t bytes, int* index);
  // Says how output `output` depends on the rows of input `input`, so that the planner may let them
  // overlap. Without a word, and with Access::kWhole, they are kept apart.
  Status DeclareRows(int input, int output, const RowMap& map);
  // The output has the bytes of the input: the planner gives both one place if it can. Eval calls
  // CopyUnlessAliased.
  Status DeclareAlias(int input, int output);

  // The value of a constant input, aligned and in the machine's byte order; null if it is not
  // constant. For prepare; eval uses InputData, which serves constants and activations alike.
  template <typename T>
  Status ConstantInput(int i, const T** data) {
    const void* bytes = nullptr;
    LUTRA_TRY(ConstantBytes(i, &bytes));
    *data = static_cast<const T*>(bytes);
    return Status::kOk;
  }

  MemoryPolicy policy() const { return policy_; }
  // The best variant of a kernel that this processor can run.
  template <typename Fn, int N>
  Fn Choose(const Variant<Fn> (&variants)[N]) const {
    return Chosen(Best(variants, cpu_features_));
  }
  // The same for arguments that are known already, as far as Variant::prepare wants them: the best variant
  // that is made for them. Policy fast lets it have the memory that it wants, which args->prepared is then.
  template <typename Fn, int N>
  Status ChooseFor(const Variant<Fn> (&variants)[N], KernelArgs<Fn>* args, Fn* run) {
    int i = 0;
    for (; i + 1 < N; ++i) {
      const Variant<Fn>& variant = variants[i];
      if (!CanRun(variant, cpu_features_)) continue;
      if (variant.prepare == nullptr) break;
      const int32_t bytes = variant.prepare(*args, nullptr);
      if (bytes == 0) break;
      if (bytes > 0 && policy_ == MemoryPolicy::kFast) {
        void* memory = nullptr;
        LUTRA_TRY(
            AllocatePersistent(static_cast<size_t>(bytes), kArenaAlignment, RecordKind::kPrepared, &memory));
        variant.prepare(*args, memory);
        args->prepared = memory;
        break;
      }
      if (bytes > 0 && variant.unprepared == Unprepared::kRuns) break;
    }
    *run = Chosen(variants[i]);
    return Status::kOk;
  }

  // ---- Compressed tensors.

  // In prepare: if input i is compressed, asks for memory for its values: of the alternate regions
  // if they have room, else scratch of the node, whose index *scratch is then; else *scratch is -1.
  // Called by the interpreter for Op::compressible_inputs. An operator that would rather decode when
  // it likes calls it itself, and GetTensorData in eval.
  Status AllocateDecompressionScratchBuffer(int i, int* scratch);
  // Where input i is decoded to; null if it is not compressed.
  const CompressionTensorData* GetTensorCompressionData(int i) const { return FindCompressed(i); }
  // Decodes a compressed input of this node and returns its values.
  const void* DecodeInput(const CompressionTensorData& input) const;

  // For TFLM_DECODE. In prepare: finds a place for what output i decodes to; without a word the plan
  // has one. Policy at-init decodes at once.
  Status PlaceDecoded(int i, const Encoding& encoding, DecodeFn decode);
  // In eval: output i needs no decoding any more.
  bool IsDecoded(int i) const;
  void DecodeOperand(DecodeFn decode, const Encoding& encoding, int operand, void* values) const;

  // ---- Variables and subgraphs.

  // The resource that VAR_HANDLE node's names refer to, created at the first mention.
  Status FindOrCreateResource(const VarHandleOptions& names, Resource** resource);
  // The resource behind input i, which a VAR_HANDLE of this subgraph must have made. Its memory is
  // allocated at the first use, for tensors like `value`.
  Status ResourceOfInput(int i, const TensorInfo& value, Resource** resource);

  // ---- In eval.

  template <typename T>
  const T& Data() const {
    return *static_cast<const T*>(node_->data);
  }
  template <typename T>
  T& MutableData() const {
    return *static_cast<T*>(node_->data);
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
    return reinterpret_cast<T*>(arena_->base() + node_->scratch_offset + index);
  }
  Rows InputRows(int i, int32_t row_bytes) const {
    return {static_cast<uint8_t*>(node_->addresses[i]), row_bytes, 0};
  }
  Rows OutputRows(int i, int32_t row_bytes) const { return {OutputData<uint8_t>(i), row_bytes, 0}; }
  // Calls run(first_row, row_count) until all `rows` output rows are made, in the direction and the
  // portions that the memory plan wants. For Access::kElementwise a row is one element.
  template <typename Run>
  void ForEachRows(int32_t rows, const Run& run) const {
    const int32_t step = node_->rows_per_call;
    if (step == 0 || step >= rows) return run(0, rows);
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
  // For operators that only rename their input's bytes.
  void CopyUnlessAliased(int input, int output, size_t bytes) const;

 private:
  friend class MicroInterpreter;  // Sets the fields below.

  int32_t InputTensor(int i) const;
  int32_t OutputTensor(int i) const;
  template <typename Fn>
  Fn Chosen(const Variant<Fn>& variant) const {
    if (kernel_visitor_ != nullptr) kernel_visitor_(visitor_user_, NodePosition(), variant.name);
    return variant.run;
  }
  int NodePosition() const { return static_cast<int>(node_ - nodes_); }
  Status ConstantBytes(int i, const void** bytes);
  Status TooSmall(size_t more_bytes);
  const TensorLifetime& LifetimeOf(int32_t tensor) const;
  CompressionTensorData* FindCompressed(int operand) const;
  Status AddCompressed(int operand, int32_t bytes, uint16_t last_step, CompressionTensorData** record);
  uint8_t* FindAlternateMemory(int32_t bytes) const;
  void* FindDecoded(int32_t tensor) const;
  Status DecodeNow(CompressionTensorData* record, const Encoding& encoding, DecodeFn decode);

  const Model* model_ = nullptr;
  Node* nodes_ = nullptr;  // All nodes prepared so far, in the order in which they run.
  Node* node_ = nullptr;   // The one being prepared or run.
  Arena* arena_ = nullptr;
  Diagnosis* diagnosis_ = nullptr;
  Resource* resources_ = nullptr;
  MemoryPolicy policy_ = MemoryPolicy::kFast;
  CpuFeatures cpu_features_ = kCpuAny;
  const Profiler* profiler_ = nullptr;
  DecodeFn decode_ = nullptr;
  DecompressionPolicy decompression_ = DecompressionPolicy::kPerUse;
  Span<const AlternateMemoryRegion> regions_;
  const TensorLifetime* lifetimes_ = nullptr;    // While tensors are allocated.
  CompressionTensorData* compressed_ = nullptr;  // All, in the order of nodes.
  CompressionTensorData* last_compressed_ = nullptr;
  CompressionTensorData* node_compressed_ = nullptr;  // The first of this node or of a later one.
  int compressed_count_ = 0;
  void (*kernel_visitor_)(void* user, int node, const char* kernel) = nullptr;
  void* visitor_user_ = nullptr;
};

// The values of input i. `compression` is GetTensorCompressionData(i), `scratch` what
// AllocateDecompressionScratchBuffer said of it. A compressed input is decoded, at each call, into
// the place that it was given in prepare; any other is returned as it is.
template <typename T>
const T* GetTensorData(const MicroContext& context, int i, const CompressionTensorData* compression,
                       int scratch) {
  if (compression == nullptr) return context.InputData<T>(i);
  if (scratch != compression->scratch) return nullptr;  // Of another input.
  return static_cast<const T*>(context.DecodeInput(*compression));
}

// A resource variable: state that VAR_HANDLE names, shared by all subgraphs.
struct Resource {
  Resource* next = nullptr;
  const char* container = nullptr;
  const char* shared_name = nullptr;
  uint8_t* data = nullptr;  // Null until a READ_VARIABLE or ASSIGN_VARIABLE has told its size.
  int32_t bytes = 0;
  TensorType type = TensorType::kFloat32;
  uint8_t reset_byte = 0;  // The zero point of int8 variables: real 0.
};

}  // namespace lutra
