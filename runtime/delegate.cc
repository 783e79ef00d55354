// SPDX-License-Identifier: Apache-2.0
// Shows delegates their nodes and partitions, and allocates what they request.

#include "lutra/delegate.h"

#include "runtime/decoders.h"
#include "runtime/delegation.h"

namespace lutra {

int DelegateNode::DecoderOf(int i) const {
  if (!has_decoders_ || i < 0 || !HasInput(i)) return -1;
  const Model& model = *graph_->model;
  const Decoder decoder = FindDecoder(model, 0, info_.inputs[i]);
  if (decoder.node < 0) return -1;
  const NodeInfo node = model.node(0, decoder.node);
  if (node.inputs.count != 2 * node.outputs.count) return -1;
  for (int k = 0; k < node.inputs.count; ++k) {
    if (node.inputs[k] < 0 || !model.tensor(0, node.inputs[k]).is_constant()) return -1;
  }
  return decoder.node;
}

bool DelegateNode::IsCompressed(int i) const {
  if (i < 0 || !HasInput(i)) return false;
  return Input(i).is_compressed || DecoderOf(i) >= 0;
}

Encoding DelegateNode::InputEncoding(int i) const {
  if (Input(i).is_compressed) return graph_->model->encoding(0, info_.inputs[i]);
  Encoding encoding;
  (void)ReadDecoder(*graph_->model, 0, {DecoderOf(i), info_.inputs[i]}, &encoding);  // Checked before.
  return encoding;
}

const DelegateParams& DelegateContext::params() const { return partition_->params; }

DelegateNode DelegateContext::node(int k) const {
  return {*graph_, true, partition_->params.nodes_to_replace[static_cast<size_t>(k)]};
}

bool DelegateContext::IsOutput(int32_t tensor) const {
  for (const int32_t t : params().output_tensors) {
    if (t == tensor) return true;
  }
  return false;
}

Status DelegateContext::DecodeInput(const DelegateNode& node, int i, void* values) const {
  const DecodeFn decode = graph_->options.decode;
  if (decode == nullptr || values == nullptr || !node.IsCompressed(i)) return Status::kUnsupported;
  const bool decoded = decode(node.InputEncoding(i), graph_->options.cpu_features, values);
  return decoded ? Status::kOk : Status::kUnsupported;
}

// ---- Prepare.

Status DelegatePrepareContext::Decline(const char* reason) {
  if (reason_ == nullptr) reason_ = reason != nullptr ? reason : "";
  return Status::kUnsupported;
}

Status DelegatePrepareContext::DeclineNode(int k, const char* reason) {
  if (!delegation_->HandBack(*partition_, k, reason))
    return Decline("hands back a node that it was not given");
  handed_back_ = true;
  return Status::kUnsupported;
}

Status DelegatePrepareContext::AllocatePersistent(int64_t bytes, void** memory) {
  *memory = nullptr;
  if (bytes < 0 || bytes > INT32_MAX) return Decline("asks for more memory than there can be");
  const auto size = static_cast<size_t>(bytes);
  const Status status = graph_->AllocatePersistent(size, kArenaAlignment, RecordKind::kDelegates, memory);
  if (status == Status::kOk) partition_->persistent_bytes += size;
  arena_too_small_ = arena_too_small_ || status != Status::kOk;
  return status;
}

Status DelegatePrepareContext::RequestScratch(int64_t bytes, int* index) {
  constexpr auto kLimit = static_cast<int64_t>(INT32_MAX - kArenaAlignment);
  const auto asked = static_cast<int64_t>(partition_->scratch_bytes);
  if (bytes < 0 || bytes > kLimit - asked) return Decline("asks for more memory than there can be");
  *index = static_cast<int>(asked);
  constexpr auto kAlignment = static_cast<int64_t>(kArenaAlignment);
  partition_->scratch_bytes =
      static_cast<uint32_t>((asked + bytes + kAlignment - 1) / kAlignment * kAlignment);
  return Status::kOk;
}

Status DelegatePrepareContext::ConstantBytes(const DelegateNode& node, int i, const void** values) {
  *values = nullptr;
  if (i < 0 || !node.IsConstant(i)) return Decline("asks for the values of what is not constant");
  const TensorInfo info = node.Input(i);
  void* memory = nullptr;
  if (node.IsCompressed(i)) {
    LUTRA_TRY(AllocatePersistent(info.bytes, &memory));
    *values = memory;
    return DecodeInput(node, i, memory);
  }
  const Status status = delegation_->PlaceConstant(info, &memory);
  *values = memory;
  arena_too_small_ = arena_too_small_ || status != Status::kOk;
  return status;
}

// ---- Eval.

void* DelegateEvalContext::Address(int i) const { return partition_->addresses[i]; }

void* DelegateEvalContext::TensorData(int32_t tensor) const {
  const DelegateParams& p = params();
  for (size_t i = 0; i < p.input_tensors.size(); ++i) {
    if (p.input_tensors[i] == tensor) return partition_->addresses[i];
  }
  for (size_t i = 0; i < p.output_tensors.size(); ++i) {
    if (p.output_tensors[i] == tensor) return partition_->addresses[p.input_tensors.size() + i];
  }
  return nullptr;
}

}  // namespace lutra
