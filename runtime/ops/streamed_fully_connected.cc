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
  kernel->scratch.GiveTo(context, &args);
  const Rows input = context.InputRows(kConvLayer.input, layer.depth);
  const Rows output = context.OutputRows(0, layer.channels);
  BlockDecoder decoder(context, kConvLayer, 0, bias_in_blocks);
  context.ForEachRows(layer.rows, [&](int32_t first_row, int32_t row_count) {
    ForEachBlock(decoder, layer.channels, layer.depth, [&](int32_t first, int32_t count) {
      FullyConnectedArgs block = args;
      block.channels = count;
      block.weights = decoder.Rows(first, count);
      block.bias = decoder.Bias(first, count);
      if (!args.one_multiplier) block.multipliers += first;
      kernel->run(block, input, {output.base + first, output.row_bytes, output.ring_rows}, first_row,
                  row_count);
    });
  });
  return Status::kOk;
}

int32_t ChannelBytesOfFullyConnected(const PrepareContext& context) {
  return context.Prepared<FullyConnectedLayer>().depth;
}

bool IsFullyConnectedPrepared(const PrepareContext& context) {
  return context.Prepared<FullyConnectedLayer>().kind == FullyConnectedLayer::Kind::kPerTensor
             ? context.Prepared<PerTensorFullyConnected>().kernel.prepared.Has()
             : context.Prepared<PerChannelFullyConnected>().kernel.prepared.Has();
}

}  // namespace

constexpr StreamingLayer kStreamingFullyConnected = {kConvLayer, kFullyConnected, IsFullyConnectedPrepared,
                                                     ChannelBytesOfFullyConnected,
                                                     EvalFullyConnectedInBlocks};

}  // namespace lutra
