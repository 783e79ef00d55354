// SPDX-License-Identifier: Apache-2.0
// One writer for each kind of options table; an operator has at most one of them.

#include "runtime/testing/options_writer.h"

namespace lutra {
namespace {

namespace fb = flatbuffers;

template <typename Table>
WrittenOptions Written(fb::Offset<Table> table) {
  return {schema::BuiltinOptionsTraits<Table>::enum_value, table.Union()};
}

int8_t ActivationOf(const OperatorOptions& o) { return static_cast<int8_t>(o.activation); }

WrittenOptions WriteWindow(fb::FlatBufferBuilder& b, BuiltinOperator code, const OperatorOptions& o) {
  const auto padding = static_cast<int8_t>(o.padding);
  const int stride_w = o.stride_w.value_or(o.stride);
  const int dilation_w = o.dilation_w.value_or(o.dilation);
  switch (code) {
    case BuiltinOperator::kConv2D:
      return Written(schema::CreateConv2DOptions(b, padding, stride_w, o.stride, ActivationOf(o), dilation_w,
                                                 o.dilation));
    case BuiltinOperator::kDepthwiseConv2D:
      return Written(schema::CreateDepthwiseConv2DOptions(b, padding, stride_w, o.stride, o.depth_multiplier,
                                                          ActivationOf(o), dilation_w, o.dilation));
    case BuiltinOperator::kTransposeConv:
      return Written(schema::CreateTransposeConvOptions(b, padding, stride_w, o.stride, ActivationOf(o)));
    case BuiltinOperator::kAveragePool2D:
    case BuiltinOperator::kMaxPool2D:
    case BuiltinOperator::kL2Pool2D:
      return Written(schema::CreatePool2DOptions(b, padding, stride_w, o.stride,
                                                 o.filter_w.value_or(o.filter), o.filter, ActivationOf(o)));
    default:
      return {};
  }
}

WrittenOptions WriteArithmetic(fb::FlatBufferBuilder& b, BuiltinOperator code, const OperatorOptions& o) {
  switch (code) {
    case BuiltinOperator::kAdd:
      return Written(schema::CreateAddOptions(b, ActivationOf(o)));
    case BuiltinOperator::kSub:
      return Written(schema::CreateSubOptions(b, ActivationOf(o)));
    case BuiltinOperator::kMul:
      return Written(schema::CreateMulOptions(b, ActivationOf(o)));
    case BuiltinOperator::kDiv:
      return Written(schema::CreateDivOptions(b, ActivationOf(o)));
    case BuiltinOperator::kL2Normalization:
      return Written(schema::CreateL2NormOptions(b, ActivationOf(o)));
    case BuiltinOperator::kFullyConnected:
      return Written(schema::CreateFullyConnectedOptions(
          b, ActivationOf(o), static_cast<int8_t>(o.weights_format), o.keep_num_dims));
    case BuiltinOperator::kBatchMatmul:
      return Written(schema::CreateBatchMatMulOptions(b, o.adj_x, o.adj_y));
    case BuiltinOperator::kSvdf:
      return Written(schema::CreateSVDFOptions(b, o.rank, ActivationOf(o)));
    case BuiltinOperator::kUnidirectionalSequenceLstm:
      return Written(
          schema::CreateUnidirectionalSequenceLSTMOptions(b, ActivationOf(o), o.cell_clip, 0, o.time_major));
    case BuiltinOperator::kSoftmax:
      return Written(schema::CreateSoftmaxOptions(b, o.beta));
    case BuiltinOperator::kLeakyRelu:
      return Written(schema::CreateLeakyReluOptions(b, o.alpha));
    case BuiltinOperator::kGelu:
      return Written(schema::CreateGeluOptions(b, o.approximate));
    case BuiltinOperator::kMean:
    case BuiltinOperator::kSum:
    case BuiltinOperator::kReduceAll:
    case BuiltinOperator::kReduceMax:
    case BuiltinOperator::kReduceMin:
      return Written(schema::CreateReducerOptions(b, o.keep_dims));
    default:
      return {};
  }
}

WrittenOptions WriteMove(fb::FlatBufferBuilder& b, BuiltinOperator code, const OperatorOptions& o) {
  switch (code) {
    case BuiltinOperator::kConcatenation:
      return Written(schema::CreateConcatenationOptions(b, o.axis, ActivationOf(o)));
    case BuiltinOperator::kGather:
      return Written(schema::CreateGatherOptions(b, o.axis, o.batch_dims));
    case BuiltinOperator::kPack:
      return Written(schema::CreatePackOptions(b, o.count, o.axis));
    case BuiltinOperator::kUnpack:
      return Written(schema::CreateUnpackOptions(b, o.count, o.axis));
    case BuiltinOperator::kCumsum:
      return Written(schema::CreateCumsumOptions(b, o.exclusive, o.reverse));
    case BuiltinOperator::kSplit:
      return Written(schema::CreateSplitOptions(b, o.count));
    case BuiltinOperator::kSplitV:
      return Written(schema::CreateSplitVOptions(b, o.count));
    case BuiltinOperator::kReshape:
      return Written(schema::CreateReshapeOptionsDirect(b, &o.dims));
    case BuiltinOperator::kSqueeze:
      return Written(schema::CreateSqueezeOptionsDirect(b, &o.dims));
    case BuiltinOperator::kSpaceToDepth:
      return Written(schema::CreateSpaceToDepthOptions(b, o.block_size));
    case BuiltinOperator::kDepthToSpace:
      return Written(schema::CreateDepthToSpaceOptions(b, o.block_size));
    case BuiltinOperator::kMirrorPad:
      return Written(schema::CreateMirrorPadOptions(b, static_cast<int8_t>(o.mirror_mode)));
    case BuiltinOperator::kStridedSlice:
      return Written(schema::CreateStridedSliceOptions(b, o.begin_mask, o.end_mask, o.ellipsis_mask,
                                                       o.new_axis_mask, o.shrink_axis_mask, o.offset));
    case BuiltinOperator::kResizeBilinear:
      return Written(schema::CreateResizeBilinearOptions(b, 0, 0, o.align_corners, o.half_pixel_centers));
    case BuiltinOperator::kResizeNearestNeighbor:
      return Written(schema::CreateResizeNearestNeighborOptions(b, o.align_corners, o.half_pixel_centers));
    default:
      return {};
  }
}

WrittenOptions WriteState(fb::FlatBufferBuilder& b, BuiltinOperator code, const OperatorOptions& o) {
  switch (code) {
    case BuiltinOperator::kCallOnce:
      return Written(schema::CreateCallOnceOptions(b, o.init_subgraph));
    case BuiltinOperator::kIf:
      return Written(schema::CreateIfOptions(b, o.called[0], o.called[1]));
    case BuiltinOperator::kWhile:
      return Written(schema::CreateWhileOptions(b, o.called[0], o.called[1]));
    case BuiltinOperator::kVarHandle:
      return Written(schema::CreateVarHandleOptionsDirect(b, o.container.c_str(), o.shared_name.c_str()));
    default:
      return {};
  }
}

}  // namespace

WrittenOptions WriteOptions(fb::FlatBufferBuilder& builder, BuiltinOperator code,
                            const OperatorOptions& options) {
  if (options.table == OptionsTable::kNone) return {};
  if (options.table == OptionsTable::kForeign) return Written(schema::CreateFakeQuantOptions(builder));
  for (const auto& write : {WriteWindow, WriteArithmetic, WriteMove, WriteState}) {
    const WrittenOptions written = write(builder, code, options);
    if (written.type != schema::BuiltinOptions::NONE) return written;
  }
  return {};
}

}  // namespace lutra
