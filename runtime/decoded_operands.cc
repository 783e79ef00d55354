// SPDX-License-Identifier: Apache-2.0
// Compressed operands: the memory into which they are decoded, and the time.

#include "lutra/micro_context.h"
#include "runtime/head_plan.h"

namespace lutra {
namespace {

constexpr uint16_t kForever = 0xFFFF;

// Returns the dimension whose slices have tables of their own; -1: one table serves all.
int32_t TableAxis(const Shape& shape, const Encoding& encoding) {
  if (encoding.channels <= 1) return -1;
  int32_t inner = 1;
  for (int32_t axis = shape.rank - 1; axis >= 0; --axis) {
    if (inner == encoding.inner && shape.dims[axis] == encoding.channels) return axis;
    inner *= shape.dims[axis];
  }
  return -1;
}

}  // namespace

DecodedOperand* MicroContext::FindDecodedOperand(int operand) const {
  for (DecodedOperand* r = first_decoded_; r != nullptr && r->node == NodePosition(); r = r->next) {
    if (r->operand == operand) return r;
  }
  return nullptr;
}

CompressionTensorData MicroContext::GetTensorCompressionData(int i) const {
  CompressionTensorData data;
  if (!HasInput(i)) return data;
  const TensorInfo info = Input(i);
  if (!info.is_compressed) return data;
  const Encoding encoding = graph_->model->encoding(node_->subgraph, InputTensor(i));
  data.is_compressed = true;
  data.scheme = encoding.type;
  data.compressed_bit_width = encoding.width;
  data.axis = TableAxis(info.shape, encoding);
  data.lut_data = encoding.lut;
  data.indices = encoding.stream;
  const DecodedOperand* const record = FindDecodedOperand(i);
  if (record != nullptr) data.scratch = record->scratch;
  return data;
}

void MicroContext::DecodeOperand(DecodeFn decode, const Encoding& encoding, int operand, void* values) const {
  DecodeOperand(operand, [&] { (void)decode(encoding, graph_->options.cpu_features, values); });
}

// ---- Prepare.

const TensorLifetime& PrepareContext::LifetimeOf(int32_t tensor) const {
  return shared_->lifetimes[graph_->FirstTensor(node_->subgraph) + tensor];
}

Status PrepareContext::AddDecodedOperand(int operand, int32_t bytes, uint16_t last_step,
                                         DecodedOperand** record) {
  // Records are searched linearly.
  constexpr int kMaxRecords = 4096;
  if (++shared_->decoded_count > kMaxRecords) return Refuse(Rule::kTooMany, operand);
  LUTRA_TRY(AllocateArray(1, RecordKind::kCompression, record));
  DecodedOperand& r = **record;
  const bool at_init = graph_->options.decompression == DecompressionPolicy::kAtInit;
  r = {.bytes = bytes,
       .operand = operand,
       .node = static_cast<uint16_t>(NodePosition()),
       .last_step = at_init ? kForever : last_step};
  r.values = FindAlternateMemory(bytes);
  (shared_->last_decoded == nullptr ? graph_->decoded_operands : shared_->last_decoded->next) = &r;
  shared_->last_decoded = &r;
  if (first_decoded_ == nullptr) first_decoded_ = &r;
  return Status::kOk;
}

// Finds the lowest free memory in the first region that has any. Memory of values that are no longer needed
// when this node runs is free again, so that each operator begins with empty regions.
uint8_t* PrepareContext::FindAlternateMemory(int32_t bytes) const {
  const auto aligned = [](uintptr_t address) {
    return (address + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
  };
  const int step = NodePosition() + 1;
  for (const AlternateMemoryRegion& region : graph_->regions) {
    const auto begin = reinterpret_cast<uintptr_t>(region.address);
    const uintptr_t end = begin + region.bytes;
    uintptr_t place = aligned(begin);
    for (bool moved = true; moved;) {
      moved = false;
      for (const DecodedOperand* r = graph_->decoded_operands; r != nullptr; r = r->next) {
        const auto other = reinterpret_cast<uintptr_t>(r->values);
        const uintptr_t other_end = other + static_cast<uintptr_t>(r->bytes);
        if (other == 0 || r->last_step < step) continue;
        if (other_end <= place || place + static_cast<uintptr_t>(bytes) <= other) continue;
        place = aligned(other_end);
        moved = true;
      }
    }
    if (place <= end && static_cast<uintptr_t>(bytes) <= end - place) {
      return reinterpret_cast<uint8_t*>(place);
    }
  }
  return nullptr;
}

// Returns the address at which policy at-init has decoded this tensor for another node; null if it has not.
void* PrepareContext::FindDecoded(int32_t tensor) const {
  for (const DecodedOperand* r = graph_->decoded_operands; r != nullptr; r = r->next) {
    const Node& node = graph_->nodes[r->node];
    if (!r->decoded || r->operand >= OutputOperand(0) || node.subgraph != node_->subgraph) continue;
    if (graph_->model->node(node.subgraph, node.index).inputs[r->operand] == tensor) return r->values;
  }
  return nullptr;
}

const void* PrepareContext::DecodedInput(int i) const {
  for (const DecodedOperand* r = graph_->decoded_operands; r != nullptr; r = r->next) {
    const Node& node = graph_->nodes[r->node];
    if (!r->decoded || node.subgraph != node_->subgraph) continue;
    const NodeInfo info = graph_->model->node(node.subgraph, node.index);
    const bool is_input = r->operand < OutputOperand(0);
    const int32_t tensor = is_input ? info.inputs[r->operand] : info.outputs[r->operand - OutputOperand(0)];
    if (tensor == InputTensor(i)) return r->values;
  }
  return nullptr;
}

Status PrepareContext::PlaceInput(int i) {
  const TensorInfo info = Input(i);
  if (!info.is_compressed) return Status::kOk;
  const InterpreterOptions& options = graph_->options;
  const Encoding encoding = graph_->model->encoding(node_->subgraph, InputTensor(i));
  if (!CanDecode(options, encoding)) return Refuse(Rule::kDecoderMissing, i);
  const bool at_init = options.decompression == DecompressionPolicy::kAtInit;
  void* const shared = at_init ? FindDecoded(InputTensor(i)) : nullptr;
  DecodedOperand* record = nullptr;
  if (shared != nullptr) {
    LUTRA_TRY(AddDecodedOperand(i, 0, kForever, &record));
    record->values = shared;
    record->decoded = true;
    return Status::kOk;
  }
  LUTRA_TRY(AddDecodedOperand(i, info.bytes, static_cast<uint16_t>(NodePosition() + 1), &record));
  if (at_init) return DecodeNow(record, encoding, options.decode);
  return record->values != nullptr ? Status::kOk : RequestScratch(info.bytes, &record->scratch);
}

Status PrepareContext::AllocateDecompressionScratchBuffer(int i, int* scratch) {
  *scratch = -1;
  if (!HasInput(i) || node_->addresses[i] != nullptr) return Status::kOk;  // A streamed input has an address.
  if (FindDecodedOperand(i) == nullptr) LUTRA_TRY(PlaceInput(i));
  DecodedOperand* const record = FindDecodedOperand(i);
  if (record == nullptr) return Status::kOk;
  record->by_operator = true;
  *scratch = record->scratch;
  return Status::kOk;
}

Status PrepareContext::DecodeNow(DecodedOperand* record, const Encoding& encoding, DecodeFn decode) {
  if (record->values == nullptr) {
    LUTRA_TRY(graph_->AllocatePersistent(static_cast<size_t>(record->bytes), kArenaAlignment,
                                         RecordKind::kDecoded, &record->values));
  }
  DecodeOperand(decode, encoding, record->operand, record->values);
  record->decoded = true;
  return Status::kOk;
}

Status PrepareContext::PlaceDecoded(int i, const Encoding& encoding, DecodeFn decode) {
  const bool at_init = graph_->options.decompression == DecompressionPolicy::kAtInit;
  if (!at_init && graph_->regions.empty()) return Status::kOk;
  DecodedOperand* record = nullptr;
  LUTRA_TRY(AddDecodedOperand(OutputOperand(i), Output(i).bytes, LifetimeOf(OutputTensor(i)).last, &record));
  return at_init ? DecodeNow(record, encoding, decode) : Status::kOk;
}

// ---- Eval.

void EvalContext::Decode(const DecodedOperand& record) const {
  if (record.decoded) return;
  DecodeOperand(graph_->options.decode, graph_->model->encoding(node_->subgraph, InputTensor(record.operand)),
                record.operand, record.values);
}

void EvalContext::DecodeInputs() const {
  for (const DecodedOperand* r = first_decoded_; r != nullptr && r->node == NodePosition(); r = r->next) {
    if (r->operand < node_->input_count && !r->by_operator) Decode(*r);
  }
}

const void* EvalContext::DecompressTensor(int i, int scratch) const {
  const DecodedOperand* const record = FindDecodedOperand(i);
  if (record == nullptr || record->scratch != scratch) return nullptr;
  Decode(*record);
  return record->values;
}

bool EvalContext::IsDecoded(int i) const {
  const DecodedOperand* const record = FindDecodedOperand(OutputOperand(i));
  return record != nullptr && record->decoded;
}

void EvalContext::DecodeOutput(int i, const Encoding& encoding, DecodeFn decode) const {
  DecodeOperand(decode, encoding, OutputOperand(i), OutputData<void>(i));
}

}  // namespace lutra
