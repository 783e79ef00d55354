// SPDX-License-Identifier: Apache-2.0
// The readers of operators' options: node_info.h knows each operator by name.

#include "lutra/node_info.h"
#include "runtime/schema/read.h"
#include "runtime/schema/tflite.h"

namespace lutra {
namespace {

const schema::Operator* SchemaOperator(const NodeInfo& node) {
  return static_cast<const schema::Operator*>(node.schema_operator);
}

bool IsActivation(int value) { return value >= 0 && value <= static_cast<int>(Activation::kSignBit); }

bool HasNoOptions(const NodeInfo& node) {
  return SchemaOperator(node)->builtin_options_type() == schema::BuiltinOptions::NONE;
}

// Stores a number from the file as an enumerator, if it is one.
bool StoreActivation(int value, Activation* activation) {
  if (!IsActivation(value)) return false;
  *activation = static_cast<Activation>(value);
  return true;
}

bool StorePadding(int value, Padding* padding) {
  if (value != 0 && value != 1) return false;
  *padding = static_cast<Padding>(value);
  return true;
}

}  // namespace

bool ReadWindowOptions(const NodeInfo& node, WindowOptions* options) {
  const schema::Operator* op = SchemaOperator(node);
  const auto common = [options](const auto& o) {
    options->stride_h = o.stride_h();
    options->stride_w = o.stride_w();
    return StorePadding(o.padding(), &options->padding) &&
           StoreActivation(o.fused_activation_function(), &options->activation);
  };
  switch (node.code) {
    case BuiltinOperator::kConv2D:
      if (const auto* o = op->builtin_options_as_Conv2DOptions()) {
        options->dilation_h = o->dilation_h_factor();
        options->dilation_w = o->dilation_w_factor();
        return common(*o);
      }
      break;
    case BuiltinOperator::kDepthwiseConv2D:
      if (const auto* o = op->builtin_options_as_DepthwiseConv2DOptions()) {
        options->dilation_h = o->dilation_h_factor();
        options->dilation_w = o->dilation_w_factor();
        options->depth_multiplier = o->depth_multiplier();
        return common(*o);
      }
      break;
    case BuiltinOperator::kTransposeConv:
      if (const auto* o = op->builtin_options_as_TransposeConvOptions()) return common(*o);
      break;
    default:
      if (const auto* o = op->builtin_options_as_Pool2DOptions()) {
        options->filter_h = o->filter_height();
        options->filter_w = o->filter_width();
        return common(*o);
      }
  }
  return HasNoOptions(node);
}

bool ReadActivation(const NodeInfo& node, Activation* activation) {
  const schema::Operator* op = SchemaOperator(node);
  const auto read = [&node, activation](const auto* o) {
    return o == nullptr ? HasNoOptions(node) : StoreActivation(o->fused_activation_function(), activation);
  };
  switch (node.code) {
    case BuiltinOperator::kAdd:
      return read(op->builtin_options_as_AddOptions());
    case BuiltinOperator::kSub:
      return read(op->builtin_options_as_SubOptions());
    case BuiltinOperator::kMul:
      return read(op->builtin_options_as_MulOptions());
    case BuiltinOperator::kDiv:
      return read(op->builtin_options_as_DivOptions());
    default:
      return read(op->builtin_options_as_L2NormOptions());
  }
}

bool ReadFullyConnectedOptions(const NodeInfo& node, FullyConnectedOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_FullyConnectedOptions();
  if (o == nullptr) return HasNoOptions(node);
  options->shuffled_weights = o->weights_format() != 0;
  options->keep_num_dims = o->keep_num_dims();
  return StoreActivation(o->fused_activation_function(), &options->activation);
}

bool HasInt32Sums(const NodeInfo& node) {
  constexpr auto kInt32 = static_cast<int8_t>(TensorType::kInt32);
  const schema::Operator* op = SchemaOperator(node);
  if (const auto* o = op->builtin_options_as_Conv2DOptions()) {
    return o->quantized_bias_type() == kInt32;
  }
  const auto* o = op->builtin_options_as_FullyConnectedOptions();
  return o != nullptr && o->quantized_bias_type() == kInt32;
}

bool ReadSvdfOptions(const NodeInfo& node, SvdfOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_SVDFOptions();
  if (o == nullptr) return HasNoOptions(node);
  options->rank = o->rank();
  return StoreActivation(o->fused_activation_function(), &options->activation);
}

bool ReadLstmOptions(const NodeInfo& node, LstmOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_UnidirectionalSequenceLSTMOptions();
  if (o == nullptr) return HasNoOptions(node);
  options->cell_clip = o->cell_clip();
  options->time_major = o->time_major();
  return StoreActivation(o->fused_activation_function(), &options->activation);
}

bool ReadSoftmaxBeta(const NodeInfo& node, float* beta) {
  const auto* o = SchemaOperator(node)->builtin_options_as_SoftmaxOptions();
  if (o == nullptr) return HasNoOptions(node);
  *beta = o->beta();
  return true;
}

bool ReadLeakyReluAlpha(const NodeInfo& node, float* alpha) {
  const auto* o = SchemaOperator(node)->builtin_options_as_LeakyReluOptions();
  if (o == nullptr) return HasNoOptions(node);
  *alpha = o->alpha();
  return true;
}

bool ReadGeluApproximate(const NodeInfo& node, bool* approximate) {
  const auto* o = SchemaOperator(node)->builtin_options_as_GeluOptions();
  if (o == nullptr) return HasNoOptions(node);
  *approximate = o->approximate();
  return true;
}

bool ReadAxisOptions(const NodeInfo& node, AxisOptions* options) {
  const schema::Operator* op = SchemaOperator(node);
  switch (node.code) {
    case BuiltinOperator::kConcatenation:
      if (const auto* o = op->builtin_options_as_ConcatenationOptions()) {
        options->axis = o->axis();
        return StoreActivation(o->fused_activation_function(), &options->activation);
      }
      break;
    case BuiltinOperator::kGather:
      if (const auto* o = op->builtin_options_as_GatherOptions()) {
        options->axis = o->axis();
        options->batch_dims = o->batch_dims();
        return true;
      }
      break;
    case BuiltinOperator::kPack:
      if (const auto* o = op->builtin_options_as_PackOptions()) {
        options->axis = o->axis();
        options->count = o->values_count();
        return true;
      }
      break;
    default:
      if (const auto* o = op->builtin_options_as_UnpackOptions()) {
        options->axis = o->axis();
        options->count = o->num();
        return true;
      }
  }
  return HasNoOptions(node);
}

bool ReadResizeOptions(const NodeInfo& node, ResizeOptions* options) {
  const auto read = [&node, options](const auto* o) {
    if (o == nullptr) return HasNoOptions(node);
    options->align_corners = o->align_corners();
    options->half_pixel_centers = o->half_pixel_centers();
    return true;
  };
  const schema::Operator* op = SchemaOperator(node);
  return node.code == BuiltinOperator::kResizeBilinear
             ? read(op->builtin_options_as_ResizeBilinearOptions())
             : read(op->builtin_options_as_ResizeNearestNeighborOptions());
}

bool ReadBlockSize(const NodeInfo& node, int32_t* block_size) {
  const auto read = [&node, block_size](const auto* o) {
    if (o == nullptr) return HasNoOptions(node);
    *block_size = o->block_size();
    return true;
  };
  const schema::Operator* op = SchemaOperator(node);
  return node.code == BuiltinOperator::kSpaceToDepth ? read(op->builtin_options_as_SpaceToDepthOptions())
                                                     : read(op->builtin_options_as_DepthToSpaceOptions());
}

bool ReadKeepDims(const NodeInfo& node, bool* keep_dims) {
  const auto* o = SchemaOperator(node)->builtin_options_as_ReducerOptions();
  if (o == nullptr) return HasNoOptions(node);
  *keep_dims = o->keep_dims();
  return true;
}

bool ReadDimensionList(const NodeInfo& node, PackedList<int32_t>* dims) {
  const schema::Operator* op = SchemaOperator(node);
  if (node.code == BuiltinOperator::kReshape) {
    const auto* o = op->builtin_options_as_ReshapeOptions();
    if (o == nullptr) return HasNoOptions(node);
    *dims = List(o->new_shape());
    return true;
  }
  const auto* o = op->builtin_options_as_SqueezeOptions();
  if (o == nullptr) return HasNoOptions(node);
  *dims = List(o->squeeze_dims());
  return true;
}

bool ReadStridedSliceOptions(const NodeInfo& node, StridedSliceOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_StridedSliceOptions();
  if (o == nullptr) return HasNoOptions(node);
  *options = {o->begin_mask(),    o->end_mask(),         o->ellipsis_mask(),
              o->new_axis_mask(), o->shrink_axis_mask(), o->offset()};
  return true;
}

bool ReadSplitCount(const NodeInfo& node, int32_t* count) {
  const auto read = [&node, count](const auto* o) {
    if (o == nullptr) return HasNoOptions(node);
    *count = o->num_splits();
    return true;
  };
  const schema::Operator* op = SchemaOperator(node);
  return node.code == BuiltinOperator::kSplit ? read(op->builtin_options_as_SplitOptions())
                                              : read(op->builtin_options_as_SplitVOptions());
}

bool ReadMirrorPadSymmetric(const NodeInfo& node, bool* symmetric) {
  const auto* o = SchemaOperator(node)->builtin_options_as_MirrorPadOptions();
  if (o == nullptr) return HasNoOptions(node);
  *symmetric = o->mode() == 1;
  return o->mode() == 0 || o->mode() == 1;
}

bool ReadBatchMatMulOptions(const NodeInfo& node, BatchMatMulOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_BatchMatMulOptions();
  if (o == nullptr) return HasNoOptions(node);
  *options = {o->adj_x(), o->adj_y()};
  return true;
}

bool ReadCumsumOptions(const NodeInfo& node, CumsumOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_CumsumOptions();
  if (o == nullptr) return HasNoOptions(node);
  *options = {o->exclusive(), o->reverse()};
  return true;
}

bool ReadInitSubgraph(const NodeInfo& node, int32_t* subgraph) {
  const auto* o = SchemaOperator(node)->builtin_options_as_CallOnceOptions();
  if (o != nullptr) *subgraph = o->init_subgraph_index();
  return o != nullptr;
}

bool ReadThenSubgraph(const NodeInfo& node, int32_t* subgraph) {
  const auto* o = SchemaOperator(node)->builtin_options_as_IfOptions();
  if (o != nullptr) *subgraph = o->then_subgraph_index();
  return o != nullptr;
}

bool ReadElseSubgraph(const NodeInfo& node, int32_t* subgraph) {
  const auto* o = SchemaOperator(node)->builtin_options_as_IfOptions();
  if (o != nullptr) *subgraph = o->else_subgraph_index();
  return o != nullptr;
}

bool ReadCondSubgraph(const NodeInfo& node, int32_t* subgraph) {
  const auto* o = SchemaOperator(node)->builtin_options_as_WhileOptions();
  if (o != nullptr) *subgraph = o->cond_subgraph_index();
  return o != nullptr;
}

bool ReadBodySubgraph(const NodeInfo& node, int32_t* subgraph) {
  const auto* o = SchemaOperator(node)->builtin_options_as_WhileOptions();
  if (o != nullptr) *subgraph = o->body_subgraph_index();
  return o != nullptr;
}

bool ReadVarHandleOptions(const NodeInfo& node, VarHandleOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_VarHandleOptions();
  if (o == nullptr) return HasNoOptions(node);
  *options = {Text(o->container()), Text(o->shared_name())};
  return true;
}

Span<const uint8_t> CustomOptionBytes(const NodeInfo& node) {
  const auto* bytes = SchemaOperator(node)->custom_options();
  return bytes == nullptr ? Span<const uint8_t>() : Span<const uint8_t>(bytes->data(), bytes->size());
}

}  // namespace lutra
