// SPDX-License-Identifier: Apache-2.0
// VtaDelegate: VTA behind the runtime's delegate interface.
//
//   vta::VtaDelegate state = {.options = {.config = config, .mode = vta::Mode::kExact}, .device = device};
//   const Delegate delegate = vta::MakeDelegate(&state);
//   const Delegate* const list[] = {&delegate};
//   LUTRA_TRY(interpreter.AllocateTensors({.delegates = list}));
//
// A partition's tensors are images in memory that the device sees. A producer writes what its consumers read;
// what comes from outside is packed, what leaves is unpacked. Streams are written once, in prepare.
//
// An operator more: a row of VtaOperator in operators.cc, and a pair lower_<op>.

#pragma once

#include "delegates/vta/driver/driver.h"
#include "lutra/delegate.h"

namespace lutra::vta {

// A layer of a partition that has run.
struct LayerReport {
  int node = 0;  // Its index in the file.
  LayerBound bound;
  RunCounters counters;
  Span<const EncodedInstruction> stream;
};

// `state` of the Delegate; it outlives the interpreter.
struct VtaDelegate {
  DriverOptions options;
  Device device;
  SimpleDelegateOptions partitions = {};
  // For tools; may be null. After each layer's run, and whenever a tensor got another layout on the
  // processor: how many bytes it read and wrote for that.
  void* user = nullptr;
  void (*layer_ran)(void* user, const LayerReport& report) = nullptr;
  void (*layout_changed)(void* user, int32_t tensor, uint64_t bytes) = nullptr;
};

Delegate MakeDelegate(VtaDelegate* state);

inline constexpr int kMostVtaInputs = 2;

// The images that a node works on, input i of the node being inputs[i]; constants have none.
struct NodeImages {
  bool has_input[kMostVtaInputs] = {};
  bool is_made[kMostVtaInputs] = {};  // By a node of the partition: known before `images` is asked.
  Image inputs[kMostVtaInputs];
  Image output;
};

// An operator on VTA.
struct VtaOperator {
  BuiltinOperator code;
  // Why VTA cannot run the node; null: it can, unless `lower` finds what only constants tell.
  const char* (*refusal)(const DriverOptions& options, const DelegateNode& node);
  // Says which layouts and frames the node wants. The node has been accepted.
  Status (*images)(const Driver& driver, const DelegateNode& node, NodeImages* images);
  // kUnsupported: declined, and layer->reason says why. The images are allocated.
  Status (*lower)(const Driver& driver, DelegatePrepareContext& context, const DelegateNode& node,
                  const NodeImages& images, LoweredLayer* layer);
};
// Null if there is none.
const VtaOperator* FindOperator(BuiltinOperator code);

// All operators require this of a tensor: int8, one finite scale above 0, a zero point of int8, no empty
// dimension.
bool IsInt8PerTensor(const TensorInfo& tensor);
// Returns the image of a tensor [images, height, width, channels], filled with its zero point.
Image ImageOfTensor(const Config& config, const TensorInfo& tensor);

}  // namespace lutra::vta
