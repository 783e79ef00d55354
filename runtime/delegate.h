// SPDX-License-Identifier: Apache-2.0
// Delegates run parts of a graph elsewhere, for example on an accelerator. The names are LiteRT's; a delegate
// is a table of functions. host/simple_delegate.h wraps it in virtual classes.
//
//   // Says which nodes it takes, makes a kernel for each partition of them.
//   constexpr lutra::Delegate kMine = {.Name = NameOfMine,
//                                      .IsNodeSupportedByDelegate = MineSupports,
//                                      .CreateDelegateKernelInterface = MakeKernelOfMine};
//   const lutra::Delegate* const delegates[] = {&kMine};
//   const lutra::Status status = interpreter.AllocateTensors({.delegates = delegates});
//   if (status != lutra::Status::kOk) return Report(interpreter.diagnosis());
//
// AllocateTensors does this for one delegate after the other:
//   probe    Initialize, then IsNodeSupportedByDelegate for each node that no delegate before it has taken.
//            A node that it supports is checked as on the CPU. If the check refuses the node,
//            AllocateTensors fails, unless this runtime lacks the operator.
//   plan     The supported nodes are grouped into partitions that are closed: no path leaves one and comes
//            back. Nodes with variables, CALL_ONCE, IF, WHILE and the nodes that these call are never in
//            one.
//   prepare  For each partition CreateDelegateKernelInterface is called, then the kernel's Init and Prepare,
//            which ask for all memory. The kernel may decline the partition, or some of its nodes; then the
//            partitions are planned anew without these, and memory is as it was before.
// Each Invoke does this:
//   eval     It calls Eval of each kernel, which finds all inputs computed and computes all outputs.
//
// A node that is declined is offered to the next delegate, and runs on the CPU in the end. Reasons are texts
// that live as long as the call that gives them; an observer that wants to keep one copies it.
//
// delegates/README.md has a complete delegate.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lutra/compression/encoding.h"
#include "lutra/cpu.h"
#include "lutra/graph.h"
#include "lutra/micro_context.h"
#include "lutra/model.h"
#include "lutra/node_info.h"
#include "lutra/options.h"
#include "lutra/span.h"
#include "lutra/status.h"

namespace lutra {

class Delegation;
struct Delegate;

// A node of the main graph, as a delegate sees it. Inputs and outputs count from 0.
class DelegateNode {
 public:
  int index() const { return index_; }            // In the file's order.
  const NodeInfo& info() const { return info_; }  // For ReadWindowOptions and the like.
  BuiltinOperator code() const { return info_.code; }
  const char* custom_name() const { return info_.custom_code; }  // Of a kCustom operator.
  int32_t version() const { return info_.version; }

  int input_count() const { return info_.inputs.count; }
  int output_count() const { return info_.outputs.count; }
  bool HasInput(int i) const { return i < input_count() && info_.inputs[i] >= 0; }
  int32_t InputTensor(int i) const { return info_.inputs[i]; }
  int32_t OutputTensor(int i) const { return info_.outputs[i]; }
  // Type, shape, quantisation; HasInput(i) must hold.
  TensorInfo Input(int i) const { return graph_->model->tensor(0, info_.inputs[i]); }
  TensorInfo Output(int i) const { return graph_->model->tensor(0, info_.outputs[i]); }
  // Returns whether input i is a constant, compressed or not, whose values prepare can ask for.
  bool IsConstant(int i) const { return HasInput(i) && (Input(i).is_constant() || IsCompressed(i)); }
  // Returns whether input i is a compressed constant: listed in COMPRESSION_METADATA, or made by a
  // TFLM_DECODE. Its codec is one of Delegate::compressed, and InterpreterOptions::decode reads it.
  bool IsCompressed(int i) const;
  // Returns how a compressed constant is stored; IsCompressed(i) must hold.
  Encoding InputEncoding(int i) const;

 private:
  friend class Delegation;
  friend class DelegateContext;

  DelegateNode(const Graph& graph, bool has_decoders, int index)
      : graph_(&graph), info_(graph.model->node(0, index)), index_(index), has_decoders_(has_decoders) {}

  // The TFLM_DECODE that makes the input; -1: none.
  int DecoderOf(int i) const;

  const Graph* graph_;
  NodeInfo info_;
  int index_;
  bool has_decoders_;  // Whether the model has any TFLM_DECODE.
};

// A set of codecs.
class CodecSet {
 public:
  constexpr CodecSet() = default;
  template <typename... Types>
  static constexpr CodecSet Of(Types... types) {
    CodecSet set;
    (set.Add(types), ...);
    return set;
  }
  constexpr void Add(DecodeType type) {
    const auto number = static_cast<uint8_t>(type);
    bits_[number / 32] |= uint32_t{1} << number % 32;
  }
  constexpr bool Contains(DecodeType type) const {
    const auto number = static_cast<uint8_t>(type);
    return (bits_[number / 32] >> number % 32 & 1) != 0;
  }

 private:
  uint32_t bits_[8] = {};
};

// The nodes of a partition, and the tensors that it reads and writes. Tensors that only its own nodes use are
// the delegate's: they have no memory unless it asks for some.
struct DelegateParams {
  Span<const int32_t> nodes_to_replace;  // In an order in which they can run.
  Span<const int32_t> input_tensors;     // Made outside the partition; constants are not listed.
  Span<const int32_t> output_tensors;    // Read outside the partition, or outputs of the graph.
};

// The counts of a partition's kernel in its last Eval; -1: it did not count.
struct DelegateCounters {
  int64_t cycles = -1;
  int64_t bytes_moved = -1;
};

struct DelegateKernel;

// A partition that a delegate has taken.
struct DelegatePartition;

// A partition as Init, Prepare and Eval all see it.
class DelegateContext {
 public:
  const DelegateParams& params() const;
  int node_count() const { return static_cast<int>(params().nodes_to_replace.size()); }
  // Node k of the partition.
  DelegateNode node(int k) const;
  // Returns whether a tensor that the partition makes is in params().output_tensors.
  bool IsOutput(int32_t tensor) const;
  TensorInfo tensor(int32_t index) const { return graph_->model->tensor(0, index); }
  CpuFeatures cpu_features() const { return graph_->options.cpu_features; }
  MemoryPolicy policy() const { return graph_->options.policy; }
  // Writes the values of a compressed input, in the machine's byte order, to tensor's bytes at `values`.
  Status DecodeInput(const DelegateNode& node, int i, void* values) const;

 protected:
  DelegateContext(Graph* graph, DelegatePartition* partition) : graph_(graph), partition_(partition) {}

  Graph* graph_;
  DelegatePartition* partition_;
};

// For CreateDelegateKernelInterface, Init and Prepare, the only functions that can ask for memory.
class DelegatePrepareContext : public DelegateContext {
 public:
  // Memory that lives as long as the interpreter; zeroed, aligned to 16. If the arena is too small for it,
  // AllocateTensors fails, whatever the delegate answers.
  Status AllocatePersistent(int64_t bytes, void** memory);
  template <typename T>
  Status AllocateArray(int64_t count, T** array) {
    if (count < 0 || count > INT32_MAX) return Decline("asks for more memory than there can be");
    void* memory = nullptr;
    LUTRA_TRY(AllocatePersistent(count * static_cast<int64_t>(sizeof(T)), &memory));
    *array = static_cast<T*>(memory);
    return Status::kOk;
  }
  // Memory that exists during Eval only, aligned to 16; DelegateEvalContext::Scratch(*index) finds it.
  Status RequestScratch(int64_t bytes, int* index);
  // The values of a constant input, aligned and in the machine's byte order; they live as long as the
  // interpreter. A compressed one is decoded, into persistent memory; each call decodes anew.
  template <typename T>
  Status ConstantInput(const DelegateNode& node, int i, const T** values) {
    const void* bytes = nullptr;
    LUTRA_TRY(ConstantBytes(node, i, &bytes));
    *values = static_cast<const T*>(bytes);
    return Status::kOk;
  }
  // A kernel that does not want the partition returns this.
  Status Decline(const char* reason);
  // A kernel that does not want node k, but perhaps the rest without it, returns this.
  Status DeclineNode(int k, const char* reason);

 private:
  friend class Delegation;

  DelegatePrepareContext(Delegation* delegation, Graph* graph, DelegatePartition* partition)
      : DelegateContext(graph, partition), delegation_(delegation) {}

  Status ConstantBytes(const DelegateNode& node, int i, const void** values);

  Delegation* delegation_;
  const char* reason_ = nullptr;
  bool arena_too_small_ = false;
  bool handed_back_ = false;  // DeclineNode was called.
};

class DelegateEvalContext : public DelegateContext {
 public:
  // The values of tensor i of DelegateParams::input_tensors, and of output_tensors.
  template <typename T>
  const T* Input(int i) const {
    return static_cast<const T*>(Address(i));
  }
  template <typename T>
  T* Output(int i) const {
    return static_cast<T*>(Address(static_cast<int>(params().input_tensors.size()) + i));
  }
  // Returns the values by the tensor's index in the graph; null for one that is neither input nor output.
  void* TensorData(int32_t tensor) const;
  // The memory that RequestScratch(bytes, &index) asked for.
  template <typename T>
  T* Scratch(int index) const {
    return reinterpret_cast<T*>(scratch_ + index);
  }

  DelegateEvalContext(Graph* graph, DelegatePartition* partition, uint8_t* scratch)
      : DelegateContext(graph, partition), scratch_(scratch) {}

 private:
  void* Address(int i) const;

  uint8_t* scratch_;
};

// Runs a partition, as LiteRT's SimpleDelegateKernelInterface does. `state` is the kernel's own, from the
// arena in most cases; every function gets it.
struct DelegateKernel {
  void* state = nullptr;
  // Null: there is nothing to do.
  Status (*Init)(void* state, DelegatePrepareContext& context, const DelegateParams& params) = nullptr;
  // Any status but kOk is a refusal: the nodes run elsewhere. context.Decline says why.
  Status (*Prepare)(void* state, DelegatePrepareContext& context) = nullptr;
  // Any status but kOk ends Invoke.
  Status (*Eval)(void* state, DelegateEvalContext& context) = nullptr;
  // Frees what the kernel holds outside the arena. Called for each kernel that is declined, for all when
  // AllocateTensors fails, and by MicroInterpreter::FreeKernels. May be null.
  void (*Free)(void* state) = nullptr;
  // May be null.
  DelegateCounters (*Counters)(const void* state) = nullptr;
};

struct DelegatePartition {
  const Delegate* delegate = nullptr;
  DelegateKernel kernel;
  DelegateParams params;
  void** addresses = nullptr;  // Of the inputs, then of the outputs.
  uint32_t scratch_bytes = 0;
  size_t persistent_bytes = 0;  // All that AllocatePersistent gave the kernel.
  // For the interpreter alone.
  Graph* graph = nullptr;
  DelegatePartition* next = nullptr;
};

struct SimpleDelegateOptions {
  int32_t max_delegated_partitions = 0;  // The largest ones are kept; 0 or less: all.
  int32_t min_nodes_per_partition = 0;   // 0 or less: one.
  int32_t max_nodes_per_partition = 0;   // Larger ones are cut in pieces; 0 or less: none is too large.
};

// LiteRT's SimpleDelegateInterface.
struct Delegate {
  void* state = nullptr;  // Passed to every function.
  // Must not be null.
  const char* (*Name)(const void* state) = nullptr;
  // Called before the other functions; a delegate that fails here gets no nodes. May be null.
  Status (*Initialize)(void* state, CpuFeatures features) = nullptr;
  // Must not be null, has no effects and always answers the same. Where the answer is no, *reason may say
  // why.
  bool (*IsNodeSupportedByDelegate)(const void* state, const DelegateNode& node,
                                    const char** reason) = nullptr;
  // Fills in `kernel` for one partition. Must not be null.
  Status (*CreateDelegateKernelInterface)(void* state, DelegatePrepareContext& context,
                                          DelegateKernel* kernel) = nullptr;
  // May be null.
  SimpleDelegateOptions (*DelegateOptions)(const void* state) = nullptr;
  // The codecs whose compressed constants it can take. Nodes with constants of other codecs run on the CPU.
  CodecSet compressed = {};
};

// For tools: hooks of AllocateTensors. A hook may be null. `delegate` is the number in the list, `node` the
// index in the main graph.
struct DelegateObserver {
  void* user = nullptr;
  // Called once for each node and each delegate that does not take the node. `reason` lives until it returns.
  void (*declined)(void* user, int delegate, int node, const char* reason) = nullptr;
};

// The delegates in the order of preference. They and the observer must outlive the interpreter.
struct DelegateList {
  Span<const Delegate* const> delegates;
  const DelegateObserver* observer = nullptr;
};

// The partition that a node of an interpreter (MicroInterpreter::node) is in; null: it runs on the CPU. The
// first of a partition's nodes runs all of them, the others nothing.
const DelegatePartition* PartitionOf(const Node& node);
bool RunsPartition(const Node& node);

}  // namespace lutra
