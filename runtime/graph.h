// SPDX-License-Identifier: Apache-2.0
// Graph: what AllocateTensors builds and Invoke walks. It belongs to MicroInterpreter, and operators see
// it through PrepareContext and EvalContext; applications have no use for it.
//
//   lutra::MicroInterpreter interpreter(model, kOps, arena);  // Holds the graph.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/arena.h"
#include "lutra/board.h"
#include "lutra/cpu.h"
#include "lutra/diagnosis.h"
#include "lutra/model.h"
#include "lutra/op.h"
#include "lutra/options.h"
#include "lutra/profiler.h"
#include "lutra/rule.h"
#include "lutra/span.h"
#include "lutra/status.h"

namespace lutra {

struct Multiplier;

// The requests of a node while it is prepared.
struct NodeRequest {
  static constexpr BoardRecord kBoardRecord = {4, 8};

  uint32_t scratch_bytes;
#if LUTRA_HAVE_SCRATCH_LAYERS
  int32_t more_scratch_bytes;  // The kernel can use up to so many more.
#endif
};

// The memory plan's answers.
struct NodePlan {
  uint32_t scratch_offset;  // From the arena's base.
  int32_t rows_per_call;    // 0: the kernel makes all rows in one call.
#if LUTRA_HAVE_SCRATCH_LAYERS
  int32_t more_scratch_bytes;  // The plan has added so many to the request.
#endif
};

// One use of an operator in a graph.
struct Node {
  static constexpr BoardRecord kBoardRecord = {28, 32};

  const Op* op = nullptr;
  void* data = nullptr;        // What prepare computed; persistent.
  void** addresses = nullptr;  // One for each input, then each output; null for an input left out.
  // The request until memory is planned, the plan from then on: sharing memory makes each node smaller.
  union {
    NodeRequest request = {};
    NodePlan plan;
  };
  uint16_t index = 0;  // In its subgraph.
  uint16_t input_count = 0;
  uint16_t output_count = 0;
  uint8_t subgraph = 0;
  bool rows_downwards = false;  // The last rows are made first.
};

// A tensor that is computed, fed or kept: all but constants and resource handles.
struct LiveTensor {
  // The `offset` of a tensor whose address is in a DecodedOperand; it is no multiple of 16.
  static constexpr uint32_t kOutsidePlan = 0xFFFFFFFF;

  uint16_t tensor;
  uint16_t subgraph;
  uint32_t offset;  // From the arena's base.
};

// Says where a compressed operand of a node is decoded to.
struct DecodedOperand {
  static constexpr BoardRecord kBoardRecord = {28, 28};

  DecodedOperand* next = nullptr;  // They are listed in the order of nodes.
  void* values = nullptr;          // Null until memory is planned, if the values are in the node's scratch.
  int32_t bytes = 0;
  int scratch = -1;          // What AllocateDecompressionScratchBuffer returned.
  int32_t operand = 0;       // Number of the input, or OutputOperand(i).
  uint16_t node = 0;         // By its position.
  uint16_t last_step = 0;    // The values are needed up to this step.
  bool decoded = false;      // The values are decoded for all runs.
  bool by_operator = false;  // Eval decodes it, not the interpreter.
};

// A compressed input that its operator decodes by itself (Streaming): what Node::addresses has for it.
struct StreamedInput {
  // The `scratch` of an input whose place is in its DecodedOperand.
  static constexpr int kInRegion = -1;

#if LUTRA_HAVE_SCRATCH_LAYERS
  // Stores the addresses of the indices and of the value table, for an operator that reads the input as it is
  // stored and needs no decoder.
  void Store(const uint8_t* indices, const uint8_t* table) {
    scratch = reinterpret_cast<int>(indices);
    bytes = reinterpret_cast<int32_t>(table);
  }
  const uint8_t* indices() const { return reinterpret_cast<const uint8_t*>(scratch); }
  const uint8_t* table() const { return reinterpret_cast<const uint8_t*>(bytes); }
#endif

  int scratch = 0;      // Where blocks of it are decoded to.
  int32_t bytes = 0;    // The size of a block.
  uint16_t passes = 1;  // How often an inference decodes each value.
  int16_t decoder =
      -1;  // The TFLM_DECODE, in its subgraph, that would have made it; -1: COMPRESSION_METADATA.
};

// A resource variable: state that VAR_HANDLE names, shared by all subgraphs; or without names, what an
// operator asked for with AllocateState.
struct Resource {
  static constexpr BoardRecord kBoardRecord = {24, 24};

  Resource* next = nullptr;
  const char* container = nullptr;
  const char* shared_name = nullptr;
  uint8_t* data = nullptr;  // Null until a READ_VARIABLE or ASSIGN_VARIABLE has told its size.
  int32_t bytes = 0;
  TensorType type = TensorType::kFloat32;
  uint8_t reset_byte = 0;  // The zero point of int8 variables: real 0.
};

// Says where an activation or scratch buffer lies, for tools that draw the plan.
struct PlannedBuffer {
  int32_t tensor = -1;  // -1: a scratch buffer.
  int32_t subgraph = 0;
  int32_t offset = 0;  // From the start of the arena's head.
  int32_t bytes = 0;
  int32_t first_step = 0;  // Step 0: inputs are filled; node i runs at step i + 1.
  int32_t last_step = 0;
};

// For tools: what AllocateTensors tells of each planned buffer, and of the kernel variants that each node
// (by its position) has chosen. A hook may be null.
struct GraphVisitor {
  void* user = nullptr;
  void (*buffer)(void* user, const PlannedBuffer& buffer) = nullptr;
  void (*kernel)(void* user, int node, const char* kernel) = nullptr;
#if LUTRA_HOSTED
  // Called before `kernel`, for a variant that prepared so much memory.
  void (*prepared)(void* user, int node, int32_t bytes) = nullptr;
  // Called for each row group that runs, with its first node and the number of its nodes.
  void (*row_group)(void* user, int first_node, int nodes) = nullptr;
  // Called for each node that keeps the multipliers of its output channels, or finds them in the model.
  void (*multipliers)(void* user, int node, const Multiplier* multipliers, int32_t channels) = nullptr;
  // No plan of the head can have less at this step than so many bytes.
  void (*step_bound)(void* user, int step, int64_t bytes) = nullptr;
  // Counts what a board would have had of its arena. Null: nothing is counted.
  BoardUse* board = nullptr;
#endif
};

struct Graph {
  Graph(const Model& model, Span<uint8_t> memory, const InterpreterOptions& options)
      : model(&model), arena(memory), options(options) {}
  // Constructs the graph in the memory that MicroInterpreter has for it.
  static void* operator new(size_t, void* room) { return room; }

  // Allocates persistent memory, zeroed. `records`: how many of its kind this holds.
  Status AllocatePersistent(size_t bytes, size_t alignment, RecordKind kind, void** memory,
                            int32_t records = 1) {
#if LUTRA_HOSTED
    if (visitor.board != nullptr) visitor.board->AddPersistent(bytes, alignment);
#endif
    return AllocateMemory(bytes, alignment, kind, memory, records);
  }
  // Does the same for memory that GraphVisitor::board has counted already.
  Status AllocateMemory(size_t bytes, size_t alignment, RecordKind kind, void** memory, int32_t records = 1);
  // Counts `count` records of type T, which the caller allocates, for GraphVisitor::board.
  template <typename T>
  void CountRecords([[maybe_unused]] size_t count) {
#if LUTRA_HOSTED
    if (visitor.board != nullptr) visitor.board->AddRecords<T>(count);
#endif
    CheckBoardRecord<T>();
  }
  // `count` records of type T.
  template <typename T>
  Status AllocateRecords(int count, int records, RecordKind kind, T** array) {
    void* memory = nullptr;
    CountRecords<T>(static_cast<size_t>(count));
    LUTRA_TRY(AllocateMemory(static_cast<size_t>(count) * sizeof(T), alignof(T), kind, &memory, records));
    *array = static_cast<T*>(memory);
    return Status::kOk;
  }
  // Working memory for as long as tensors are allocated; not zeroed.
  template <typename T>
  Status GrowHead(size_t count, T** array) {
#if LUTRA_HOSTED
    if (visitor.board != nullptr) visitor.board->AddHead<T>(count);
#endif
    CheckBoardRecord<T>();
    *array = static_cast<T*>(arena.GrowHead(count * sizeof(T)));
    // The head grows in steps of 8.
    return *array == nullptr ? RefuseArena((count * sizeof(T) + 7) / 8 * 8) : Status::kOk;
  }
  // Notes that `more_bytes` would not fit beside what the arena holds.
  Status RefuseArena(size_t more_bytes);
  // Notes that an arena of `bytes`, aligned to 16, would do for now.
  Status RefuseArenaOf(size_t bytes);
  Status Refuse(Rule rule, int subgraph, int node, int tensor);

  // The number of the subgraph's first tensor, if the tensors of all subgraphs are numbered in a row.
  int FirstTensor(int subgraph) const;
  // Returns where a live tensor is; null for a constant or a resource handle.
  void* LiveAddress(int subgraph, int tensor) const;

  const Model* model;
  Arena arena;
  InterpreterOptions options;
  Span<const AlternateMemoryRegion> regions;
  Diagnosis diagnosis;
  MemoryUse memory;
  GraphVisitor visitor;
  const Profiler* profiler = nullptr;
  Node* nodes = nullptr;       // In the order in which they run.
  LiveTensor* live = nullptr;  // Sorted by subgraph and tensor.
  int node_count = 0;
  int live_count = 0;
  DecodedOperand* decoded_operands = nullptr;
  Resource* resources = nullptr;

 private:
  template <typename T>
  static constexpr void CheckBoardRecord() {
#if LUTRA_HOSTED
    static_assert(HasBoardRecord<T>(), "T::kBoardRecord is missing");
#elif __SIZEOF_POINTER__ == 4
    static_assert(HasItsBoardRecord<T>(), "T::kBoardRecord is what a host counts");
#endif
  }
  void* DecodedAddress(int subgraph, int tensor) const;
};

}  // namespace lutra
