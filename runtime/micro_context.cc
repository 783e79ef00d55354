// SPDX-License-Identifier: Apache-2.0
// The checks and requests of prepare. decoded_operands.cc has those of compressed operands.

#include "lutra/micro_context.h"

#include <string.h>

#include "lutra/row_groups.h"
#include "runtime/head_plan.h"
#include "runtime/text.h"

namespace lutra {

int32_t MicroContext::InputTensor(int i) const {
  return i >= node_->input_count ? -1 : node_info().inputs[i];
}

int32_t MicroContext::OutputTensor(int i) const { return node_info().outputs[i]; }

Status MicroContext::Refuse(Rule rule, int operand, int32_t found, int32_t required) const {
  Diagnosis& diagnosis = graph_->diagnosis;
  diagnosis.rule = rule;
  diagnosis.subgraph = node_->subgraph;
  diagnosis.node = node_->index;
  diagnosis.tensor = -1;
  if (operand >= OutputOperand(0)) {
    diagnosis.tensor = OutputTensor(operand - OutputOperand(0));
  } else if (operand >= 0) {
    diagnosis.tensor = InputTensor(operand);
  }
  diagnosis.found = found;
  diagnosis.required = required;
  switch (rule) {
    case Rule::kRuntimeIndex:
    case Rule::kRuntimeDivisor:
    case Rule::kRuntimeShape:
    case Rule::kRuntimeBox:
    case Rule::kRuntimeNegative:
    case Rule::kRuntimeLoop:
      return Status::kInvalidInput;
    default:
      return Status::kInvalidModel;
  }
}

Status PrepareContext::CheckOperandCounts(int min_inputs, int max_inputs, int outputs) const {
  if (input_count() < min_inputs) return Refuse(Rule::kInputCount, kNoOperand, input_count(), min_inputs);
  if (input_count() > max_inputs) return Refuse(Rule::kInputCount, kNoOperand, input_count(), max_inputs);
  if (output_count() != outputs) return Refuse(Rule::kOutputCount, kNoOperand, output_count(), outputs);
  for (int i = 0; i < min_inputs; ++i) {
    if (!HasInput(i)) return Refuse(Rule::kInputMissing, kNoOperand, i);
  }
  return Status::kOk;
}

const void* PrepareContext::ConstantBytes(int i) const {
  // Before memory is planned, only constants and variables have an address.
  return i < node_->input_count && Input(i).is_constant() ? node_->addresses[i] : nullptr;
}

// ---- Memory.

Status PrepareContext::RequestScratch(int32_t bytes, int* index) {
  constexpr uint32_t kLimit = INT32_MAX - kArenaAlignment;
  uint32_t& asked = node_->request.scratch_bytes;
  if (bytes < 0 || static_cast<uint32_t>(bytes) > kLimit - asked) return Refuse(Rule::kTensorSize);
  *index = static_cast<int>(asked);
  asked += static_cast<uint32_t>(bytes);
  asked = static_cast<uint32_t>((asked + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment);
#if LUTRA_HAVE_SCRATCH_LAYERS
  node_->request.more_scratch_bytes = 0;
#endif
  return Status::kOk;
}

#if LUTRA_HAVE_SCRATCH_LAYERS
Status PrepareContext::RequestGrowingScratch(const ScratchBytes& bytes, int32_t* certain, int* index) {
  *certain = policy() == MemoryPolicy::kFast ? bytes.most : bytes.least;
  LUTRA_TRY(RequestScratch(*certain, index));
  node_->request.more_scratch_bytes = bytes.most - *certain;
  return Status::kOk;
}
#endif

Status PrepareContext::AddPlanSlot(const PlanSlot& request) {
  PlanSlot* slot = nullptr;
  LUTRA_TRY(graph_->GrowHead(1, &slot));
  *slot = request;
  return Status::kOk;
}

Status PrepareContext::DeclareRows(int input, int output, const RowMap& map) {
  if (map.access == RowMap::Access::kWhole) return Status::kOk;
  const bool elementwise = map.access == RowMap::Access::kElementwise;
  const TensorInfo out = Output(output);
  if (elementwise && Input(input).bytes != out.bytes) return Status::kOk;
  if (shared_->row_plan != nullptr) {
    graph_->options.row_groups->declare(*shared_->row_plan, NodePosition(), input, output, map);
  }
  const Overlap distance = SafeDistance(map);
  return AddPlanSlot(
      {.request = {.input = static_cast<uint16_t>(input),
                   .output = static_cast<uint16_t>(output),
                   .node = static_cast<uint16_t>(NodePosition()),
                   .element_bytes = static_cast<uint8_t>(elementwise ? ElementBytes(out.type) : 0),
                   .forward = distance.forward,
                   .reverse = distance.reverse}});
}

bool PrepareContext::IsInRowGroup() const {
  return shared_->row_plan != nullptr &&
         graph_->options.row_groups->contains(*shared_->row_plan, NodePosition());
}

Status PrepareContext::FindPlannedMultipliers(int input, int filter, int32_t channels,
                                              const Multiplier** table) {
  if (shared_->row_plan == nullptr) return Status::kOk;
  return graph_->options.row_groups->multipliers(*shared_->row_plan, *this, {input, filter, channels}, table);
}

Status PrepareContext::DeclareAlias(int input, int output) {
  return AddPlanSlot({.request = {.input = static_cast<uint16_t>(input),
                                  .output = static_cast<uint16_t>(output),
                                  .node = static_cast<uint16_t>(NodePosition()),
                                  .alias = true}});
}

Status EvalContext::AddPoolRow(const PoolArgs& args) {
  return graph_->options.row_groups->add_row(*this, args);
}

// ---- Variables.

Status PrepareContext::FindOrCreateResource(const VarHandleOptions& names, Resource** resource) {
  for (Resource* r = graph_->resources; r != nullptr; r = r->next) {
    if (r->container != nullptr && SameText(r->container, names.container) &&
        SameText(r->shared_name, names.shared_name)) {
      *resource = r;
      return Status::kOk;
    }
  }
  LUTRA_TRY(AddResource(resource));
  (*resource)->container = names.container;
  (*resource)->shared_name = names.shared_name;
  return Status::kOk;
}

Status PrepareContext::AddResource(Resource** resource) {
  LUTRA_TRY(AllocateArray(1, RecordKind::kVariables, resource));
  **resource = Resource{};
  (*resource)->next = graph_->resources;
  graph_->resources = *resource;
  return Status::kOk;
}

Status PrepareContext::AllocateState(int32_t bytes, void** state) {
  Resource* resource = nullptr;
  LUTRA_TRY(AddResource(&resource));
  LUTRA_TRY(
      graph_->AllocatePersistent(static_cast<size_t>(bytes), kArenaAlignment, RecordKind::kVariables, state));
  resource->data = static_cast<uint8_t*>(*state);
  resource->bytes = bytes;
  return Status::kOk;
}

Status PrepareContext::AllocateNodeData(size_t bytes, size_t alignment) {
  return graph_->AllocateMemory(bytes, alignment, RecordKind::kOperatorData, &node_->data);
}

void PrepareContext::NoteVariant(const char* name) const {
  const GraphVisitor& visitor = graph_->visitor;
  if (visitor.kernel != nullptr) visitor.kernel(visitor.user, NodePosition(), name);
}

Status PrepareContext::ResourceOfInput(int i, const TensorInfo& value, Resource** resource) {
  *resource = nullptr;
  const int32_t handle = InputTensor(i);
  for (const Node* n = graph_->nodes; n != node_; ++n) {
    if (n->op->code != BuiltinOperator::kVarHandle || n->subgraph != node_->subgraph) continue;
    if (graph_->model->node(n->subgraph, n->index).outputs[0] == handle) {
      *resource = *static_cast<Resource* const*>(n->data);
    }
  }
  if (*resource == nullptr) return Refuse(Rule::kVariable, i);
  Resource& r = **resource;
  if (r.data == nullptr) {
    void* memory = nullptr;
    LUTRA_TRY(graph_->AllocatePersistent(static_cast<size_t>(value.bytes), kArenaAlignment,
                                         RecordKind::kVariables, &memory));
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
