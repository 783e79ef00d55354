// SPDX-License-Identifier: Apache-2.0
// Streamed operands: the functions by which prepare and eval of operators that stream find and place them.

#include "lutra/compression/decode.h"
#include "lutra/micro_context.h"
#include "lutra/micro_interpreter.h"
#include "lutra/streaming.h"
#include "runtime/decoders.h"

namespace lutra {

bool IsStreamedTensor(const Graph& graph, int subgraph, int tensor) {
  const TensorInfo info = graph.model->tensor(subgraph, tensor);
  if (info.is_compressed) return true;
  // A tensor that no node makes has no place, nor have handles of resources: TFLM_DECODE would have made it.
  return !info.is_constant() && info.type != TensorType::kResource &&
         graph.LiveAddress(subgraph, tensor) == nullptr;
}

bool MicroContext::CanBeStreamed(int i) const {
  return HasInput(i) && IsStreamedTensor(*graph_, node_->subgraph, InputTensor(i));
}

bool MicroContext::IsStreamed(int i) const {
  return i < node_->input_count && node_->addresses[i] != nullptr && CanBeStreamed(i);
}

Encoding StreamedEncodingOf(const Graph& graph, int subgraph, int32_t tensor, const StreamedInput& record) {
  if (record.decoder < 0) return graph.model->encoding(subgraph, tensor);
  Encoding encoding;
  (void)ReadDecoder(*graph.model, subgraph, {record.decoder, tensor}, &encoding);  // Checked in prepare.
  return encoding;
}

Encoding MicroContext::StreamedEncoding(int i) const {
  return StreamedEncodingOf(*graph_, node_->subgraph, InputTensor(i), Streamed(i));
}

Status PrepareContext::StreamInput(int i, StreamedInput** record) {
  *record = nullptr;
  if (!CanBeStreamed(i)) return Status::kOk;
  LUTRA_TRY(AllocateArray(1, RecordKind::kCompression, record));
  **record = StreamedInput();
  node_->addresses[i] = *record;
  if (Input(i).is_compressed) return Status::kOk;
  const Model& model = *graph_->model;
  const Decoder decoder = FindDecoder(model, node_->subgraph, InputTensor(i));
  Encoding encoding;
  Fault fault = ReadDecoder(model, node_->subgraph, decoder, &encoding);
  if (fault.rule == Rule::kNone) fault = CheckContents(encoding);
  if (fault.rule != Rule::kNone) {
    // The fault is the decoder's.
    const Status status = Refuse(fault.rule, i, fault.found, fault.required);
    graph_->diagnosis.node = decoder.node;
    return status;
  }
  (*record)->decoder = static_cast<int16_t>(decoder.node);  // Streaming::replaces has a limit.
  return Status::kOk;
}

Status PrepareContext::PlaceStreamed(int i) {
  const int32_t bytes = Input(i).bytes;
  if (FindAlternateMemory(bytes) == nullptr) return Status::kOk;
  DecodedOperand* operand = nullptr;
  LUTRA_TRY(AddDecodedOperand(i, bytes, static_cast<uint16_t>(NodePosition() + 1), &operand));
  operand->by_operator = true;
  Streamed(i).bytes = bytes;
  Streamed(i).scratch = StreamedInput::kInRegion;
  return Status::kOk;
}

Status PrepareContext::DecodeStreamedAtInit(int i) {
  if (!IsStreamed(i)) return Status::kOk;
  const Encoding encoding = StreamedEncoding(i);
  node_->addresses[i] = nullptr;
  // All nodes that read the input share one place.
  if (Input(i).is_compressed) return PlaceInput(i);
  DecodedOperand* record = nullptr;
  LUTRA_TRY(AddDecodedOperand(i, Input(i).bytes, 0, &record));
  return DecodeNow(record, encoding, lutra::Decode);
}

int MicroInterpreter::decoding_passes(int i, int operand) const {
  const Node& n = graph().nodes[i];
  const Streaming* const streaming = graph().options.streaming;
  if (graph().options.decompression != DecompressionPolicy::kStreamed || streaming == nullptr) return 1;
  if (n.op->prepare != streaming->prepare) return 1;
  const int32_t tensor = graph().model->node(n.subgraph, n.index).inputs[operand];
  return IsStreamedTensor(graph(), n.subgraph, tensor)
             ? static_cast<const StreamedInput*>(n.addresses[operand])->passes
             : 1;
}

}  // namespace lutra
