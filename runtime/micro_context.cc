// SPDX-License-Identifier: Apache-2.0

#include "runtime/micro_context.h"

#include <string.h>

namespace lutra {

int32_t MicroContext::InputTensor(int i) const {
  if (i >= node_->input_count) return -1;
  return model_->node(node_->subgraph, node_->index).inputs[i];
}

int32_t MicroContext::OutputTensor(int i) const {
  return model_->node(node_->subgraph, node_->index).outputs[i];
}

Status MicroContext::CheckOperandCounts(int min_inputs, int max_inputs, int outputs) {
  if (input_count() < min_inputs) return Refuse(Rule::kInputCount, kNoOperand, input_count(), min_inputs);
  if (input_count() > max_inputs) return Refuse(Rule::kInputCount, kNoOperand, input_count(), max_inputs);
  if (output_count() != outputs) return Refuse(Rule::kOutputCount, kNoOperand, output_count(), outputs);
  for (int i = 0; i < min_inputs; ++i) {
    if (!HasInput(i)) return Refuse(Rule::kInputMissing, kNoOperand, i);
  }
  return Status::kOk;
}

Status MicroContext::Refuse(Rule rule, int operand, int32_t found, int32_t required) {
  diagnosis_->rule = rule;
  diagnosis_->subgraph = node_->subgraph;
  diagnosis_->node = node_->index;
  diagnosis_->tensor = -1;
  if (operand >= OutputOperand(0)) {
    diagnosis_->tensor = OutputTensor(operand - OutputOperand(0));
  } else if (operand >= 0) {
    diagnosis_->tensor = InputTensor(operand);
  }
  diagnosis_->found = found;
  diagnosis_->required = required;
  if (rule == Rule::kRuntimeIndex || rule == Rule::kRuntimeDivisor) return Status::kInvalidInput;
  return Status::kInvalidModel;
}

Status MicroContext::TooSmall(size_t more_bytes) {
  diagnosis_->rule = Rule::kArenaTooSmall;
  const size_t wanted = arena_->persistent_bytes() + arena_->head_bytes() + more_bytes;
  diagnosis_->wanted_bytes = (wanted + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
  return Status::kArenaTooSmall;
}

Status MicroContext::AllocatePersistent(size_t bytes, size_t alignment, RecordKind kind, void** memory,
                                        int32_t records) {
  *memory = arena_->AllocatePersistent(bytes, alignment, kind, records);
  return *memory == nullptr ? TooSmall(bytes) : Status::kOk;
}

Status MicroContext::RequestScratch(int32_t bytes, int* index) {
  constexpr uint32_t kLimit = INT32_MAX - kArenaAlignment;
  if (bytes < 0 || static_cast<uint32_t>(bytes) > kLimit - node_->scratch_offset) {
    return Refuse(Rule::kTensorSize);
  }
  *index = static_cast<int>(node_->scratch_offset);
  node_->scratch_offset += static_cast<uint32_t>(bytes);
  node_->scratch_offset = static_cast<uint32_t>((node_->scratch_offset + kArenaAlignment - 1) /
                                                kArenaAlignment * kArenaAlignment);
  return Status::kOk;
}

Status MicroContext::DeclareRows(int input, int output, const RowMap& map) {
  if (map.access == RowMap::Access::kWhole) return Status::kOk;
  const bool elementwise = map.access == RowMap::Access::kElementwise;
  const TensorInfo out = Output(output);
  if (elementwise && Input(input).bytes != out.bytes) return Status::kOk;
  const Overlap overlap = SafeDistance(map);
  auto* request = static_cast<PlanOverlap*>(arena_->GrowHead(sizeof(PlanOverlap)));
  if (request == nullptr) return TooSmall(sizeof(PlanOverlap));
  *request = {.input = static_cast<uint16_t>(input),
              .output = static_cast<uint16_t>(output),
              .step = static_cast<uint16_t>(NodePosition() + 1),
              .element_bytes = static_cast<uint8_t>(elementwise ? ElementBytes(out.type) : 0),
              .forward = overlap.forward,
              .reverse = overlap.reverse};
  return Status::kOk;
}

Status MicroContext::DeclareAlias(int input, int output) {
  auto* request = static_cast<PlanOverlap*>(arena_->GrowHead(sizeof(PlanOverlap)));
  if (request == nullptr) return TooSmall(sizeof(PlanOverlap));
  *request = {.input = static_cast<uint16_t>(input),
              .output = static_cast<uint16_t>(output),
              .step = static_cast<uint16_t>(NodePosition() + 1),
              .alias = true};
  return Status::kOk;
}

void MicroContext::CopyUnlessAliased(int input, int output, size_t bytes) const {
  const void* from = node_->addresses[input];
  void* to = OutputData<void>(output);
  if (from != to) memcpy(to, from, bytes);
}

Status MicroContext::ConstantBytes(int i, const void** bytes) {
  // Before memory is planned, only constants have an address.
  *bytes = i < node_->input_count ? node_->addresses[i] : nullptr;
  if (*bytes != nullptr && !Input(i).is_constant()) *bytes = nullptr;  // A variable.
  return Status::kOk;
}

Status MicroContext::FindOrCreateResource(const VarHandleOptions& names, Resource** resource) {
  for (Resource* r = resources_; r != nullptr; r = r->next) {
    if (strcmp(r->container, names.container) == 0 && strcmp(r->shared_name, names.shared_name) == 0) {
      *resource = r;
      return Status::kOk;
    }
  }
  LUTRA_TRY(AllocateArray(1, RecordKind::kVariables, resource));
  **resource = Resource{};
  (*resource)->container = names.container;
  (*resource)->shared_name = names.shared_name;
  (*resource)->next = resources_;
  resources_ = *resource;
  return Status::kOk;
}

Status MicroContext::ResourceOfInput(int i, const TensorInfo& value, Resource** resource) {
  *resource = nullptr;
  const int32_t handle = InputTensor(i);
  for (const Node* n = nodes_; n != node_; ++n) {
    if (n->op->code != BuiltinOperator::kVarHandle || n->subgraph != node_->subgraph) continue;
    if (model_->node(n->subgraph, n->index).outputs[0] == handle) {
      *resource = *static_cast<Resource* const*>(n->data);
    }
  }
  if (*resource == nullptr) return Refuse(Rule::kVariable, i);
  Resource& r = **resource;
  if (r.data == nullptr) {
    void* memory = nullptr;
    LUTRA_TRY(AllocatePersistent(static_cast<size_t>(value.bytes), kArenaAlignment, RecordKind::kVariables,
                                 &memory));
    r.data = static_cast<uint8_t*>(memory);
    r.bytes = value.bytes;
    r.type = value.type;
    // Variables start at real 0, which for int8 is the code of the zero point.
    r.reset_byte = value.type == TensorType::kInt8 ? static_cast<uint8_t>(value.zero_point) : 0;
    memset(r.data, r.reset_byte, static_cast<size_t>(r.bytes));
  }
  if (r.bytes != value.bytes || r.type != value.type) return Refuse(Rule::kVariable, i, value.bytes, r.bytes);
  return Status::kOk;
}

}  // namespace lutra
