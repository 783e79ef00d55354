// SPDX-License-Identifier: Apache-2.0
// Checks each table with the problems of runtime/kernels/<kernel>/<kernel>_cases.h.

#include "platforms/variants/variants.h"
#include "runtime/kernels/arg_max/arg_max_cases.h"
#include "runtime/kernels/batch_matmul/batch_matmul_cases.h"
#include "runtime/kernels/binary/binary_cases.h"
#include "runtime/kernels/binary_int16/binary_int16_cases.h"
#include "runtime/kernels/bit_unpack/bit_unpack_cases.h"
#include "runtime/kernels/compare/compare_cases.h"
#include "runtime/kernels/conv_2d/conv_2d_cases.h"
#include "runtime/kernels/conv_2d_int16/conv_2d_int16_cases.h"
#include "runtime/kernels/conv_2d_uint8/conv_2d_uint8_cases.h"
#include "runtime/kernels/convert/convert_cases.h"
#include "runtime/kernels/copy/copy_cases.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_cases.h"
#include "runtime/kernels/fully_connected/fully_connected_cases.h"
#include "runtime/kernels/fully_connected_int16/fully_connected_int16_cases.h"
#include "runtime/kernels/fully_connected_uint8/fully_connected_uint8_cases.h"
#include "runtime/kernels/gather/gather_cases.h"
#include "runtime/kernels/huffman_decode/huffman_decode_cases.h"
#include "runtime/kernels/lookup/lookup_cases.h"
#include "runtime/kernels/lstm/lstm_cases.h"
#include "runtime/kernels/lut_decode/lut_decode_cases.h"
#include "runtime/kernels/math_float/math_float_cases.h"
#include "runtime/kernels/min_max/min_max_cases.h"
#include "runtime/kernels/pool/pool_cases.h"
#include "runtime/kernels/prelu/prelu_cases.h"
#include "runtime/kernels/prune_decode/prune_decode_cases.h"
#include "runtime/kernels/reduce/reduce_cases.h"
#include "runtime/kernels/resize/resize_cases.h"
#include "runtime/kernels/rowwise_cases.h"
#include "runtime/kernels/select/select_cases.h"
#include "runtime/kernels/softmax_int16/softmax_int16_cases.h"
#include "runtime/kernels/sparse_lut_decode/sparse_lut_decode_cases.h"
#include "runtime/kernels/svdf/svdf_cases.h"
#include "runtime/kernels/transpose_conv/transpose_conv_cases.h"
#include "runtime/kernels/unary_float/unary_float_cases.h"
#include "runtime/kernels/unary_int16/unary_int16_cases.h"

namespace lutra::platforms {
namespace {

// Makes the problems again for each of the tables.
template <typename Problems, typename... Tables>
void Check(VariantChecker& checker, const Problems& problems, const Tables&... tables) {
  (checker.Check(tables, problems), ...);
}

// Runs the reference on packed arguments `Args`, which have the weights as bytes, too.
template <typename Args, auto kRef>
void OfBytes(const Args& args, const Rows& input, const Rows& output, int32_t first_row, int32_t row_count) {
  kRef(args, input, output, first_row, row_count);
}

#if LUTRA_HAS_VARIANTS(conv_2d, ARMDSP)
// A layer always has scratch.
void Conv2DPackedInScratch(const Conv2DPackedArgs& args, const Rows& input, const Rows& output,
                           int32_t first_row, int32_t row_count) {
  const auto run = args.scratch != nullptr ? Conv2DPackedArmdsp : OfBytes<Conv2DPackedArgs, Conv2DRef>;
  run(args, input, output, first_row, row_count);
}
#endif

// Companions of variants that are in no table: layers request them by name.
void CheckPacked(VariantChecker& checker) {
  constexpr Variant<FullyConnectedPackedFn> kFullyConnectedPacked[] = {
#if LUTRA_HAS_VARIANTS(fully_connected, ARMDSP)
    {"armdsp", kCpuArmDsp, FullyConnectedPackedArmdsp, nullptr, Unprepared::kRuns, nullptr,
     [](const FullyConnectedPackedArgs& args, int32_t) { return FullyConnectedScratchArmdsp(args, 1); }},
#endif
    {"ref", kCpuAny, OfBytes<FullyConnectedPackedArgs, FullyConnectedRef>}
  };
  constexpr Variant<Conv2DPackedFn> kConv2DPacked[] = {
#if LUTRA_HAS_VARIANTS(conv_2d, ARMDSP)
    {"armdsp", kCpuArmDsp, Conv2DPackedInScratch, nullptr, Unprepared::kRuns,
     [](const Conv2DPackedArgs& args) { return Conv2DRowsAtOnceArmdsp(args); },
     [](const Conv2DPackedArgs& args, int32_t rows) { return Conv2DScratchArmdsp(args, rows); }},
#endif
    {"ref", kCpuAny, OfBytes<Conv2DPackedArgs, Conv2DRef>}
  };
  {
    Problems<FullyConnectedPackedArgs> problems(checker);
    kFullyConnectedPackedProblems(checker, problems);
    checker.CheckAs("fully_connected_packed", kFullyConnectedPacked, problems);
  }
  Problems<Conv2DPackedArgs> problems(checker);
  kConv2DPackedProblems(checker, problems);
  checker.CheckAs("conv_2d_packed", kConv2DPacked, problems);
}

void CheckLayers(VariantChecker& checker) {
  Check(checker, kConv2DProblems<Conv2DArgs>, kConv2DInt8);
  Check(checker, kConv2DProblems<ConvFloatArgs>, kConv2DFloat);
  Check(checker, kConv2DUint8Problems, kConv2DUint8);
  Check(checker, kConv2DInt16Problems, kConv2DInt16);
  Check(checker, kTransposeConvInt16Problems, kTransposeConvInt16);
  Check(checker, kFullyConnectedInt16Problems, kFullyConnectedInt16);
  Check(checker, kDepthwiseConv2DProblems<DepthwiseConv2DArgs>, kDepthwiseConv2DInt8);
  Check(checker, kDepthwiseConv2DProblems<ConvFloatArgs>, kDepthwiseConv2DFloat);
  Check(checker, kTransposeConvProblems<TransposeConvArgs>, kTransposeConvInt8);
  Check(checker, kTransposeConvProblems<ConvFloatArgs>, kTransposeConvFloat);
  Check(checker, kFullyConnectedProblems, kFullyConnectedInt8);
  Check(checker, kFullyConnectedFloatProblems, kFullyConnectedFloat);
  Check(checker, kFullyConnectedUint8Problems, kFullyConnectedUint8);
  Check(checker, kMatMulProblems, kMatMulInt8);
  Check(checker, kMatMulFloatProblems, kMatMulFloat);
  Check(checker, kMatMulInt16Problems, kMatMulInt16);
  Check(checker, kSvdfProblems<int8_t>, kSvdfOf<int8_t>);
  Check(checker, kSvdfProblems<int16_t>, kSvdfOf<int16_t>);
  Check(checker, kLstmInt16Problems, kLstmInt16);
  Check(checker, kLstmInt8Problems, kLstmInt8);
  Check(checker, kLstmFloatProblems, kLstmFloat);
}

void CheckReductions(VariantChecker& checker) {
  Check(checker, kPoolProblems, kAveragePoolInt8, kMaxPoolInt8, kAveragePoolUint8, kMaxPoolUint8);
  Check(checker, kInt16PoolProblems, kAveragePoolInt16, kMaxPoolInt16);
  Check(checker, kFloatPoolProblems, kAveragePoolFloat, kMaxPoolFloat, kL2PoolFloat);
  Check(checker, kReduceProblems<int8_t>, kReduceSumInt8, kReduceMaxInt8, kReduceMinInt8);
  Check(checker, kReduceProblems<int16_t>, kReduceSumInt16);
  Check(checker, kReduceProblems<float>, kReduceSumFloat, kReduceMaxFloat, kReduceMinFloat);
  Check(checker, kArgMaxProblems<int8_t>, kArgMaxOf<int8_t>);
  Check(checker, kArgMaxProblems<float>, kArgMaxOf<float>);
}

void CheckElementwise(VariantChecker& checker) {
  Check(checker, kLookupProblems, kLookup);
  Check(checker, kSumProblems, kAddInt8, kSubInt8);
  Check(checker, BinaryProblems<int8_t>(ProductQuantization()), kMulInt8);
  Check(checker, BinaryProblems<int8_t>(QuotientQuantization()), kDivInt8);
  Check(checker, BinaryProblems<int8_t>(SquareQuantization()), kSquaredDifferenceInt8);
  Check(checker, BinaryProblems<int32_t>({}), kAddInt32, kSubInt32, kMulInt32, kDivInt32,
        kSquaredDifferenceInt32);
  Check(checker, BinaryProblems<float>({}), kAddFloat, kSubFloat, kMulFloat, kDivFloat,
        kSquaredDifferenceFloat, kFloorDivFloat, kFloorModFloat);
  Check(checker, kBinaryInt16Problems, kBinaryInt16);
  Check(checker, kUnaryInt16Problems<kPiecewiseInt16Cases>, kPiecewiseInt16);
  Check(checker, kUnaryInt16Problems<kSigmoidInt16Cases>, kSigmoidInt16);
  Check(checker, kUnaryFloatProblems, kUnaryFloat);
  Check(checker, kMathFloatProblems, kMathFloat);
  Check(checker, kCompareProblems, kCompare);
  Check(checker, kMinMaxProblems, kMinMax);
  Check(checker, kSelectProblems, kSelect);
  Check(checker, kPreluInt16Problems, kPreluInt16);
  Check(checker, kPreluProblems, kPreluInt8);
  Check(checker, kPreluFloatProblems, kPreluFloat);
  Check(checker, kConvertProblems, kConvert);
}

void CheckRows(VariantChecker& checker) {
  Check(checker, kSoftmaxProblems<int8_t>, kSoftmaxOf<int8_t>);
  Check(checker, kSoftmaxProblems<int16_t>, kSoftmaxOf<int16_t>);
  Check(checker, kSoftmaxInt16Problems, kSoftmaxInt16);
  Check(checker, kSoftmaxFloatProblems, kSoftmaxFloat);
  Check(checker, kLogSoftmaxProblems, kLogSoftmaxInt8);
  Check(checker, kL2NormalizeProblems, kL2NormalizeInt8);
}

void CheckMovers(VariantChecker& checker) {
  Check(checker, kCopyProblems, kCopy);
  Check(checker, kGatherProblems, kGatherBlocks);
  Check(checker, kGatherNdProblems, kGatherNdBlocks);
  Check(checker, kResizeBilinearProblems, kResizeBilinearInt8);
  Check(checker, kResizeBilinearFloatProblems, kResizeBilinearFloat);
  Check(checker, kResizeNearestProblems, kResizeNearestPixels);
}

void CheckDecoders(VariantChecker& checker) {
  Check(checker, kLutDecodeProblems<uint8_t>, kLutDecode<uint8_t>);
  Check(checker, kLutDecodeProblems<uint16_t>, kLutDecode<uint16_t>);
  Check(checker, kLutDecodeProblems<uint32_t>, kLutDecode<uint32_t>);
  Check(checker, kLutDecodeProblems<uint64_t>, kLutDecode<uint64_t>);
  Check(checker, kHuffmanDecodeProblems<uint8_t>, kHuffmanDecode<uint8_t>, kHuffmanLutDecode<uint8_t>);
  Check(checker, kHuffmanDecodeProblems<uint16_t>, kHuffmanDecode<uint16_t>, kHuffmanLutDecode<uint16_t>);
  Check(checker, kHuffmanDecodeProblems<uint32_t>, kHuffmanLutDecode<uint32_t>);
  Check(checker, kHuffmanDecodeProblems<uint64_t>, kHuffmanLutDecode<uint64_t>);
  Check(checker, kPruneDecodeProblems<uint8_t>, kPruneDecode<uint8_t>);
  Check(checker, kPruneDecodeProblems<uint16_t>, kPruneDecode<uint16_t>);
  Check(checker, kPruneDecodeProblems<uint32_t>, kPruneDecode<uint32_t>);
  Check(checker, kPruneDecodeProblems<uint64_t>, kPruneDecode<uint64_t>);
  Check(checker, kSparseLutDecodeProblems<uint8_t>, kSparseLutDecode<uint8_t>);
  Check(checker, kSparseLutDecodeProblems<uint16_t>, kSparseLutDecode<uint16_t>);
  Check(checker, kSparseLutDecodeProblems<uint32_t>, kSparseLutDecode<uint32_t>);
  Check(checker, kBitUnpackProblems<uint8_t>, kBitUnpack<uint8_t>);
  Check(checker, kBitUnpackProblems<uint16_t>, kBitUnpack<uint16_t>);
  Check(checker, kBitUnpackProblems<uint32_t>, kBitUnpack<uint32_t>);
}

}  // namespace

void CheckAll(VariantChecker& checker) {
  CheckLayers(checker);
  CheckPacked(checker);
  CheckReductions(checker);
  CheckElementwise(checker);
  CheckRows(checker);
  CheckMovers(checker);
  CheckDecoders(checker);
}

}  // namespace lutra::platforms
