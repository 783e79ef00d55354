// SPDX-License-Identifier: Apache-2.0
// Prepare and eval of layers that stream: with the whole of a compressed operand where it is small, else in
// blocks.

#include "runtime/ops/streamed_layer.h"

namespace lutra {
namespace {

constexpr const StreamingLayer* kLayers[] = {&kStreamingConv2D, &kStreamingDepthwiseConv2D,
                                             &kStreamingTransposeConv, &kStreamingFullyConnected};

// Scratch for the smallest block of an input, unless that has a place in a region. Blocks get larger when
// memory is planned.
Status RequestBlock(PrepareContext& context, int i, int32_t least, StreamedInput* record) {
  if (record->scratch == StreamedInput::kInRegion) return Status::kOk;
  record->bytes = BlockBytes(context.Input(i).bytes, least, 0);
  return context.RequestScratch(record->bytes, &record->scratch);
}

Status EvalWeights(EvalContext& context) {
  const StreamingLayer& layer = *FindLayer(context.op().code);
  const int weights = layer.inputs.weights;
  if (!context.IsStreamed(weights)) return layer.plain.eval(context);
  if (context.Streamed(weights).bytes < context.Input(weights).bytes)
    return layer.eval_in_blocks(context, false);
  return EvalWithAll(context, weights, layer.plain.eval);
}

}  // namespace

Status EvalWithAll(EvalContext& context, int i, Status (*next)(EvalContext& context)) {
  const Encoding encoding = context.StreamedEncoding(i);
  void* const values = context.StreamedValues<void>(i);
  context.DecodeStreamed(i, [&] { Decode(encoding, context.cpu_features(), values); });
  return context.EvalWithInput(i, values, next);
}

const StreamingLayer* FindLayer(BuiltinOperator code) {
  for (const StreamingLayer* layer : kLayers) {
    if (layer->plain.code == code) return layer;
  }
  return nullptr;
}

Status PlaceAll(PrepareContext& context, int i) {
  LUTRA_TRY(context.PlaceStreamed(i));
  StreamedInput& record = context.Streamed(i);
  if (record.scratch == StreamedInput::kInRegion) return Status::kOk;
  record.bytes = context.Input(i).bytes;
  return context.RequestScratch(record.bytes, &record.scratch);
}

Status PrepareLayer(PrepareContext& context, const StreamingLayer& layer) {
  StreamedInput* weights = nullptr;
  StreamedInput* bias = nullptr;
  LUTRA_TRY(context.StreamInput(layer.inputs.weights, &weights));
  LUTRA_TRY(context.StreamInput(layer.inputs.bias, &bias));
  bool packed = false;
  if (weights != nullptr && layer.prepare_packed != nullptr && !context.decodes_at_init()) {
    LUTRA_TRY(layer.prepare_packed(context, &packed));
  }
  if (packed) return Status::kOk;
  LUTRA_TRY(layer.plain.prepare(context));
  // A variant that has prepared itself reads neither weights nor bias when it runs: what lies at their
  // addresses does not matter.
  const bool prepared = layer.is_prepared(context);
  if (prepared || context.decodes_at_init()) {
    context.RunBy(layer.plain);
    if (prepared) return Status::kOk;
    LUTRA_TRY(context.DecodeStreamedAtInit(layer.inputs.weights));
    return context.DecodeStreamedAtInit(layer.inputs.bias);
  }
  // Weights first: they are decoded anew for each portion of rows.
  if (weights != nullptr && weights->scratch != StreamedInput::kInRegion)
    LUTRA_TRY(context.PlaceStreamed(layer.inputs.weights));
  if (bias != nullptr) LUTRA_TRY(context.PlaceStreamed(layer.inputs.bias));
  const int32_t least = weights == nullptr ? 0 : layer.channel_bytes(context);
  if (bias != nullptr) {
    const int32_t least_bias = least == 0 ? 0 : static_cast<int32_t>(sizeof(int32_t));
    LUTRA_TRY(RequestBlock(context, layer.inputs.bias, least_bias, bias));
  }
  if (weights == nullptr) return Status::kOk;
  // This request is the last, so that its scratch can grow.
  return RequestBlock(context, layer.inputs.weights, least, weights);
}

Status EvalLayer(EvalContext& context) {
  const StreamingLayer& layer = *FindLayer(context.op().code);
  const int bias = layer.inputs.bias;
  if (!context.IsStreamed(bias)) return EvalWeights(context);
  if (context.Streamed(bias).bytes < context.Input(bias).bytes) return layer.eval_in_blocks(context, true);
  return EvalWithAll(context, bias, EvalWeights);
}

}  // namespace lutra
