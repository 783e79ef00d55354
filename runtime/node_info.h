// SPDX-License-Identifier: Apache-2.0
// NodeInfo: an operator of a model's graph, and the readers of its options.
//
//   const NodeInfo node = model.node(0, 0);
//   WindowOptions options;
//   if (ReadWindowOptions(node, &options)) Use(&options.stride_h);

#pragma once

#include <stdint.h>

#include "lutra/builtin_operator.h"
#include "lutra/fixed_point/activation.h"
#include "lutra/span.h"
#include "lutra/tensor_info.h"

namespace lutra {

// An operator of the graph. Tensor indices are those of its subgraph; input -1 = left out.
struct NodeInfo {
  BuiltinOperator code = BuiltinOperator::kCustom;
  int32_t version = 1;
  const char* custom_code = "";  // A custom operator's name.
  PackedList<int32_t> inputs;
  PackedList<int32_t> outputs;
  const void* schema_operator = nullptr;  // For the readers of options below.
};

// Options of operators. Each reader is for the operators above it and returns false if the node has the
// options of another operator; a node without options reads as the schema's defaults.

enum class Padding : uint8_t { kSame = 0, kValid = 1 };

// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, AVERAGE_POOL_2D, MAX_POOL_2D.
struct WindowOptions {
  Padding padding = Padding::kSame;
  int32_t stride_h = 0;
  int32_t stride_w = 0;
  int32_t dilation_h = 1;
  int32_t dilation_w = 1;
  int32_t filter_h = 0;  // Pools only.
  int32_t filter_w = 0;
  int32_t depth_multiplier = 0;  // DEPTHWISE_CONV_2D only.
  Activation activation = Activation::kNone;
};
bool ReadWindowOptions(const NodeInfo& node, WindowOptions* options);

// ADD, SUB, MUL, DIV, L2_NORMALIZATION.
bool ReadActivation(const NodeInfo& node, Activation* activation);

struct FullyConnectedOptions {
  Activation activation = Activation::kNone;
  bool shuffled_weights = false;
  bool keep_num_dims = false;
};
bool ReadFullyConnectedOptions(const NodeInfo& node, FullyConnectedOptions* options);

// CONV_2D, FULLY_CONNECTED of int16 without a bias: returns whether sums have 32 bits, as with a bias of
// int32.
bool HasInt32Sums(const NodeInfo& node);

struct SvdfOptions {
  int32_t rank = 0;
  Activation activation = Activation::kNone;
};
bool ReadSvdfOptions(const NodeInfo& node, SvdfOptions* options);

// UNIDIRECTIONAL_SEQUENCE_LSTM.
struct LstmOptions {
  Activation activation = Activation::kNone;  // Of the cell gate.
  float cell_clip = 0;                        // 0: none.
  bool time_major = false;
};
bool ReadLstmOptions(const NodeInfo& node, LstmOptions* options);

// SOFTMAX beta, LEAKY_RELU alpha.
bool ReadSoftmaxBeta(const NodeInfo& node, float* beta);
bool ReadLeakyReluAlpha(const NodeInfo& node, float* alpha);
bool ReadGeluApproximate(const NodeInfo& node, bool* approximate);

// CONCATENATION, GATHER, PACK, UNPACK: axis; GATHER: batch_dims; PACK, UNPACK: count of tensors.
struct AxisOptions {
  int32_t axis = 0;
  int32_t batch_dims = 0;
  int32_t count = 0;
  Activation activation = Activation::kNone;  // CONCATENATION only.
};
bool ReadAxisOptions(const NodeInfo& node, AxisOptions* options);

// RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR.
struct ResizeOptions {
  bool align_corners = false;
  bool half_pixel_centers = false;
};
bool ReadResizeOptions(const NodeInfo& node, ResizeOptions* options);

// SPACE_TO_DEPTH, DEPTH_TO_SPACE.
bool ReadBlockSize(const NodeInfo& node, int32_t* block_size);

// MEAN, SUM, REDUCE_ALL, REDUCE_MAX, REDUCE_MIN.
bool ReadKeepDims(const NodeInfo& node, bool* keep_dims);

// RESHAPE's new_shape, SQUEEZE's squeeze_dims: an empty list if there is none.
bool ReadDimensionList(const NodeInfo& node, PackedList<int32_t>* dims);

struct StridedSliceOptions {
  int32_t begin_mask = 0;
  int32_t end_mask = 0;
  int32_t ellipsis_mask = 0;
  int32_t new_axis_mask = 0;
  int32_t shrink_axis_mask = 0;
  bool offset = false;
};
bool ReadStridedSliceOptions(const NodeInfo& node, StridedSliceOptions* options);

// SPLIT, SPLIT_V.
bool ReadSplitCount(const NodeInfo& node, int32_t* count);

struct CumsumOptions {
  bool exclusive = false;  // An element's sum leaves out the element.
  bool reverse = false;
};
bool ReadCumsumOptions(const NodeInfo& node, CumsumOptions* options);

// MIRROR_PAD: true = SYMMETRIC (the edge is repeated), false = REFLECT.
bool ReadMirrorPadSymmetric(const NodeInfo& node, bool* symmetric);

struct BatchMatMulOptions {
  bool adjoint_lhs = false;
  bool adjoint_rhs = false;
};
bool ReadBatchMatMulOptions(const NodeInfo& node, BatchMatMulOptions* options);

// The subgraphs that CALL_ONCE, IF and WHILE call; false without options.
bool ReadInitSubgraph(const NodeInfo& node, int32_t* subgraph);
bool ReadThenSubgraph(const NodeInfo& node, int32_t* subgraph);
bool ReadElseSubgraph(const NodeInfo& node, int32_t* subgraph);
bool ReadCondSubgraph(const NodeInfo& node, int32_t* subgraph);
bool ReadBodySubgraph(const NodeInfo& node, int32_t* subgraph);

struct VarHandleOptions {
  const char* container = "";
  const char* shared_name = "";
};
bool ReadVarHandleOptions(const NodeInfo& node, VarHandleOptions* options);

// The options of a custom operator: a FlexBuffers map.
//   int32_t shift = 0;
//   float scale = 0;
//   const CustomOption options[] = {{"shift", &shift}, {"scale", &scale}};
//   if (!ReadCustomOptions(node, options)) Refuse();
struct CustomOption {
  CustomOption(const char* key, int32_t* value) : name(key), integer(value) {}
  CustomOption(const char* key, float* value) : name(key), real(value) {}

  const char* name;
  int32_t* integer = nullptr;  // One of these two is not null.
  float* real = nullptr;
};
// Returns false unless the map has a number for each name; for an integer, an integer or a boolean in the
// range of int32.
bool ReadCustomOptions(const NodeInfo& node, Span<const CustomOption> options);
// Returns the bytes of the map as in the file; none if the operator has no options.
Span<const uint8_t> CustomOptionBytes(const NodeInfo& node);

}  // namespace lutra
