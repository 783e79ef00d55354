// SPDX-License-Identifier: Apache-2.0
// MicroInterpreter: runs one model in a caller-supplied arena.
//
//   alignas(16) static uint8_t memory[64 * 1024];
//   MicroInterpreter interpreter(model, AllOps(), memory);
//   if (interpreter.AllocateTensors() != Status::kOk) return Report(interpreter.diagnosis());
//   memcpy(interpreter.input(0).data, samples, interpreter.input(0).info.bytes);
//   if (interpreter.Invoke() != Status::kOk) return Report(interpreter.diagnosis());
//   Use(interpreter.output(0).data);
//
// Model, op list and arena must outlive the interpreter. Nothing is ever freed. An input's memory is
// used for other tensors once the input has been read: fill every input before each Invoke.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/arena.h"
#include "lutra/cpu.h"
#include "lutra/micro_context.h"
#include "lutra/model.h"
#include "lutra/op.h"
#include "lutra/profiler.h"
#include "lutra/span.h"
#include "lutra/status.h"

// A host has memory to spare and wants speed; bare metal the reverse.
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define LUTRA_HOSTED 1
#else
#define LUTRA_HOSTED 0
#endif

namespace lutra {

struct InterpreterOptions {
  MemoryPolicy policy = LUTRA_HOSTED ? MemoryPolicy::kFast : MemoryPolicy::kSmall;
  // False keeps every tensor of the graph intact until its last reader has run, which debuggers and
  // node-by-node comparisons need.
  bool overlap = true;
  PlanOptions plan = {.search_moves = LUTRA_HOSTED ? 300 : 0};
  // Kernel variants that need more than this are passed over.
  CpuFeatures cpu_features = CpuFeaturesHere();
  DecompressionPolicy decompression = DecompressionPolicy::kPerUse;
  // What decodes tensors that COMPRESSION_METADATA lists: Decode or, smaller, DecodeLut. Bare-metal
  // applications that run such models set it; the others do not link the decoders.
  DecodeFn decode = LUTRA_HOSTED ? Decode : nullptr;
};

struct Tensor {
  TensorInfo info;
  void* data = nullptr;
};

// Where an activation or scratch buffer lies, for tools that draw the plan.
struct PlannedBuffer {
  int32_t tensor = -1;  // -1: a scratch buffer.
  int32_t subgraph = 0;
  int32_t offset = 0;  // From the start of the arena's head.
  int32_t bytes = 0;
  int32_t first_step = 0;  // Step 0: inputs are filled; node i runs at step i + 1.
  int32_t last_step = 0;
};

struct MemoryUse {
  size_t used_bytes = 0;        // head + persistent
  size_t head_bytes = 0;        // activations and scratch, as planned
  size_t activation_bytes = 0;  // what the head would be without scratch buffers above it
  size_t scratch_bytes = 0;     // head_bytes - activation_bytes
  size_t persistent_bytes = 0;
  size_t bound_bytes = 0;  // No plan of the head can be smaller than this.
};

class MicroInterpreter {
 public:
  MicroInterpreter(const Model& model, Span<const Op> ops, Span<uint8_t> arena,
                   const InterpreterOptions& options = {});
  MicroInterpreter(const MicroInterpreter&) = delete;
  MicroInterpreter& operator=(const MicroInterpreter&) = delete;

  // Memory outside the arena (fast memory, say) where compressed tensors are decoded, as far as it
  // goes: the first region with room for a whole tensor has it, the rest goes into the arena. Each
  // operator has all regions to itself. The list and the memory must outlive the interpreter. Call it
  // once, before AllocateTensors; else kInvalidArgument.
  Status SetDecompressionMemory(Span<const AlternateMemoryRegion> regions);
  // Prepares all operators and plans memory. Call it once. kArenaTooSmall: diagnosis().wanted_bytes
  // is a lower bound of an arena that works, and trying exactly that again ends at the smallest one.
  Status AllocateTensors();
  // One inference. Variables keep their values from one call to the next.
  Status Invoke();
  // Sets variables and resources back to real 0 and runs CALL_ONCE again at the next Invoke.
  void ResetVariables();

  int input_count() const;
  int output_count() const;
  // Valid after AllocateTensors; i below the count.
  Tensor input(int i) const;
  Tensor output(int i) const;

  // Nodes in the order in which they run: those of a subgraph that CALL_ONCE calls follow it.
  int node_count() const { return node_count_; }
  const Node& node(int i) const { return nodes_[i]; }

  const Diagnosis& diagnosis() const { return diagnosis_; }
  MemoryUse memory() const { return memory_; }
  RecordUse record(RecordKind kind) const { return arena_.record(kind); }
  // Called around each node of the following Invokes and each decoding; null: none.
  void set_profiler(const Profiler* profiler) { context_.profiler_ = profiler; }

  // For tools: AllocateTensors tells of each planned buffer, and of the kernel variants that each
  // node (by its position) has chosen. Set it before AllocateTensors.
  struct Visitor {
    void* user = nullptr;
    void (*buffer)(void* user, const PlannedBuffer& buffer) = nullptr;
    void (*kernel)(void* user, int node, const char* kernel) = nullptr;
  };
  void set_visitor(const Visitor& visitor) {
    visitor_ = visitor;
    context_.kernel_visitor_ = visitor.kernel;
    context_.visitor_user_ = visitor.user;
  }

 private:
  // A tensor that is computed, fed or kept: all but constants and resource handles.
  struct LiveTensor {
    uint16_t tensor;
    uint16_t subgraph;
    uint32_t offset;  // From the arena's base.
  };
  using Lifetime = TensorLifetime;  // Working data while tensors are allocated.

  Status Refuse(Rule rule, int subgraph, int node, int tensor);
  template <typename T>
  Status GrowHead(size_t count, T** array);
  template <typename T>
  Status AllocateRecords(int count, int records, RecordKind kind, T** array);
  Status CollectNodes();
  Status FillNode(int position, int subgraph, int index);
  Status CollectLifetimes(Lifetime* lifetimes);
  Status CollectTensors(Lifetime* lifetimes);
  Status PrepareNodes();
  Status PrepareNode(Node* node);
  Status ConstantAddress(const TensorInfo& info, void** address);
  Status CheckOfflinePlan(PackedList<int32_t> plan);
  Status PlanHead(Lifetime* lifetimes, Span<PlanOverlap> requests);
  void ShowPlanned(int tensor, int subgraph, const PlanBuffer& buffer) const;
  Status RefusePlan(const PlanResult& result, const Lifetime* lifetimes);
  Status ApplyPlan(const PlanResult& result, Span<const PlanBuffer> buffers, Span<const PlanOverlap> overlaps,
                   const Lifetime* lifetimes);
  void SetAddresses();
  int FirstTensor(int subgraph) const;  // Number of the subgraph's first tensor, all counted through.
  void* LiveAddress(int subgraph, int tensor) const;
  void* DecodedAddress(int subgraph, int tensor) const;
  void DecodeInputs(const Node& node);
  Tensor TensorAt(int index) const;

  const Model* model_;
  Span<const Op> ops_;
  Arena arena_;
  InterpreterOptions options_;
  MicroContext context_;
  Diagnosis diagnosis_;
  MemoryUse memory_;
  Node* nodes_ = nullptr;
  LiveTensor* live_ = nullptr;
  int node_count_ = 0;
  int live_count_ = 0;
  bool allocated_ = false;
  bool initialized_ = false;  // CALL_ONCE has run.
  Visitor visitor_;
};

}  // namespace lutra
