// SPDX-License-Identifier: Apache-2.0
// MicroInterpreter: runs one model in a caller-supplied arena.
//
//   alignas(16) static uint8_t memory[64 * 1024];
//   lutra::MicroInterpreter interpreter(model, lutra::AllOps(), memory);
//   if (interpreter.AllocateTensors() != lutra::Status::kOk) return Report(interpreter.diagnosis());
//   memcpy(interpreter.input(0).data, samples, interpreter.input(0).info.bytes);
//   if (interpreter.Invoke() != lutra::Status::kOk) return Report(interpreter.diagnosis());
//   Use(interpreter.output(0).data);
//
// Model, op list and arena must outlive the interpreter. Nothing is ever freed. An input's memory is
// used for other tensors once the input has been read: fill every input before each Invoke.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/diagnosis.h"
#include "lutra/model.h"
#include "lutra/op.h"
#include "lutra/options.h"
#include "lutra/span.h"
#include "lutra/status.h"
#include "lutra/tensor_info.h"

namespace lutra {

enum class RecordKind : uint8_t;  // arena.h
struct DelegateList;              // delegate.h
struct Graph;                     // graph.h; so are GraphVisitor and Node.
struct GraphVisitor;
struct Node;
struct Profiler;
struct RecordUse;  // arena.h

struct Tensor {
  TensorInfo info;
  void* data = nullptr;
};

class MicroInterpreter {
 public:
  MicroInterpreter(const Model& model, Span<const Op> ops, Span<uint8_t> arena,
                   const InterpreterOptions& options = {});
  MicroInterpreter(const MicroInterpreter&) = delete;
  MicroInterpreter& operator=(const MicroInterpreter&) = delete;

  // Names memory outside the arena, fast memory for example, for decoded tensors. Each is decoded into
  // the first region with room for all of it, or into the arena if none has room. Each operator has all
  // regions to itself. The list and the memory must outlive the interpreter. Call it once, before
  // AllocateTensors; else kInvalidArgument.
  Status SetDecompressionMemory(Span<const AlternateMemoryRegion> regions);
  // Prepares all operators and plans memory. Call it once. kArenaTooSmall: diagnosis().wanted_bytes
  // is a lower bound of an arena that works; repeated attempts with that size end at the smallest one.
  Status AllocateTensors();
  // Does the same with delegates (delegate.h): each of them runs the nodes that it takes. An empty list
  // changes nothing. A program that does not call this does not link it.
  Status AllocateTensors(const DelegateList& delegates);
  void FreeKernels();  // Frees delegates' kernels after the last inference; an interpreter has no destructor.
  // Runs one inference. Variables keep their values from one call to the next. kNoOutputYet: a streaming
  // model wants more inferences before it has an output (status.h).
  Status Invoke();
  // Sets variables and resources back to real 0 and runs CALL_ONCE again at the next Invoke.
  void ResetVariables();

  int input_count() const;
  int output_count() const;
  // Valid after AllocateTensors; i below the count.
  Tensor input(int i) const;
  Tensor output(int i) const;

  // Nodes in the order in which they run: those of a called subgraph follow the node that
  // calls it.
  int node_count() const;
  const Node& node(int i) const;

  // Returns how often an inference decodes each value of compressed input `operand` of node i: more than once
  // where policy streamed decodes filters anew for each portion of the output's rows.
  int decoding_passes(int i, int operand) const;

  const Diagnosis& diagnosis() const;
  MemoryUse memory() const;
  RecordUse record(RecordKind kind) const;
  // Called around each node of the following Invokes and each decoding; null: none.
  void set_profiler(const Profiler* profiler);
  // For tools. Set it before AllocateTensors.
  using Visitor = GraphVisitor;
  void set_visitor(const Visitor& visitor);

 private:
  Tensor TensorAt(int index) const;
  Graph& graph();
  const Graph& graph() const;

  Span<const Op> ops_;
  // Memory for the graph, whose type programs need not see. micro_interpreter.cc checks its size.
  static constexpr size_t kGraphWords = (LUTRA_HOSTED ? 61 + 7 * (sizeof(void*) == 4) : 60) +
                                        LUTRA_HAVE_UINT8 + LUTRA_HAVE_INT16 + LUTRA_HAVE_USER_KERNELS;
  alignas(void*) unsigned char graph_[sizeof(void*) * kGraphWords];
  bool allocated_ = false;
};

}  // namespace lutra
