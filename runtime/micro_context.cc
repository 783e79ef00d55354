// SPDX-License-Identifier: Apache-2.0

#include "lutra/micro_context.h"

#include <string.h>

#include "runtime/text.h"

namespace lutra {
namespace {

constexpr uint16_t kForever = 0xFFFF;

}  // namespace

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
  if (*memory != nullptr) return Status::kOk;
  // With the gap that the alignment leaves.
  const size_t used = arena_->persistent_bytes();
  return TooSmall((used + bytes + alignment - 1) / alignment * alignment - used);
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

// ---- Compressed tensors.

const TensorLifetime& MicroContext::LifetimeOf(int32_t tensor) const {
  const TensorLifetime* lifetimes = lifetimes_;
  for (int s = 0; s < node_->subgraph; ++s) lifetimes += model_->tensor_count(s);
  return lifetimes[tensor];
}

CompressionTensorData* MicroContext::FindCompressed(int operand) const {
  for (CompressionTensorData* r = node_compressed_; r != nullptr && r->node == NodePosition(); r = r->next) {
    if (r->operand == operand) return r;
  }
  return nullptr;
}

Status MicroContext::AddCompressed(int operand, int32_t bytes, uint16_t last_step,
                                   CompressionTensorData** record) {
  // Records are searched one by one.
  constexpr int kMaxRecords = 4096;
  if (++compressed_count_ > kMaxRecords) return Refuse(Rule::kTooMany, operand);
  LUTRA_TRY(AllocateArray(1, RecordKind::kCompression, record));
  CompressionTensorData& r = **record;
  r = {.bytes = bytes,
       .operand = operand,
       .node = static_cast<uint16_t>(NodePosition()),
       .last_step = decompression_ == DecompressionPolicy::kAtInit ? kForever : last_step};
  r.values = FindAlternateMemory(bytes);
  (last_compressed_ == nullptr ? compressed_ : last_compressed_->next) = &r;
  last_compressed_ = &r;
  if (node_compressed_ == nullptr || node_compressed_->node < r.node) node_compressed_ = &r;
  return Status::kOk;
}

// The lowest place in the first region that has one. Places whose values are no longer needed when
// this node runs are free again, so that each operator begins with empty regions.
uint8_t* MicroContext::FindAlternateMemory(int32_t bytes) const {
  const auto aligned = [](uintptr_t address) {
    return (address + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
  };
  const int step = NodePosition() + 1;
  for (const AlternateMemoryRegion& region : regions_) {
    const auto begin = reinterpret_cast<uintptr_t>(region.address);
    const uintptr_t end = begin + region.bytes;
    uintptr_t place = aligned(begin);
    for (bool moved = true; moved;) {
      moved = false;
      for (const CompressionTensorData* r = compressed_; r != nullptr; r = r->next) {
        const auto other = reinterpret_cast<uintptr_t>(r->values);
        const uintptr_t other_end = other + static_cast<uintptr_t>(r->bytes);
        if (other == 0 || r->last_step < step) continue;
        if (other_end <= place || place + static_cast<uintptr_t>(bytes) <= other) continue;
        place = aligned(other_end);
        moved = true;
      }
    }
    if (place <= end && static_cast<uintptr_t>(bytes) <= end - place)
      return reinterpret_cast<uint8_t*>(place);
  }
  return nullptr;
}

// Where policy at-init has decoded this tensor for another node; null if nowhere.
void* MicroContext::FindDecoded(int32_t tensor) const {
  for (const CompressionTensorData* r = compressed_; r != nullptr; r = r->next) {
    const Node& node = nodes_[r->node];
    if (!r->decoded || r->operand >= OutputOperand(0) || node.subgraph != node_->subgraph) continue;
    if (model_->node(node.subgraph, node.index).inputs[r->operand] == tensor) return r->values;
  }
  return nullptr;
}

Status MicroContext::AllocateDecompressionScratchBuffer(int i, int* scratch) {
  *scratch = -1;
  if (!HasInput(i)) return Status::kOk;
  const TensorInfo info = Input(i);
  if (!info.is_compressed) return Status::kOk;
  if (decode_ == nullptr) return Refuse(Rule::kDecoderMissing, i);
  const bool at_init = decompression_ == DecompressionPolicy::kAtInit;
  void* const shared = at_init ? FindDecoded(InputTensor(i)) : nullptr;
  CompressionTensorData* record = nullptr;
  if (shared != nullptr) {
    LUTRA_TRY(AddCompressed(i, 0, kForever, &record));
    record->values = shared;
    record->decoded = true;
    return Status::kOk;
  }
  LUTRA_TRY(AddCompressed(i, info.bytes, static_cast<uint16_t>(NodePosition() + 1), &record));
  if (!at_init) {
    if (record->values != nullptr) return Status::kOk;
    LUTRA_TRY(RequestScratch(info.bytes, scratch));
    record->scratch = *scratch;
    return Status::kOk;
  }
  return DecodeNow(record, model_->encoding(node_->subgraph, InputTensor(i)), decode_);
}

Status MicroContext::DecodeNow(CompressionTensorData* record, const Encoding& encoding, DecodeFn decode) {
  if (record->values == nullptr) {
    LUTRA_TRY(AllocatePersistent(static_cast<size_t>(record->bytes), kArenaAlignment, RecordKind::kDecoded,
                                 &record->values));
  }
  DecodeOperand(decode, encoding, record->operand, record->values);
  record->decoded = true;
  return Status::kOk;
}

const void* MicroContext::DecodeInput(const CompressionTensorData& input) const {
  if (!input.decoded) {
    DecodeOperand(decode_, model_->encoding(node_->subgraph, InputTensor(input.operand)), input.operand,
                  input.values);
  }
  return input.values;
}

Status MicroContext::PlaceDecoded(int i, const Encoding& encoding, DecodeFn decode) {
  const bool at_init = decompression_ == DecompressionPolicy::kAtInit;
  if (!at_init && regions_.empty()) return Status::kOk;
  CompressionTensorData* record = nullptr;
  LUTRA_TRY(AddCompressed(OutputOperand(i), Output(i).bytes, LifetimeOf(OutputTensor(i)).last, &record));
  return at_init ? DecodeNow(record, encoding, decode) : Status::kOk;
}

bool MicroContext::IsDecoded(int i) const {
  const CompressionTensorData* record = FindCompressed(OutputOperand(i));
  return record != nullptr && record->decoded;
}

void MicroContext::DecodeOperand(DecodeFn decode, const Encoding& encoding, int operand, void* values) const {
  const bool timed = profiler_ != nullptr && profiler_->begin_decode != nullptr;
  if (timed) profiler_->begin_decode(profiler_->user, NodePosition(), operand);
  decode(encoding, cpu_features_, values);
  if (timed) profiler_->end_decode(profiler_->user, NodePosition(), operand);
}

// ---- Variables.

Status MicroContext::FindOrCreateResource(const VarHandleOptions& names, Resource** resource) {
  for (Resource* r = resources_; r != nullptr; r = r->next) {
    if (SameText(r->container, names.container) && SameText(r->shared_name, names.shared_name)) {
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
