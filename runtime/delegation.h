// SPDX-License-Identifier: Apache-2.0
// Delegation: groups the nodes that delegates take into partitions and puts each partition's nodes side by
// side in the graph; the first of them runs all.
//
//   Delegation delegation(&graph, &builder, list);
//   const Status status = builder.BuildWith(&delegation);
//   if (status != Status::kOk) delegation.FreeKernels();
//
// Nodes are numbered by their positions. A set of nodes is closed if no path leaves it and comes back. Each
// node gets a level, at least that of every node whose output it reads: odd for nodes that the delegate may
// take, even for all others. So the nodes of one odd level are closed, and all odd levels are so together.

#pragma once

#include <stdint.h>

#include "lutra/delegate.h"
#include "lutra/graph.h"
#include "lutra/status.h"
#include "runtime/graph_builder.h"

namespace lutra {

class Delegation {
 public:
  Delegation(Graph* graph, GraphBuilder* builder, const DelegateList& list)
      : graph_(graph), builder_(builder), list_(list) {}

  // ---- For GraphBuilder::BuildWith.

  static constexpr bool kTakesNodes = true;

  // Gives the delegates the nodes that they take, and lays these out.
  Status TakeNodes();
  // Treats a partition as one node at its first node's position; tensors inside it need no memory.
  void SetLifetimes(TensorLifetime* lifetimes);
  void SetAddresses();

  // Frees the kernels of all partitions.
  void FreeKernels() { FreeKernelsAfter(nullptr); }

 private:
  friend class DelegatePrepareContext;

  // Facts about the node at a position while partitions are made.
  struct Mark {
    uint16_t level;
    uint16_t before;  // A node that must run before this one, besides those whose tensors it reads.
    uint16_t unit;    // The first node of those that run as one: its partition's, or itself.
    uint16_t next;    // The next of them.
    bool candidate;
    bool placed;
  };

  bool CanDelegate() const;
  Status AllocateMarks();
  Status TakeNodesOf(int d);
  bool IndexNodes();
  bool IndexNode(int position);
  static bool IsStateful(const Graph& graph, const Node& node);
  Status Probe();
  Status CheckNode(Node* node);
  const char* WhyNot(const Node& node, const DelegateNode& asked) const;
  const char* WhyNotCompressed(const DelegateNode& node, int i) const;
  void Plan();
  int LevelBefore(int position) const;
  void AssignLevels(int most_nodes);
  void DropLevel(int level, const char* reason);
  void ApplyOptions(const SimpleDelegateOptions& options);
  // `again`: nodes were handed back, so that the plan no longer holds.
  Status MakePartitions(bool* again);
  Status MakePartition(int level, bool* again);
  Status FillPartition(int level, DelegatePartition* partition);
  // Counts the tensors that the nodes of the level read and write; stores them unless the lists are null.
  void ListTensors(int level, int32_t* inputs, int* input_count, int32_t* outputs, int* output_count);
  Status AskKernel(DelegatePartition* partition, DelegatePrepareContext& context) const;
  void JoinNodes(int level, DelegatePartition* partition);
  void PlaceNodes();
  int UnplacedBefore(int unit) const;
  void PermuteNodes();
  void LeaveOutDecoders();
  bool IsReadByPartitionsOnly(int32_t tensor) const;
  void Decline(int position, const char* reason);
  Status PlaceConstant(const TensorInfo& info, void** address);
  // False if the partition has no node k.
  bool HandBack(const DelegatePartition& partition, int k, const char* reason);
  void FreeKernelsAfter(const DelegatePartition* partition);
  bool IsOf(int position, int level) const {
    return marks_[position].candidate && marks_[position].level == level;
  }

  const Model& model() const { return *graph_->model; }
  // Calls visit(q) for each node q that must run before this one.
  template <typename Visit>
  void ForEachProducer(int position, const Visit& visit) const {
    const Node& node = graph_->nodes[position];
    if (marks_[position].before != kNone) visit(marks_[position].before);
    if (node.subgraph != 0) return;
    const NodeInfo info = model().node(0, node.index);
    for (int i = 0; i < info.inputs.count; ++i) {
      if (info.inputs[i] < 0) continue;
      const uint16_t producer = producers_[info.inputs[i]];
      if (producer < kGraphInput) visit(producer);
    }
  }

  static constexpr uint16_t kNone = 0xFFFF;
  static constexpr uint16_t kGraphInput = 0xFFFE;
  static constexpr uint16_t kListed = 0xFFFF;

  Graph* graph_;
  GraphBuilder* builder_;
  DelegateList list_;
  const Delegate* delegate_ = nullptr;  // The one that is asked now.
  int number_ = 0;
  bool has_decoders_ = false;
  DelegatePartition* partitions_ = nullptr;
  DelegatePartition* last_ = nullptr;
  // In the head until TakeNodes is done.
  Mark* marks_ = nullptr;          // One for each position.
  uint16_t* producers_ = nullptr;  // The position that makes a tensor of the main graph.
  uint16_t* readers_ = nullptr;    // How often a tensor is an input of a node or an output of the graph.
  uint16_t* inside_ = nullptr;     // How many of these are inside a partition; kListed: an input of it.
  uint16_t* order_ = nullptr;      // The new positions: which node is at each.
  uint16_t* stack_ = nullptr;
  uint16_t* sizes_ = nullptr;  // How many candidates each level has.
  int level_count_ = 0;
};

}  // namespace lutra
