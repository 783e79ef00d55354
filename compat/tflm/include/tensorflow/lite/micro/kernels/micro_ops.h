// SPDX-License-Identifier: Apache-2.0
// The operators that TensorFlow Lite Micro has, with its names: Register_CONV_2D() and so on.
//
//   resolver.AddConv2D(tflite::Register_CONV_2D_INT8());  // Links the kernels of int8 alone.

#pragma once

#include "tensorflow/lite/micro/micro_common.h"

// OP(x of Addx, x of Register_x, number in models)
// clang-format off
#define LUTRA_TFLM_BUILTIN_OPERATORS(OP) \
  OP(Abs, ABS, 101)                                                                        \
  OP(Add, ADD, 0)                                                                          \
  OP(AddN, ADD_N, 106)                                                                     \
  OP(ArgMax, ARG_MAX, 56)                                                                  \
  OP(ArgMin, ARG_MIN, 79)                                                                  \
  OP(AssignVariable, ASSIGN_VARIABLE, 144)                                                 \
  OP(AveragePool2D, AVERAGE_POOL_2D, 1)                                                    \
  OP(BatchMatMul, BATCH_MATMUL, 126)                                                       \
  OP(BatchToSpaceNd, BATCH_TO_SPACE_ND, 37)                                                \
  OP(BroadcastArgs, BROADCAST_ARGS, 145)                                                   \
  OP(BroadcastTo, BROADCAST_TO, 130)                                                       \
  OP(CallOnce, CALL_ONCE, 129)                                                             \
  OP(Cast, CAST, 53)                                                                       \
  OP(Ceil, CEIL, 104)                                                                      \
  OP(Concatenation, CONCATENATION, 2)                                                      \
  OP(Conv2D, CONV_2D, 3)                                                                   \
  OP(Cos, COS, 108)                                                                        \
  OP(CumSum, CUMSUM, 128)                                                                  \
  OP(DepthToSpace, DEPTH_TO_SPACE, 5)                                                      \
  OP(DepthwiseConv2D, DEPTHWISE_CONV_2D, 4)                                                \
  OP(Dequantize, DEQUANTIZE, 6)                                                            \
  OP(Div, DIV, 42)                                                                         \
  OP(DynamicUpdateSlice, DYNAMIC_UPDATE_SLICE, 151)                                        \
  OP(EmbeddingLookup, EMBEDDING_LOOKUP, 7)                                                 \
  OP(Elu, ELU, 111)                                                                        \
  OP(Equal, EQUAL, 71)                                                                     \
  OP(Exp, EXP, 47)                                                                         \
  OP(ExpandDims, EXPAND_DIMS, 70)                                                          \
  OP(Fill, FILL, 94)                                                                       \
  OP(Floor, FLOOR, 8)                                                                      \
  OP(FloorDiv, FLOOR_DIV, 90)                                                              \
  OP(FloorMod, FLOOR_MOD, 95)                                                              \
  OP(FullyConnected, FULLY_CONNECTED, 9)                                                   \
  OP(Gather, GATHER, 36)                                                                   \
  OP(GatherNd, GATHER_ND, 107)                                                             \
  OP(Greater, GREATER, 61)                                                                 \
  OP(GreaterEqual, GREATER_EQUAL, 62)                                                      \
  OP(HardSwish, HARD_SWISH, 117)                                                           \
  OP(If, IF, 118)                                                                           \
  OP(L2Normalization, L2_NORMALIZATION, 11)                                                \
  OP(L2Pool2D, L2_POOL_2D, 12)                                                             \
  OP(LeakyRelu, LEAKY_RELU, 98)                                                            \
  OP(Less, LESS, 58)                                                                       \
  OP(LessEqual, LESS_EQUAL, 63)                                                            \
  OP(Log, LOG, 73)                                                                         \
  OP(LogicalAnd, LOGICAL_AND, 86)                                                          \
  OP(LogicalNot, LOGICAL_NOT, 87)                                                          \
  OP(LogicalOr, LOGICAL_OR, 84)                                                            \
  OP(Logistic, LOGISTIC, 14)                                                               \
  OP(LogSoftmax, LOG_SOFTMAX, 50)                                                          \
  OP(Maximum, MAXIMUM, 55)                                                                 \
  OP(MaxPool2D, MAX_POOL_2D, 17)                                                           \
  OP(MirrorPad, MIRROR_PAD, 100)                                                           \
  OP(Mean, MEAN, 40)                                                                       \
  OP(Minimum, MINIMUM, 57)                                                                 \
  OP(Mul, MUL, 18)                                                                         \
  OP(Neg, NEG, 59)                                                                         \
  OP(NotEqual, NOT_EQUAL, 72)                                                              \
  OP(Pack, PACK, 83)                                                                       \
  OP(Pad, PAD, 34)                                                                         \
  OP(PadV2, PADV2, 60)                                                                     \
  OP(Prelu, PRELU, 54)                                                                     \
  OP(Quantize, QUANTIZE, 114)                                                              \
  OP(ReadVariable, READ_VARIABLE, 143)                                                     \
  OP(ReduceAll, REDUCE_ALL, 140)                                                           \
  OP(ReduceMax, REDUCE_MAX, 82)                                                            \
  OP(ReduceMin, REDUCE_MIN, 89)                                                            \
  OP(Relu, RELU, 19)                                                                       \
  OP(Relu6, RELU6, 21)                                                                     \
  OP(Reshape, RESHAPE, 22)                                                                 \
  OP(ResizeBilinear, RESIZE_BILINEAR, 23)                                                  \
  OP(ResizeNearestNeighbor, RESIZE_NEAREST_NEIGHBOR, 97)                                   \
  OP(ReverseV2, REVERSE_V2, 105)                                                           \
  OP(Round, ROUND, 116)                                                                    \
  OP(Rsqrt, RSQRT, 76)                                                                     \
  OP(SelectV2, SELECT_V2, 123)                                                             \
  OP(Shape, SHAPE, 77)                                                                     \
  OP(Sin, SIN, 66)                                                                         \
  OP(Slice, SLICE, 65)                                                                     \
  OP(Softmax, SOFTMAX, 25)                                                                 \
  OP(SpaceToBatchNd, SPACE_TO_BATCH_ND, 38)                                                \
  OP(SpaceToDepth, SPACE_TO_DEPTH, 26)                                                     \
  OP(Split, SPLIT, 49)                                                                     \
  OP(SplitV, SPLIT_V, 102)                                                                 \
  OP(Squeeze, SQUEEZE, 43)                                                                 \
  OP(Sqrt, SQRT, 75)                                                                       \
  OP(Square, SQUARE, 92)                                                                   \
  OP(SquaredDifference, SQUARED_DIFFERENCE, 99)                                            \
  OP(StridedSlice, STRIDED_SLICE, 45)                                                      \
  OP(Sub, SUB, 41)                                                                         \
  OP(Sum, SUM, 74)                                                                         \
  OP(Svdf, SVDF, 27)                                                                       \
  OP(Tanh, TANH, 28)                                                                       \
  OP(TransposeConv, TRANSPOSE_CONV, 67)                                                    \
  OP(Transpose, TRANSPOSE, 39)                                                             \
  OP(Unpack, UNPACK, 88)                                                                   \
  OP(UnidirectionalSequenceLSTM, UNIDIRECTIONAL_SEQUENCE_LSTM, 44)                         \
  OP(VarHandle, VAR_HANDLE, 142)                                                           \
  OP(While, WHILE, 119)                                                                    \
  OP(ZerosLike, ZEROS_LIKE, 93)                                                           
// OP(x of Addx, x of Register_x, name in models)
#define LUTRA_TFLM_CUSTOM_OPERATORS(OP) \
  OP(CircularBuffer, CIRCULAR_BUFFER, "CIRCULAR_BUFFER")                                                     \
  OP(Decode, DECODE, "TFLM_DECODE")                                                                          \
  OP(Delay, DELAY, "SignalDelay")                                                                            \
  OP(DetectionPostprocess, DETECTION_POSTPROCESS, "TFLite_Detection_PostProcess")                            \
  OP(Energy, ENERGY, "SignalEnergy")                                                                         \
  OP(FftAutoScale, FFT_AUTO_SCALE, "SignalFftAutoScale")                                                     \
  OP(FilterBank, FILTER_BANK, "SignalFilterBank")                                                            \
  OP(FilterBankLog, FILTER_BANK_LOG, "SignalFilterBankLog")                                                  \
  OP(FilterBankSquareRoot, FILTER_BANK_SQUARE_ROOT, "SignalFilterBankSquareRoot")                            \
  OP(FilterBankSpectralSubtraction, FILTER_BANK_SPECTRAL_SUBTRACTION, "SignalFilterBankSpectralSubtraction") \
  OP(Framer, FRAMER, "SignalFramer")                                                                         \
  OP(Irfft, IRFFT, "SignalIrfft")                                                                            \
  OP(OverlapAdd, OVERLAP_ADD, "SignalOverlapAdd")                                                            \
  OP(PCAN, PCAN, "SignalPCAN")                                                                               \
  OP(Rfft, RFFT, "SignalRfft")                                                                               \
  OP(Stacker, STACKER, "SignalStacker")                                                                      \
  OP(Window, WINDOW, "SignalWindow")
// Operators of int8 alone, as far as Lutra has them: OP(x of Addx, x of Register_x_INT8).
#define LUTRA_TFLM_INT8_OPERATORS(OP)   \
  OP(Add, ADD)                          \
  OP(AveragePool2D, AVERAGE_POOL_2D)    \
  OP(Conv2D, CONV_2D)                   \
  OP(DepthwiseConv2D, DEPTHWISE_CONV_2D) \
  OP(FullyConnected, FULLY_CONNECTED)   \
  OP(MaxPool2D, MAX_POOL_2D)            \
  OP(Mul, MUL)                          \
  OP(Softmax, SOFTMAX)                  \
  OP(Svdf, SVDF)
// clang-format on

namespace lutra::compat {

struct Operator;  // One of Lutra, of kOperatorBytes.
inline constexpr unsigned int kOperatorBytes = 5 * sizeof(void*);

// Each is an object, so that a program links only those that it names.
#define LUTRA_TFLM_DECLARE(method, registration, name) extern const Operator k##method;
LUTRA_TFLM_BUILTIN_OPERATORS(LUTRA_TFLM_DECLARE)
LUTRA_TFLM_CUSTOM_OPERATORS(LUTRA_TFLM_DECLARE)
#undef LUTRA_TFLM_DECLARE
#define LUTRA_TFLM_DECLARE_INT8(method, registration) extern const Operator k##method##Int8;
LUTRA_TFLM_INT8_OPERATORS(LUTRA_TFLM_DECLARE_INT8)
#undef LUTRA_TFLM_DECLARE_INT8

// One of the operators above. It is a struct of its own, as the functions of a program's own operators would
// take memory in each that adds Lutra's.
struct Registration {
  const Operator* lutra_operator = nullptr;
  operator TFLMRegistration() const {
    TFLMRegistration registration;
    registration.lutra_operator = lutra_operator;
    return registration;
  }
};

}  // namespace lutra::compat

namespace tflite {

#define LUTRA_TFLM_REGISTER(method, registration, name) \
  inline lutra::compat::Registration Register_##registration() { return {&lutra::compat::k##method}; }
LUTRA_TFLM_BUILTIN_OPERATORS(LUTRA_TFLM_REGISTER)
LUTRA_TFLM_CUSTOM_OPERATORS(LUTRA_TFLM_REGISTER)
#undef LUTRA_TFLM_REGISTER
#define LUTRA_TFLM_REGISTER_INT8(method, registration)                  \
  inline lutra::compat::Registration Register_##registration##_INT8() { \
    return {&lutra::compat::k##method##Int8};                           \
  }
LUTRA_TFLM_INT8_OPERATORS(LUTRA_TFLM_REGISTER_INT8)
#undef LUTRA_TFLM_REGISTER_INT8

// There is no separate operator for the reference kernel: every variant gives the same bits.
inline lutra::compat::Registration Register_CONV_2D_INT8REF() { return Register_CONV_2D_INT8(); }

// Lutra has no smaller form of these: the whole operator is used.
#define LUTRA_TFLM_ALIAS(alias, registration) \
  inline lutra::compat::Registration Register_##alias() { return Register_##registration(); }
LUTRA_TFLM_ALIAS(ADD_INT16, ADD)
LUTRA_TFLM_ALIAS(AVERAGE_POOL_2D_INT16, AVERAGE_POOL_2D)
LUTRA_TFLM_ALIAS(BATCH_MATMUL_INT16, BATCH_MATMUL)
LUTRA_TFLM_ALIAS(BATCH_MATMUL_INT8, BATCH_MATMUL)
LUTRA_TFLM_ALIAS(CONV_2D_INT16, CONV_2D)
LUTRA_TFLM_ALIAS(CONV_2D_INT4, CONV_2D)
LUTRA_TFLM_ALIAS(DEPTHWISE_CONV_2D_INT16, DEPTHWISE_CONV_2D)
LUTRA_TFLM_ALIAS(DEPTHWISE_CONV_2D_INT4, DEPTHWISE_CONV_2D)
LUTRA_TFLM_ALIAS(FULLY_CONNECTED_INT16, FULLY_CONNECTED)
LUTRA_TFLM_ALIAS(FULLY_CONNECTED_INT4, FULLY_CONNECTED)
LUTRA_TFLM_ALIAS(MAXIMUM_INT8, MAXIMUM)
LUTRA_TFLM_ALIAS(MAX_POOL_2D_INT16, MAX_POOL_2D)
LUTRA_TFLM_ALIAS(MINIMUM_INT8, MINIMUM)
LUTRA_TFLM_ALIAS(MUL_INT16, MUL)
LUTRA_TFLM_ALIAS(PAD_INT8, PAD)
LUTRA_TFLM_ALIAS(SOFTMAX_INT16, SOFTMAX)
LUTRA_TFLM_ALIAS(SOFTMAX_INT8_INT16, SOFTMAX)
LUTRA_TFLM_ALIAS(TRANSPOSE_CONV_INT8, TRANSPOSE_CONV)
LUTRA_TFLM_ALIAS(TRANSPOSE_INT8, TRANSPOSE)
LUTRA_TFLM_ALIAS(UNIDIRECTIONAL_SEQUENCE_LSTM_INT16, UNIDIRECTIONAL_SEQUENCE_LSTM)
LUTRA_TFLM_ALIAS(UNIDIRECTIONAL_SEQUENCE_LSTM_INT8, UNIDIRECTIONAL_SEQUENCE_LSTM)
#undef LUTRA_TFLM_ALIAS

}  // namespace tflite
