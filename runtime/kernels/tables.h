// SPDX-License-Identifier: Apache-2.0
// All tables of kernel variants, each with the name that --version, --kernels, tests, benchmarks and
// firmware use for it.
//
//   VisitTables([&](const char* name, const auto& table) {
//     for (const auto& variant : table) printf("%s %s\n", name, variant.name);
//   });

#pragma once

#include "lutra/kernels/arg_max/arg_max.h"
#include "lutra/kernels/batch_matmul/batch_matmul.h"
#include "lutra/kernels/binary/binary.h"
#include "lutra/kernels/binary_int16/binary_int16.h"
#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "lutra/kernels/compare/compare.h"
#include "lutra/kernels/conv_2d/conv_2d.h"
#include "lutra/kernels/conv_2d_int16/conv_2d_int16.h"
#include "lutra/kernels/conv_2d_uint8/conv_2d_uint8.h"
#include "lutra/kernels/convert/convert.h"
#include "lutra/kernels/copy/copy.h"
#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "lutra/kernels/fully_connected/fully_connected.h"
#include "lutra/kernels/fully_connected_int16/fully_connected_int16.h"
#include "lutra/kernels/fully_connected_uint8/fully_connected_uint8.h"
#include "lutra/kernels/gather/gather.h"
#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "lutra/kernels/l2_normalize/l2_normalize.h"
#include "lutra/kernels/log_softmax/log_softmax.h"
#include "lutra/kernels/lookup/lookup.h"
#include "lutra/kernels/lstm/lstm.h"
#include "lutra/kernels/lut_decode/lut_decode.h"
#include "lutra/kernels/math_float/math_float.h"
#include "lutra/kernels/min_max/min_max.h"
#include "lutra/kernels/pool/pool.h"
#include "lutra/kernels/prelu/prelu.h"
#include "lutra/kernels/prune_decode/prune_decode.h"
#include "lutra/kernels/reduce/reduce.h"
#include "lutra/kernels/resize/resize.h"
#include "lutra/kernels/select/select.h"
#include "lutra/kernels/softmax/softmax.h"
#include "lutra/kernels/softmax_int16/softmax_int16.h"
#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"
#include "lutra/kernels/svdf/svdf.h"
#include "lutra/kernels/transpose_conv/transpose_conv.h"
#include "lutra/kernels/unary_float/unary_float.h"
#include "lutra/kernels/unary_int16/unary_int16.h"

namespace lutra {

template <typename Visit>
constexpr void VisitOperatorTables(const Visit& visit) {
  visit("arg_max_int8", kArgMaxOf<int8_t>);
  visit("arg_max_float", kArgMaxOf<float>);
  visit("batch_matmul_int8", kMatMulInt8);
  visit("batch_matmul_float", kMatMulFloat);
  visit("batch_matmul_int16", kMatMulInt16);
  visit("add_int8", kAddInt8);
  visit("sub_int8", kSubInt8);
  visit("mul_int8", kMulInt8);
  visit("div_int8", kDivInt8);
  visit("squared_difference_int8", kSquaredDifferenceInt8);
  visit("add_float", kAddFloat);
  visit("sub_float", kSubFloat);
  visit("mul_float", kMulFloat);
  visit("div_float", kDivFloat);
  visit("squared_difference_float", kSquaredDifferenceFloat);
  visit("floor_div_float", kFloorDivFloat);
  visit("floor_mod_float", kFloorModFloat);
  visit("add_int32", kAddInt32);
  visit("sub_int32", kSubInt32);
  visit("mul_int32", kMulInt32);
  visit("div_int32", kDivInt32);
  visit("squared_difference_int32", kSquaredDifferenceInt32);
  visit("binary_int16", kBinaryInt16);
  visit("compare", kCompare);
  visit("conv_2d_int8", kConv2DInt8);
  visit("conv_2d_float", kConv2DFloat);
  visit("conv_2d_uint8", kConv2DUint8);
  visit("conv_2d_int16", kConv2DInt16);
  visit("transpose_conv_int16", kTransposeConvInt16);
  visit("convert", kConvert);
  visit("copy", kCopy);
  visit("depthwise_conv_2d_int8", kDepthwiseConv2DInt8);
  visit("depthwise_conv_2d_float", kDepthwiseConv2DFloat);
  visit("fully_connected_int8", kFullyConnectedInt8);
  visit("fully_connected_float", kFullyConnectedFloat);
  visit("fully_connected_uint8", kFullyConnectedUint8);
  visit("fully_connected_int16", kFullyConnectedInt16);
  visit("gather", kGatherBlocks);
  visit("gather_nd", kGatherNdBlocks);
  visit("l2_normalize_int8", kL2NormalizeInt8);
  visit("log_softmax_int8", kLogSoftmaxInt8);
  visit("lookup", kLookup);
  visit("lstm_int16", kLstmInt16);
  visit("lstm_int8", kLstmInt8);
  visit("lstm_float", kLstmFloat);
  visit("math_float", kMathFloat);
  visit("min_max", kMinMax);
  visit("average_pool_int8", kAveragePoolInt8);
  visit("max_pool_int8", kMaxPoolInt8);
  visit("average_pool_float", kAveragePoolFloat);
  visit("max_pool_float", kMaxPoolFloat);
  visit("l2_pool_float", kL2PoolFloat);
  visit("average_pool_uint8", kAveragePoolUint8);
  visit("max_pool_uint8", kMaxPoolUint8);
  visit("average_pool_int16", kAveragePoolInt16);
  visit("max_pool_int16", kMaxPoolInt16);
  visit("prelu_int16", kPreluInt16);
  visit("prelu_int8", kPreluInt8);
  visit("prelu_float", kPreluFloat);
  visit("reduce_sum_int8", kReduceSumInt8);
  visit("reduce_max_int8", kReduceMaxInt8);
  visit("reduce_min_int8", kReduceMinInt8);
  visit("reduce_sum_int16", kReduceSumInt16);
  visit("reduce_sum_float", kReduceSumFloat);
  visit("reduce_max_float", kReduceMaxFloat);
  visit("reduce_min_float", kReduceMinFloat);
  visit("resize_bilinear_int8", kResizeBilinearInt8);
  visit("resize_bilinear_float", kResizeBilinearFloat);
  visit("resize_nearest", kResizeNearestPixels);
  visit("select", kSelect);
  visit("softmax_int8", kSoftmaxOf<int8_t>);
  visit("softmax_int16_output", kSoftmaxOf<int16_t>);
  visit("softmax_float", kSoftmaxFloat);
  visit("softmax_int16", kSoftmaxInt16);
  visit("svdf_int8_state", kSvdfOf<int8_t>);
  visit("svdf_int16_state", kSvdfOf<int16_t>);
  visit("transpose_conv_int8", kTransposeConvInt8);
  visit("transpose_conv_float", kTransposeConvFloat);
  visit("unary_float", kUnaryFloat);
  visit("piecewise_int16", kPiecewiseInt16);
  visit("sigmoid_int16", kSigmoidInt16);
}

// Visits the tables of decoders of compressed weights.
template <typename Visit>
constexpr void VisitDecoderTables(const Visit& visit) {
  visit("bit_unpack_8", kBitUnpack<uint8_t>);
  visit("bit_unpack_16", kBitUnpack<uint16_t>);
  visit("bit_unpack_32", kBitUnpack<uint32_t>);
  visit("huffman_decode_8", kHuffmanDecode<uint8_t>);
  visit("huffman_decode_16", kHuffmanDecode<uint16_t>);
  visit("huffman_lut_decode_8", kHuffmanLutDecode<uint8_t>);
  visit("huffman_lut_decode_16", kHuffmanLutDecode<uint16_t>);
  visit("huffman_lut_decode_32", kHuffmanLutDecode<uint32_t>);
  visit("huffman_lut_decode_64", kHuffmanLutDecode<uint64_t>);
  visit("lut_decode_8", kLutDecode<uint8_t>);
  visit("lut_decode_16", kLutDecode<uint16_t>);
  visit("lut_decode_32", kLutDecode<uint32_t>);
  visit("lut_decode_64", kLutDecode<uint64_t>);
  visit("prune_decode_8", kPruneDecode<uint8_t>);
  visit("prune_decode_16", kPruneDecode<uint16_t>);
  visit("prune_decode_32", kPruneDecode<uint32_t>);
  visit("prune_decode_64", kPruneDecode<uint64_t>);
  visit("sparse_lut_decode_8", kSparseLutDecode<uint8_t>);
  visit("sparse_lut_decode_16", kSparseLutDecode<uint16_t>);
  visit("sparse_lut_decode_32", kSparseLutDecode<uint32_t>);
}

template <typename Visit>
constexpr void VisitTables(const Visit& visit) {
  VisitOperatorTables(visit);
  VisitDecoderTables(visit);
}

// Returns the name of the table at an address; null if it is not listed above.
inline const char* TableName(const void* table) {
  const char* found = nullptr;
  VisitTables([&](const char* name, const auto& listed) {
    if (static_cast<const void*>(listed) == table) found = name;
  });
  return found;
}

}  // namespace lutra
