// SPDX-License-Identifier: Apache-2.0
// The builtin operators of the TFLite schema, with the numbers and names that files and tools use.
//
//   const char* name = lutra::ToString(lutra::BuiltinOperator::kConv2D);  // "CONV_2D"

#pragma once

#include <stdint.h>

// OP(name of the enumerator, number in files, name in TFLite's spelling), in the order of the numbers.
// clang-format off
#define LUTRA_BUILTIN_OPERATORS(OP) \
  OP(Add, 0, "ADD")                                                         \
  OP(AveragePool2D, 1, "AVERAGE_POOL_2D")                                   \
  OP(Concatenation, 2, "CONCATENATION")                                     \
  OP(Conv2D, 3, "CONV_2D")                                                  \
  OP(DepthwiseConv2D, 4, "DEPTHWISE_CONV_2D")                               \
  OP(DepthToSpace, 5, "DEPTH_TO_SPACE")                                     \
  OP(Dequantize, 6, "DEQUANTIZE")                                           \
  OP(EmbeddingLookup, 7, "EMBEDDING_LOOKUP")                                \
  OP(Floor, 8, "FLOOR")                                                     \
  OP(FullyConnected, 9, "FULLY_CONNECTED")                                  \
  OP(HashtableLookup, 10, "HASHTABLE_LOOKUP")                               \
  OP(L2Normalization, 11, "L2_NORMALIZATION")                               \
  OP(L2Pool2D, 12, "L2_POOL_2D")                                            \
  OP(LocalResponseNormalization, 13, "LOCAL_RESPONSE_NORMALIZATION")        \
  OP(Logistic, 14, "LOGISTIC")                                              \
  OP(LshProjection, 15, "LSH_PROJECTION")                                   \
  OP(Lstm, 16, "LSTM")                                                      \
  OP(MaxPool2D, 17, "MAX_POOL_2D")                                          \
  OP(Mul, 18, "MUL")                                                        \
  OP(Relu, 19, "RELU")                                                      \
  OP(ReluN1To1, 20, "RELU_N1_TO_1")                                         \
  OP(Relu6, 21, "RELU6")                                                    \
  OP(Reshape, 22, "RESHAPE")                                                \
  OP(ResizeBilinear, 23, "RESIZE_BILINEAR")                                 \
  OP(Rnn, 24, "RNN")                                                        \
  OP(Softmax, 25, "SOFTMAX")                                                \
  OP(SpaceToDepth, 26, "SPACE_TO_DEPTH")                                    \
  OP(Svdf, 27, "SVDF")                                                      \
  OP(Tanh, 28, "TANH")                                                      \
  OP(ConcatEmbeddings, 29, "CONCAT_EMBEDDINGS")                             \
  OP(SkipGram, 30, "SKIP_GRAM")                                             \
  OP(Call, 31, "CALL")                                                      \
  OP(Custom, 32, "CUSTOM")                                                  \
  OP(EmbeddingLookupSparse, 33, "EMBEDDING_LOOKUP_SPARSE")                  \
  OP(Pad, 34, "PAD")                                                        \
  OP(UnidirectionalSequenceRnn, 35, "UNIDIRECTIONAL_SEQUENCE_RNN")          \
  OP(Gather, 36, "GATHER")                                                  \
  OP(BatchToSpaceNd, 37, "BATCH_TO_SPACE_ND")                               \
  OP(SpaceToBatchNd, 38, "SPACE_TO_BATCH_ND")                               \
  OP(Transpose, 39, "TRANSPOSE")                                            \
  OP(Mean, 40, "MEAN")                                                      \
  OP(Sub, 41, "SUB")                                                        \
  OP(Div, 42, "DIV")                                                        \
  OP(Squeeze, 43, "SQUEEZE")                                                \
  OP(UnidirectionalSequenceLstm, 44, "UNIDIRECTIONAL_SEQUENCE_LSTM")        \
  OP(StridedSlice, 45, "STRIDED_SLICE")                                     \
  OP(BidirectionalSequenceRnn, 46, "BIDIRECTIONAL_SEQUENCE_RNN")            \
  OP(Exp, 47, "EXP")                                                        \
  OP(TopkV2, 48, "TOPK_V2")                                                 \
  OP(Split, 49, "SPLIT")                                                    \
  OP(LogSoftmax, 50, "LOG_SOFTMAX")                                         \
  OP(Delegate, 51, "DELEGATE")                                              \
  OP(BidirectionalSequenceLstm, 52, "BIDIRECTIONAL_SEQUENCE_LSTM")          \
  OP(Cast, 53, "CAST")                                                      \
  OP(Prelu, 54, "PRELU")                                                    \
  OP(Maximum, 55, "MAXIMUM")                                                \
  OP(ArgMax, 56, "ARG_MAX")                                                 \
  OP(Minimum, 57, "MINIMUM")                                                \
  OP(Less, 58, "LESS")                                                      \
  OP(Neg, 59, "NEG")                                                        \
  OP(Padv2, 60, "PADV2")                                                    \
  OP(Greater, 61, "GREATER")                                                \
  OP(GreaterEqual, 62, "GREATER_EQUAL")                                     \
  OP(LessEqual, 63, "LESS_EQUAL")                                           \
  OP(Select, 64, "SELECT")                                                  \
  OP(Slice, 65, "SLICE")                                                    \
  OP(Sin, 66, "SIN")                                                        \
  OP(TransposeConv, 67, "TRANSPOSE_CONV")                                   \
  OP(SparseToDense, 68, "SPARSE_TO_DENSE")                                  \
  OP(Tile, 69, "TILE")                                                      \
  OP(ExpandDims, 70, "EXPAND_DIMS")                                         \
  OP(Equal, 71, "EQUAL")                                                    \
  OP(NotEqual, 72, "NOT_EQUAL")                                             \
  OP(Log, 73, "LOG")                                                        \
  OP(Sum, 74, "SUM")                                                        \
  OP(Sqrt, 75, "SQRT")                                                      \
  OP(Rsqrt, 76, "RSQRT")                                                    \
  OP(Shape, 77, "SHAPE")                                                    \
  OP(Pow, 78, "POW")                                                        \
  OP(ArgMin, 79, "ARG_MIN")                                                 \
  OP(FakeQuant, 80, "FAKE_QUANT")                                           \
  OP(ReduceProd, 81, "REDUCE_PROD")                                         \
  OP(ReduceMax, 82, "REDUCE_MAX")                                           \
  OP(Pack, 83, "PACK")                                                      \
  OP(LogicalOr, 84, "LOGICAL_OR")                                           \
  OP(OneHot, 85, "ONE_HOT")                                                 \
  OP(LogicalAnd, 86, "LOGICAL_AND")                                         \
  OP(LogicalNot, 87, "LOGICAL_NOT")                                         \
  OP(Unpack, 88, "UNPACK")                                                  \
  OP(ReduceMin, 89, "REDUCE_MIN")                                           \
  OP(FloorDiv, 90, "FLOOR_DIV")                                             \
  OP(ReduceAny, 91, "REDUCE_ANY")                                           \
  OP(Square, 92, "SQUARE")                                                  \
  OP(ZerosLike, 93, "ZEROS_LIKE")                                           \
  OP(Fill, 94, "FILL")                                                      \
  OP(FloorMod, 95, "FLOOR_MOD")                                             \
  OP(Range, 96, "RANGE")                                                    \
  OP(ResizeNearestNeighbor, 97, "RESIZE_NEAREST_NEIGHBOR")                  \
  OP(LeakyRelu, 98, "LEAKY_RELU")                                           \
  OP(SquaredDifference, 99, "SQUARED_DIFFERENCE")                           \
  OP(MirrorPad, 100, "MIRROR_PAD")                                          \
  OP(Abs, 101, "ABS")                                                       \
  OP(SplitV, 102, "SPLIT_V")                                                \
  OP(Unique, 103, "UNIQUE")                                                 \
  OP(Ceil, 104, "CEIL")                                                     \
  OP(ReverseV2, 105, "REVERSE_V2")                                          \
  OP(AddN, 106, "ADD_N")                                                    \
  OP(GatherNd, 107, "GATHER_ND")                                            \
  OP(Cos, 108, "COS")                                                       \
  OP(Where, 109, "WHERE")                                                   \
  OP(Rank, 110, "RANK")                                                     \
  OP(Elu, 111, "ELU")                                                       \
  OP(ReverseSequence, 112, "REVERSE_SEQUENCE")                              \
  OP(MatrixDiag, 113, "MATRIX_DIAG")                                        \
  OP(Quantize, 114, "QUANTIZE")                                             \
  OP(MatrixSetDiag, 115, "MATRIX_SET_DIAG")                                 \
  OP(Round, 116, "ROUND")                                                   \
  OP(HardSwish, 117, "HARD_SWISH")                                          \
  OP(If, 118, "IF")                                                         \
  OP(While, 119, "WHILE")                                                   \
  OP(NonMaxSuppressionV4, 120, "NON_MAX_SUPPRESSION_V4")                    \
  OP(NonMaxSuppressionV5, 121, "NON_MAX_SUPPRESSION_V5")                    \
  OP(ScatterNd, 122, "SCATTER_ND")                                          \
  OP(SelectV2, 123, "SELECT_V2")                                            \
  OP(Densify, 124, "DENSIFY")                                               \
  OP(SegmentSum, 125, "SEGMENT_SUM")                                        \
  OP(BatchMatmul, 126, "BATCH_MATMUL")                                      \
  OP(PlaceholderForGreaterOpCodes, 127, "PLACEHOLDER_FOR_GREATER_OP_CODES") \
  OP(Cumsum, 128, "CUMSUM")                                                 \
  OP(CallOnce, 129, "CALL_ONCE")                                            \
  OP(BroadcastTo, 130, "BROADCAST_TO")                                      \
  OP(Rfft2d, 131, "RFFT2D")                                                 \
  OP(Conv3D, 132, "CONV_3D")                                                \
  OP(Imag, 133, "IMAG")                                                     \
  OP(Real, 134, "REAL")                                                     \
  OP(ComplexAbs, 135, "COMPLEX_ABS")                                        \
  OP(Hashtable, 136, "HASHTABLE")                                           \
  OP(HashtableFind, 137, "HASHTABLE_FIND")                                  \
  OP(HashtableImport, 138, "HASHTABLE_IMPORT")                              \
  OP(HashtableSize, 139, "HASHTABLE_SIZE")                                  \
  OP(ReduceAll, 140, "REDUCE_ALL")                                          \
  OP(Conv3DTranspose, 141, "CONV_3D_TRANSPOSE")                             \
  OP(VarHandle, 142, "VAR_HANDLE")                                          \
  OP(ReadVariable, 143, "READ_VARIABLE")                                    \
  OP(AssignVariable, 144, "ASSIGN_VARIABLE")                                \
  OP(BroadcastArgs, 145, "BROADCAST_ARGS")                                  \
  OP(RandomStandardNormal, 146, "RANDOM_STANDARD_NORMAL")                   \
  OP(Bucketize, 147, "BUCKETIZE")                                           \
  OP(RandomUniform, 148, "RANDOM_UNIFORM")                                  \
  OP(Multinomial, 149, "MULTINOMIAL")                                       \
  OP(Gelu, 150, "GELU")                                                     \
  OP(DynamicUpdateSlice, 151, "DYNAMIC_UPDATE_SLICE")                       \
  OP(Relu0To1, 152, "RELU_0_TO_1")                                          \
  OP(UnsortedSegmentProd, 153, "UNSORTED_SEGMENT_PROD")                     \
  OP(UnsortedSegmentMax, 154, "UNSORTED_SEGMENT_MAX")                       \
  OP(UnsortedSegmentSum, 155, "UNSORTED_SEGMENT_SUM")                       \
  OP(Atan2, 156, "ATAN2")                                                   \
  OP(UnsortedSegmentMin, 157, "UNSORTED_SEGMENT_MIN")                       \
  OP(Sign, 158, "SIGN")                                                     \
  OP(Bitcast, 159, "BITCAST")                                               \
  OP(BitwiseXor, 160, "BITWISE_XOR")                                        \
  OP(RightShift, 161, "RIGHT_SHIFT")                                        \
  OP(StablehloLogistic, 162, "STABLEHLO_LOGISTIC")                          \
  OP(StablehloAdd, 163, "STABLEHLO_ADD")                                    \
  OP(StablehloDivide, 164, "STABLEHLO_DIVIDE")                              \
  OP(StablehloMultiply, 165, "STABLEHLO_MULTIPLY")                          \
  OP(StablehloMaximum, 166, "STABLEHLO_MAXIMUM")                            \
  OP(StablehloReshape, 167, "STABLEHLO_RESHAPE")                            \
  OP(StablehloClamp, 168, "STABLEHLO_CLAMP")                                \
  OP(StablehloConcatenate, 169, "STABLEHLO_CONCATENATE")                    \
  OP(StablehloBroadcastInDim, 170, "STABLEHLO_BROADCAST_IN_DIM")            \
  OP(StablehloConvolution, 171, "STABLEHLO_CONVOLUTION")                    \
  OP(StablehloSlice, 172, "STABLEHLO_SLICE")                                \
  OP(StablehloCustomCall, 173, "STABLEHLO_CUSTOM_CALL")                     \
  OP(StablehloReduce, 174, "STABLEHLO_REDUCE")                              \
  OP(StablehloAbs, 175, "STABLEHLO_ABS")                                    \
  OP(StablehloAnd, 176, "STABLEHLO_AND")                                    \
  OP(StablehloCosine, 177, "STABLEHLO_COSINE")                              \
  OP(StablehloExponential, 178, "STABLEHLO_EXPONENTIAL")                    \
  OP(StablehloFloor, 179, "STABLEHLO_FLOOR")                                \
  OP(StablehloLog, 180, "STABLEHLO_LOG")                                    \
  OP(StablehloMinimum, 181, "STABLEHLO_MINIMUM")                            \
  OP(StablehloNegate, 182, "STABLEHLO_NEGATE")                              \
  OP(StablehloOr, 183, "STABLEHLO_OR")                                      \
  OP(StablehloPower, 184, "STABLEHLO_POWER")                                \
  OP(StablehloRemainder, 185, "STABLEHLO_REMAINDER")                        \
  OP(StablehloRsqrt, 186, "STABLEHLO_RSQRT")                                \
  OP(StablehloSelect, 187, "STABLEHLO_SELECT")                              \
  OP(StablehloSubtract, 188, "STABLEHLO_SUBTRACT")                          \
  OP(StablehloTanh, 189, "STABLEHLO_TANH")                                  \
  OP(StablehloScatter, 190, "STABLEHLO_SCATTER")                            \
  OP(StablehloCompare, 191, "STABLEHLO_COMPARE")                            \
  OP(StablehloConvert, 192, "STABLEHLO_CONVERT")                            \
  OP(StablehloDynamicSlice, 193, "STABLEHLO_DYNAMIC_SLICE")                 \
  OP(StablehloDynamicUpdateSlice, 194, "STABLEHLO_DYNAMIC_UPDATE_SLICE")    \
  OP(StablehloPad, 195, "STABLEHLO_PAD")                                    \
  OP(StablehloIota, 196, "STABLEHLO_IOTA")                                  \
  OP(StablehloDotGeneral, 197, "STABLEHLO_DOT_GENERAL")                     \
  OP(StablehloReduceWindow, 198, "STABLEHLO_REDUCE_WINDOW")                 \
  OP(StablehloSort, 199, "STABLEHLO_SORT")                                  \
  OP(StablehloWhile, 200, "STABLEHLO_WHILE")                                \
  OP(StablehloGather, 201, "STABLEHLO_GATHER")                              \
  OP(StablehloTranspose, 202, "STABLEHLO_TRANSPOSE")                        \
  OP(Dilate, 203, "DILATE")                                                 \
  OP(StablehloRngBitGenerator, 204, "STABLEHLO_RNG_BIT_GENERATOR")          \
  OP(ReduceWindow, 205, "REDUCE_WINDOW")                                    \
  OP(StablehloComposite, 206, "STABLEHLO_COMPOSITE")                        \
  OP(StablehloShiftLeft, 207, "STABLEHLO_SHIFT_LEFT")                       \
  OP(StablehloCbrt, 208, "STABLEHLO_CBRT")                                  \
  OP(StablehloCase, 209, "STABLEHLO_CASE")
// clang-format on

namespace lutra {

// The name of the custom operator that decodes constants (compression/format.h).
inline constexpr char kDecodeCustomCode[] = "TFLM_DECODE";

enum class BuiltinOperator : int32_t {
#define LUTRA_ENUMERATOR(name, number, text) k##name = number,
  LUTRA_BUILTIN_OPERATORS(LUTRA_ENUMERATOR)
#undef LUTRA_ENUMERATOR
};

// Returns the operator's name in TFLite's spelling, "CONV_2D"; "UNKNOWN" for a number that the schema lacks.
const char* ToString(BuiltinOperator code);
// Returns the operator's name; for a custom operator its code: "TFLM_DECODE".
inline const char* NameOf(BuiltinOperator code, const char* custom_code) {
  return code == BuiltinOperator::kCustom ? custom_code : ToString(code);
}

}  // namespace lutra
