// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV of streamed weights: the kernel is called for each block of
// output channels; for CONV_2D, there is also a kernel that expands the weights itself.

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "lutra/ops/ops.h"
#include "runtime/kernels/scratch_armdsp.h"
#include "runtime/ops/convolution.h"
#include "runtime/ops/streamed_blocks.h"
#include "runtime/ops/streamed_packed.h"

namespace lutra {
namespace {

// Returns the bytes of the weights of one output channel.
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

// Returns the arguments of a layer that computes all channels, without weights and bias.
template <typename Fn, LayerInputs kInputs>
KernelArgs<Fn> ArgsOf(const EvalContext& context) {
  const auto& data = context.Data<Int8Convolution<Fn>>();
  const ConvShape& shape = data.base.shape;
  KernelArgs<Fn> args = {
      .shape = &shape,
      .first_channel = 0,
      .channel_count = shape.out_channels,
      .quantization = data.quantization,
      .filter = nullptr,
      .bias = nullptr,
      .multipliers = EvalChannelMultipliers(context, kInputs.input, kInputs.weights, shape.out_channels,
                                            data.multipliers),
  };
  data.kernel.scratch.GiveTo(context, &args);
  return args;
}

// `kChannels`: the filter's dimension of output channels, its first or its last.
template <typename Fn, LayerInputs kInputs, int kChannels>
Status EvalConvolutionInBlocks(EvalContext& context, bool bias_in_blocks) {
  const auto& data = context.Data<Int8Convolution<Fn>>();
  const ConvShape& shape = data.base.shape;
  const KernelArgs<Fn> all = ArgsOf<Fn, kInputs>(context);
  const Rows input = context.InputRows(kInputs.input, shape.in_width * shape.in_channels);
  const Rows output = context.OutputRows(0, shape.out_width * shape.out_channels);
  BlockDecoder decoder(context, kInputs, kChannels, bias_in_blocks);
  context.ForEachRows(data.base.rows, [&](int32_t first_row, int32_t row_count) {
    ForEachBlock(decoder, shape.out_channels, FilterBytes(shape), [&](int32_t first, int32_t count) {
      KernelArgs<Fn> args = all;
      args.first_channel = first;
      args.channel_count = count;
      args.filter = kChannels == 0 ? decoder.Rows(first, count) : decoder.Columns(first, count);
      args.bias = decoder.Bias(first, count);
      args.multipliers += first;
      data.kernel.run(args, input, {output.base + first, output.row_bytes}, first_row, row_count);
    });
  });
  return Status::kOk;
}

#if LUTRA_HAS_PACKED(conv_2d)
// Conv2DPackedArgs::memory is the first scratch of a node; the kernel's scratch follows it and can grow.
constexpr int kFilterScratch = 0;

// A row has to fit the kernel's scratch if that scratch cannot grow.
FilterExpansion ExpansionOf(const Encoding& encoding, int32_t row_values, Span<const uint8_t> file) {
  const bool has_tables =
      row_values % 4 == 0 && row_values <= kLeastArmdspBytes && HasNibbles(file, encoding, sizeof(int8_t));
  if (!has_tables) return FilterExpansion::kRows;
  if (encoding.channels == 1) return FilterExpansion::kPairs;
  const bool per_filter = encoding.inner == row_values && encoding.channels == encoding.elements / row_values;
  return per_filter ? FilterExpansion::kTables : FilterExpansion::kRows;
}

int32_t MemoryOf(FilterExpansion expansion, int32_t row_values) {
  switch (expansion) {
    case FilterExpansion::kRows:
      return 2 * row_values;
    case FilterExpansion::kTables:
      return kFilterTablesBytes;
    case FilterExpansion::kPairs:
      break;
  }
  return static_cast<int32_t>(kPackedPairs * sizeof(uint32_t));
}

Status EvalConv2DPacked(EvalContext& context) {
  constexpr int kWeights = kConvLayer.weights;
  const auto& data = context.Data<Int8Convolution<Conv2DFn>>();
  const ConvShape& shape = data.base.shape;
  NotedEncoding encoding = {context.StreamedEncoding(kWeights), &context, kWeights};
  Conv2DPackedArgs args = {ArgsOf<Conv2DFn, kConvLayer>(context),
                           StreamedRowsOf(context.Input(kWeights).shape, 0, encoding, context.cpu_features()),
                           ExpansionOf(encoding, FilterBytes(shape), context.file()),
                           context.ScratchData<void>(kFilterScratch)};
  args.rows.decode = DecodeNotedPart;
  args.bias = context.InputData<int32_t>(kConvLayer.bias);
  if (args.expansion == FilterExpansion::kPairs) {
    context.DecodeStreamed(
        kWeights, [&] { Conv2DPairsArmdsp(encoding.lut.value_table, static_cast<uint32_t*>(args.memory)); });
  }
  const Rows input = context.InputRows(kConvLayer.input, shape.in_width * shape.in_channels);
  const Rows output = context.OutputRows(0, shape.out_width * shape.out_channels);
  const auto run = [&](int32_t first_row, int32_t row_count) {
    Conv2DPackedArmdsp(args, input, output, first_row, row_count);
  };
  context.ForEachRows(data.base.rows, run, data.kernel.scratch.RowsAtOnce(args));
  return Status::kOk;
}

Status EvalConv2DPackedWithBias(EvalContext& context) {
  return EvalWithAll(context, kConvLayer.bias, EvalConv2DPacked);
}

constexpr Op kPackedConv2D[] = {
    {BuiltinOperator::kConv2D, PrepareStreamed, EvalConv2DPacked},
    {BuiltinOperator::kConv2D, PrepareStreamed, EvalConv2DPackedWithBias},
};

Status PrepareConv2DPacked(PrepareContext& context, bool* packed) {
  constexpr int kWeights = kConvLayer.weights;
  constexpr int32_t kMostBiasBytes = 1024;
  const bool streams_bias = context.IsStreamed(kConvLayer.bias);
  const TensorInfo filter = context.Input(kWeights);
  const Encoding encoding = context.StreamedEncoding(kWeights);
  if (!CanRun(kConv2DInt8[0], context.cpu_features()) || filter.type != TensorType::kInt8 ||
      filter.shape.rank != 4 || filter.shape[0] < 1 || !CanBeEntered(encoding.type)) {
    return Status::kOk;
  }
  const int32_t row_values = encoding.elements / filter.shape[0];
  if (!HasArmdspConvScratch(row_values)) return Status::kOk;
  if (streams_bias && context.Input(kConvLayer.bias).bytes > kMostBiasBytes) return Status::kOk;
  LUTRA_TRY(context.PlaceStreamed(kWeights));
  if (context.Streamed(kWeights).scratch == StreamedInput::kInRegion) return Status::kOk;
  int scratch = 0;
  LUTRA_TRY(context.RequestScratch(MemoryOf(ExpansionOf(encoding, row_values, context.file()), row_values),
                                   &scratch));
  if (streams_bias) LUTRA_TRY(PlaceAll(context, kConvLayer.bias));
  LUTRA_TRY(PrepareConv2D(context));
  context.RunBy(kPackedConv2D[streams_bias ? 1 : 0]);
  *packed = true;
  return Status::kOk;
}
#endif

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

constexpr StreamingLayer kStreamingConv2D = {
    .inputs = kConvLayer,
    .plain = kConv2D,
    .is_prepared = IsConvolutionPrepared<Conv2DFn>,
    .channel_bytes = ChannelBytesOfConvolution,
    .eval_in_blocks = EvalConvolutionInBlocks<Conv2DFn, kConvLayer, 0>,
#if LUTRA_HAS_PACKED(conv_2d)
    .prepare_packed = PrepareConv2DPacked,
#endif
};
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
