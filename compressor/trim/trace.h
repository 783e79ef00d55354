// SPDX-License-Identifier: Apache-2.0
// Trace: finds the codes that a model's channels can have, from the input to the outputs, and which channels
// depend on each other.
//
//   const Trace trace(file.model);
//   if (trace.range(tensor, position).is_constant()) ...
//
// A channel is a position of a tensor's last dimension, for all other indices at once. Its bounds are an
// interval, computed from the intervals of the operator's inputs; no input of the model leads to values
// outside.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compressor/trim/layer.h"

namespace lutra::compressor {

class Trace {
 public:
  explicit Trace(const Model& model);

  int tensor_count() const { return static_cast<int>(counts_.size()); }
  // Channels of a tensor; 0: of other types than int8, or of too many.
  int32_t count(int32_t tensor) const { return counts_[static_cast<size_t>(tensor)]; }
  // Channels have numbers from 0 to total() - 1, those of a tensor one behind the other.
  int32_t first(int32_t tensor) const { return firsts_[static_cast<size_t>(tensor)]; }
  int32_t total() const { return static_cast<int32_t>(ranges_.size()); }
  const CodeRange& range(int32_t channel) const { return ranges_[static_cast<size_t>(channel)]; }
  std::span<const CodeRange> ranges(int32_t tensor) const {
    return std::span<const CodeRange>(ranges_).subspan(static_cast<size_t>(first(tensor)),
                                                       static_cast<size_t>(count(tensor)));
  }

  // Channels that stay or go together.
  const std::vector<std::pair<int32_t, int32_t>>& links() const { return links_; }
  // Tensors that keep all of their channels, and why.
  struct Pinned {
    int32_t tensor;
    std::string why;
  };
  const std::vector<Pinned>& pinned() const { return pinned_; }
  // In the order in which they run.
  const std::vector<Layer>& layers() const { return layers_; }
  // Nodes of RESHAPE, whose shapes change with their outputs.
  const std::vector<int>& reshapes() const { return reshapes_; }
  const FixedTensors& fixed() const { return fixed_; }
  // A constant list of int32, such as RESHAPE's shape; empty for any other tensor.
  std::vector<int32_t> ListOf(int32_t tensor) const;

 private:
  void NumberChannels();
  void PinInterface();
  void PinUnread();
  void Pin(int32_t tensor, const std::string& why);
  // Returns whether the node has one output that nothing else writes, and that many inputs, all with
  // channels.
  bool HasOperands(const NodeInfo& node, int32_t inputs) const;
  bool TraceNode(int node);
  bool TraceLayer(int node);
  bool TraceSum(const NodeInfo& node);
  bool TracePool(const NodeInfo& node);
  bool TraceMean(const NodeInfo& node);
  bool TracePad(const NodeInfo& node);
  bool TraceConcatenation(const NodeInfo& node);
  bool TraceReshape(int node);
  // Links the channels of both, and gives the output the input's ranges.
  bool PassOn(int32_t input, int32_t output);

  CodeRange& RangeOf(int32_t tensor, int32_t position) {
    return ranges_[static_cast<size_t>(first(tensor) + position)];
  }
  void Link(int32_t a, int32_t position_a, int32_t b, int32_t position_b) {
    links_.emplace_back(first(a) + position_a, first(b) + position_b);
  }

  const Model& model_;
  FixedTensors fixed_;
  std::vector<int32_t> counts_, firsts_;
  std::vector<int> writers_;  // Of each tensor: how many nodes write it.
  std::vector<CodeRange> ranges_;
  std::vector<std::pair<int32_t, int32_t>> links_;
  std::vector<Pinned> pinned_;
  std::vector<Layer> layers_;
  std::vector<int> reshapes_;
};

}  // namespace lutra::compressor
