// SPDX-License-Identifier: Apache-2.0
// VtaDelegate: VTA behind the runtime's delegate interface.
//
//   vta::VtaDelegate state = {.options = {.config = config, .mode = vta::Mode::kExact}, .device = device};
//   const Delegate delegate = vta::MakeDelegate(&state);
//   const Delegate* const list[] = {&delegate};
//   LUTRA_TRY(interpreter.AllocateTensors({.delegates = list}));
//
// A partition's tensors are images in memory that the device sees. Consumers read the images that producers
// write; tensors from outside are packed, tensors for outside unpacked. Streams are written once, in prepare.
//
// To add an operator: a row of VtaOperator in operators.cc, and a pair of files lower_<op>.

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
  // For tools; may be null. Called after each layer's run, and with the bytes read and written whenever the
  // processor has changed a tensor's layout.
  void* user = nullptr;
  void (*layer_ran)(void* user, const LayerReport& report) = nullptr;
  void (*layout_changed)(void* user, int32_t tensor, uint64_t bytes) = nullptr;
};

Delegate MakeDelegate(VtaDelegate* state);

inline constexpr int kMostVtaInputs = 2;

// The images of a node: input i of the node is inputs[i]; constants have no image.
struct NodeImages {
  bool has_input[kMostVtaInputs] = {};
  bool is_made[kMostVtaInputs] = {};  // By a node of the partition: set before `images` is called.
  Image inputs[kMostVtaInputs];
  Image output;
};

// An operator on VTA.
struct VtaOperator {
  BuiltinOperator code;
  // Returns why VTA cannot run the node; null: it can, unless `lower` finds a reason in its constants.
  const char* (*refusal)(const DriverOptions& options, const DelegateNode& node);
  // Sets the layouts and frames that the node needs. The node has been accepted.
  Status (*images)(const Driver& driver, const DelegateNode& node, NodeImages* images);
  // kUnsupported: it is declined, and layer->reason says why. The images are allocated.
  Status (*lower)(const Driver& driver, DelegatePrepareContext& context, const DelegateNode& node,
                  const NodeImages& images, LoweredLayer* layer);
};
// Returns null if there is none.
const VtaOperator* FindOperator(BuiltinOperator code);

// Returns whether a tensor has what all operators require: int8, one finite scale above 0, a zero point of
// int8, no empty dimension.
bool IsInt8PerTensor(const TensorInfo& tensor);
// Returns the image of a tensor [images, height, width, channels], filled with its zero point.
Image ImageOfTensor(const Config& config, const TensorInfo& tensor);

}  // namespace lutra::vta
