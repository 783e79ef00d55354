// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED of streamed weights.

#include "lutra/ops/ops.h"
#include "runtime/ops/fully_connected.h"
#include "runtime/ops/streamed_blocks.h"

namespace lutra {
namespace {

Status EvalFullyConnectedInBlocks(EvalContext& context, bool bias_in_blocks) {
  const auto& layer = context.Data<FullyConnectedLayer>();
  FullyConnectedArgs args = {
      .depth = layer.depth,
      .channels = layer.channels,
      .quantization = layer.quantization,
      .weights = nullptr,
      .bias = bias_in_blocks ? nullptr : context.InputData<int32_t>(kConvLayer.bias),
      .multipliers = nullptr,
      .one_multiplier = layer.kind == FullyConnectedLayer::Kind::kPerTensor,
  };
  const LayerKernel<FullyConnectedFn>* kernel = nullptr;
  if (args.one_multiplier) {
    const auto& data = context.Data<PerTensorFullyConnected>();
    args.multipliers = &data.multiplier;
    kernel = &data.kernel;
  } else {
    const auto& data = context.Data<PerChannelFullyConnected>();
    args.multipliers = EvalChannelMultipliers(context, kConvLayer.input, kConvLayer.weights, layer.channels,
                                              data.multipliers);
    kernel = &data.kernel;
  }
  const Rows input = context.InputRows(kConvLayer.input, layer.depth);
  const Rows output = context.OutputRows(0, layer.channels);
  BlockDecoder decoder(context, kConvLayer, 0, bias_in_blocks);
  const int32_t in_block = InBlock(decoder, layer.depth, layer.channels);
  context.ForEachRows(layer.rows, [&](int32_t first_row, int32_t row_count) {
    FullyConnectedArgs block = args;
    for (int32_t first = 0; first < layer.channels; first += in_block) {
      const int32_t left = layer.channels - first;
      block.channels = left < in_block ? left : in_block;
      block.weights = decoder.Rows(first, block.channels);
      block.bias = decoder.Bias(first, block.channels);
      block.multipliers = args.one_multiplier ? args.multipliers : args.multipliers + first;
      kernel->run(block, input, {output.base + first, output.row_bytes, output.ring_rows}, first_row,
                  row_count);
    }
  });
  return Status::kOk;
}

int32_t LeastBlockOfFullyConnected(const PrepareContext& context) {
  return context.Prepared<FullyConnectedLayer>().depth;
}

bool IsFullyConnectedPrepared(const PrepareContext& context) {
  return context.Prepared<FullyConnectedLayer>().kind == FullyConnectedLayer::Kind::kPerTensor
             ? context.Prepared<PerTensorFullyConnected>().kernel.prepared.Has()
             : context.Prepared<PerChannelFullyConnected>().kernel.prepared.Has();
}

}  // namespace

constexpr StreamingLayer kStreamingFullyConnected = {
    kConvLayer, kFullyConnected,           IsFullyConnectedPrepared, LeastBlockOfFullyConnected,
    OneChannel, EvalFullyConnectedInBlocks};

}  // namespace lutra
