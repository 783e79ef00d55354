// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED of streamed weights.

#include "lutra/ops/ops.h"
#include "runtime/ops/fully_connected.h"
#include "runtime/ops/streamed_blocks.h"
#include "runtime/ops/streamed_packed.h"

namespace lutra {
namespace {

using FullyConnectedKernel = LayerKernel<FullyConnectedFn>;

// Returns the arguments of a layer without its weights.
FullyConnectedArgs ArgsOf(const EvalContext& context, bool has_bias, const FullyConnectedKernel** kernel) {
  const auto& layer = context.Data<FullyConnectedLayer>();
  FullyConnectedArgs args = {
      .depth = layer.depth,
      .channels = layer.channels,
      .quantization = layer.quantization,
      .weights = nullptr,
      .bias = has_bias ? context.InputData<int32_t>(kConvLayer.bias) : nullptr,
      .multipliers = nullptr,
      .one_multiplier = layer.kind == FullyConnectedLayer::Kind::kPerTensor,
  };
  if (args.one_multiplier) {
    const auto& data = context.Data<PerTensorFullyConnected>();
    args.multipliers = &data.multiplier;
    *kernel = &data.kernel;
  } else {
    const auto& data = context.Data<PerChannelFullyConnected>();
    args.multipliers = EvalChannelMultipliers(context, kConvLayer.input, kConvLayer.weights, layer.channels,
                                              data.multipliers);
    *kernel = &data.kernel;
  }
  (*kernel)->scratch.GiveTo(context, &args);
  return args;
}

Status EvalFullyConnectedInBlocks(EvalContext& context, bool bias_in_blocks) {
  const auto& layer = context.Data<FullyConnectedLayer>();
  const FullyConnectedKernel* kernel = nullptr;
  const FullyConnectedArgs args = ArgsOf(context, !bias_in_blocks, &kernel);
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
      kernel->run(block, input, {output.base + first, output.row_bytes}, first_row, row_count);
    });
  });
  return Status::kOk;
}

#if LUTRA_HAS_PACKED(fully_connected)
// The first scratch of a node; the kernel's scratch follows it and can grow.
constexpr int kPairs = 0;
constexpr int32_t kLeastPackedChannels = 4;

template <bool kPackedBias>
Status EvalFullyConnectedPacked(EvalContext& context) {
  const auto& layer = context.Data<FullyConnectedLayer>();
  const StreamedInput& weights = context.Streamed(kConvLayer.weights);
  auto* const pairs = context.ScratchData<uint32_t>(kPairs);
  context.DecodeStreamed(kConvLayer.weights, [&] { FullyConnectedPairsArmdsp(weights.table(), pairs); });
  const FullyConnectedKernel* kernel = nullptr;
  FullyConnectedPackedArgs args = {
      ArgsOf(context, !kPackedBias, &kernel), {weights.indices(), pairs}, {nullptr, nullptr}};
  if (kPackedBias) {
    const StreamedInput& bias = context.Streamed(kConvLayer.bias);
    args.biases = {bias.indices(), bias.table()};
  }
  const Rows input = context.InputRows(kConvLayer.input, layer.depth);
  const Rows output = context.OutputRows(0, layer.channels);
  context.ForEachRows(layer.rows, [&](int32_t first, int32_t count) {
    FullyConnectedPackedArmdsp(args, input, output, first, count);
  });
  return Status::kOk;
}

constexpr Op kPackedFullyConnected[] = {
    {BuiltinOperator::kFullyConnected, PrepareStreamed, EvalFullyConnectedPacked<false>},
    {BuiltinOperator::kFullyConnected, PrepareStreamed, EvalFullyConnectedPacked<true>},
};

Status PrepareFullyConnectedPacked(PrepareContext& context, bool* packed) {
  constexpr int kWeights = kConvLayer.weights;
  const bool streams_bias = context.IsStreamed(kConvLayer.bias);
  const Shape shape = context.Input(kWeights).shape;
  if (!CanRun(kFullyConnectedInt8[0], context.cpu_features()) || shape.rank != 2) return Status::kOk;
  if (shape[0] < kLeastPackedChannels || shape[1] % 4 != 0) return Status::kOk;
  const Encoding encoding = context.StreamedEncoding(kWeights);
  if (!IsPacked(context.file(), encoding, sizeof(int8_t))) return Status::kOk;
  Encoding biases;
  if (streams_bias) biases = context.StreamedEncoding(kConvLayer.bias);
  if (streams_bias && !IsPacked(context.file(), biases, sizeof(int32_t))) return Status::kOk;
  LUTRA_TRY(context.PlaceStreamed(kWeights));
  StreamedInput& weights = context.Streamed(kWeights);
  if (weights.scratch == StreamedInput::kInRegion) return Status::kOk;
  int pairs = 0;
  LUTRA_TRY(context.RequestScratch(kPackedPairs * sizeof(uint32_t), &pairs));
  LUTRA_TRY(PrepareFullyConnected(context));
  weights.Store(encoding.stream.data(), encoding.lut.value_table);
  if (streams_bias) {
    context.Streamed(kConvLayer.bias).Store(biases.stream.data(), biases.lut.value_table);
  }
  context.RunBy(kPackedFullyConnected[streams_bias ? 1 : 0]);
  *packed = true;
  return Status::kOk;
}
#endif

int32_t ChannelBytesOfFullyConnected(const PrepareContext& context) {
  return context.Prepared<FullyConnectedLayer>().depth;
}

bool IsFullyConnectedPrepared(const PrepareContext& context) {
  return context.Prepared<FullyConnectedLayer>().kind == FullyConnectedLayer::Kind::kPerTensor
             ? context.Prepared<PerTensorFullyConnected>().kernel.prepared.Has()
             : context.Prepared<PerChannelFullyConnected>().kernel.prepared.Has();
}

}  // namespace

constexpr StreamingLayer kStreamingFullyConnected = {
    .inputs = kConvLayer,
    .plain = kFullyConnected,
    .is_prepared = IsFullyConnectedPrepared,
    .channel_bytes = ChannelBytesOfFullyConnected,
    .eval_in_blocks = EvalFullyConnectedInBlocks,
#if LUTRA_HAS_PACKED(fully_connected)
    .prepare_packed = PrepareFullyConnectedPacked,
#endif
};

}  // namespace lutra
