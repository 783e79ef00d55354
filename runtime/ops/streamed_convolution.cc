// SPDX-License-Identifier: Apache-2.0
// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV of streamed weights: a block of filters is a convolution of
// its own, one column of output pixels wide.

#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/convolution.h"
#include "runtime/ops/streamed_blocks.h"

namespace lutra {
namespace {

// The largest divisor of `all` that is no larger than `most`, at least 1.
int32_t DivisorUpTo(int32_t all, int32_t most) {
  int32_t divisor = most < all ? most : all;
  while (divisor > 1 && all % divisor != 0) --divisor;
  return divisor < 1 ? 1 : divisor;
}

// A column of output pixels made by some filters alone, as a convolution of its own: one pixel wide, its
// input channels [first_in, first_in + in_channels), of which the layer's are a multiple. Pixel x of those is
// pixel x * parts + part of an image whose pixels have no other channels.
void SetColumn(const ConvShape& layer, int64_t in_x, int32_t first_in, int32_t in_channels,
               ConvShape* shape) {
  const int32_t parts = layer.in_channels / in_channels;
  const int32_t part = first_in / in_channels;
  shape->in_width = layer.in_width * parts;
  shape->in_channels = in_channels;
  shape->out_width = 1;
  shape->stride_w = 1;
  shape->dilation_w = layer.filter_width == 1 ? 1 : layer.dilation_w * parts;
  shape->pad_left = static_cast<int32_t>(-(in_x * parts + part));
}

// Whether every coordinate of such columns fits int32, whatever the part.
bool ColumnsFit(const ConvShape& shape, int32_t parts) {
  const int64_t across = int64_t{shape.out_width} * shape.stride_w + shape.pad_left + shape.in_width +
                         int64_t{shape.filter_width} * shape.dilation_w;
  return across <= INT32_MAX / parts / 2;
}

// The columns of a block of channels, for all the rows that the plan wants in a call.
template <typename Args, typename Fn, typename SetShape>
void MakeChannels(Fn run, const Args& layer, const ChannelBlock& block, const Rows& input, const Rows& output,
                  int32_t first_row, int32_t row_count, const SetShape& set_shape) {
  ConvShape shape = *layer.shape;
  shape.out_channels = block.count;
  Args args = layer;
  args.shape = &shape;
  args.filter = block.values;
  args.bias = block.bias;
  args.multipliers = layer.multipliers + block.first;
  Rows column = output;
  column.base += block.first;
  for (int32_t x = 0; x < layer.shape->out_width; ++x, column.base += layer.shape->out_channels) {
    set_shape(x, &shape);
    run(args, input, column, first_row, row_count);
  }
}

int32_t FilterBytes(const ConvShape& shape) {
  return shape.filter_height * shape.filter_width * shape.filter_channels;
}

struct Conv2DKind {
  using Args = Conv2DArgs;
  using Fn = Conv2DFn;
  static constexpr LayerInputs kInputs = kConvLayer;
  static constexpr int kChannels = 0;

  static int32_t LeastBlock(const ConvShape& shape) {
    return ColumnsFit(shape, shape.in_channels / shape.filter_channels) ? FilterBytes(shape) : 0;
  }
  static void Make(Fn run, const Args& args, const Rows& input, const Rows& output, int32_t first_row,
                   int32_t row_count, BlockDecoder* decoder) {
    const ConvShape& layer = *args.shape;
    const int32_t group_channels = layer.out_channels / (layer.in_channels / layer.filter_channels);
    const int32_t in_block = InBlock(*decoder, FilterBytes(layer), group_channels);
    for (int32_t first = 0; first < layer.out_channels;) {
      const int32_t left = group_channels - first % group_channels;
      const int32_t count = left < in_block ? left : in_block;
      const int32_t first_in = first / group_channels * layer.filter_channels;
      MakeChannels(run, args, {first, count, decoder->Rows(first, count), decoder->Bias(first, count)}, input,
                   output, first_row, row_count, [&](int32_t x, ConvShape* shape) {
                     SetColumn(layer, int64_t{x} * layer.stride_w - layer.pad_left, first_in,
                               layer.filter_channels, shape);
                   });
      first += count;
    }
  }
};

struct DepthwiseConv2DKind {
  using Args = DepthwiseConv2DArgs;
  using Fn = DepthwiseConv2DFn;
  static constexpr LayerInputs kInputs = kConvLayer;
  static constexpr int kChannels = 3;

  // For one input channel.
  static int32_t LeastBlock(const ConvShape& shape) {
    const int64_t bytes =
        int64_t{shape.filter_height} * shape.filter_width * (shape.out_channels / shape.in_channels);
    return ColumnsFit(shape, shape.in_channels) ? static_cast<int32_t>(bytes) : 0;
  }
  // Input channels, with blocks of so many bytes.
  static int32_t InBlock(const ConvShape& shape, int32_t weight_bytes, int32_t bias_bytes) {
    const int32_t multiplier = shape.out_channels / shape.in_channels;
    const int32_t of_weights = weight_bytes / (shape.filter_height * shape.filter_width * multiplier);
    const int32_t of_bias = bias_bytes / static_cast<int32_t>(sizeof(int32_t)) / multiplier;
    return DivisorUpTo(shape.in_channels, of_bias < of_weights ? of_bias : of_weights);
  }
  static int32_t Reads(const void* prepared, int32_t weight_bytes, int32_t bias_bytes) {
    const ConvShape& shape = static_cast<const Convolution*>(prepared)->shape;
    const int32_t taps = shape.filter_height * shape.filter_width;
    const int32_t blocks = shape.in_channels / InBlock(shape, weight_bytes, bias_bytes);
    if (taps == 1 || blocks == 1) return 1;
    return taps <= BlockDecoder::kMaxWalks ? 2 : blocks;
  }
  static void Make(Fn run, const Args& args, const Rows& input, const Rows& output, int32_t first_row,
                   int32_t row_count, BlockDecoder* decoder) {
    const ConvShape& layer = *args.shape;
    const int32_t multiplier = layer.out_channels / layer.in_channels;
    const int32_t in_block = InBlock(layer, decoder->capacity_bytes(), decoder->capacity_bytes_of_bias());
    for (int32_t first_in = 0; first_in < layer.in_channels; first_in += in_block) {
      const int32_t first = first_in * multiplier;
      const int32_t count = in_block * multiplier;
      MakeChannels(run, args, {first, count, decoder->Columns(first, count), decoder->Bias(first, count)},
                   input, output, first_row, row_count, [&](int32_t x, ConvShape* shape) {
                     SetColumn(layer, int64_t{x} * layer.stride_w - layer.pad_left, first_in, in_block,
                               shape);
                   });
    }
  }
};

struct TransposeConvKind {
  using Args = TransposeConvArgs;
  using Fn = TransposeConvFn;
  static constexpr LayerInputs kInputs = kTransposeConvLayer;
  static constexpr int kChannels = 0;

  static int32_t LeastBlock(const ConvShape& shape) { return FilterBytes(shape); }
  static void Make(Fn run, const Args& args, const Rows& input, const Rows& output, int32_t first_row,
                   int32_t row_count, BlockDecoder* decoder) {
    const ConvShape& layer = *args.shape;
    const int32_t in_block = InBlock(*decoder, FilterBytes(layer), layer.out_channels);
    for (int32_t first = 0; first < layer.out_channels; first += in_block) {
      const int32_t left = layer.out_channels - first;
      const int32_t count = left < in_block ? left : in_block;
      MakeChannels(run, args, {first, count, decoder->Rows(first, count), decoder->Bias(first, count)}, input,
                   output, first_row, row_count, [&](int32_t x, ConvShape* shape) {
                     shape->out_width = 1;
                     shape->pad_left = layer.pad_left + x;
                   });
    }
  }
};

template <typename Kind>
Status EvalConvolutionInBlocks(EvalContext& context, bool bias_in_blocks) {
  constexpr LayerInputs kInputs = Kind::kInputs;
  const auto& data = context.Data<Int8Convolution<typename Kind::Fn>>();
  const ConvShape& shape = data.base.shape;
  typename Kind::Args args = {
      .shape = &shape,
      .quantization = data.quantization,
      .filter = nullptr,
      .bias = bias_in_blocks ? nullptr : context.InputData<int32_t>(kInputs.bias),
      .multipliers = EvalChannelMultipliers(context, kInputs.input, kInputs.weights, shape.out_channels,
                                            data.multipliers),
  };
  const Rows input = context.InputRows(kInputs.input, shape.in_width * shape.in_channels);
  const Rows output = context.OutputRows(0, shape.out_width * shape.out_channels);
  BlockDecoder decoder(context, kInputs, Kind::kChannels, bias_in_blocks);
  context.ForEachRows(data.base.rows, [&](int32_t first_row, int32_t row_count) {
    Kind::Make(data.kernel.run, args, input, output, first_row, row_count, &decoder);
  });
  return Status::kOk;
}

Status EvalTransposeConvInBlocks(EvalContext& context, bool bias_in_blocks) {
  LUTRA_TRY(CheckComputedShape(context));
  return EvalConvolutionInBlocks<TransposeConvKind>(context, bias_in_blocks);
}

template <typename Kind>
int32_t LeastBlockOf(const PrepareContext& context) {
  return Kind::LeastBlock(context.Prepared<Convolution>().shape);
}
int32_t ChannelsOfOneInput(const PrepareContext& context) {
  const ConvShape& shape = context.Prepared<Convolution>().shape;
  return shape.out_channels / shape.in_channels;
}

template <typename Kind>
bool IsConvolutionPrepared(const PrepareContext& context) {
  return context.Prepared<Int8Convolution<typename Kind::Fn>>().kernel.prepared.Has();
}

}  // namespace

constexpr StreamingLayer kStreamingConv2D = {kConvLayer,
                                             kConv2D,
                                             IsConvolutionPrepared<Conv2DKind>,
                                             LeastBlockOf<Conv2DKind>,
                                             OneChannel,
                                             EvalConvolutionInBlocks<Conv2DKind>};
constexpr StreamingLayer kStreamingDepthwiseConv2D = {kConvLayer,
                                                      kDepthwiseConv2D,
                                                      IsConvolutionPrepared<DepthwiseConv2DKind>,
                                                      LeastBlockOf<DepthwiseConv2DKind>,
                                                      ChannelsOfOneInput,
                                                      EvalConvolutionInBlocks<DepthwiseConv2DKind>,
                                                      DepthwiseConv2DKind::Reads};
constexpr StreamingLayer kStreamingTransposeConv = {kTransposeConvLayer,
                                                    kTransposeConv,
                                                    IsConvolutionPrepared<TransposeConvKind>,
                                                    LeastBlockOf<TransposeConvKind>,
                                                    OneChannel,
                                                    EvalTransposeConvInBlocks};

}  // namespace lutra
