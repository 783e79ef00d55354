// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV of streamed weights: a call of the kernel for each block of
// output channels.

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/convolution.h"
#include "runtime/ops/streamed_blocks.h"

namespace lutra {
namespace {

// Bytes of the weights of one output channel.
int32_t FilterBytes(const ConvShape& shape) {
  return shape.filter_height * shape.filter_width * shape.filter_channels;
}
int32_t ChannelBytesOfConvolution(const PrepareContext& context) {
  return FilterBytes(context.Prepared<Convolution>().shape);
}

template <typename Fn>
bool IsConvolutionPrepared(const PrepareContext& context) {
  return context.Prepared<Int8Convolution<Fn>>().kernel.prepared.Has();
}

// `kChannels`: the filter's dimension of output channels, its first or its last.
template <typename Fn, LayerInputs kInputs, int kChannels>
Status EvalConvolutionInBlocks(EvalContext& context, bool bias_in_blocks) {
  const auto& data = context.Data<Int8Convolution<Fn>>();
  const ConvShape& shape = data.base.shape;
  const Multiplier* const multipliers =
      EvalChannelMultipliers(context, kInputs.input, kInputs.weights, shape.out_channels, data.multipliers);
  const Rows input = context.InputRows(kInputs.input, shape.in_width * shape.in_channels);
  const Rows output = context.OutputRows(0, shape.out_width * shape.out_channels);
  BlockDecoder decoder(context, kInputs, kChannels, bias_in_blocks);
  context.ForEachRows(data.base.rows, [&](int32_t first_row, int32_t row_count) {
    ForEachBlock(decoder, shape.out_channels, FilterBytes(shape), [&](int32_t first, int32_t count) {
      KernelArgs<Fn> args = {
          .shape = &shape,
          .first_channel = first,
          .channel_count = count,
          .quantization = data.quantization,
          .filter = kChannels == 0 ? decoder.Rows(first, count) : decoder.Columns(first, count),
          .bias = decoder.Bias(first, count),
          .multipliers = multipliers + first,
      };
      data.kernel.scratch.GiveTo(context, &args);
      data.kernel.run(args, input, {output.base + first, output.row_bytes, output.ring_rows}, first_row,
                      row_count);
    });
  });
  return Status::kOk;
}

Status EvalTransposeConvInBlocks(EvalContext& context, bool bias_in_blocks) {
  LUTRA_TRY(CheckComputedShape(context));
  return EvalConvolutionInBlocks<TransposeConvFn, kTransposeConvLayer, 0>(context, bias_in_blocks);
}

// Blocks are columns of the filter, which has a row for each tap.
int32_t ReadsOfDepthwiseConv2D(const void* prepared, int32_t weight_bytes, int32_t bias_bytes) {
  const ConvShape& shape = static_cast<const Convolution*>(prepared)->shape;
  const int32_t taps = FilterBytes(shape);
  const int32_t in_block = ChannelsInBlock(shape.out_channels, taps, weight_bytes, bias_bytes);
  if (taps == 1 || in_block == shape.out_channels) return 1;
  return taps <= BlockDecoder::kMaxWalks ? 2 : (shape.out_channels - 1) / in_block + 1;
}

}  // namespace

constexpr StreamingLayer kStreamingConv2D = {kConvLayer, kConv2D, IsConvolutionPrepared<Conv2DFn>,
                                             ChannelBytesOfConvolution,
                                             EvalConvolutionInBlocks<Conv2DFn, kConvLayer, 0>};
constexpr StreamingLayer kStreamingDepthwiseConv2D = {
    kConvLayer,
    kDepthwiseConv2D,
    IsConvolutionPrepared<DepthwiseConv2DFn>,
    ChannelBytesOfConvolution,
    EvalConvolutionInBlocks<DepthwiseConv2DFn, kConvLayer, 3>,
    ReadsOfDepthwiseConv2D};
constexpr StreamingLayer kStreamingTransposeConv = {kTransposeConvLayer, kTransposeConv,
                                                    IsConvolutionPrepared<TransposeConvFn>,
                                                    ChannelBytesOfConvolution, EvalTransposeConvInBlocks};

}  // namespace lutra
